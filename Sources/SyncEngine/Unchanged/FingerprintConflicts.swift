import SyncCore

/// Which items that count as unchanged have to be read after all, because what was read has to do with
/// their rows.
///
/// An item that was not read is passed over without changing anything only when nothing else speaks of
/// what it describes. Keys that others only refer to do not matter, unless a relationship is spoken of
/// from both ends.
struct FingerprintConflicts {
  let batches: [MatchedBatch]
  let set: FingerprintSet
  let trace: FingerprintTrace
  let plan: MappingPlan

  /// Refuses the matched items that are concerned.
  ///
  /// - Returns: whether there were any.
  func refuse() -> Bool {
    if set.hasRepeats { return true }
    guard set.matchedCount > 0 else { return false }
    if FingerprintConflicts.speaksFromBothEnds(batches, set: set, plan: plan) {
      set.refuseAll()
      return true
    }
    return set.mark(.refused, from: [.matched], any: concerned(), strongly: [:], model: plan.model)
  }

  /// Whether a relationship is spoken of from both ends, by items that were read or not.
  static func speaksFromBothEnds(
    _ batches: [MatchedBatch], set: FingerprintSet?, plan: MappingPlan
  ) -> Bool {
    // A set of relationships would be looked at more seldom than it costs to make one.
    var isSpoken = plan.nodes.map { Array(repeating: false, count: $0.relationships.count) }
    for batch in batches {
      for rule in batch.mentions.indices where batch.mentions[rule].count > 0 {
        isSpoken[batch.number][rule] = true
      }
    }
    if let set, set.matchedCount > 0 {
      for shape in set.shapes {
        for mention in shape.mentions { isSpoken[mention.node][mention.rule] = true }
      }
    }
    var spoken: [Claims.Relationship] = []
    var inverses: [Claims.Relationship] = []
    for (node, rules) in zip(plan.nodes, isSpoken) {
      for (rule, isSpoken) in zip(node.relationships, rules) where isSpoken {
        spoken.append(Claims.Relationship(rule.relationship))
        if let inverse = node.entity.inverse(of: rule.relationship) {
          inverses.append(Claims.Relationship(inverse))
        }
      }
    }
    return spoken.contains { inverses.contains($0) }
  }

  // MARK: - What the read items have to do with

  /// The stored rows, by table, that the items which were read describe, take, or have among the
  /// members of their lists.
  func concerned() -> [Int: RowSet] {
    var result: [Int: RowSet] = [:]
    for batch in batches {
      var rows = result[batch.entity.rootIndex] ?? RowSet()
      addDescribed(batch, to: &rows)
      result[batch.entity.rootIndex] = rows
    }
    addTaken(to: &result)
    for batch in batches {
      for rule in batch.node.relationships.indices where batch.mentions[rule].count > 0 {
        addMembers(rule, of: batch, to: &result)
      }
    }
    return result
  }

  private func addDescribed(_ batch: MatchedBatch, to rows: inout RowSet) {
    let (occurrences, stored) = (batch.occurrences, batch.stored.rows)
    rows.insert(occurrences.count) { index in
      let occurrence = occurrences[index]
      if occurrence.flags.contains(.referenceOnly) { return 0 }
      return occurrence.stored >= 0 ? stored[occurrence.stored] : occurrence.row
    }
    for index in batch.forgotten { rows.insert(batch.stored.rows[index]) }
    for indexes in batch.contested.values {
      for index in indexes { rows.insert(batch.stored.rows[index]) }
    }
  }

  private func addTaken(to result: inout [Int: RowSet]) {
    trace.forEachEntry { entry in
      guard entry.target < 0, entry.use != .shared else { return }
      let batch = batches[entry.batch]
      let reference = ~entry.target
      let first = batch.references.first[Int(reference)]
      let all = batch.references.duplicates[reference] ?? []
      for index in all + [first] where index >= 0 {
        result[batch.entity.rootIndex, default: RowSet()]
          .insert(batch.stored.rows[index])
      }
    }
  }

  private func addMembers(_ rule: Int, of batch: MatchedBatch, to result: inout [Int: RowSet]) {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    if relationship.isOneToOne,
      let column = batch.node.columns.toOne.firstIndex(of: relationship.slot)
    {
      for occurrence in batch.occurrences where occurrence.stored >= 0 {
        let partner = batch.stored.references[column][occurrence.stored]
        if partner > 0 {
          result[destination.entity.rootIndex, default: RowSet()].insert(partner)
        }
      }
    }
    guard relationship.relationship.kind == .oneToMany,
      let inverse = relationship.relationship.inverseSlot,
      let column = destination.node.columns.toOne.firstIndex(of: inverse)
    else { return }
    var owners = RowSet()
    for owner in batch.mentions[rule].owners {
      let row = batch.occurrences[batch.representative(owner)].row
      if row > 0 { owners.insert(row) }
    }
    let references = destination.stored.references[column]
    var rows = result[destination.entity.rootIndex] ?? RowSet()
    let stored = destination.stored.rows
    rows.insert(stored.count) { owners.contains(references[$0]) ? stored[$0] : 0 }
    result[destination.entity.rootIndex] = rows
  }
}
