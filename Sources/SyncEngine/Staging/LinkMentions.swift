import SyncCore

/// The mentions of one relationship of one batch, owner after owner, in payload order.
///
/// ```
/// owners   kinds      starts
/// │ 0    │ objects  │ 0     │──▶ targets │ 5 │ 6 │        occurrences of the destination
/// │ 1    │ objects  │ 2     │
/// │ 3    │ keys     │ 2     │──▶ targets │ ~0 │           ones' complement: a reference
///                   │ 3     │    where the next one begins
/// ```
final class LinkMentions {
  enum Kind: UInt8 {
    /// Nested objects (or none, by an empty list or null under the objects key): members that are
    /// not listed go, by the rules of the relationship.
    case objects
    /// Keys only (or none, by an empty list or null under the keys' name): members that are not
    /// listed are unlinked, never deleted.
    case keys
  }

  let owners = MentionOwners()
  let kinds = PlainArray<Kind>()
  private let starts = PlainArray<Int32>()

  /// Destinations: an occurrence, or the ones' complement of a reference.
  private let targets = PlainArray<Int32>()

  /// When it was said: for one-to-one relationships, which either side may speak of, and for those
  /// of entities whose objects may be mentioned under another entity too.
  private(set) var orders: [UInt32] = []

  init() {}

  /// The mentions of others, and behind them empty ones for some owners.
  init(_ others: LinkMentions, emptying silent: [Int32], order: UInt32?) {
    for mention in 0..<others.count {
      append(
        owner: others.owners[mention], kind: others.kinds[mention],
        targets: others.targets(of: mention),
        order: others.orders.isEmpty ? nil : others.orders[mention])
    }
    for owner in silent {
      append(owner: owner, kind: .objects, targets: EmptyCollection(), order: order)
    }
  }

  var count: Int { owners.count }

  /// How the latest mention named its members.
  var latestKind: Kind? { count > 0 ? kinds[count - 1] : nil }

  /// Destinations of all mentions.
  var targetCount: Int { targets.count }

  @inline(__always)
  func append(
    owner: Int32, kind: Kind, targets list: some Collection<Int32>, order: UInt32? = nil
  ) {
    if let order { orders.append(order) }
    if starts.isEmpty { starts.append(0) }
    owners.append(owner)
    kinds.append(kind)
    for target in list { targets.append(target) }
    starts.append(Int32(targets.count))
  }

  /// Sets memory aside for so many times as much as there is now.
  func reserve(_ factor: Double) {
    let expected = Int(Double(count) * factor)
    owners.reserve(expected)
    kinds.reserve(expected)
    starts.reserve(expected + 1)
    targets.reserve(Int(Double(targets.count) * factor))
  }

  /// The destinations of one mention, in payload order.
  @inline(__always)
  func targets(of mention: Int) -> UnsafeBufferPointer<Int32> {
    let start = Int(starts[mention])
    return UnsafeBufferPointer(
      start: targets.start + start, count: Int(starts[mention + 1]) - start)
  }
}

@available(*, unavailable, message: "Mentions are confined to the sync that owns them.")
extension LinkMentions: Sendable {}

/// The owners of mentions, as occurrences of their batch, in payload order.
///
/// Where every object gives the relationship they follow each other, and nothing is kept of them
/// but the first and how many they are: a list of them is made when one comes that does not follow.
/// Confined to the sync that owns them.
final class MentionOwners: RandomAccessCollection {
  private(set) var count = 0
  private var first: Int32 = 0
  private var areConsecutive = true
  private let listed = PlainArray<Int32>()

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  @inline(__always)
  subscript(index: Int) -> Int32 {
    areConsecutive ? first &+ Int32(truncatingIfNeeded: index) : listed[index]
  }

  /// - Complexity: O(1), amortised.
  @inline(__always)
  func append(_ owner: Int32) {
    if areConsecutive {
      if count == 0 { first = owner }
      if owner != first &+ Int32(truncatingIfNeeded: count) { list() }
    }
    if !areConsecutive { listed.append(owner) }
    count += 1
  }

  /// Sets memory aside for so many owners, if they are listed.
  func reserve(_ count: Int) {
    if !areConsecutive { listed.reserve(count) }
  }

  @inline(never)
  private func list() {
    for index in 0..<count { listed.append(self[index]) }
    areConsecutive = false
  }
}

@available(*, unavailable, message: "Owners are confined to the sync that has them.")
extension MentionOwners: Sendable {}

/// When objects were mentioned, and when each of their slots was given last: kept where objects may
/// be mentioned under another entity too. Confined to its batch.
final class MentionOrders {
  private let first = PlainArray<UInt32>()
  /// When slots were given again, by occurrence; 0 where they were not.
  private var later: [Int32: [UInt32]] = [:]

  /// Notes when the next occurrence was mentioned.
  func append(_ order: UInt32) { first.append(order) }

  /// Notes that an occurrence was given slots again.
  func note(_ order: UInt32, of slots: some Sequence<Int>, _ occurrence: Int32, width: Int) {
    for slot in slots {
      later[occurrence, default: Array(repeating: 0, count: width)][slot] = order
    }
  }

  /// When an occurrence gave a slot last.
  func order(of slot: Int, _ occurrence: Int32) -> UInt32 {
    if let later = later[occurrence]?[slot], later > 0 { return later }
    return first[occurrence]
  }
}

@available(*, unavailable, message: "Orders are confined to their batch.")
extension MentionOrders: Sendable {}
