/// A set of slots: which properties of an object something is about.
///
/// The first 64 slots are bits of one word; entities with more properties use further words.
public struct SlotSet: Sendable, Hashable {
  private var word: UInt64
  private var further: [UInt64]

  /// Makes an empty set.
  public init() {
    word = 0
    further = []
  }

  /// Whether no slot is in the set.
  public var isEmpty: Bool { word == 0 && further.allSatisfy { $0 == 0 } }

  /// How many slots are in the set.
  public var count: Int {
    further.reduce(word.nonzeroBitCount) { $0 + $1.nonzeroBitCount }
  }

  /// Whether the slot is in the set.
  public func contains(_ slot: Int) -> Bool {
    if slot < 64 { return word & (1 << UInt64(slot)) != 0 }
    let index = slot / 64 - 1
    return index < further.count && further[index] & (1 << UInt64(slot % 64)) != 0
  }

  /// Adds the slot.
  public mutating func insert(_ slot: Int) {
    if slot < 64 {
      word |= 1 << UInt64(slot)
    } else {
      let index = slot / 64 - 1
      while further.count <= index { further.append(0) }
      further[index] |= 1 << UInt64(slot % 64)
    }
  }

  /// Removes the slot.
  public mutating func remove(_ slot: Int) {
    if slot < 64 {
      word &= ~(1 << UInt64(slot))
    } else if slot / 64 - 1 < further.count {
      further[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
      trim()
    }
  }

  /// Adds all slots of the other set.
  public mutating func formUnion(_ other: SlotSet) {
    word |= other.word
    while further.count < other.further.count { further.append(0) }
    for index in other.further.indices { further[index] |= other.further[index] }
  }

  /// Removes all slots of the other set.
  public mutating func subtract(_ other: SlotSet) {
    word &= ~other.word
    for index in further.indices where index < other.further.count {
      further[index] &= ~other.further[index]
    }
    trim()
  }

  /// Equal sets must have equal words, whatever was in them before.
  private mutating func trim() {
    while further.last == 0 { further.removeLast() }
  }
}

extension SlotSet: Sequence, ExpressibleByArrayLiteral {
  public init(arrayLiteral slots: Int...) {
    self.init()
    for slot in slots { insert(slot) }
  }

  /// Walks the slots in ascending order.
  public func makeIterator() -> Iterator { Iterator(word: word, further: further, base: 0) }

  public struct Iterator: IteratorProtocol {
    fileprivate var word: UInt64
    fileprivate var further: [UInt64]
    fileprivate var base: Int

    public mutating func next() -> Int? {
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
