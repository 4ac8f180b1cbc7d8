import SyncCore

/// Objects that the payload mentions under an entity and under a subentity of it. They are one object, which two
/// batches speak of: the one of the subentity writes it, with what both say; where they contradict each other the
/// later mention counts.
extension LinkPlanner {
  /// A mention under a superentity, and the one of the same object that is written.
  struct Twin {
    let batch: Batch
    let occurrence: Int32
    let writer: Batch
    let written: Int32
    /// Whether the mention under the superentity comes later in the payload.
    let isLater: Bool
    /// Where the to-one relationships lead as far as the object itself says so.
    var ownWords: [Cell] = []
  }

  /// Finds the objects that two batches speak of.
  private func findTwins() -> [Twin] {
    var result: [Twin] = []
    for batch in batches {
      let writers = batch.subentityBatches(among: batches)
        .filter { !$0.occurrences.isEmpty }
        .sorted { $0.entity.depth > $1.entity.depth }
      guard !writers.isEmpty, !batch.occurrences.isEmpty else { continue }
      var written: [Int64: (batch: Batch, occurrence: Int32)] = [:]
      for writer in writers {
        for (index, occurrence) in writer.occurrences.enumerated()
        where occurrence.row > 0 && written[occurrence.row] == nil
          && occurrence.flags.isDisjoint(with: [.folded, .referenceOnly])
        {
          written[occurrence.row] = (writer, Int32(index))
        }
      }
      let orders = batch.lastOrders()
      for (index, occurrence) in batch.occurrences.enumerated()
      where occurrence.row > 0 && !occurrence.flags.contains(.folded) {
        guard let other = written[occurrence.row] else { continue }
        batch.occurrences[index].flags.insert(.twin)
        let order = other.batch.lastOrders()[other.occurrence] ?? 0
        result.append(
          Twin(
            batch: batch, occurrence: Int32(index), writer: other.batch, written: other.occurrence,
            isLater: orders[Int32(index)] ?? 0 > order))
      }
    }
    return result
  }

  /// Decides which of two mentions counts where both give one relationship, before anything is linked.
  func muteTwins() {
    twins = findTwins()
    for twin in twins {
      for (rule, relationship) in twin.batch.node.relationships.enumerated() {
        guard let other = twin.writer.node.relationshipRule(forSlot: relationship.slot),
          speaks(twin.occurrence, of: rule, in: twin.batch),
          speaks(twin.written, of: other, in: twin.writer)
        else { continue }
        if twin.isLater {
          outspoken[RuleKey(batch: twin.writer.number, rule: other), default: []]
            .insert(twin.written)
        } else {
          outspoken[RuleKey(batch: twin.batch.number, rule: rule), default: []]
            .insert(twin.occurrence)
        }
      }
    }
  }

  private func speaks(_ occurrence: Int32, of rule: Int, in batch: Batch) -> Bool {
    let mentions = batch.mentions[rule]
    return mentions.owners.contains { owner in
      batch.representative(owner) == occurrence
        && !batch.occurrences[Int(owner)].flags.contains(.muted)
    }
  }

  /// Gives both mentions the to-one relationships that either says itself.
  func shareOwnWords() {
    for (index, twin) in twins.enumerated() {
      let own = twin.batch.block[Int(twin.occurrence)]
      let written = twin.writer.block[Int(twin.written)]
      for slot in twin.batch.node.toOneSlots {
        let word = own[slot].isAbsent ? written[slot] : own[slot]
        own[slot] = word
        written[slot] = word
        twins[index].ownWords.append(word)
      }
    }
  }

  /// Gives the mention that is written what the other says, and leaves that nothing to write.
  func joinTwins() {
    for twin in twins {
      let own = twin.batch.block[Int(twin.occurrence)]
      let written = twin.writer.block[Int(twin.written)]
      for (slot, word) in zip(twin.batch.node.toOneSlots, twin.ownWords) {
        // A list is stronger than what the object says itself.
        if !own[slot].isIdentical(to: word) { written[slot] = own[slot] }
        own[slot] = .absent
      }
      joinAttributes(twin)
    }
  }

  private func joinAttributes(_ twin: Twin) {
    let mention = twin.batch.occurrences[Int(twin.occurrence)]
    let other = twin.writer.occurrences[Int(twin.written)]
    let own = twin.batch.block[Int(twin.occurrence)]
    let written = twin.writer.block[Int(twin.written)]
    let ownDifference = mention.link >= 0 ? twin.batch.differences[Int(mention.link)] : []
    if mention.link >= 0 { twin.batch.differences[Int(mention.link)] = [] }
    guard mention.flags.contains(.active) else { return }
    var difference = other.link >= 0 ? twin.writer.differences[Int(other.link)] : SlotSet()
    if !other.flags.contains(.active) {
      // What may not write the object says nothing.
      for slot in twin.writer.node.attributeSlots where !twin.writer.node.identity.contains(slot) {
        written[slot] = .absent
        difference.remove(slot)
      }
      twin.writer.occurrences[Int(twin.written)].flags.insert(.active)
    }
    for slot in twin.batch.node.attributeSlots
    where !own[slot].isAbsent && (twin.isLater || written[slot].isAbsent) {
      written[slot] = own[slot]
      if ownDifference.contains(slot) { difference.insert(slot) } else { difference.remove(slot) }
    }
    if other.link >= 0 {
      twin.writer.differences[Int(other.link)] = difference
    } else {
      twin.writer.noteDifference(difference, of: twin.written)
    }
  }
}

extension Batch {
  /// The batches of objects of subentities that are told apart by the same key.
  func subentityBatches(among batches: [Batch]) -> [Batch] {
    guard !entity.subentities.isEmpty, !node.identity.isEmpty else { return [] }
    return batches.filter {
      $0.number != number && $0.entity.isKind(of: entity) && $0.node.identity == node.identity
    }
  }

  /// The place in the payload of each object's last mention that counts.
  fileprivate func lastOrders() -> [Int32: UInt32] {
    if let known = knownLastOrders { return known }
    var result: [Int32: UInt32] = [:]
    if let orders {
      for (index, occurrence) in occurrences.enumerated() where !occurrence.flags.contains(.muted) {
        let object = representative(Int32(index))
        result[object] = max(result[object] ?? 0, orders[index])
      }
    }
    knownLastOrders = result
    return result
  }
}

extension EntityDescription {
  /// How many entities it inherits from.
  var depth: Int {
    var result = 0
    var entity = superentity
    while let next = entity {
      result += 1
      entity = next.superentity
    }
    return result
  }
}
