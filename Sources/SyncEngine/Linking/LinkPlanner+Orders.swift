import SyncCore
import SyncStore

/// Orders of one-to-many lists as they stand before a part of the payload is written, and whose it is that are still
/// the same when orders are written.
extension LinkPlanner {
  struct StoredOrders {
    var lists = MemberLists()
    /// The owners whose members were read.
    var owners = RowSet()
  }

  /// Reads the present order of everything that an ordered one-to-many list of the payload is about.
  func readOrders() throws {
    for batch in batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where relationship.kind == .oneToMany && relationship.relationship.isOrdered
        && batch.mentions[rule].count > 0
      {
        let firstNew = matches.firstNewRows[batch.entity.rootIndex] ?? .max
        var orders = StoredOrders()
        activeMentions(rule, of: batch) { _, owner in
          // New ones have no members yet.
          let row = batch.occurrences[owner].row
          if row > 0, row < firstNew, !isContinued(rule, of: batch, owner: row) {
            orders.owners.insert(row)
          }
        }
        guard !orders.owners.isEmpty else { continue }
        orders.lists = try storedLists(
          relationship.relationship, of: batch.entity, owners: orders.owners.rows)
        ordersBefore[RuleKey(batch: batch.number, rule: rule)] = orders
      }
    }
  }

  /// The stored members of some owners, in their order.
  ///
  /// - Parameter owners: ascending, each once.
  func storedLists(
    _ relationship: RelationshipDescription, of entity: EntityDescription, owners: [Int64]
  ) throws -> MemberLists {
    var result = MemberLists()
    try transaction.scanLinks(of: relationship, in: entity, owners: owners[...]) { owner, member in
      if member % Int64(SyncControl.stride) == 0 { try control.checkpoint() }
      result.append(member, of: owner)
    }
    return result
  }

  /// The owners whom a part of the payload gives members or takes them from, by a column of the members: the lists of
  /// all others are what they were.
  ///
  /// - Throws: `CancellationError`.
  func owners(movedBy slot: Int, of destination: MatchedBatch) throws -> RowSet {
    var result = RowSet()
    for batch in batches where batch.entity.rootIndex == destination.entity.rootIndex {
      guard let owners = batch.destinations(of: slot) else { continue }
      for index in batch.occurrences.indices {
        if index % SyncControl.stride == 0 { try control.checkpoint() }
        let occurrence = batch.occurrences[index]
        guard !occurrence.flags.contains(.folded) else { continue }
        var isMoved = occurrence.flags.contains(.inserted)
        if occurrence.stored >= 0, occurrence.link >= 0,
          batch.differences[Int(occurrence.link)].contains(slot)
        {
          isMoved = true
          let owner = owners[occurrence.stored]
          if owner > 0 { result.insert(owner) }
        }
        guard isMoved else { continue }
        let cell = batch.block[index][slot]
        if cell.kind == .integer, cell.integer > 0 { result.insert(cell.integer) }
      }
    }
    return result
  }
}
