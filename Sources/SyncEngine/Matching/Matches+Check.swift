import SyncCore

extension Matches {
  /// Checks in debug builds that every object is one thing: a stored row, a new one, or the same
  /// as an earlier occurrence.
  ///
  /// - Complexity: O(*n*) in the occurrences of the part; nothing in release builds.
  func check() {
    assert(batches.allSatisfy(isSound), "Matching has handed over an object that is no one thing.")
  }

  private func isSound(_ batch: MatchedBatch) -> Bool {
    batch.occurrences.indices.allSatisfy { isSound(Int32($0), in: batch) }
      && batch.stored.occurrences.allSatisfy { $0 < Int32(batch.occurrences.count) }
  }

  private func isSound(_ number: Int32, in batch: MatchedBatch) -> Bool {
    let match = batch.occurrences[number]
    let flags = match.flags
    // An earlier occurrence stands for a later one, so a chain of them ends.
    if flags.contains(.folded) { return match.link >= 0 && match.link < number }
    guard match.link < Int32(batch.differences.count), match.stored < Int32(batch.stored.count)
    else {
      return false
    }
    if flags.contains(.inserted) {
      return flags.isSuperset(of: [.active, .decided]) && match.stored < 0
        && match.row >= firstNewRows[batch.entity.rootIndex] ?? .max
    }
    return match.stored < 0 || !flags.contains(.decided)
      || match.row == batch.stored.rows[match.stored]
  }
}
