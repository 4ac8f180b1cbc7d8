import SyncCore

/// The records and rows of a set, as the store keeps them.
///
/// ```
/// part 0 │ part 1 │ … │ amendment
/// ```
///
/// A part is how many records and rows it has, the records, the rows; among the rows, in front of those of each
/// record, stands how long its item is. The amendment says what has become of a few records since the parts were
/// written, so that little is written when little changed: what stands first in each of its records is the place
/// of the record that it stands in for, or the next place behind all.
///
/// Confined to its sync.
struct FingerprintContents {
  let shapes: [FingerprintShape]
  let records = PlainArray<FingerprintSet.Record>()
  /// The length of each record's item, and its rows behind that.
  let rows = PlainArray<UInt32>()

  /// The number of each part, and its first record.
  private(set) var parts: [(number: Int, first: Int)] = []
  /// Records of the parts, and rows of them; behind these come those of the amendment.
  private(set) var partRecords = 0
  private(set) var partRows = 0

  /// Records of the parts whose items are gone.
  private(set) var absent: [Int] = []

  /// The number of the amendment, behind those of all parts.
  static let amendment = (1 << 24) - 1

  /// The shape of a record in the amendment that says that an item is gone.
  static let absentShape = UInt32.max

  static let headerSize = 16

  init(shapes: [FingerprintShape]) {
    self.shapes = shapes
  }

  /// Whether some of it cannot be understood. Then nothing of it counts: the amendment names places.
  private(set) var isDamaged = false

  /// Adds a part, or the amendment, which comes last.
  mutating func add(_ number: Int, _ bytes: UnsafeRawBufferPointer) {
    let firstRecord = records.count
    if number != FingerprintContents.amendment {
      parts.append((number, firstRecord))
      append(bytes)
      partRecords = records.count
      partRows = rows.count
    } else {
      append(bytes, amending: true)
      amend(from: firstRecord)
    }
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer, amending: Bool = false) {
    isDamaged = isDamaged || !read(bytes, amending: amending)
  }

  /// - Returns: False when the bytes are not what was written.
  private func read(_ bytes: UnsafeRawBufferPointer, amending: Bool) -> Bool {
    guard bytes.count >= FingerprintContents.headerSize else { return false }
    let recordCount = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    let rowCount = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    let possible = 0...UInt64(bytes.count)
    guard possible.contains(recordCount), possible.contains(rowCount) else { return false }
    let rowStart =
      FingerprintContents.headerSize + Int(recordCount) * MemoryLayout<FingerprintSet.Record>.stride
    guard rowStart + Int(rowCount) * MemoryLayout<UInt32>.stride == bytes.count else {
      return false
    }
    let firstRow = UInt32(rows.count)
    let firstRecord = records.count
    records.append(
      UnsafeRawBufferPointer(rebasing: bytes[FingerprintContents.headerSize..<rowStart]))
    rows.append(UnsafeRawBufferPointer(rebasing: bytes[rowStart...]))
    for record in firstRecord..<records.count {
      guard records[record].firstRow <= rowCount,
        let length = length(of: records[record].shape, amending: amending)
      else { return false }
      records[record].firstRow += firstRow
      guard Int(records[record].firstRow) + length <= rows.count else { return false }
    }
    return true
  }

  /// How many numbers a record of the shape has among the rows; nil when there is no such shape.
  private func length(of shape: UInt32, amending: Bool) -> Int? {
    if amending, shape == FingerprintContents.absentShape { return 1 }
    guard Int(shape) < shapes.count else { return nil }
    return shapes[Int(shape)].entries.count + (amending ? 2 : 1)
  }

  /// Puts the records of the amendment, which were added behind the others, where they belong.
  private mutating func amend(from first: Int) {
    guard !isDamaged else { return }
    var end = first
    for record in first..<records.count {
      var amended = records[record]
      let place = Int(rows[Int(amended.firstRow)])
      guard place <= end else {
        isDamaged = true
        return
      }
      if amended.shape == FingerprintContents.absentShape {
        if place < first { absent.append(place) }
        continue
      }
      amended.firstRow += 1
      records[place] = amended
      if place == end { end += 1 }
    }
    records.removeAll(from: end)
  }
}

@available(*, unavailable, message: "What a set contains is confined to its sync.")
extension FingerprintContents: Sendable {}
