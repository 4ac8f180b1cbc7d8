import SyncCore
import SyncStore

/// The lists of the payload as row numbers.
extension LinkPlanner {
  struct RuleKey: Hashable {
    let batch: Int
    let rule: Int
  }

  struct Pair: Hashable {
    let owner: Int64
    let member: Int64
  }

  /// The rows each owner lists, each once: in payload order, or ascending where the relationship has no order.
  /// Owners that the payload says nothing about are not in it; of several lists of one owner the last one counts.
  ///
  /// - Parameters:
  ///   - settled: owners to leave out.
  ///   - notesMissing: whether to note what does not exist.
  /// - Throws: `CancellationError`.
  func memberLists(
    _ rule: Int, of batch: Batch, besides settled: RowSet = RowSet(), notesMissing: Bool
  ) throws -> MemberLists {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    let inverse =
      relationship.relationship.kind == .oneToMany ? relationship.relationship.inverseSlot : nil
    let known = rowsOfReferences(in: destination)
    let hasSettled = !settled.isEmpty
    var result = MemberLists()
    result.reserve(mentions.count, mentions.targetCount)
    try activeMentions(rule, of: batch) { mention, owner in
      if mention % SyncControl.stride == 0 { try control.checkpoint() }
      let ownerRow = batch.occurrences[Int(owner)].row
      guard !hasSettled || !settled.contains(ownerRow) else { return }
      let targets = mentions.targets(of: mention)
      result.begin(ownerRow)
      // Most lists are short, and need no set to see what they repeat.
      var seen = Set<Int64>()
      for target in targets {
        var member = target < 0 && !known.isEmpty ? known[Int(~target)] : 0
        if member == 0 {
          guard
            let row = row(
              of: target, in: destination,
              list: inverse.map { MemberList(owner: ownerRow, inverse: $0) },
              linked: sharedMember(target, rule, of: batch, owner: owner))
          else {
            if notesMissing { noteUnresolved(target, relationship, owner, batch) }
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
    result.sortOwners()
    return result
  }

  /// The row of each key that the payload refers to, 0 where there is none yet; empty where it takes more than the
  /// key to tell objects apart.
  private func rowsOfReferences(in destination: Batch) -> [Int64] {
    guard destination.referenceDuplicates.isEmpty else { return [] }
    let stored = destination.stored.rows
    return destination.referenceStored.map { $0 >= 0 ? stored[Int($0)] : 0 }
  }

  /// Pairs that the lists at the other end of a many-to-many relationship speak for.
  func pairsFromOtherSide(_ rule: Int, of batch: Batch) throws -> Set<Pair> {
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
