/// The changes that a sync may make in the store.
///
/// The first three are about objects of the synced entity, the `…Relationships` ones about nested
/// objects at every depth. Linking to an object that exists is part of updating its owner and needs
/// no option of its own.
public struct SyncOperations: OptionSet, Sendable, Hashable, Codable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Objects of the payload that are not stored are inserted.
  public static let insert = SyncOperations(rawValue: 1)
  /// Stored objects take the values of the payload.
  public static let update = SyncOperations(rawValue: 2)
  /// Stored objects in the scope that the payload does not mention are deleted.
  public static let delete = SyncOperations(rawValue: 4)
  /// Nested objects that are not stored are inserted.
  public static let insertRelationships = SyncOperations(rawValue: 8)
  /// Nested objects that are stored take the values of the payload.
  public static let updateRelationships = SyncOperations(rawValue: 16)
  /// Members of a one-to-many relationship that a nested list does not mention are deleted.
  public static let deleteRelationships = SyncOperations(rawValue: 32)
  /// Every item becomes a new object, even if its key is stored, with or without ``insert``. Not
  /// part of ``all``.
  public static let alwaysInsert = SyncOperations(rawValue: 64)

  /// Insert, update and delete, for objects of the entity and for nested ones: the default.
  public static let all: SyncOperations = [
    .insert, .update, .delete, .insertRelationships, .updateRelationships, .deleteRelationships,
  ]

  /// With these everything that the payload says is written.
  static let writing: SyncOperations = [
    .insert, .update, .insertRelationships, .updateRelationships,
  ]
}

extension SyncOperations: CustomStringConvertible {
  public var description: String {
    let names: [(SyncOperations, String)] = [
      (.insert, "insert"), (.update, "update"), (.delete, "delete"),
      (.insertRelationships, "insertRelationships"),
      (.updateRelationships, "updateRelationships"),
      (.deleteRelationships, "deleteRelationships"), (.alwaysInsert, "alwaysInsert"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
