import SyncCore

/// The fingerprints of the items that a sync read, until they are kept. Confined to its sync.
struct MadeFingerprints {
  struct Item: BitwiseCopyable {
    var fingerprint: ContentFingerprint
    var shape: UInt32
    /// Where its length stands in ``rows``, its rows behind that.
    var firstRow: UInt32
    /// How many numbers these are together.
    var rowCount: UInt32
    /// Whether it counts.
    var isGood: Bool
  }

  let items = PlainArray<Item>()
  let rows = PlainArray<UInt32>()

  /// The shapes of the set that was read, and new ones.
  var shapes: [FingerprintShape]

  /// Bytes of the items.
  var byteCount = 0

  /// The stored rows, by table, that items which were read have to do with.
  var concerned: [Int: RowSet] = [:]
}

@available(*, unavailable, message: "Fingerprints are confined to their sync until they are kept.")
extension MadeFingerprints: Sendable {}
