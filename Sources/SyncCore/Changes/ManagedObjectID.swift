/// Identifies one stored object for ever: its entity and the store's own row number.
///
/// Row numbers are never reused. The identifier is not the primary-key attribute, which may repeat,
/// be empty or change. It is the only thing about an object that crosses threads, besides
/// snapshots.
public struct ManagedObjectID: Sendable {
  /// The entity of the object; a subentity when the object is one.
  public let entity: EntityDescription

  /// The row number inside the table of the entity's root. Negative while the object is new and
  /// not yet saved.
  public let row: Int64

  package init(entity: EntityDescription, row: Int64) {
    self.entity = entity
    self.row = row
  }

  /// Whether the object was never saved. Saving gives it its permanent identifier.
  public var isTemporary: Bool { row < 0 }
}

extension ManagedObjectID: Hashable, Comparable {
  /// Equal when root entity and row number are equal.
  public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
    left.row == right.row && left.entity.rootIndex == right.entity.rootIndex
  }

  /// Orders by root entity in model order, then by row number.
  public static func < (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
    (left.entity.rootIndex, left.row) < (right.entity.rootIndex, right.row)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(row)
    hasher.combine(entity.rootIndex)
  }
}

extension ManagedObjectID: CustomStringConvertible {
  public var description: String { "\(entity.name)/\(isTemporary ? "new" : "")\(row)" }
}
