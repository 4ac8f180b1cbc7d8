package import SyncCore

extension StoreTransaction {
  /// Adds pairs to a many-to-many relationship; pairs that exist already stay as they are and are
  /// not recorded.
  ///
  /// - Parameters:
  ///   - entity: the entity that has the relationship; owners may be of subentities.
  ///   - positions: for each pair the member's position among the owner's, when the relationship is
  ///     ordered; nil appends.
  package func addLinks(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    pairs: [(owner: Int64, member: Int64)], positions: [Int64]? = nil
  ) throws {
    throw StoreError(.unsupported, message: "Not yet.")
  }

  /// Removes pairs from a many-to-many relationship.
  package func removeLinks(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    pairs: [(owner: Int64, member: Int64)]
  ) throws {
    throw StoreError(.unsupported, message: "Not yet.")
  }

  /// Sets the positions of members of an ordered relationship of either kind. Records the owners
  /// whose order really changed.
  package func setPositions(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    positions: [(owner: Int64, member: Int64, position: Int64)]
  ) throws {
    throw StoreError(.unsupported, message: "Not yet.")
  }

  /// Like ``prepareBulkInsert(_:count:)``, for the pairs of a many-to-many relationship.
  package func prepareBulkLinks(
    _ relationship: RelationshipDescription, of entity: EntityDescription, count: Int
  ) throws {
  }
}
