import SyncCore
import SyncGraph

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
