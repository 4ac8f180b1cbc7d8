import Foundation
import SyncCore
import SyncStore

/// Items that a delegate rewrote before they become objects, by the address of the item they replace.
///
/// An item is offered once, and before the items nested in it: those of a rewritten item are new and
/// are offered when they turn out to be new objects themselves.
struct ItemReplacements {
  private var sources: [UInt: ItemSource] = [:]
  private var asked: Set<UInt> = []
  /// The texts that items lie in: the payload, then one for each rewritten item.
  private var texts: [UnsafeRawBufferPointer]
  private let arena = CellArena()
  /// The given parent of the items at the top.
  private let parent: ManagedObjectID?

  init(_ payload: UnsafeRawBufferPointer, parent: ManagedObjectID? = nil) {
    texts = [payload]
    self.parent = parent
  }

  var isEmpty: Bool { sources.isEmpty }

  subscript(address: UInt) -> ItemSource? { sources[address] }

  /// Asks about every new object that was not offered yet.
  ///
  /// - Returns: Whether anything was rewritten, so that the payload has to be staged again.
  mutating func ask(_ willInsert: SyncRequest.WillInsert, about matcher: Matcher) throws -> Bool {
    var isRewritten = false
    var end: UInt = 0
    let tape = JSONTape()
    for item in newItems(of: matcher) where item.address >= end {
      guard !asked.contains(item.address), let text = text(at: item.address) else { continue }
      asked.insert(item.address)
      var scanner = JSONScanner(text)
      try scanner.scanValue(into: tape)
      let original = tape.value(0)
      let answer = try willInsert(original, item.entity, item.parent)
      try matcher.control.checkpoint()
      guard answer != original else { continue }
      isRewritten = true
      end = item.address + UInt(scanner.position)
      try replace(item.address, by: answer)
    }
    return isRewritten
  }

  private struct NewItem {
    let address: UInt
    let entity: EntityDescription
    let parent: ManagedObjectID?
  }

  /// New objects in the order of the payload: what contains comes before what it contains.
  private func newItems(of matcher: Matcher) -> [NewItem] {
    var items: [NewItem] = []
    for batch in matcher.batches {
      guard let sources = batch.sources else { continue }
      for (occurrence, source) in zip(batch.occurrences, sources)
      where source != 0 && occurrence.flags.contains(.inserted)
        && !occurrence.flags.contains(.folded)
      {
        items.append(
          NewItem(
            address: source, entity: batch.entity,
            parent: matcher.owner(of: occurrence)
              ?? (occurrence.flags.contains(.root) ? parent : nil)))
      }
    }
    return items.sorted { $0.address < $1.address }
  }

  /// The rest of the text that an item begins.
  private func text(at address: UInt) -> UnsafeRawBufferPointer? {
    for text in texts {
      let start = UInt(bitPattern: text.baseAddress)
      if address >= start, address < start + UInt(text.count) {
        return UnsafeRawBufferPointer(rebasing: text[Int(address - start)...])
      }
    }
    return nil
  }

  private mutating func replace(_ address: UInt, by value: JSONValue) throws {
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
