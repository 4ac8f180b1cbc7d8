import SyncCore

/// The contents of each item at the top of a part: its objects, and the attributes that its keys
/// filled. Noted while it is staged, where the request asks for it.
///
/// ```
/// items    first target, usage        one per item at the top that was read
/// targets  occurrence or reference    the objects it describes or refers to, itself first
/// usages   attributes that keys filled, and keys that filled none; most items share one
/// ```
///
/// Confined to the sync.
final class ItemContents {
  /// How an item has to do with an object.
  enum Use: UInt8 {
    /// Describes it.
    case described
    /// Describes it as a member of its own list: known when objects are matched.
    case member
    /// Refers to it by its key in a relationship in which no other owner may have it.
    case taken
    /// Lists it by its key among its own members.
    case listed
    /// Refers to it by its key, as others may.
    case shared
  }

  struct Target: BitwiseCopyable {
    /// An occurrence, or the ones' complement of a reference.
    let number: Int32
    let batch: UInt16
    let use: Use
  }

  struct Item: BitwiseCopyable {
    let firstTarget: Int
    /// The number of its usage; -1 of an item that cannot be used or gave a warning.
    let usage: Int
  }

  /// The content of an item that was read, by which it is known when it comes again.
  struct ReadItem: BitwiseCopyable {
    let fingerprint: ContentFingerprint
    /// Its bytes.
    let length: Int
  }

  private(set) var items = PlainArray<Item>()
  private var targets = PlainArray<Target>()
  private(set) var usages: [ItemUsage] = []

  private let turn: ItemTurn
  private var firstTarget = 0
  private var numbers: [[UInt64]: Int] = [:]
  /// The usage of the current item as words, and that of the item before.
  private let words = PlainArray<UInt64>()
  private let latest = PlainArray<UInt64>()
  private var latestNumber = -1

  init(_ turn: ItemTurn) { self.turn = turn }

  /// The objects of which an item speaks.
  @inline(__always)
  func targets(of item: Int) -> UnsafeBufferPointer<Target> {
    let first = items[item].firstTarget
    let end = item + 1 < items.count ? items[item + 1].firstTarget : targets.count
    return UnsafeBufferPointer(start: targets.start + first, count: end - first)
  }

  /// Sets memory aside for so many times as much as there is now.
  func reserve(_ factor: Double) {
    items.reserve(Int(Double(items.count) * factor))
    targets.reserve(Int(Double(targets.count) * factor))
  }

  /// Forgets all of it.
  func removeAll() { (items, targets, usages) = (PlainArray(), PlainArray(), []) }

  // MARK: - While an item is staged

  func begin() {
    firstTarget = targets.count
    turn.begin()
  }

  @inline(__always)
  func describe(_ occurrence: Int32, in batch: Int) {
    targets.append(
      Target(number: occurrence, batch: UInt16(truncatingIfNeeded: batch), use: .described))
  }

  @inline(__always)
  func refer(_ reference: Int32, in batch: Int, _ use: Use) {
    targets.append(
      Target(number: ~reference, batch: UInt16(truncatingIfNeeded: batch), use: use))
  }

  /// Ends an item.
  ///
  /// - Parameter isUsable: Whether it can be used and gave no warning.
  func end(isUsable: Bool) {
    items.append(Item(firstTarget: firstTarget, usage: isUsable ? usageNumber() : -1))
  }

  private func usageNumber() -> Int {
    words.removeAll(from: 0)
    for reader in turn.readers { reader.appendFilled(to: words) }
    let filledCount = words.count
    for reader in turn.readers { reader.appendUnused(to: words) }
    if latestNumber >= 0, words.isEqual(to: latest) { return latestNumber }
    latest.removeAll(from: 0)
    for word in words { latest.append(word) }
    let key = Array(words)
    latestNumber = numbers[key] ?? usages.count
    if latestNumber == usages.count {
      numbers[key] = latestNumber
      usages.append(usage(key[..<filledCount], unused: key[filledCount...]))
    }
    return latestNumber
  }

  private func usage(_ filled: ArraySlice<UInt64>, unused: ArraySlice<UInt64>) -> ItemUsage {
    var counts: [UInt64: Int] = [:]
    for word in unused { counts[word, default: 0] += 1 }
    let keys = counts.inKeyOrder.map { word, count in
      let reader = Int(word >> 32)
      let scratch = turn.readers.first { $0.number == reader }
      return ItemUsage.UnusedKey(
        reader: reader, key: scratch?.unusedKey(Int(word & 0xFFFF_FFFF)) ?? [], count: count)
    }
    return ItemUsage(filled: Array(filled), unused: keys)
  }
}

/// The attributes that the keys of an item filled, for the report.
struct ItemUsage: Hashable {
  struct UnusedKey: Hashable {
    /// The reader of the object: a node of the plan, or a plan of a source of nested objects,
    /// numbered behind the nodes.
    let reader: Int
    let key: [UInt8]
    let count: Int
  }

  /// For each reader that had an object its number with how many words follow, and in these a bit
  /// for each attribute rule that was filled.
  var filled: [UInt64] = []
  var unused: [UnusedKey] = []
}

extension Stager {
  /// Passes over items at the top.
  ///
  /// - Parameter records: The numbers by which fingerprints know them.
  func passOver(_ records: Range<Int>) {
    part.items.end += records.count
    guard !records.isEmpty, plan.rootNode.listsObjects else { return }
    part.items.passed.append((part.items.listed.count, records))
  }

  /// Tells the report the usage of so many items that were passed over.
  func replay(_ usage: ItemUsage, count: Int) {
    var rest = usage.filled[...]
    while let head = rest.popFirst() {
      let words = rest.prefix(Int(head & 0xFFFF_FFFF))
      rest.removeFirst(words.count)
      reader(at: Int(head >> 32))?.scratch.replay(words)
    }
    for unused in usage.unused {
      reader(at: unused.reader)?.scratch.replay(unused.key, count: unused.count * count)
    }
  }
}

@available(*, unavailable, message: "What items speak of is confined to their sync.")
extension ItemContents: Sendable {}
