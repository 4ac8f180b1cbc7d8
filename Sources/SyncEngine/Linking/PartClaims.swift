import SyncCore
import SyncStore

/// Adds the claims of a part of a payload.
struct PartClaims {
  let claims: Claims

  /// Notes the objects that a matched part of the payload mentions.
  ///
  /// - Throws: `CancellationError`.
  func mention(_ batches: [MatchedBatch], _ control: SyncControl) throws {
    for batch in batches {
      try control.checkpoint()
      try claims.update(.mentioned(batch.entity.rootIndex)) { rows in
        let matches = batch.matches
        try rows.insert(matches.count) { index in
          if index % SyncControl.stride == 0 { try control.checkpoint() }
          let match = matches[index]
          return match.traits.contains(.referenceOnly) ? 0 : match.row
        }
        for row in unreached(in: batch) { rows.insert(row) }
        // The payload names the key, though it means an object of a subentity.
        for occurrence in batch.staged.ofSubentities.objects.keys {
          let known = batch.matches[occurrence].stored
          for stored in batch.contested[occurrence] ?? (known >= 0 ? [known] : []) {
            rows.insert(batch.stored.rows[stored])
          }
        }
        for stored in batch.references.first where stored >= 0 {
          rows.insert(batch.stored.rows[stored])
        }
        if batch.node.meansAllOfKey {
          for stored in batch.references.duplicates.values.joined() {
            rows.insert(batch.stored.rows[stored])
          }
        }
      }
    }
  }

  /// Stored objects that are named below an object the sync may not write: nothing is done to them,
  /// so they are not deleted either.
  private func unreached(in batch: MatchedBatch) -> [Int64] {
    var result: [Int64] = []
    for (index, match) in batch.matches.enumerated()
    where match.row == 0 && !match.flags.contains(.decided)
      && !match.traits.contains(.keyless)
    {
      let head = batch.head(of: index)
      guard head >= 0 else { continue }
      let known = batch.onlyStored(ofKey: head)
      let rows = batch.contested[head] ?? (known >= 0 ? [known] : [])
      if let row = rows.map({ batch.stored.rows[$0] }).min() { result.append(row) }
    }
    return result
  }

  /// Notes the members of the lists of a linked part of the payload: those that are nested stay
  /// with their owner, and none is omitted any more.
  ///
  /// - Throws: `CancellationError`.
  func list(_ planner: LinkPlanner) throws {
    let hasUnlisted = claims.hasUnlisted
    for batch in planner.batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where relationship.kind == .oneToMany && batch.mentions[rule].count > 0 {
        let destination = planner.batches[relationship.node]
        let mentions = batch.mentions[rule]
        let column = batch.entity.inverse(of: relationship.relationship).map(
          Claims.Relationship.init)
        // The last list of an owner may name a member by its key that one before nests.
        let nested = batch.hasRepeats ? planner.nestedRows(rule, of: batch) : []
        try claims.update(.listed(Claims.Relationship(relationship.relationship))) { rows in
          try planner.activeMentions(rule, of: batch) { mention, _ in
            if mention % SyncControl.stride == 0 { try planner.control.checkpoint() }
            for target in mentions.targets(of: mention)
            where target >= 0 || hasUnlisted || !nested.isEmpty {
              guard let row = planner.row(of: target, in: destination) else { continue }
              if target >= 0 || nested.contains(row) { rows.insert(row) }
              if hasUnlisted, let column {
                claims.relist(Claims.Member(row: row, column: column))
              }
            }
          }
        }
      }
    }
  }
}

extension LinkPlanner {
  /// The rows of the objects that any mention of a relationship nests.
  fileprivate func nestedRows(_ rule: Int, of batch: MatchedBatch) -> Set<Int64> {
    let destination = batches[batch.node.relationships[rule].node]
    let mentions = batch.mentions[rule]
    return Set(
      (0..<mentions.count).lazy.flatMap { mentions.targets(of: $0) }.filter { $0 >= 0 }
        .compactMap { self.row(of: $0, in: destination) })
  }
}
