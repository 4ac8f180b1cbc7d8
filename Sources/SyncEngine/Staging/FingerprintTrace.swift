import SyncCore

/// What the items of a payload turned out to say, noted while they are staged, so that fingerprints can be
/// made of them when everything is stored.
///
/// ```
/// items     fingerprint, first target, pattern, usage    one per item at the top that gave no warning
/// targets   occurrence or reference       the objects it describes or refers to, itself first
/// patterns  batch and use of each of its targets; items share that of the one before, when they can
/// usages    what it filled, left over and spoke of, as words; most items share one
/// ```
///
/// Items and targets become those of ``MadeFingerprints`` where they lie. Confined to the stager.
final class FingerprintTrace {
  struct Entry {
    /// An occurrence, or the ones' complement of a reference.
    var target: Int32
    var batch: Int
    /// Of a reference: how it is meant.
    var use: FingerprintShape.Use?
  }

  let items = PlainArray<FingerprintItem>()
  /// Where targets begin of items that gave warnings, and their patterns.
  private var others: [(first: Int, pattern: Int)] = []
  let targets = PlainArray<UInt32>()
  private let patterns = Patterns()
  private var usages = Usages()
  private let unused = PlainArray<UInt32>()
  private let readers: [StagingNode]

  /// Which object each rule of a node was last spoken of by, at the top and anywhere.
  private let spoken = PlainArray<UInt32>()
  private let nested = PlainArray<UInt32>()
  private let firstRules: [Int]
  private var serial: UInt32 = 0
  private var firstEntry = 0

  /// Whether something could not be noted, so that nothing here counts.
  private(set) var isIncomplete = false

  /// - Parameters:
  ///   - nodes: those of the plan.
  ///   - readers: everybody who reads objects, the nodes first.
  init(nodes: [StagingNode], readers: [StagingNode]) {
    self.readers = readers
    var first = 0
    firstRules = nodes.map { node in
      defer { first += node.links.count }
      return first
    }
    for _ in 0..<first {
      spoken.append(0)
      nested.append(0)
    }
  }

  // MARK: - While an item is staged

  func begin() {
    serial &+= 1
    firstEntry = targets.count
    patterns.current.removeAll(from: 0)
    unused.removeAll(from: 0)
    for reader in readers { reader.scratch.serial = serial }
  }

  @inline(__always)
  func describe(_ occurrence: Int32, in batch: Int) {
    append(occurrence, batch, 0)
  }

  @inline(__always)
  func refer(_ reference: Int32, in batch: Int, _ use: FingerprintShape.Use) {
    append(~reference, batch, UInt16(truncatingIfNeeded: use.rawValue))
  }

  /// Bits of a use in ``places``.
  private static let useBits = 3

  /// Plan nodes of which a trace can be made.
  static let nodeLimit = 1 << (16 - useBits)

  @inline(__always)
  private func append(_ target: Int32, _ batch: Int, _ use: UInt16) {
    targets.append(UInt32(bitPattern: target))
    patterns.current.append(
      UInt16(truncatingIfNeeded: batch << FingerprintTrace.useBits) | use)
  }

  /// How many targets an item has.
  func entryCount(of item: FingerprintItem) -> Int { patterns.length(of: Int(item.size)) }

  /// A target of an item.
  @inline(__always)
  func entry(_ index: Int, of item: FingerprintItem) -> Entry {
    entry(index, first: Int(item.firstRow), pattern: Int(item.size))
  }

  /// Visits the targets of all items, of those too that gave warnings.
  func forEachEntry(_ body: (Entry) -> Void) {
    for item in items {
      for index in 0..<entryCount(of: item) { body(entry(index, of: item)) }
    }
    for (first, pattern) in others {
      for index in 0..<patterns.length(of: pattern) {
        body(entry(index, first: first, pattern: pattern))
      }
    }
  }

  @inline(__always)
  private func entry(_ index: Int, first: Int, pattern: Int) -> Entry {
    let place = patterns.place(index, of: pattern)
    let use = UInt32(place & (1 << FingerprintTrace.useBits - 1))
    return Entry(
      target: Int32(bitPattern: targets[first + index]),
      batch: Int(place >> FingerprintTrace.useBits), use: FingerprintShape.Use(rawValue: use))
  }

  /// Sets memory aside for so many times as much as there is now.
  func reserve(_ factor: Double) {
    items.reserve(Int(Double(items.count) * factor))
    targets.reserve(Int(Double(targets.count) * factor))
  }

  @inline(__always)
  func speak(of rule: Int, node: Int) {
    spoken[firstRules[node] + rule] = serial
  }

  /// Notes that the object at the top nests others in a list.
  func nest(below rule: Int, node: Int) {
    nested[firstRules[node] + rule] = serial
  }

  /// Notes a key that fills nothing, by its number among those of the node; -1 is one that is not counted.
  func leave(_ key: Int, node: Int) {
    guard key >= 0, key <= 0xFFFF, node <= 0xFFFF else {
      isIncomplete = true
      return
    }
    unused.append(UInt32(node) << 16 | UInt32(key))
  }

  /// Ends an item.
  ///
  /// - Parameter fingerprint: nil when it gave warnings.
  func end(_ fingerprint: ContentFingerprint?, length: Int) {
    let pattern = patterns.number()
    guard let fingerprint, serial < .max, length <= UInt32.max, targets.count <= UInt32.max else {
      isIncomplete = isIncomplete || fingerprint != nil
      others.append((firstEntry, pattern))
      return
    }
    items.append(
      FingerprintItem(
        fingerprint: fingerprint, length: UInt32(length), firstRow: UInt32(firstEntry),
        size: UInt32(pattern), form: usageNumber()))
  }

  // MARK: - Usages

  /// The usage of the current item, as words: for each reader how many words of filled rules follow, and
  /// those; the relationships spoken of; the unused keys.
  private func usageNumber() -> UInt32 {
    let usage = usages.current
    usage.removeAll(from: 0)
    for reader in readers { reader.scratch.appendFilled(to: usage) }
    for index in spoken.indices where spoken[index] == serial {
      usage.append(1 << 63 | UInt64(index) << 1 | (nested[index] == serial ? 1 : 0))
    }
    for key in unused { usage.append(1 << 62 | UInt64(key)) }
    return usages.number()
  }

  /// A shape without its entries.
  func shape(ofUsage number: UInt32) -> FingerprintShape {
    var shape = FingerprintShape()
    let words = usages.all[Int(number)]
    var position = 0
    for node in readers.indices {
      let count = Int(words[position])
      let rules = Array(words[(position + 1)..<(position + 1 + count)])
      if count > 0 { shape.filled.append(FingerprintShape.Filled(node: node, rules: rules)) }
      position += 1 + count
    }
    var counts: [Int: Int] = [:]
    for word in words[position...] {
      if word & 1 << 63 != 0 {
        shape.mentions.append(mention(word & ~(1 << 63)))
      } else {
        counts[Int(word & ~(1 << 62)), default: 0] += 1
      }
    }
    for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
      let node = key >> 16
      shape.unused.append(
        FingerprintShape.UnusedKey(
          node: node, key: readers[node].scratch.unusedKey(key & 0xFFFF), count: count))
    }
    return shape
  }

  private func mention(_ word: UInt64) -> FingerprintShape.Mention {
    let index = Int(word >> 1)
    // Nodes without relationships begin where the next one does.
    let node = firstRules.lastIndex { $0 <= index } ?? 0
    return FingerprintShape.Mention(
      node: node, rule: index - firstRules[node], nestsAtTop: word & 1 == 1)
  }
}

/// Lists of places, of which an item has that of the one before when they are the same.
private struct Patterns {
  /// Where each pattern begins in ``places``, and the last one ends.
  private let starts = PlainArray<UInt32>()
  private let places = PlainArray<UInt16>()
  /// Those of the current item.
  let current = PlainArray<UInt16>()

  init() {
    starts.append(0)
  }

  @inline(__always)
  func length(of pattern: Int) -> Int { Int(starts[pattern + 1] - starts[pattern]) }

  @inline(__always)
  func place(_ index: Int, of pattern: Int) -> UInt16 { places[Int(starts[pattern]) + index] }

  /// The number of the current item's pattern.
  func number() -> Int {
    let last = starts.count - 1
    if last > 0 {
      let first = Int(starts[last - 1])
      if current.elements.elementsEqual(places.elements[first...]) { return last - 1 }
    }
    for place in current { places.append(place) }
    starts.append(UInt32(places.count))
    return last
  }
}

/// What items filled, left over and spoke of, as words; equal ones have one number.
private struct Usages {
  private(set) var all: [[UInt64]] = []
  /// Numbers by the hash of the words: a dictionary of another key would be a type the runtime has to make.
  private var numbers: [Int: [Int32]] = [:]
  /// That of the current item.
  let current = PlainArray<UInt64>()
  /// That of the item before, and its number.
  private let previous = PlainArray<UInt64>()
  private var previousNumber: Int32 = -1

  /// The number of the current item's usage.
  mutating func number() -> UInt32 {
    if previousNumber >= 0, current.isEqual(to: previous) { return UInt32(previousNumber) }
    previous.removeAll(from: 0)
    for word in current { previous.append(word) }
    var hasher = Hasher()
    for word in current { hasher.combine(word) }
    let hash = hasher.finalize()
    if let known = numbers[hash]?.first(where: { current.elementsEqual(all[Int($0)]) }) {
      previousNumber = known
      return UInt32(known)
    }
    previousNumber = Int32(all.count)
    all.append(Array(current))
    numbers[hash, default: []].append(previousNumber)
    return UInt32(previousNumber)
  }
}

@available(*, unavailable, message: "A trace is confined to its stager.")
extension FingerprintTrace: Sendable {}
