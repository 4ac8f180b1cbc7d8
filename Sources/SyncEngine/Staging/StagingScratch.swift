import SyncCore

/// The item at the top that is staged, as the readers of its objects know it.
final class ItemTurn {
  /// Whether the usage of each item is noted.
  let notesItems: Bool
  private(set) var serial: UInt32 = 1
  /// The working memory of the readers that had an object, in the order of their numbers.
  private(set) var readers: [StagingScratch] = []

  init(notesItems: Bool) { self.notesItems = notesItems }

  func begin() { serial &+= 1 }

  /// Adds a reader that has its first object, in the place of an earlier one of its number.
  fileprivate func add(_ reader: StagingScratch, _ number: Int) {
    readers.removeAll { $0.number == number }
    let place = readers.firstIndex { $0.number ?? 0 > number } ?? readers.endIndex
    readers.insert(reader, at: place)
  }
}

/// Working memory of the stager for one plan node: the attributes that the current object filled
/// and their spellings, and the usage of all objects for the report.
final class StagingScratch {
  private let node: PlanNode
  private let precedence: UnsafeMutablePointer<UInt8>
  /// A bit for each attribute that the current item filled, and for each that any item before it
  /// did.
  private let filled: UnsafeMutablePointer<UInt64>
  private let filledBefore: UnsafeMutablePointer<UInt64>
  private let count: Int
  private let wordCount: Int
  private var unused: [(key: [UInt8], count: Int)] = []
  private var unusedHint = 0
  private static let unclaimed = UInt8.max

  /// The number of the reader, by which it is found again; nil when it is not.
  let number: Int?
  private let turn: ItemTurn
  /// The item that had an object of the node last.
  private var touched: UInt32 = 0
  private let unusedOfItem = PlainArray<UInt8>()
  /// Whether items that were not read had objects of the node.
  private(set) var isReplayed = false

  /// Whether any object was read.
  var isUsed: Bool { touched > 0 }

  init(node: PlanNode, number: Int?, _ turn: ItemTurn) {
    self.node = node
    self.number = number
    self.turn = turn
    count = node.attributes.count
    precedence = .allocate(capacity: count)
    precedence.initialize(repeating: StagingScratch.unclaimed, count: count)
    wordCount = max(count + 63, 64) / 64
    filled = .allocate(capacity: wordCount)
    filled.initialize(repeating: 0, count: wordCount)
    filledBefore = .allocate(capacity: wordCount)
    filledBefore.initialize(repeating: 0, count: wordCount)
  }

  deinit {
    precedence.deallocate()
    filled.deallocate()
    filledBefore.deallocate()
  }

  /// Forgets the last object.
  func begin() {
    precedence.update(repeating: StagingScratch.unclaimed, count: count)
    unusedHint = 0
    if touched != turn.serial { beginItem() }
  }

  /// Forgets the attributes that the last item filled, but for the report.
  private func beginItem() {
    if touched == 0, turn.notesItems, let number { turn.add(self, number) }
    touched = turn.serial
    unusedOfItem.removeAll(from: 0)
    for word in 0..<wordCount {
      filledBefore[word] |= filled[word]
      filled[word] = 0
    }
  }

  /// Whether a spelling may fill its attribute: no more explicit one of the same object did.
  @inline(__always)
  func claims(_ rule: Int, _ precedence: UInt8) -> Bool {
    guard precedence <= self.precedence[rule] else { return false }
    self.precedence[rule] = precedence
    filled[rule >> 6] |= 1 << UInt64(truncatingIfNeeded: rule & 63)
    return true
  }

  /// Counts a key that fills nothing. Objects repeat their keys in the same order, so the one that
  /// followed last time is tried first.
  ///
  /// Of a long key only the beginning is kept, up to the end of a character.
  ///
  /// - Parameter prefix: The keys that lead to the object in which the key stands.
  func noteUnused(_ wholeKey: UnsafeRawBufferPointer, below prefix: [UInt8]) {
    var length = min(wholeKey.count, StagingScratch.longestKey)
    while length < wholeKey.count, length > 0, wholeKey[length] & 0xC0 == 0x80 { length -= 1 }
    let key = UnsafeRawBufferPointer(rebasing: wholeKey[..<length])
    if unusedHint < unused.count, isKnown(unused[unusedHint].key, key, below: prefix) {
      unused[unusedHint].count += 1
      unusedHint += 1
    } else if let index = unused.firstIndex(where: { isKnown($0.key, key, below: prefix) }) {
      unused[index].count += 1
      unusedHint = index + 1
    } else if unused.count < StagingScratch.unusedLimit {
      unused.append((prefix + key, 1))
      unusedHint = unused.count
    } else {
      return
    }
    if turn.notesItems { unusedOfItem.append(UInt8(unusedHint - 1)) }
  }

  private func isKnown(_ known: [UInt8], _ key: UnsafeRawBufferPointer, below prefix: [UInt8])
    -> Bool
  {
    guard !prefix.isEmpty else { return known.elementsEqual(key) }
    return known.count == prefix.count + key.count && known.starts(with: prefix)
      && known.dropFirst(prefix.count).elementsEqual(key)
  }

  /// Bytes that are kept of an unused key.
  private static let longestKey = 1024

  /// Different unused keys that are counted; a payload that uses data as keys has no end of them.
  private static let unusedLimit = 256

  // MARK: - Item by item

  /// Whether no further unused key would be counted.
  var isFull: Bool { unused.count == StagingScratch.unusedLimit }

  func unusedKey(_ index: Int) -> [UInt8] { unused[index].key }

  /// Adds the number of the reader with how many words follow, and a bit for each attribute that
  /// the current item filled; nothing when it had no object of the node.
  func appendFilled(to words: PlainArray<UInt64>) {
    guard touched == turn.serial else { return }
    words.append(UInt64(number ?? 0) << 32 | UInt64(wordCount))
    for word in 0..<wordCount { words.append(filled[word]) }
  }

  /// Adds the unused keys of the current item, by the number of the reader and their own.
  func appendUnused(to words: PlainArray<UInt64>) {
    guard touched == turn.serial else { return }
    for key in unusedOfItem { words.append(UInt64(number ?? 0) << 32 | UInt64(key)) }
  }

  /// Counts attributes as filled, a bit for each.
  func replay(_ rules: ArraySlice<UInt64>) {
    isReplayed = true
    for (word, rules) in zip(0..<wordCount, rules) { filledBefore[word] |= rules }
  }

  /// Counts an unused key.
  func replay(_ key: [UInt8], count: Int) {
    if let index = unused.firstIndex(where: { $0.key == key }) {
      unused[index].count += count
    } else if unused.count < StagingScratch.unusedLimit {
      unused.append((key, count))
    }
  }

  /// Reports the keys of the payload that filled an attribute and those that filled none.
  func describe(_ entity: String, in report: ReportBuilder) {
    var keys: [String: Int] = [:]
    for (key, count) in unused { keys[String(decoding: key, as: UTF8.self), default: 0] += count }
    report.describe(
      entity, unusedKeys: keys,
      // Of an abstract entity there are no objects: its kinds report their attributes.
      unfilled: node.entity.isAbstract
        ? [] : node.attributes.indices.filter { !isFilled($0) }.map { node.attributes[$0].name })
  }

  private func isFilled(_ rule: Int) -> Bool {
    (filled[rule >> 6] | filledBefore[rule >> 6]) & (1 << UInt64(rule & 63)) != 0
  }
}
