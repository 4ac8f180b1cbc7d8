import SyncCore
import SyncGraph

/// Where an export reads objects: a context with its unsaved values, or the rows of a store.
protocol ExportSource<Object> {
  associatedtype Object

  func identifier(of object: Object) -> ManagedObjectID

  /// The value of a stored attribute.
  func value(at slot: Int, of object: Object) -> Value

  /// The objects that a relationship leads to: for a to-one at most one, for an ordered relationship in
  /// its order, else in the order of insertion.
  func objects(of relationship: RelationshipDescription, from object: Object) throws -> [Object]
}

/// Exports rows of a store.
extension RowSource: ExportSource {}

/// Exports objects of a context as they are now, unsaved values included.
struct ObjectSource: ExportSource {
  func identifier(of object: ManagedObject) -> ManagedObjectID { object.objectID }

  func value(at slot: Int, of object: ManagedObject) -> Value { object.currentValue(at: slot) }

  func objects(
    of relationship: RelationshipDescription, from object: ManagedObject
  ) -> [ManagedObject] {
    object.currentObjects(at: relationship.slot)
  }
}
