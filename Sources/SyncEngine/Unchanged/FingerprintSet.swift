import SyncCore
import SyncStore

/// The fingerprints that earlier syncs of the same kind have left, while a payload is compared with them.
///
/// ```
///                ┌──────── not stored like that any more ──────▶ outdated
/// unseen ──match──▶ matched ──somebody else has to do with its rows──▶ refused
/// ```
///
/// A matched item is not read; a refused one is read with the rest, in the order of the payload. An absent
/// record is a place in a part whose item is gone, kept until the part is written again.
/// Confined to its sync.
final class FingerprintSet {
  struct Record: BitwiseCopyable {
    var fingerprint: ContentFingerprint
    var shape: UInt32
    /// Where its length stands in ``rows``, its rows behind that; as stored: in the rows of its part.
    var firstRow: UInt32
  }

  enum State: UInt8 {
    case unseen
    case matched
    case refused
    case outdated
    case absent
  }

  let id: Int64?

  /// The generation that the store had when the set was read, and the one it was kept at.
  let generation: Int64
  let keptGeneration: Int64
  let seed: UInt64
  let byteCount: Int
  let contents: FingerprintContents
  let states: PlainArray<State>
  var matchedCount = 0

  /// Matched items come in the order of the last payload, mostly.
  private(set) var next = 0
  private var index: [UInt32] = []
  private var isRefusingAll = false

  /// Whether the latest item came in that order: where none does, none is looked at twice.
  private var isExpecting = true

  /// A set without fingerprints.
  init(id: Int64?, generation: Int64, seed: UInt64) {
    self.id = id
    self.generation = generation
    keptGeneration = -1
    self.seed = seed
    byteCount = 0
    contents = FingerprintContents(shapes: [])
    states = PlainArray(capacity: 1)
  }

  init(
    _ kept: FingerprintSetRecord, generation: Int64, head: FingerprintHead,
    _ contents: FingerprintContents
  ) {
    id = kept.id
    self.generation = generation
    keptGeneration = kept.generation
    seed = head.seed
    byteCount = head.byteCount
    self.contents = contents
    states = PlainArray(repeating: .unseen, count: contents.records.count)
    for record in contents.absent { states[record] = .absent }
  }

  var shapes: [FingerprintShape] { contents.shapes }
  var records: PlainArray<Record> { contents.records }
  var count: Int { contents.records.count }

  /// The rows of a record, in the order of its shape's entries.
  @inline(__always)
  func rows(of record: Int) -> UnsafeBufferPointer<UInt32> {
    UnsafeBufferPointer(
      start: contents.rows.start + Int(contents.records[record].firstRow) + 1,
      count: contents.shapes[Int(contents.records[record].shape)].entries.count)
  }

  /// Bytes of the item of a record.
  @inline(__always)
  func length(of record: Int) -> UInt32 { contents.rows[Int(contents.records[record].firstRow)] }

  /// Whether a record is not what its part says.
  func isAmended(_ record: Int) -> Bool {
    Int(contents.records[record].firstRow) >= contents.partRows
  }

  // MARK: - Matching

  /// Forgets what was matched, to go over the payload once more.
  func restart() {
    for record in states.indices where states[record] == .matched { states[record] = .unseen }
    matchedCount = 0
    next = 0
    isExpecting = true
    hasRepeats = false
  }

  /// Bytes of the item that comes next if the payload goes on as the last one did; 0 when nothing is
  /// expected.
  @inline(__always)
  var expectedLength: Int {
    guard isExpecting, next < count, states[next] == .unseen, !isRefusingAll else { return 0 }
    return Int(length(of: next))
  }

  /// Matches the item that was expected, when it is what the text ahead begins with. An object ends where
  /// its brackets do, whatever follows, so nobody needs to look for its end.
  @inline(__always)
  func matchExpected(_ text: UnsafeRawBufferPointer) -> Bool {
    isExpecting = contents.records[next].fingerprint.isSame(
      as: ContentFingerprint(text, seed: seed))
    guard isExpecting else { return false }
    states[next] = .matched
    matchedCount += 1
    next += 1
    return true
  }

  /// Matches the item that was expected, when it is what a text begins with.
  ///
  /// - Returns: How many bytes it is, 0 when it is not.
  @inline(__always)
  func lengthExpected(of text: UnsafeRawBufferPointer) -> Int {
    let length = expectedLength
    guard length > 0, length <= text.count,
      matchExpected(UnsafeRawBufferPointer(rebasing: text[..<length]))
    else { return 0 }
    return length
  }

  /// The record of an item with the fingerprint, or nil when it has to be read.
  func match(_ fingerprint: ContentFingerprint) -> Int? {
    guard let record = find(fingerprint) else { return nil }
    next = record + 1
    switch states[record] {
    case .unseen where !isRefusingAll:
      states[record] = .matched
      matchedCount += 1
      return record
    case .matched:
      // An item that comes twice is told in the report: both are read, the first one next time.
      hasRepeats = true
      states[record] = .refused
      matchedCount -= 1
      return nil
    case .unseen, .refused, .outdated, .absent:
      return nil
    }
  }

  /// Whether an item was matched that turned out to come twice.
  private(set) var hasRepeats = false

  /// Reads everything from now on.
  func refuseAll() {
    isRefusingAll = true
  }

  private func find(_ fingerprint: ContentFingerprint) -> Int? {
    if next < count, contents.records[next].fingerprint.isSame(as: fingerprint),
      states[next] != .absent
    {
      isExpecting = true
      return next
    }
    if count == 0 { return nil }
    if index.isEmpty { makeIndex() }
    let mask = index.count - 1
    var position = Int(truncatingIfNeeded: fingerprint.low) & mask
    while index[position] != 0 {
      let record = Int(index[position]) - 1
      if records[record].fingerprint.isSame(as: fingerprint) { return record }
      position = (position + 1) & mask
    }
    return nil
  }

  private func makeIndex() {
    var size = 64
    while size * 3 < count * 4 { size *= 2 }
    index = Array(repeating: 0, count: size)
    index.withUnsafeMutableBufferPointer { index in
      for record in records.indices where states[record] != .absent {
        var position = Int(truncatingIfNeeded: records[record].fingerprint.low) & (size - 1)
        while index[position] != 0 { position = (position + 1) & (size - 1) }
        index[position] = UInt32(record) + 1
      }
    }
  }
}

extension ContentFingerprint {
  /// As `==`, which would be a call into another module for each item.
  @inline(__always)
  fileprivate func isSame(as other: ContentFingerprint) -> Bool {
    low == other.low && high == other.high
  }
}

@available(*, unavailable, message: "A set of fingerprints is confined to its sync.")
extension FingerprintSet: Sendable {}
