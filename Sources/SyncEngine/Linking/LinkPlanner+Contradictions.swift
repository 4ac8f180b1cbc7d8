import SyncCore

/// Places of the payload that lead one object to different others.
extension LinkPlanner {
  /// Counts owners of which several places say something else of a to-one relationship.
  func noteContradictions(_ rule: Int, of batch: MatchedBatch) {
    let mentions = batch.mentions[rule]
    guard batch.hasRepeats, mentions.count > 1 else { return }
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    var latest: [Int32: Int32?] = [:]
    for mention in 0..<mentions.count
    where !batch.occurrences[mentions.owners[mention]].flags.contains(.ignored) {
      let owner = batch.representative(mentions.owners[mention])
      let target = mentions.targets(of: mention).first
      defer { latest[owner] = .some(target) }
      guard let known = latest[owner], differ(known, target, in: destination) else { continue }
      contradictions[batch.entity.index, default: Contradictions()].add(
        relationship.name, key: batch.key(batch.block[owner]).description,
        values: (name(known, in: destination), name(target, in: destination)))
    }
  }

  private func differ(_ one: Int32?, _ other: Int32?, in batch: MatchedBatch) -> Bool {
    guard let one, let other else { return one != other }
    guard one >= 0, other >= 0 else { return key(one, in: batch) != key(other, in: batch) }
    let (cells, others) = (batch.representative(one), batch.representative(other))
    guard cells != others, batch.node.identity.isEmpty else { return cells != others }
    // Without a key they are told apart by what they say.
    return batch.node.columns.attributes.contains { slot in
      !batch.block[cells][slot].isIdentical(to: batch.block[others][slot])
    }
  }

  private func key(_ target: Int32, in batch: MatchedBatch) -> Value {
    batch.key(target >= 0 ? batch.block[target] : batch.staged.references[~target])
  }

  private func name(_ target: Int32?, in batch: MatchedBatch) -> String {
    guard let target else { return "none" }
    guard target >= 0, batch.node.identity.isEmpty else {
      return "\(batch.entity.name) \(key(target, in: batch))"
    }
    let values = batch.node.columns.attributes.compactMap { slot -> String? in
      let value = batch.block[batch.representative(target)][slot]
      let property = batch.entity.properties[slot]
      return value.isAbsent ? nil : "\(property.name) \(value.value(as: property.attribute?.type))"
    }
    return "\(batch.entity.name) (\(values.joined(separator: ", ")))"
  }
}
