import SyncCore

/// Keys that several stored objects have.
extension LinkPlanner {
  /// Notes whom such keys mean, wherever the payload gives them: what it mentions is not deleted, though a later
  /// list of the owner may replace the one that mentions it.
  ///
  /// - Throws: `CancellationError`.
  func mentionNamesakes() throws {
    for batch in batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where !batches[relationship.node].referenceDuplicates.isEmpty {
        try mentionNamesakes(rule, of: batch)
      }
    }
  }

  private func mentionNamesakes(_ rule: Int, of batch: Batch) throws {
    let relationship = batch.node.relationships[rule].relationship
    let destination = batches[batch.node.relationships[rule].node]
    let mentions = batch.mentions[rule]
    let inverse = relationship.kind == .oneToMany ? relationship.inverseSlot : nil
    try allMentions(rule, of: batch) { mention, owner, _ in
      if mention % SyncControl.stride == 0 { try control.checkpoint() }
      let list = inverse.map { MemberList(owner: batch.occurrences[Int(owner)].row, inverse: $0) }
      for target in mentions.targets(of: mention)
      where target < 0 && destination.referenceDuplicates[~target] != nil {
        let meant = row(
          of: target, in: destination, list: list,
          linked: linkedObject(target, owner, rule, of: batch))
        if let meant { claims.mention(meant, destination.entity) }
      }
    }
  }

  /// The object that the owner's relationship led to before the payload, of those that a key may mean; 0 when
  /// that is none, or the key's list tells.
  private func linkedObject(
    _ target: Int32, _ owner: Int32, _ rule: Int, of batch: Batch
  ) -> Int64 {
    switch batch.node.relationships[rule].relationship.kind {
    case .toOne: linkedRow(owner, rule, of: batch, claims.parts)
    case .manyToMany: sharedMember(target, rule, of: batch, owner: owner)
    case .oneToMany: 0
    }
  }
}
