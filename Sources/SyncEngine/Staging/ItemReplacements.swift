import Foundation
import SyncCore
import SyncStore

/// Items that a delegate rewrote before they become objects, by the address of the item they replace.
///
/// An item is offered once, and before the items nested in it: those of a rewritten item are new and
/// are offered when they turn out to be new objects themselves.
struct ItemReplacements {
  private var sources: [UInt: ItemSource] = [:]
  var asked: Set<UInt> = []
  /// The texts that items lie in: the payload, then one for each rewritten item.
  private var texts: [UnsafeRawBufferPointer]
  private let arena = CellArena()
  /// The given parent of the items at the top.
  let parent: ManagedObjectID?

  init(_ payload: UnsafeRawBufferPointer, parent: ManagedObjectID? = nil) {
    texts = [payload]
    self.parent = parent
  }

  subscript(address: UInt) -> ItemSource? { sources[address] }

  /// The rest of the text that an item begins.
  func text(at address: UInt) -> UnsafeRawBufferPointer? {
    for text in texts {
      let start = UInt(bitPattern: text.baseAddress)
      if address >= start, address < start + UInt(text.count) {
        return UnsafeRawBufferPointer(rebasing: text[Int(address - start)...])
      }
    }
    return nil
  }

  mutating func replace(_ address: UInt, by value: JSONValue) throws {
    let text = value.data().withUnsafeBytes { arena.copy($0) }
    let tape = JSONTape(capacity: 64)
    var scanner = JSONScanner(text)
    try scanner.scanValue(into: tape)
    let base = UInt(bitPattern: text.baseAddress)
    sources[address] = ItemSource(tape: tape, base: base)
    asked.insert(base)
    texts.append(text)
  }
}
