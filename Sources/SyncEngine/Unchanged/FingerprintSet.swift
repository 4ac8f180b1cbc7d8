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
/// come those of items that the sync reads. Confined to its sync.
final class FingerprintSet {
  private enum State: UInt8 {
    case unseen
    case matched
    case outdated
    case absent
  }

  /// An item that was read.
  struct ReadItem: BitwiseCopyable {
    let fingerprint: ContentFingerprint
    /// Its bytes.
    let length: Int
  }

  /// The generation that the store had when the set was read, and the one it was kept at; -1 of a
  /// new set.
  var generation: Int64
  let keptGeneration: Int64
  private let seed: UInt64
  var head: FingerprintHead
  let records = FingerprintRecords()

  /// Records of the parts, and where the words of the amendment begin.
  private(set) var partCount = 0
  private var amendmentStart = 0

  private var states = PlainArray<State>(capacity: 1)
  private(set) var matchedCount = 0

  /// The items that were read, as many as ``ItemContents`` has.
  let read = PlainArray<ReadItem>()

  /// Matched items come in the order of the last payload, mostly.
  private(set) var next = 0
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

  /// The matched records, in order.
  func forEachMatched(_ body: (Int) -> Void) {
    let states = states.elements
    for record in states.indices where states[record] == .matched { body(record) }
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

  /// Forgets the matched records, to go over the payload once more.
  func restart() {
    for record in states.indices where states[record] == .matched { states[record] = .unseen }
    matchedCount = 0
    next = 0
    isExpecting = true
    hasRepeats = false
    read.removeAll(from: 0)
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
    states[next] = .matched
    matchedCount += 1
    next += 1
    return length
  }

  /// Matches an item, wherever it was in the last payload.
  ///
  /// - Returns: False when it has to be read, which is noted.
  func match(_ text: UnsafeRawBufferPointer) -> Bool {
    let fingerprint = ContentFingerprint(text, seed: seed)
    if let record = find(fingerprint) {
      next = record + 1
      if states[record] == .unseen {
        states[record] = .matched
        matchedCount += 1
        return true
      }
      if states[record] == .matched {
        // An item that comes twice is told in the report: both are read, the first one next time.
        hasRepeats = true
        states[record] = .outdated
        matchedCount -= 1
      }
    }
    read.append(ReadItem(fingerprint: fingerprint, length: text.count))
    return false
  }

  private func find(_ fingerprint: ContentFingerprint) -> Int? {
    if next < count, records.isFingerprint(fingerprint, of: next), states[next] != .absent {
      isExpecting = true
      return next
    }
    if count == 0 { return nil }
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

  // MARK: - Records that do not count any more

  /// Has nothing count any more, so that everything is read.
  func outdateAll() {
    for record in states.indices where states[record] != .absent { states[record] = .outdated }
    matchedCount = 0
  }

  /// Has those records not count any more that have to do with some rows.
  ///
  /// - Parameters:
  ///   - any: Rows, by the root entity of their table, that concern the items that hold them.
  ///   - strongly: Rows that concern the items that refer to them as well.
  /// - Returns: Whether there were matched ones among them.
  @discardableResult
  func outdate(any: [RowSet], strongly: [RowSet] = [], model: ManagedObjectModel) -> Bool {
    guard let looks = Looks(any, strongly, head.shapes, model) else { return false }
    let before = matchedCount
    for record in states.indices where states[record] == .unseen || states[record] == .matched {
      guard looks.find(record, in: records) else { continue }
      if states[record] == .matched { matchedCount -= 1 }
      states[record] = .outdated
    }
    return matchedCount < before
  }

  /// Takes back those new records whose items hold some rows, so that the items are read next time.
  ///
  /// - Parameter rows: By the root entity of their table.
  func withdraw(_ rows: [RowSet], model: ManagedObjectModel) {
    guard let looks = Looks(rows, [], head.shapes, model) else { return }
    for record in count..<records.count where !records.isGone(record) {
      if looks.find(record, in: records) { records.setShape(nil, of: record) }
    }
  }

  /// Rows that are looked for in records.
  private struct Looks {
    /// Of each shape the rows to look for, and their places: mostly few of many, since most rows
    /// are only referred to.
    private let sets: [[(position: Int, rows: RowSet)]]

    /// - Returns: Nil when there are no rows.
    init?(
      _ any: [RowSet], _ strongly: [RowSet], _ shapes: [FingerprintShape],
      _ model: ManagedObjectModel
    ) {
      guard any.contains(where: { !$0.isEmpty }) || strongly.contains(where: { !$0.isEmpty }) else {
        return nil
      }
      sets = shapes.map { shape in
        shape.entries.enumerated().compactMap { position, entry in
          let table = EntityDescription(model: model, index: entry.entity).rootIndex
          let sets = entry.isHeld ? any : strongly
          return table < sets.count && !sets[table].isEmpty ? (position, sets[table]) : nil
        }
      }
    }

    /// Whether a record has one of the rows.
    @inline(__always)
    func find(_ record: Int, in records: FingerprintRecords) -> Bool {
      let shape = records.shape(of: record)
      // Asked in place: to take a set out would count its references, as often as there are rows.
      for look in sets[shape].indices
      where sets[shape][look].rows.contains(records.row(sets[shape][look].position, of: record)) {
        return true
      }
      return false
    }
  }
}

@available(*, unavailable, message: "A set of fingerprints is confined to its sync.")
extension FingerprintSet: Sendable {}
