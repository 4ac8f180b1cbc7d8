import SyncCore

/// How many members the lists of the payload have in the store: what the deletion guard compares with.
extension LinkPlanner {
  /// What kind of list each stored owner has in the payload. Asks are cheapest in the order of the owners.
  struct ListKinds {
    private let stored: StoredRows
    /// By index of the stored owner.
    private var kinds: [LinkMentions.Kind?]
    /// The one that was asked for last, -1 in the beginning.
    private var last = -1
    private(set) var isEmpty = true

    init(_ rule: Int, of batch: MatchedBatch, _ planner: LinkPlanner) {
      stored = batch.stored
      kinds = []
      let mentions = batch.mentions[rule]
      guard mentions.count > 0 else { return }
      kinds = Array(repeating: nil, count: stored.count)
      planner.activeMentions(rule, of: batch) { mention, owner in
        let index = batch.occurrences[owner].stored
        guard index >= 0, !batch.occurrences[owner].flags.contains(.inserted) else { return }
        kinds[Int(index)] = mentions.kinds[mention]
        isEmpty = false
      }
    }

    mutating func kind(ofListOf owner: Int64) -> LinkMentions.Kind? {
      if last >= 0, stored.rows[last] == owner { return kinds[last] }
      if last + 1 < kinds.count, stored.rows[last + 1] == owner {
        last += 1
        return kinds[last]
      }
      guard let index = stored.index(ofRow: owner) else { return nil }
      guard Int(index) < kinds.count else { return nil }
      last = Int(index)
      return kinds[last]
    }
  }

  /// Counts the members that owners of lists of objects had before this part of the payload. Those of a given parent are
  /// counted elsewhere: they are the scope.
  ///
  /// - Throws: `CancellationError`.
  func countMembers(
    _ list: RelationshipDescription, _ references: PlainArray<Int64>, _ kinds: ListKinds
  ) throws {
    var kinds = kinds
    let parent = parentRow(of: Claims.Relationship(list))
    for index in 0..<references.count {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      let owner = references[index]
      guard owner > 0, owner != parent, kinds.kind(ofListOf: owner) == .objects else { continue }
      claims.state.memberCount += 1
    }
  }

  private func parentRow(of list: Claims.Relationship) -> Int64? {
    guard let rootOwner else { return nil }
    let owners = batches[rootOwner.batch]
    guard Claims.Relationship(owners.node.relationships[rootOwner.rule].relationship) == list else {
      return nil
    }
    return givenParent(rootOwner.rule, of: owners)
  }
}
