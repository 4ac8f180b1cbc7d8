import SyncCore
import SyncStore

/// Orders of one-to-many lists as they stand before a part of the payload is written, and whose it
/// is that are still the same when orders are written.
extension LinkPlanner {
  struct StoredOrders {
    var lists = MemberLists()
    /// The owners whose members were read.
    var owners = RowSet()
  }

  /// Reads the present order of everything that an ordered one-to-many list of the payload is
  /// about.
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
          let row = batch.matches[owner].row
          if row > 0, row < firstNew, !isContinued(rule, of: batch, owner: row) {
            orders.owners.insert(row)
          }
        }
        guard !orders.owners.isEmpty else { continue }
        orders.lists = try storedLists(
          relationship.relationship, of: batch.entity, owners: orders.owners.rows)
        ordersBefore[ListPlace(batch: batch.number, rule: rule)] = orders
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

  /// The owners to which a part of the payload gives members, or from which it takes them, by a
  /// column of the members: the lists of all others stay as they were.
  ///
  /// - Throws: `CancellationError`.
  func owners(movedBy slot: Int, of destination: MatchedBatch) throws -> RowSet {
    var result = RowSet()
    for batch in batches
    where batch.entity.rootIndex == destination.entity.rootIndex
      && batch.node.columns.toOne.contains(slot)
    {
      try references[batch.number].forEachMove(by: slot, control) { before, now in
        for owner in [before, now] where owner > 0 { result.insert(owner) }
      }
    }
    return result
  }
}

/// Ordered lists of new owners that stand in the order of their row numbers: rows written in that
/// order need no positions, and are not read to know their order.
extension LinkPlanner {
  /// The new owners whose list is exactly the new objects that will refer to them, in the order in
  /// which these are written.
  ///
  /// - Throws: `CancellationError`.
  func ownersInOrder(_ rule: Int, of batch: MatchedBatch) throws -> RowSet {
    var result = RowSet()
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    guard edits == nil,
      let inverse = relationship.relationship.inverseSlot,
      let firstOwner = matches.firstNewRows[batch.entity.rootIndex],
      let firstMember = matches.firstNewRows[destination.entity.rootIndex]
    else { return result }
    let counts = try referrerCounts(inverse, of: destination, from: firstOwner)
    let column = references[destination.number].column(inverse)
    var looked = 0
    try activeMentions(rule, of: batch) { mention, owner in
      looked += 1
      if looked % SyncControl.stride == 0 { try control.checkpoint() }
      let row = batch.matches[owner].row
      let targets = batch.mentions[rule].targets(of: mention)
      let place = Int(row - firstOwner)
      guard place >= 0, place < counts.count, Int(counts[place]) == targets.count else { return }
      var last = firstMember - 1
      for target in targets {
        guard target >= 0 else { return }
        let index = destination.representative(target)
        let member = destination.matches[index]
        guard member.row > last, member.flags.contains(.active),
          !member.flags.contains(.ignored),
          member.traits.isDisjoint(with: LinkPlanner.uncertain), column[index] == row
        else { return }
        last = member.row
      }
      result.insert(row)
    }
    return result
  }

  /// Of an occurrence that is not written as the payload has it, or not for sure.
  private static let uncertain: Occurrence.Traits = [
    .conflicting, .referenceOnly, .rejected,
  ]

  /// How many objects of the payload refer to each new row, beginning with the first new one. The
  /// slot of a sibling entity may be another relationship; then it is too many.
  private func referrerCounts(
    _ slot: Int, of destination: MatchedBatch, from firstOwner: Int64
  ) throws -> [Int32] {
    var counts: [Int32] = []
    for batch in batches
    where batch.entity.rootIndex == destination.entity.rootIndex
      && batch.node.columns.toOne.contains(slot)
    {
      let rows = references[batch.number].said(slot) ?? PlainArray()
      for index in rows.indices {
        if index % SyncControl.stride == 0 { try control.checkpoint() }
        guard rows[index] >= firstOwner else { continue }
        let place = Int(rows[index] - firstOwner)
        if place >= counts.count {
          counts.append(contentsOf: repeatElement(0, count: place + 1 - counts.count))
        }
        counts[place] += 1
      }
    }
    return counts
  }
}
