import SyncCore

/// Several mentions of one object: later values win over earlier ones, and one mention stands for all.
extension Batch {
  /// Lays the cells of a later occurrence over those of the earlier one; what it does not mention
  /// stays.
  ///
  /// - Parameter onConflict: Called with the first slot of which both say something else, before it is changed.
  @inline(__always)
  func overlay(_ later: Int, over earlier: Int, onConflict: (Int) -> Void = { _ in }) {
    let source = block[later]
    let target = block[earlier]
    var isTold = false
    for slot in 0..<block.width where !source[slot].isAbsent {
      if !isTold, !target[slot].isAbsent, !source[slot].isIdentical(to: target[slot]) {
        isTold = true
        onConflict(slot)
      }
      target[slot] = source[slot]
    }
  }

  /// Folds an occurrence into another one that was already matched, and returns the one that stands
  /// for both: the earlier one in the payload. ``layFoldedCells()`` gives it the values of both.
  func fold(_ occurrence: Int32, into matched: Int32) -> Int32 {
    let earlier = min(occurrence, matched)
    let later = max(occurrence, matched)
    let source = occurrences[matched]
    hasRepeats = true
    let earlierIsIgnored = occurrences[earlier].flags.contains(.ignored)
    occurrences[earlier].row = source.row
    occurrences[earlier].stored = source.stored
    occurrences[earlier].link = -1
    occurrences[earlier].flags.formUnion(source.flags.subtracting(.ignored))
    if earlierIsIgnored { occurrences[earlier].flags.insert(.ignored) }
    occurrences[earlier].flags.insert(.uncompared)
    occurrences[later].flags.insert(.folded)
    occurrences[later].link = earlier
    if source.stored >= 0 { stored.occurrences[source.stored] = earlier }
    return earlier
  }

  /// Lays the cells of folded occurrences over those of the one that stands for them, in payload order:
  /// later values win, those of mentions that may not write the object do not count.
  func layFoldedCells() {
    guard hasRepeats else { return }
    for index in occurrences.indices {
      let occurrence = occurrences[index]
      if occurrence.flags.contains(.folded) {
        guard !occurrence.flags.contains(.ignored) else { continue }
        let earlier = Int(representative(Int32(index)))
        // Of items at the top that repeat each other each is told.
        let isTold = occurrence.owner < 0 && occurrences[earlier].owner < 0
        overlay(index, over: earlier) { slot in
          if !isTold { noteContradiction(index, earlier, in: slot) }
        }
      } else if occurrence.flags.contains(.ignored) {
        for slot in node.columns.attributes where !node.identity.contains(slot) {
          block[index][slot] = .absent
        }
      }
    }
  }
}
