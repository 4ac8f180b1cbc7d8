import SyncCore
import SyncStore

/// The lists of the payload as row numbers.
extension LinkPlanner {
  struct RuleKey: Hashable {
    let batch: Int
    let rule: Int
  }

  /// The rows that an owner lists.
  struct OwnerList {
    let owner: Int64
    let members: [Int64]
  }

  struct Pair: Hashable {
    let owner: Int64
    let member: Int64
  }

  /// The rows each owner lists, in payload order, each once. Owners that the payload says nothing
  /// about are not in it; of several lists of one owner the last one counts.
  ///
  /// - Parameter settled: owners to leave out.
  /// - Throws: `CancellationError`.
  func lists(
    _ rule: Int, of batch: Batch, besides settled: RowSet = RowSet()
  ) throws -> [OwnerList] {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    var result: [OwnerList] = []
    try activeMentions(rule, of: batch) { mention, owner in
      if result.count % SyncControl.stride == 0 { try control.checkpoint() }
      guard settled.isEmpty || !settled.contains(batch.occurrences[Int(owner)].row) else { return }
      let targets = mentions.targets(of: mention)
      var rows: [Int64] = []
      rows.reserveCapacity(targets.count)
      // Most lists are short, and need no set to see what they repeat.
      var seen = Set<Int64>()
      let list =
        relationship.relationship.kind == .oneToMany
        ? relationship.relationship.inverseSlot.map {
          MemberList(owner: batch.occurrences[Int(owner)].row, inverse: $0)
        } : nil
      for target in targets {
        if let row = row(
          of: target, in: destination, list: list,
          linked: sharedMember(target, rule, of: batch, owner: owner))
        {
          let isNew = targets.count > 16 ? seen.insert(row).inserted : !rows.contains(row)
          if isNew { rows.append(row) }
        }
      }
      result.append(OwnerList(owner: batch.occurrences[Int(owner)].row, members: rows))
    }
    return result
  }

  /// The rows each owner lists, ascending by owner.
  struct MemberLists {
    var owners: [(row: Int64, start: Int32, count: Int32)] = []
    let members = PlainArray<Int64>()

    /// The rows of one list, in payload order, each once.
    func members(of index: Int) -> UnsafeBufferPointer<Int64> {
      UnsafeBufferPointer(
        start: members.start + Int(owners[index].start), count: Int(owners[index].count))
    }
  }

  /// The lists of a many-to-many relationship. Like ``lists(_:of:)``, and notes what does not exist.
  ///
  /// - Throws: `CancellationError`.
  func memberLists(_ rule: Int, of batch: Batch) throws -> MemberLists {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    var result = MemberLists()
    let members = result.members
    result.owners.reserveCapacity(mentions.count)
    members.reserve(mentions.targetCount)
    try activeMentions(rule, of: batch) { mention, owner in
      if result.owners.count % SyncControl.stride == 0 { try control.checkpoint() }
      let targets = mentions.targets(of: mention)
      let start = members.count
      // Most lists are short, and need no set to see what they repeat.
      var seen = Set<Int64>()
      for target in targets {
        guard
          let row = row(
            of: target, in: destination,
            linked: sharedMember(target, rule, of: batch, owner: owner))
        else {
          noteUnresolved(target, relationship, owner, batch)
          continue
        }
        if targets.count > 16 {
          guard seen.insert(row).inserted else { continue }
        } else if members[start...].contains(row) {
          continue
        }
        members.append(row)
      }
      result.owners.append(
        (batch.occurrences[Int(owner)].row, Int32(start), Int32(members.count - start)))
    }
    let owners = result.owners
    if !zip(owners, owners.dropFirst()).allSatisfy({ $0.row < $1.row }) {
      result.owners.sort { $0.row < $1.row }
    }
    return result
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
    for (index, list) in try lists(inverseRule, of: destination).enumerated() {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      for owner in list.members { result.insert(Pair(owner: owner, member: list.owner)) }
    }
    return result
  }

  /// Reads the present order of everything that an ordered one-to-many list of the payload is about.
  func readOrders() throws {
    for batch in batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where relationship.relationship.kind == .oneToMany && relationship.relationship.isOrdered
        && batch.mentions[rule].count > 0
      {
        let firstNew = firstNewRows[batch.entity.rootIndex] ?? .max
        var owners: [Int64] = []
        activeMentions(rule, of: batch) { _, owner in
          // New ones have no members yet.
          let row = batch.occurrences[Int(owner)].row
          if row < firstNew, !isContinued(rule, of: batch, owner: row) { owners.append(row) }
        }
        guard !owners.isEmpty else { continue }
        let members = try transaction.members(
          of: relationship.relationship, in: batch.entity, owners: owners)
        ordersBefore[RuleKey(batch: batch.number, rule: rule)] =
          Dictionary(grouping: members, by: \.owner).mapValues { $0.map(\.row) }
      }
    }
  }
}
