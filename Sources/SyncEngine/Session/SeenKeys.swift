import SyncCore

/// Keys that a sync has put into a table that was empty when it began, so that the next parts of its
/// payload look up only keys that came before, which are few: the table's indexes can stay away until
/// everything has been inserted.
///
/// ```
/// dense    integers close together: one bit a key, exact
/// hashes   everything else: 64 bits of hash a key, in a table at most three quarters full
/// ```
///
/// A key that seems to have come before and did not costs a look-up and nothing else. Confined to its
/// sync.
final class SeenKeys {
  private var dense: RowSet? = RowSet()
  private var count = 0
  private var hashes: UnsafeMutablePointer<UInt64>?
  private var mask = 0

  deinit {
    hashes?.deallocate()
  }

  /// Whether the key may have been inserted; false is certain.
  ///
  /// - Complexity: O(1) expected.
  func mayContain(_ key: Cell) -> Bool {
    if let dense {
      return key.kind == .integer ? dense.contains(key.integer) : !SeenKeys.isExact(key)
    }
    guard SeenKeys.isExact(key), let hashes else { return true }
    let hash = SeenKeys.hash(key)
    return hashes[position(of: hash, in: hashes)] != 0
  }

  func insert(_ key: Cell) {
    guard SeenKeys.isExact(key) else { return }
    if dense != nil, key.kind == .integer, key.integer >= 0, key.integer < Int64(Int32.max) {
      if dense?.insert(key.integer) == true { count += 1 }
      if let dense, dense.byteCount > max(count * 16, 1 << 18) { spread(dense) }
      return
    }
    if let dense { spread(dense) }
    insert(hash: SeenKeys.hash(key))
  }

  /// Goes over to hashes: the keys lie too far apart.
  private func spread(_ rows: RowSet) {
    dense = nil
    count = 0
    grow(to: 1024)
    for row in rows.rows { insert(hash: SeenKeys.hash(.integer(row))) }
  }

  private func insert(hash: UInt64) {
    if count * 4 > mask * 3 { grow(to: (mask + 1) * 2) }
    guard let hashes else { return }
    let position = position(of: hash, in: hashes)
    if hashes[position] == 0 {
      hashes[position] = hash
      count += 1
    }
  }

  private func position(of hash: UInt64, in hashes: UnsafeMutablePointer<UInt64>) -> Int {
    var position = Int(truncatingIfNeeded: hash) & mask
    while hashes[position] != 0, hashes[position] != hash { position = (position + 1) & mask }
    return position
  }

  private func grow(to size: Int) {
    let old = hashes
    let oldSize = old == nil ? 0 : mask + 1
    let new = UnsafeMutablePointer<UInt64>.allocate(capacity: size)
    new.initialize(repeating: 0, count: size)
    hashes = new
    mask = size - 1
    for index in 0..<oldSize {
      guard let hash = old?[index], hash != 0 else { continue }
      new[position(of: hash, in: new)] = hash
    }
    old?.deallocate()
  }

  /// Whether equal keys have equal bytes; the others are always looked up.
  private static func isExact(_ key: Cell) -> Bool {
    switch key.kind {
    case .integer, .text, .blob: true
    case .real, .null, .absent: false
    }
  }

  /// Never 0, which marks a free place.
  private static func hash(_ key: Cell) -> UInt64 {
    KeyIndex.wideHash(key) | 1 << 63
  }
}

@available(*, unavailable, message: "Seen keys are confined to their sync.")
extension SeenKeys: Sendable {}
