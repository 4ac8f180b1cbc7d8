import SyncCore

/// The records of a part, or of the amendment, while they are put together. Confined to its transaction.
struct FingerprintPart {
  let set: FingerprintSet
  let made: MadeFingerprints
  private let records = PlainArray<FingerprintSet.Record>()
  private let rows = PlainArray<UInt32>()

  init(set: FingerprintSet, made: MadeFingerprints) {
    self.set = set
    self.made = made
  }

  var count: Int { records.count }

  /// Adds a record of the set; in the amendment, with its place.
  mutating func append(record: Int, at place: Int? = nil) {
    var new = set.records[record]
    new.firstRow = begin(at: place)
    rows.append(set.length(of: record))
    for row in set.rows(of: record) { rows.append(row) }
    records.append(new)
  }

  /// Adds one that was made; in the amendment, with its place.
  mutating func append(made index: Int, at place: Int? = nil) {
    let item = made.items[index]
    records.append(
      FingerprintSet.Record(
        fingerprint: item.fingerprint, shape: item.form, firstRow: begin(at: place)))
    rows.append(item.length)
    for position in 0..<Int(item.size) {
      rows.append(made.rows[Int(item.firstRow) + position])
    }
  }

  /// Adds to the amendment that the item of a record is gone.
  mutating func append(absent record: Int) {
    var new = set.records[record]
    new.shape = FingerprintContents.absentShape
    new.firstRow = begin(at: record)
    records.append(new)
  }

  private func begin(at place: Int?) -> UInt32 {
    let first = UInt32(rows.count)
    if let place { rows.append(UInt32(place)) }
    return first
  }

  mutating func removeAll() {
    records.removeAll(from: 0)
    rows.removeAll(from: 0)
  }

  func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(
      FingerprintContents.headerSize + records.count * MemoryLayout<FingerprintSet.Record>.stride
        + rows.count * MemoryLayout<UInt32>.stride)
    let counts = (UInt64(records.count), UInt64(rows.count))
    withUnsafeBytes(of: counts) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: UnsafeRawBufferPointer(records.elements))
    bytes.append(contentsOf: UnsafeRawBufferPointer(rows.elements))
    try bytes.withUnsafeBytes(body)
  }
}

@available(*, unavailable, message: "A part is confined to its transaction.")
extension FingerprintPart: Sendable {}
