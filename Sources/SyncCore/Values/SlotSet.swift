/// A set of slots: which properties of an object something is about.
///
/// The first 64 slots are bits of one word; entities with more properties use further words.
package struct SlotSet: Sendable, Hashable {
  private var word: UInt64

  /// Nil rather than empty: most sets have none, and an empty list has to be counted too.
  private var further: [UInt64]?

  /// Makes an empty set.
  package init() {
    word = 0
    further = nil
  }

  /// Whether no slot is in the set.
  package var isEmpty: Bool { word == 0 && further == nil }

  /// How many slots are in the set.
  package var count: Int {
    (further ?? []).reduce(word.nonzeroBitCount) { $0 + $1.nonzeroBitCount }
  }

  /// Whether the slot is in the set.
  package func contains(_ slot: Int) -> Bool {
    if slot < 64 { return word & (1 << UInt64(slot)) != 0 }
    let index = slot / 64 - 1
    guard let further else { return false }
    return index < further.count && further[index] & (1 << UInt64(slot % 64)) != 0
  }

  /// Adds the slot.
  package mutating func insert(_ slot: Int) {
    if slot < 64 {
      word |= 1 << UInt64(slot)
    } else {
      let index = slot / 64 - 1
      var words = further ?? []
      further = nil
      while words.count <= index { words.append(0) }
      words[index] |= 1 << UInt64(slot % 64)
      further = words
    }
  }

  /// Removes the slot.
  package mutating func remove(_ slot: Int) {
    if slot < 64 {
      word &= ~(1 << UInt64(slot))
    } else if let words = further, slot / 64 - 1 < words.count {
      further?[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
      trim()
    }
  }

  /// Adds all slots of the other set.
  package mutating func formUnion(_ other: SlotSet) {
    word |= other.word
    guard let others = other.further else { return }
    var words = further ?? []
    while words.count < others.count { words.append(0) }
    for index in others.indices { words[index] |= others[index] }
    further = words
  }

  /// Removes all slots of the other set.
  package mutating func subtract(_ other: SlotSet) {
    word &= ~other.word
    guard var words = further, let others = other.further else { return }
    for index in words.indices where index < others.count { words[index] &= ~others[index] }
    further = words
    trim()
  }

  /// The slots that are in both sets.
  package func intersection(_ other: SlotSet) -> SlotSet {
    var result = SlotSet()
    result.word = word & other.word
    if let words = further, let others = other.further {
      result.further = zip(words, others).map { $0 & $1 }
      result.trim()
    }
    return result
  }

  /// Whether no slot is in both sets.
  package func isDisjoint(with other: SlotSet) -> Bool {
    guard word & other.word == 0 else { return false }
    guard let words = further, let others = other.further else { return true }
    return zip(words, others).allSatisfy { $0 & $1 == 0 }
  }

  /// Equal sets must have equal words, after any changes.
  private mutating func trim() {
    while further?.last == 0 { further?.removeLast() }
    if further?.isEmpty == true { further = nil }
  }
}

extension SlotSet: Sequence, ExpressibleByArrayLiteral {
  package init(arrayLiteral slots: Int...) {
    self.init()
    for slot in slots { insert(slot) }
  }

  /// Walks the slots in ascending order.
  package func makeIterator() -> Iterator { Iterator(word: word, further: further ?? [], base: 0) }

  package struct Iterator: IteratorProtocol {
    fileprivate var word: UInt64
    fileprivate var further: [UInt64]
    fileprivate var base: Int

    package mutating func next() -> Int? {
      while word == 0 {
        let index = base / 64
        guard index < further.count else { return nil }
        word = further[index]
        base += 64
      }
      let bit = word.trailingZeroBitCount
      word &= word - 1
      return base + bit
    }
  }
}
