import SyncCore
import SyncStore

/// Links that are no column of an object's own row: members of link tables, orders, and the other
/// side of one-to-one relationships.
extension ChangeWriter {
  /// How many relationships there are to write.
  var linkCount: Int { batches.reduce(0) { $0 + $1.node.relationships.count } }

  /// Writes memberships and orders.
  func link() throws {
    for write in planner.partnerWrites ?? [] {
      guard let relationship = write.entity.properties[write.slot].relationship else { continue }
      try transaction.lead(
        relationship, of: write.entity, row: write.row,
        to: write.partner > 0 ? write.partner : nil)
    }
    var completed = 0
    let total = linkCount
    for batch in batches {
      for (rule, relationship) in batch.node.relationships.enumerated() {
        switch relationship.kind {
        case .toOne: break
        case .oneToMany:
          if relationship.relationship.isOrdered { try order(rule, of: batch) }
        case .manyToMany:
          if batch.mentions[rule].count > 0 { try linkMembers(rule, of: batch) }
        }
        completed += 1
        try control.advance(.link, to: completed, of: total)
      }
    }
  }

  // MARK: - Orders

  /// Puts the members of ordered one-to-many lists into the order of the payload. Members that are
  /// still linked and not mentioned keep their order, at the end.
  private func order(_ rule: Int, of batch: MatchedBatch) throws {
    let relationship = batch.node.relationships[rule].relationship
    var excluded = try planner.ownersInOrder(rule, of: batch)
    if let parent = planner.givenParent(rule, of: batch),
      planner.isContinued(rule, of: batch, owner: parent)
    {
      excluded.insert(parent)
    }
    let wanted = try planner.memberLists(rule, of: batch, besides: excluded, notesMissing: false)
    guard !wanted.owners.isEmpty else { return }
    let before =
      planner.ordersBefore[ListPlace(batch: batch.number, rule: rule)]
      ?? LinkPlanner.StoredOrders()
    let changed = try changedOwners(rule, of: batch, among: wanted, before)
    let now = try planner.storedLists(relationship, of: batch.entity, owners: changed.rows)
    var positions: [(owner: Int64, member: Int64, position: Int64)] = []
    var hints = (before: 0, now: 0)
    for (index, owner) in wanted.owners.enumerated() {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      // The members in the payload, before anything was written, and now.
      let listed = wanted.members(of: index)
      let former = before.lists.index(ofOwner: owner, hint: &hints.before)
        .map(before.lists.members)
      let present =
        changed.contains(owner)
        ? now.index(ofOwner: owner, hint: &hints.now).map(now.members) : former
      // New members without a position stand one behind the other, as they were written.
      if present.map({ $0.elementsEqual(listed) }) ?? listed.isEmpty { continue }
      if let edits, edits.protects(relationship.slot, of: owner, batch.entity) {
        let members = present.map(Array.init) ?? []
        if RowList.ordered(members, by: Array(listed)) != members {
          edits.withhold([relationship.slot], of: owner, batch.entity)
        }
        continue
      }
      if let present, isReordering(listed, of: present) {
        if former?.elementsEqual(listed) ?? false { continue }
        for (position, member) in listed.enumerated() {
          positions.append((owner, member, Int64(position)))
        }
        continue
      }
      let members = present.map(Array.init) ?? []
      let sequence = RowList.ordered(members, by: Array(listed))
      if sequence == members || sequence.elementsEqual(former.map(Array.init) ?? []) { continue }
      for (position, member) in sequence.enumerated() {
        positions.append((owner, member, Int64(position)))
      }
    }
    try transaction.setPositions(relationship, of: batch.entity, positions: positions)
  }

  /// The owners whose members are not those any more that were read before anything was written.
  private func changedOwners(
    _ rule: Int, of batch: MatchedBatch, among lists: MemberLists,
    _ before: LinkPlanner.StoredOrders
  ) throws -> RowSet {
    let relationship = batch.node.relationships[rule]
    let moved = try relationship.relationship.inverseSlot.map {
      try planner.owners(movedBy: $0, of: batches[relationship.node])
    }
    var result = RowSet()
    for owner in lists.owners
    where !before.owners.contains(owner) || moved?.contains(owner) ?? true {
      result.insert(owner)
    }
    return result
  }

  /// Whether a list is that of the members in another order: of short lists, which most are,
  /// without making sets.
  private func isReordering(
    _ listed: UnsafeBufferPointer<Int64>, of members: UnsafeBufferPointer<Int64>
  ) -> Bool {
    // Both have each member once.
    listed.count == members.count && listed.count <= 16 && members.allSatisfy(listed.contains)
  }
}
