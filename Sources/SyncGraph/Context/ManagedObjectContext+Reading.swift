import SyncCore
import SyncStore

/// What a context reads from. Everything that becomes objects comes in through these calls.
extension ManagedObjectContext {
  /// Reads rows by number, in ascending order; those that are not there are left out.
  func readRows(_ root: EntityDescription, _ rows: [Int64]) throws -> [StoredRow] {
    try core.store().read { try $0.rows(root, rows: rows) }
  }

  /// Reads the rows that a plan asks for, in its order.
  func readRows(_ plan: FetchPlan) throws -> [StoredRow] {
    try core.store().read { try $0.fetch(plan) }
  }

  /// Reads the identifiers of the objects that a plan asks for, in its order.
  func readIdentifiers(_ plan: FetchPlan) throws -> [ManagedObjectID] {
    try core.store().read { try $0.fetchIdentifiers(plan) }
  }

  /// Counts the objects that a plan asks for.
  func readCount(_ plan: FetchPlan) throws -> Int {
    try core.store().read { try $0.count(plan) }
  }

  /// Reads the values that a plan asks for.
  func readValues(_ plan: FetchPlan) throws -> [[Value]] {
    try core.store().read { try $0.fetchValues(plan) }
  }

  /// Reads the members of a relationship for many owners.
  ///
  /// - Parameter entity: an entity that has the relationship, and of which all owners are.
  func readMembers(
    of relationship: RelationshipShape, in entity: EntityDescription, owners: [ManagedObjectID]
  ) throws -> [StoredMember] {
    let rows = owners.map(\.row)
    return try core.store().read {
      try $0.members(of: relationship.description, in: entity, owners: rows)
    }
  }
}
