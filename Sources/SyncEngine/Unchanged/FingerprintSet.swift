import SyncCore
import SyncStore

/// The fingerprints that earlier syncs of the same kind have left, while a payload is compared with
/// them.
///
/// ```
/// unseen ──match──▶ matched ──stored otherwise, or mentioned by another item──▶ outdated
/// ```
///
/// A matched item is not read; others are, in the order of the payload. An absent record is a place
/// whose item is gone, kept until everything is written again. Behind the records that were read
/// come those of items that the sync reads.
///
/// All parts of a payload share the set. A record is matched as long as the part is worked off in
/// which its item comes, and unseen again for the next one. Confined to its sync, but for
/// ``fingerprint(of:)``.
final class FingerprintSet {
  enum State: UInt8 {
    case unseen
    case matched
    case outdated
    case absent
  }

  /// The generation that the store had when the set was read, and the one it was kept at; -1 of a
  /// new set.
  var generation: Int64
  let keptGeneration: Int64
  /// The head that the store had when the set was read; nil when it had none.
  var keptHead: [UInt8]?
  private let seed: UInt64
  var head: FingerprintHead
  let records = FingerprintRecords()

  /// Bytes of the items of new records.
  var madeByteCount = 0

  /// Records of the parts, and where the words of the amendment begin.
  private(set) var partCount = 0
  private var amendmentStart = 0

  private(set) var states = PlainArray<State>()

  /// The records that the part has matched, in its order, and how many of them still are.
  private let matched = PlainArray<Int32>()
  var matchedCount = 0

  /// Matched items come in the order of the last payload, mostly; and the record that was to come
  /// next when the part began.
  private(set) var next = 0
  private var first = 0
  @exclusivity(unchecked) private var index: [UInt32] = []

  /// Whether the latest item came in that order: where none does, none is looked at twice.
  private var isExpecting = true

  /// Whether an item was matched that turned out to come twice.
  private(set) var hasRepeats = false

  init(
    generation: Int64, kept: Int64 = -1,
    _ head: FingerprintHead = FingerprintHead(seed: .random(in: 0 ... .max))
  ) {
    self.generation = generation
    keptGeneration = kept
    self.head = head
    seed = head.seed
    for shape in head.shapes { records.add(shape) }
  }

  /// Records that were read.
  var count: Int { states.count }

  /// The matched records, in the order of the part.
  func forEachMatched(_ body: (Int) -> Void) {
    let states = states.start
    for record in matched where states[Int(record)] == .matched { body(Int(record)) }
  }

  func isAbsent(_ record: Int) -> Bool { states[record] == .absent }

  /// Whether the item of a record, as it was then, does not count any more.
  func isGone(_ record: Int) -> Bool { states[record] == .outdated || states[record] == .absent }

  /// Whether a record differs from its part.
  func isAmended(_ record: Int) -> Bool { records.starts[record] >= amendmentStart }

  // MARK: - Reading

  /// The number of the amendment, behind those of all parts.
  static let amendment = (1 << 24) - 1

  /// Bytes of items whose fingerprints are some hundred pages: a statement to find out whether they
  /// fill the cache pays.
  private static let manyBytes = 1 << 23

  /// Reads the records.
  ///
  /// - Returns: False when they are not as they were written.
  func readRecords(of id: Int64, from reader: StoreReader) throws -> Bool {
    var (isSound, absent) = (true, [Int]())
    try reader.readFingerprints(of: id, areMany: head.byteCount >= FingerprintSet.manyBytes) {
      number, bytes in
      let isAmendment = number == FingerprintSet.amendment
      isSound = isSound && records.read(bytes, placed: isAmendment) { absent.append($0) }
      if !isAmendment { (partCount, amendmentStart) = (records.count, records.words.count) }
    }
    guard isSound, absent.allSatisfy(records.starts.indices.contains) else { return false }
    states = PlainArray(repeating: .unseen, count: records.count)
    for record in absent { states[record] = .absent }
    return true
  }

  // MARK: - Matching

  /// Goes on with the next part.
  func beginPart() {
    guard count > 0 else { return }
    forEachMatched { states[$0] = .unseen }
    matched.removeAll(from: 0)
    matchedCount = 0
    first = next
    hasRepeats = false
  }

  /// Forgets the matched records, to go over the part once more.
  func restart() {
    guard count > 0 else { return }
    next = first
    beginPart()
    isExpecting = true
  }

  /// Matches the item that comes next if the payload goes on as the last one did, when the text
  /// begins with it. An object ends where its brackets do, so its end need not be searched.
  ///
  /// - Returns: How many bytes it is, 0 when it is not.
  @inline(__always)
  func lengthExpected(of text: UnsafeRawBufferPointer) -> Int {
    guard isExpecting, next < count, states[next] == .unseen else { return 0 }
    let length = records.length(of: next)
    guard length > 0, length <= text.count else { return 0 }
    let item = UnsafeRawBufferPointer(rebasing: text[..<length])
    isExpecting = records.isFingerprint(ContentFingerprint(item, seed: seed), of: next)
    guard isExpecting else { return 0 }
    noteMatch(next)
    next += 1
    return length
  }

  /// The fingerprint of an item that is read. Any thread may ask.
  func fingerprint(of text: UnsafeRawBufferPointer) -> ItemContents.ReadItem {
    ItemContents.ReadItem(fingerprint: ContentFingerprint(text, seed: seed), length: text.count)
  }

  /// Whether any item of a part that was read ahead need not have been.
  func knowsAny(of read: PlainArray<ItemContents.ReadItem>) -> Bool {
    guard count > 0 else { return false }
    return read.contains { item in
      find(item.fingerprint).map { states[$0] == .unseen } ?? false
    }
  }

  @inline(__always)
  private func noteMatch(_ record: Int) {
    states[record] = .matched
    matched.append(Int32(truncatingIfNeeded: record))
    matchedCount += 1
  }

  /// Matches an item, wherever it was in the last payload.
  ///
  /// - Parameter read: The items of the part that are read; the item is added to them unless it is
  ///   known.
  /// - Returns: False when it has to be read.
  func match(_ text: UnsafeRawBufferPointer, orAddTo read: PlainArray<ItemContents.ReadItem>)
    -> Bool
  {
    let item = fingerprint(of: text)
    if let record = find(item.fingerprint) {
      next = record + 1
      if states[record] == .unseen {
        noteMatch(record)
        return true
      }
      if states[record] == .matched {
        // An item that comes twice is told in the report: both are read, the first one next time.
        hasRepeats = true
        states[record] = .outdated
        matchedCount -= 1
      }
    }
    read.append(item)
    return false
  }

  private func find(_ fingerprint: ContentFingerprint) -> Int? {
    if count == 0 { return nil }
    if next < count, records.isFingerprint(fingerprint, of: next), states[next] != .absent {
      isExpecting = true
      return next
    }
    if index.isEmpty { makeIndex() }
    let mask = index.count - 1
    var position = Int(truncatingIfNeeded: fingerprint.low & 0xFFFF_FFFF) & mask
    while index[position] != 0 {
      let record = Int(index[position]) - 1
      if records.isFingerprint(fingerprint, of: record) { return record }
      position = (position + 1) & mask
    }
    return nil
  }

  private func makeIndex() {
    var size = 64
    while size * 3 < count * 4 { size *= 2 }
    index = Array(repeating: 0, count: size)
    index.withUnsafeMutableBufferPointer { index in
      for record in states.indices where states[record] != .absent {
        var position = records.hash(of: record) & (size - 1)
        while index[position] != 0 { position = (position + 1) & (size - 1) }
        index[position] = UInt32(record) + 1
      }
    }
  }
}

@available(*, unavailable, message: "A set of fingerprints is confined to its sync.")
extension FingerprintSet: Sendable {}
