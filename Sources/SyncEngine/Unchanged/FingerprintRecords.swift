import SyncCore

/// Fingerprints of items, as the store keeps them and as a sync makes them: words, one record
/// behind the other.
///
/// ```
/// │ fingerprint: 4 │ shape │ bytes of the item │ a row for each entry of the shape │
/// ```
///
/// Confined to its sync.
struct FingerprintRecords {
  let words = PlainArray<UInt32>()
  /// Where each record begins.
  let starts = PlainArray<Int>()
  /// How many rows records of each shape have.
  private let rowCounts = PlainArray<Int>()

  /// Words before the rows.
  private static let headSize = 6

  /// The shape of a record that says that the item in its place is gone.
  private static let goneShape = UInt32.max

  var count: Int { starts.count }

  @inline(__always)
  func isFingerprint(_ fingerprint: ContentFingerprint, of record: Int) -> Bool {
    let start = words.start + starts[record]
    return UInt64(start[0]) | UInt64(start[1]) << 32 == fingerprint.low
      && UInt64(start[2]) | UInt64(start[3]) << 32 == fingerprint.high
  }

  /// Some bits of its fingerprint.
  @inline(__always)
  func hash(of record: Int) -> Int { Int(words[starts[record]]) }

  @inline(__always)
  func shape(of record: Int) -> Int { Int(words[starts[record] + 4]) }

  func isGone(_ record: Int) -> Bool {
    words[starts[record] + 4] == FingerprintRecords.goneShape
  }

  /// Bytes of the item.
  @inline(__always)
  func length(of record: Int) -> Int { Int(words[starts[record] + 5]) }

  /// A row of a record, by the place of its entry in the shape.
  @inline(__always)
  func row(_ position: Int, of record: Int) -> Int64 {
    Int64(words[starts[record] + FingerprintRecords.headSize + position])
  }

  /// The rows in one place of records, as far behind as these begin.
  func rows(_ position: Int) -> UnsafePointer<UInt32> {
    UnsafePointer(words.start + FingerprintRecords.headSize + position)
  }

  // MARK: - Adding

  /// Adds the next shape.
  func add(_ shape: FingerprintShape) { rowCounts.append(shape.entries.count) }

  /// Begins a record; its rows are to follow, and its shape.
  func begin(_ fingerprint: ContentFingerprint, length: Int) {
    starts.append(words.count)
    for half in [fingerprint.low, fingerprint.high] {
      words.append(UInt32(truncatingIfNeeded: half))
      words.append(UInt32(truncatingIfNeeded: half >> 32))
    }
    words.append(FingerprintRecords.goneShape)
    words.append(UInt32(truncatingIfNeeded: length))
  }

  /// Takes back the record that was begun last.
  func cancel() {
    words.removeAll(from: starts[count - 1])
    starts.removeAll(from: count - 1)
  }

  /// Says of which shape a record is; nil is of none, as if it were not there.
  func setShape(_ shape: UInt32?, of record: Int) {
    words[starts[record] + 4] = shape ?? FingerprintRecords.goneShape
  }

  // MARK: - In the store

  /// Adds a record to the words of a part.
  func append(_ record: Int, to part: PlainArray<UInt32>) {
    let count = FingerprintRecords.headSize + rowCounts[shape(of: record)]
    part.append(
      UnsafeRawBufferPointer(
        UnsafeBufferPointer(start: words.start + starts[record], count: count)))
  }

  /// Adds that there is no record.
  static func appendGone(to part: PlainArray<UInt32>) {
    for _ in 0..<headSize { part.append(goneShape) }
  }

  /// Ends a part by two sums of its words: a damaged part would have objects deleted.
  static func seal(_ part: PlainArray<UInt32>) {
    let sums = sums(part.elements)
    part.append(sums.0)
    part.append(sums.1)
  }

  private static func sums(_ words: UnsafeBufferPointer<UInt32>) -> (UInt32, UInt32) {
    var sum = UInt32(truncatingIfNeeded: words.count)
    var difference: UInt32 = 0
    for word in words {
      sum &+= word
      difference ^= word
    }
    return (sum, difference)
  }

  /// Adds the records of a part.
  ///
  /// - Parameters:
  ///   - placed: Whether the place of each record stands before it: of one it takes the place of,
  ///     or behind all.
  ///   - onGone: Called with the places of those that are gone.
  /// - Returns: False when the bytes are not as they were written. Nothing counts then.
  func read(
    _ bytes: UnsafeRawBufferPointer, placed: Bool, onGone: (Int) -> Void
  ) -> Bool {
    var position = words.count
    words.append(bytes)
    let end = words.count - 2
    guard end >= position,
      FingerprintRecords.sums(UnsafeBufferPointer(rebasing: words.elements[position..<end]))
        == (words[end], words[end + 1])
    else { return false }
    words.removeAll(from: end)
    while position < end {
      var place = count
      if placed {
        place = Int(words[position])
        position += 1
      }
      guard place <= count, position + FingerprintRecords.headSize <= end else { return false }
      let shape = words[position + 4]
      if placed, shape == FingerprintRecords.goneShape {
        onGone(place)
        position += FingerprintRecords.headSize
        continue
      }
      guard shape < rowCounts.count else { return false }
      let next = position + FingerprintRecords.headSize + rowCounts[Int(shape)]
      guard next <= end else { return false }
      if place < count { starts[place] = position } else { starts.append(position) }
      position = next
    }
    return true
  }
}

@available(*, unavailable, message: "Records are confined to their sync.")
extension FingerprintRecords: Sendable {}
