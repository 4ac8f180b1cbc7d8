import Foundation
import SyncCore
import SyncStore

/// A scanned item, and where the bytes lie that its offsets count from. Valid until the tape is
/// used for the next item.
struct ItemSource {
  let tape: JSONTape
  let base: UInt
  let tokens: UnsafeMutablePointer<JSONToken>
  /// Where the item stands on the tape.
  let root: Int

  init(tape: JSONTape, base: UInt, root: Int = 0) {
    self.tape = tape
    self.base = base
    self.root = root
    tokens = tape.tokens
  }

  /// Address of a value: it identifies an item of the payload.
  @inline(__always)
  func address(_ token: Int) -> UInt {
    base + UInt(truncatingIfNeeded: tokens[token].start)
  }

  /// The key under which a value stands, as a step of a path.
  func step(to token: Int) -> String { JSONPath.text(ofKey: tape.string(token - 1)) }
}

/// An item at the top, and where it stands in the payload.
struct StagedItem {
  /// Nil is behind the item before it.
  var place: JSONItemPlace?
  /// The key that it has in an object of objects, on a tape.
  var key: (tape: JSONTape, token: Int)?
  var text = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Whether everything of it is staged, and nothing counts but its key.
  var isRejected = false
}

/// The key of an item in an object of objects: it fills an attribute for which the item has no
/// value itself.
struct MemberKey {
  let tape: JSONTape
  let token: Int
  /// The attribute, by its slot; nil is the value that identifies the objects.
  var slot: Int?
}

/// Items that a delegate rewrote before they become objects, by the address of the item they
/// replace.
///
/// An item is offered once, and before the items nested in it: those of a rewritten item are new
/// and are offered when they turn out to be new objects themselves.
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
