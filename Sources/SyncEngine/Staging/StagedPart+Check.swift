extension StagedPart {
  /// Checks in debug builds that the numbers in the part lead to something: the phases behind
  /// staging use them without asking.
  ///
  /// - Complexity: O(*n*) in the mentions of the part; nothing in release builds.
  func check() {
    assert(
      batches.indices.allSatisfy(isSound), "Staging has handed over a number without an object.")
  }

  private func isSound(_ number: Int) -> Bool {
    let batch = batches[number]
    return batch.number == number && batch.occurrences.allSatisfy { isSound($0, in: batch) }
      && batch.mentions.indices.allSatisfy { isSound($0, of: batch) }
  }

  private func isSound(_ occurrence: Occurrence, in batch: Batch) -> Bool {
    guard occurrence.next < 0 || hasOccurrence(occurrence.next, batch) else { return false }
    if occurrence.next >= 0, !occurrence.traits.contains(.shared) { return false }
    guard occurrence.owner >= 0 else { return true }
    guard batches.indices.contains(Int(occurrence.ownerBatch)) else { return false }
    let owners = batches[Int(occurrence.ownerBatch)]
    return hasOccurrence(occurrence.owner, owners)
      && owners.mentions.indices.contains(Int(occurrence.ownerRule))
  }

  private func isSound(_ rule: Int, of batch: Batch) -> Bool {
    let mentions = batch.mentions[rule]
    let destination = batches[batch.node.relationships[rule].node]
    return mentions.owners.allSatisfy { hasOccurrence($0, batch) }
      && (0..<mentions.count).allSatisfy { mention in
        mentions.targets(of: mention).allSatisfy { target in
          target >= 0
            ? hasOccurrence(target, destination) : ~target < destination.references.count
        }
      }
  }

  private func hasOccurrence(_ number: Int32, _ batch: Batch) -> Bool {
    batch.occurrences.indices.contains(Int(number))
  }
}
