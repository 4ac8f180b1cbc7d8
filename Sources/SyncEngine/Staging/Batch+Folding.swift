import SyncCore

/// Several mentions of one object: later values win over earlier ones, and one mention stands for all.
extension Batch {
  /// Lays the cells of a later occurrence over those of an earlier one; what it does not mention
  /// stays.
  func overlay(_ later: Int, over earlier: Int) {
    let source = block[later]
    let target = block[earlier]
    for slot in 0..<block.width where !source[slot].isAbsent { target[slot] = source[slot] }
  }

  /// Whether the cells of two rows say different things of a slot.
  func conflicts(_ later: Int, _ earlier: Int) -> Bool {
    let source = block[later]
    let target = block[earlier]
    return (0..<block.width).contains { slot in
      !source[slot].isAbsent && !target[slot].isAbsent
        && !source[slot].isIdentical(to: target[slot])
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
        overlay(index, over: Int(representative(Int32(index))))
      } else if occurrence.flags.contains(.ignored) {
        for slot in node.attributeSlots where !node.identity.contains(slot) {
          block[index][slot] = .absent
        }
      }
    }
  }
}
