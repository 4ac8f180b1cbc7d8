import SyncCore
import SyncStore

/// The lists of the payload as row numbers.
extension LinkPlanner {
  struct Pair: Hashable {
    let owner: Int64
    let member: Int64
  }

  /// The rows each owner lists, each once: in payload order, or ascending where the relationship
  /// has no order. Owners that the payload says nothing about are not in it; of several lists of
  /// one owner the last one counts.
  ///
  /// - Parameters:
  ///   - excluded: owners to leave out.
  ///   - notesMissing: whether to note targets that do not exist.
  /// - Throws: `CancellationError`.
  func memberLists(
    _ rule: Int, of batch: MatchedBatch, besides excluded: RowSet = RowSet(), notesMissing: Bool
  ) throws -> MemberLists {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    let order = try mentionsByOwner(rule, of: batch, besides: excluded)
    let known = rowsOfReferences(in: destination)
    var missing: [(mention: Int32, target: Int32, position: Int)] = []
    var result = MemberLists()
    result.reserve(order.count, mentions.targetCount)
    for (position, mention) in order.enumerated() {
      if position % SyncControl.stride == 0 { try control.checkpoint() }
      let owner = batch.representative(mentions.owners[Int(mention)])
      let ownerRow = batch.matches[owner].row
      let targets = mentions.targets(of: Int(mention))
      result.begin(ownerRow)
      // Most lists are short, and need no set to find repeats.
      var seen = Set<Int64>()
      for (position, target) in targets.enumerated() {
        var member = target < 0 && !known.isEmpty ? known[Int(~target)] : 0
        if member == 0 {
          guard
            let row = row(
              of: target, in: destination,
              isLinked: { isMember($0, of: ownerRow, rule, of: batch) })
          else {
            if notesMissing { missing.append((mention, target, position)) }
            continue
          }
          member = row
        }
        if targets.count > 16 {
          if seen.insert(member).inserted { result.append(member) }
        } else {
          result.appendOnce(member)
        }
      }
      if !relationship.relationship.isOrdered { result.sortLast() }
    }
    try note(missing, relationship, rule, of: batch)
    return result
  }

  /// The mentions of which ``memberLists(_:of:besides:notesMissing:)`` makes lists, in the order of
  /// the owners' row numbers.
  private func mentionsByOwner(
    _ rule: Int, of batch: MatchedBatch, besides excluded: RowSet
  ) throws -> [Int32] {
    let hasExcluded = !excluded.isEmpty
    var found: [Int32] = []
    var rows: [Int64] = []
    found.reserveCapacity(batch.mentions[rule].count)
    rows.reserveCapacity(batch.mentions[rule].count)
    var last = Int64.min
    var isAscending = true
    try activeMentions(rule, of: batch) { mention, owner in
      if mention % SyncControl.stride == 0 { try control.checkpoint() }
      let row = batch.matches[owner].row
      guard !hasExcluded || !excluded.contains(row) else { return }
      if row < last { isAscending = false }
      last = row
      found.append(Int32(mention))
      rows.append(row)
    }
    if isAscending { return found }
    var order = RowOrder.ascending(rows)
    for position in order.indices { order[position] = found[Int(order[position])] }
    return order
  }

  /// Notes targets of lists that do not exist, in payload order.
  private func note(
    _ missing: [(mention: Int32, target: Int32, position: Int)], _ relationship: RelationshipRule,
    _ rule: Int,
    of batch: MatchedBatch
  ) throws {
    let order = RowOrder.ascending(missing.map { Int64($0.mention) })
    for (step, position) in order.enumerated() {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      let (mention, target, place) = missing[Int(position)]
      let owner = batch.representative(batch.mentions[rule].owners[Int(mention)])
      noteUnresolved(target, relationship, owner, batch, position: place)
    }
  }

  /// The row of each key that the payload refers to, 0 where there is none yet; empty where it
  /// takes more than the key to tell objects apart.
  private func rowsOfReferences(in destination: MatchedBatch) -> [Int64] {
    guard destination.references.duplicates.isEmpty else { return [] }
    let stored = destination.stored.rows
    return destination.references.first.map { $0 >= 0 ? stored[Int($0)] : 0 }
  }

  /// Pairs that the lists at the other end of a many-to-many relationship speak for.
  func pairsFromOtherSide(_ rule: Int, of batch: MatchedBatch) throws -> Set<Pair> {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    guard let inverse = relationship.relationship.inverseSlot,
      let inverseRule = destination.node.relationshipRule(forSlot: inverse),
      destination.mentions[inverseRule].count > 0
    else { return [] }
    var result = Set<Pair>()
    let lists = try memberLists(inverseRule, of: destination, notesMissing: false)
    for (index, member) in lists.owners.enumerated() {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      for owner in lists.members(of: index) { result.insert(Pair(owner: owner, member: member)) }
    }
    return result
  }
}
