import SyncCore

/// Keys that a sync has put into a table that was empty when it began, so that the next parts of
/// its payload look up only keys that came before, which are few: the table's indexes can stay away
/// until everything has been inserted.
///
/// Integers close together are one bit a key, everything else is 64 bits of hash. A key that seems
/// to have come before and did not costs a look-up and nothing else. Confined to its sync.
final class SeenKeys {
  /// The attribute of the keys.
  let slot: Int

  private var dense = RowSet()
  private var denseCount = 0
  private var hashes: Set<UInt64> = []

  init(slot: Int) {
    self.slot = slot
  }

  /// Whether the key may have been inserted; false is certain.
  ///
  /// - Complexity: O(1) expected.
  func mayContain(_ key: Cell) -> Bool {
    guard SeenKeys.isExact(key) else { return true }
    if key.kind == .integer, dense.contains(key.integer) { return true }
    return !hashes.isEmpty && hashes.contains(KeyIndex.wideHash(key))
  }

  func insert(_ key: Cell) {
    guard SeenKeys.isExact(key) else { return }
    // Pages that hold few keys are larger than their hashes.
    if key.kind == .integer, key.integer >= 0, key.integer < Int64(Int32.max),
      dense.byteCount <= max(denseCount * 16, 1 << 18)
    {
      if dense.insert(key.integer) { denseCount += 1 }
    } else {
      hashes.insert(KeyIndex.wideHash(key))
    }
  }

  /// Whether equal keys have equal bytes; the others are always looked up.
  private static func isExact(_ key: Cell) -> Bool {
    switch key.kind {
    case .integer, .text, .blob: true
    case .real, .null, .absent: false
    }
  }
}

@available(*, unavailable, message: "Seen keys are confined to their sync.")
extension SeenKeys: Sendable {}
