import SyncCore
import SyncStore

/// Links that are no column of an object's own row: members of link tables, orders, and the other
/// side of one-to-one relationships.
extension ChangeWriter {
  /// How many relationships there are to write.
  var linkCount: Int { batches.reduce(0) { $0 + $1.node.relationships.count } }

  /// Writes memberships and orders.
  func link(_ planner: LinkPlanner) throws {
    try PartnerWriter(transaction: transaction, claims: claims).write(planner.partnerWrites)
    let rules = batches.flatMap { batch in batch.node.relationships.indices.map { (batch, $0) } }
    for (position, (batch, rule)) in rules.enumerated() {
      let relationship = batch.node.relationships[rule].relationship
      switch relationship.kind {
      case .toOne: break
      case .oneToMany:
        if relationship.isOrdered { try order(rule, of: batch, planner) }
      case .manyToMany:
        if batch.mentions[rule].count > 0 { try linkMembers(rule, of: batch, planner) }
      }
      try control.advance(.link, to: position + 1, of: rules.count)
    }
  }

  // MARK: - Orders

  /// Puts the members of ordered one-to-many lists into the order of the payload. Members that are
  /// still linked and not mentioned keep their order, at the end.
  private func order(_ rule: Int, of batch: Batch, _ planner: LinkPlanner) throws {
    let relationship = batch.node.relationships[rule].relationship
    var settled = try planner.ownersInOrder(rule, of: batch)
    if let parent = planner.givenParent(rule, of: batch),
      planner.isContinued(rule, of: batch, owner: parent)
    {
      settled.insert(parent)
    }
    let wanted = try planner.lists(rule, of: batch, besides: settled)
    guard !wanted.isEmpty else { return }
    let owners = wanted.map(\.owner)
    let now = Dictionary(
      grouping: try transaction.members(of: relationship, in: batch.entity, owners: owners),
      by: \.owner
    ).mapValues { $0.map(\.row) }
    let before = planner.ordersBefore[LinkPlanner.RuleKey(batch: batch.number, rule: rule)] ?? [:]
    var positions: [(owner: Int64, member: Int64, position: Int64)] = []
    for list in wanted {
      let owner = list.owner
      let members = now[owner] ?? []
      // New members without a position stand one behind the other, as they were written.
      if members == list.members { continue }
      let sequence = ordered(members, by: list.members)
      if let edits, edits.protects(relationship.slot, of: owner, batch.entity) {
        if sequence != members { edits.withhold([relationship.slot], of: owner, batch.entity) }
        continue
      }
      if sequence == members || sequence == before[owner] ?? [] { continue }
      for (position, member) in sequence.enumerated() {
        positions.append((owner, member, Int64(position)))
      }
    }
    if !positions.isEmpty {
      try transaction.setPositions(relationship, of: batch.entity, positions: positions)
    }
  }

  /// The members in the wanted order, those that are not wanted at the end in their own.
  private func ordered(_ members: [Int64], by wanted: [Int64]) -> [Int64] {
    let present = Set(members)
    let first = wanted.filter { present.contains($0) }
    let listed = Set(first)
    return first + members.filter { !listed.contains($0) }
  }
}
