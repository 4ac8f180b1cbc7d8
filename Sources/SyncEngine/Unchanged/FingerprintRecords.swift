import SyncCore

/// Fingerprints of items, as the store keeps them and as a sync makes them: words, one record behind the other.
///
/// ```
/// │ fingerprint: 4 │ shape │ bytes of the item │ a row for each entry of the shape │
/// ```
///
/// Confined to its sync.
struct FingerprintRecords {
  var shapes: [FingerprintShape]
  let words = PlainArray<UInt32>()
  /// Where each record begins.
  let starts = PlainArray<Int>()

  /// Words before the rows.
  static let headSize = 6

  /// The shape of a record that says that the item in its place is gone.
  static let goneShape = UInt32.max

  init(shapes: [FingerprintShape] = []) {
    self.shapes = shapes
  }

  var count: Int { starts.count }

  @inline(__always)
  func isFingerprint(_ fingerprint: ContentFingerprint, of record: Int) -> Bool {
    isFingerprint(fingerprint, at: starts[record])
  }

  @inline(__always)
  private func isFingerprint(_ fingerprint: ContentFingerprint, at position: Int) -> Bool {
    let start = words.start + position
    return UInt64(start[0]) | UInt64(start[1]) << 32 == fingerprint.low
      && UInt64(start[2]) | UInt64(start[3]) << 32 == fingerprint.high
  }

  /// Some bits of its fingerprint.
  @inline(__always)
  func hash(of record: Int) -> Int { Int(words[starts[record]]) }

  @inline(__always)
  func shape(of record: Int) -> Int { Int(words[starts[record] + 4]) }

  /// Bytes of the item.
  @inline(__always)
  func length(of record: Int) -> Int { Int(words[starts[record] + 5]) }

  /// The rows of a record, in the order of its shape's entries.
  @inline(__always)
  func rows(of record: Int) -> UnsafeBufferPointer<UInt32> {
    UnsafeBufferPointer(
      start: words.start + starts[record] + FingerprintRecords.headSize,
      count: shapes[shape(of: record)].entries.count)
  }

  // MARK: - Adding

  /// Begins a record; its rows are to follow.
  func begin(_ fingerprint: ContentFingerprint, length: Int) {
    starts.append(words.count)
    FingerprintRecords.append(fingerprint, to: words)
    words.append(FingerprintRecords.goneShape)
    words.append(UInt32(truncatingIfNeeded: length))
  }

  /// Takes back the record that was begun last.
  func cancel() {
    words.removeAll(from: starts[count - 1])
    starts.removeAll(from: count - 1)
  }

  /// Says of which shape a record is.
  func setShape(_ shape: UInt32, of record: Int) { words[starts[record] + 4] = shape }

  /// Adds a record to the bytes of a part.
  func append(_ record: Int, to part: PlainArray<UInt32>) {
    let start = starts[record]
    let count = FingerprintRecords.headSize + shapes[shape(of: record)].entries.count
    part.append(
      UnsafeRawBufferPointer(UnsafeBufferPointer(start: words.start + start, count: count)))
  }

  private static func append(_ fingerprint: ContentFingerprint, to words: PlainArray<UInt32>) {
    words.append(UInt32(truncatingIfNeeded: fingerprint.low))
    words.append(UInt32(truncatingIfNeeded: fingerprint.low >> 32))
    words.append(UInt32(truncatingIfNeeded: fingerprint.high))
    words.append(UInt32(truncatingIfNeeded: fingerprint.high >> 32))
  }

  // MARK: - Reading

  /// Ends bytes that ``append(_:to:)`` has added to: what is damaged would have objects deleted.
  static func seal(_ part: PlainArray<UInt32>) {
    append(ContentFingerprint(UnsafeRawBufferPointer(part.elements), seed: 0), to: part)
  }

  private func isSealed(from start: Int) -> Bool {
    let end = words.count - 4
    let content = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: words.elements[start..<end]))
    return isFingerprint(ContentFingerprint(content, seed: 0), at: end)
  }

  /// Adds what ``seal(_:)`` has ended.
  ///
  /// - Parameters:
  ///   - placed: Whether the place of each record stands before it: of one it takes the place of, or behind all.
  ///   - onGone: Called with the places of those that are gone.
  /// - Returns: False when the bytes are not what was written. Nothing counts then.
  func read(
    _ bytes: UnsafeRawBufferPointer, placed: Bool, onGone: (Int) -> Void
  ) -> Bool {
    var position = words.count
    words.append(bytes)
    guard words.count >= position + 4, isSealed(from: position) else { return false }
    words.removeAll(from: words.count - 4)
    let sizes = shapes.map { FingerprintRecords.headSize + $0.entries.count }
    while position < words.count {
      var place = count
      if placed {
        place = Int(words[position])
        position += 1
      }
      guard place <= count, position + FingerprintRecords.headSize <= words.count else {
        return false
      }
      let shape = words[position + 4]
      if placed, shape == FingerprintRecords.goneShape {
        onGone(place)
        position += FingerprintRecords.headSize
        continue
      }
      guard shape < sizes.count, position + sizes[Int(shape)] <= words.count else { return false }
      if place < count { starts[place] = position } else { starts.append(position) }
      position += sizes[Int(shape)]
    }
    return true
  }
}

@available(*, unavailable, message: "Records are confined to their sync.")
extension FingerprintRecords: Sendable {}
