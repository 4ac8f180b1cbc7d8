import SyncCore

/// What several mentions of one object come to.
extension Batch {
  /// Lays the cells of folded occurrences over those of the one that stands for them, in payload order:
  /// later values win, those of mentions that may not write the object do not count.
  func layFoldedCells() {
    guard hasRepeats else { return }
    for index in occurrences.indices {
      let occurrence = occurrences[index]
      if occurrence.flags.contains(.folded) {
        guard !occurrence.flags.contains(.muted) else { continue }
        overlay(index, over: Int(representative(Int32(index))))
      } else if occurrence.flags.contains(.muted) {
        for slot in node.attributeSlots where !node.identity.contains(slot) {
          block[index][slot] = .absent
        }
      }
    }
  }
}
