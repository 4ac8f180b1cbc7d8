import SyncCore

/// What several mentions of one object come to, and when each of its properties was given.
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

  /// Notes that the object of an occurrence was mentioned again, by a row that is laid over it.
  func noteOrder(_ order: UInt32, of row: Int, over earlier: Int32) {
    guard orders != nil else { return }
    let cells = block[row]
    let slots = node.attributeSlots
    laterOrders[earlier, default: Array(repeating: 0, count: block.width)]
      .withUnsafeMutableBufferPointer { orders in
        for slot in slots where !cells[slot].isAbsent { orders[slot] = order }
      }
  }

  /// When an occurrence gave a slot last.
  func order(of slot: Int, _ occurrence: Int32) -> UInt32 {
    if let later = laterOrders[occurrence]?[slot], later > 0 { return later }
    return orders?[Int(occurrence)] ?? 0
  }
}
