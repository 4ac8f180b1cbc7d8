import SyncCore

/// An item of a payload: first as it is noted, then as it is made, in the same place.
struct FingerprintItem: BitwiseCopyable {
  var fingerprint: ContentFingerprint
  /// Bytes of the item.
  var length: UInt32
  /// Where its targets begin, which become its rows.
  var firstRow: UInt32
  /// Number of its pattern; when it is made, how many rows it has, 0 when it does not count.
  var size: UInt32
  /// Number of its usage; when it is made, of its shape.
  var form: UInt32
}

/// The fingerprints of the items that a sync read, until they are kept. Confined to its sync.
struct MadeFingerprints {
  var items = PlainArray<FingerprintItem>(capacity: 1)
  var rows = PlainArray<UInt32>(capacity: 1)

  /// The shapes of the set that was read, and new ones.
  var shapes: [FingerprintShape]

  /// Bytes of the items.
  var byteCount = 0

  /// The stored rows, by table, that items which were read have to do with.
  var concerned: [Int: RowSet] = [:]
}

@available(*, unavailable, message: "Fingerprints are confined to their sync until they are kept.")
extension MadeFingerprints: Sendable {}
