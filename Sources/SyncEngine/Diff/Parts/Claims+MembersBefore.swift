import SyncCore
import SyncStore

extension Claims {
  /// Whom many-to-many lists held before the first part of the payload, by owner; those that held nobody, and owners
  /// that the payload brought, are left out.
  ///
  /// - Complexity: One statement for all owners.
  /// - Throws: `CancellationError`; errors of the store.
  func membersBefore(
    _ relationship: RelationshipDescription, of entity: EntityDescription, _ owners: Set<Int64>,
    _ transaction: StoreTransaction, _ control: SyncControl
  ) throws -> [Int64: Set<Int64>] {
    let owners = owners.filter { !wasInserted($0, entity) }
    guard !owners.isEmpty else { return [:] }
    var members: [Int64: Set<Int64>] = [:]
    for member in try transaction.members(of: relationship, in: entity, owners: owners.sorted()) {
      members[member.owner, default: []].insert(member.row)
    }
    if let parts {
      try pairIndex.undo(
        relationship, of: entity, owners, parts, in: &members, control.checkpoint)
    }
    return members
  }
}
