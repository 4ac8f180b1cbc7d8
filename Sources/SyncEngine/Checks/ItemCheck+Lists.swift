import SyncCore

/// Lists that an item gives with more or fewer objects than the model allows.
extension ItemCheck {
  /// Lists that are wrong whatever else the payload says: one that is too long, and one of a new object that is
  /// too short, when no object says itself that it belongs there.
  ///
  /// - Throws: `CancellationError`.
  func wrongLists(of batch: Batch, _ checks: NodeChecks) throws -> [Failure] {
    var failures: [Failure] = []
    for (rule, limits) in checks.lists where batch.mentions[rule].count > 0 {
      let relationship = batch.node.relationships[rule]
      let destination = planner.batches[relationship.node]
      let mentions = batch.mentions[rule]
      let others =
        relationship.relationship.inverseSlot
        .flatMap { destination.node.relationshipRule(forSlot: $0) }
        .map { destination.mentions[$0].count } ?? 0
      try planner.activeMentions(rule, of: batch) { mention, owner in
        if mention % SyncControl.stride == 0 { try planner.control.checkpoint() }
        var rows = Set<Int64>()
        var isComplete = true
        for target in mentions.targets(of: mention) {
          if let row = planner.row(
            of: target, in: destination,
            linked: planner.shared.member(
              target, rule, of: batch, owner: owner, in: destination))
          {
            rows.insert(row)
          } else {
            isComplete = false
          }
        }
        let isNew = batch.occurrences[owner].flags.contains(.inserted)
        let isTooLong = rows.count > limits.maximum
        let isTooShort = isNew && isComplete && others == 0 && !limits.allows(rows.count)
        guard isTooLong || isTooShort else { return }
        failures.append(
          Failure(
            batch: batch.number, occurrence: owner, slot: relationship.slot,
            error: MemberCountCheck.error(
              batch.entity, relationship.relationship,
              key: batch.key(batch.block[owner]).description, count: rows.count, limits)))
      }
    }
    return failures
  }

  /// Whether a mention of an object gives its list.
  func listing(_ mention: Int32, _ slot: Int, in batch: Batch) -> Bool {
    batch.node.relationshipRule(forSlot: slot)
      .map { batch.mentions[$0].owners.contains(mention) } ?? false
  }
}
