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

    init(_ rule: Int, of batch: Batch, _ planner: LinkPlanner) {
      stored = batch.stored
      kinds = []
      let mentions = batch.mentions[rule]
      guard mentions.count > 0 else { return }
      kinds = Array(repeating: nil, count: stored.count)
      planner.activeMentions(rule, of: batch) { mention, owner in
        let index = batch.occurrences[Int(owner)].stored
        guard index >= 0, !batch.occurrences[Int(owner)].flags.contains(.inserted) else { return }
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

    /// The owners that list objects, not keys.
    var ownersOfObjects: [Int64] {
      kinds.indices.filter { kinds[$0] == .objects }.map { stored.rows[$0] }
    }
  }

  /// Counts the members that owners of lists of objects had before the sync, each owner's once however many parts
  /// of the payload give its list. Those of a given parent are counted elsewhere: they are the scope.
  ///
  /// - Throws: `CancellationError`.
  func countMembers(
    _ list: RelationshipDescription, _ own: Claims.Relationship, _ column: Int, _ kinds: ListKinds,
    _ destination: Batch
  ) throws {
    var kinds = kinds
    let key = Claims.Relationship(list)
    let references = destination.stored.references[column]
    let parent = parentRow(of: key)
    // Looked up once, not for each of the rows.
    let parts = claims.parts
    let counted = parts?.counted?[key]
    let changed = parts?.changed[own]
    let inserted = parts?.inserted[destination.entity.rootIndex]
    for index in 0..<references.count {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      let owner = references[index]
      guard owner > 0, owner != parent, kinds.kind(ofListOf: owner) == .objects else { continue }
      let row = destination.stored.rows[index]
      if counted?.contains(owner) == true || changed?.contains(row) == true
        || inserted?.contains(row) == true
      {
        continue
      }
      claims.memberCount += 1
    }
    guard parts != nil else { return }
    for (step, owner) in kinds.ownersOfObjects.enumerated() where owner != parent {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      claims.memberCount += claims.parts?.countMembers(of: owner, key, column: own) ?? 0
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
