import SyncCore

/// Finds rows of a block by the cells that identify them: open addressing over row indexes.
///
/// The keys stay in the block; the table holds 4 bytes a slot and is at most three quarters full. Confined to
/// the batch that owns it.
final class KeyIndex {
  private let block: RowBlock
  private let identity: [Int]

  /// The slot of an identity that is a single one, else -1.
  private let keySlot: Int
  private var table: UnsafeMutablePointer<Int32>
  private var mask: Int
  private var used = 0

  init(block: RowBlock, identity: [Int]) {
    self.block = block
    self.identity = identity
    keySlot = identity.count == 1 ? identity[0] : -1
    mask = 63
    table = .allocate(capacity: 64)
    table.initialize(repeating: -1, count: 64)
  }

  deinit {
    table.deallocate()
  }

  /// The row whose identity equals that of the given cells, or -1.
  func find(identityOf cells: UnsafePointer<Cell>) -> Int32 {
    if keySlot >= 0 { return find(cells[keySlot]) }
    return find { cells[$0] }
  }

  /// The row whose identity equals the given cells, or -1.
  ///
  /// - Complexity: O(1) expected.
  @inline(__always)
  func find(_ cell: (Int) -> Cell) -> Int32 {
    if keySlot >= 0 { return find(cell(keySlot)) }
    var position = Int(truncatingIfNeeded: combinedHash(cell)) & mask
    while true {
      let row = table[position]
      if row < 0 { return -1 }
      let cells = block[Int(row)]
      if identity.allSatisfy({ cells[$0].isIdentical(to: cell($0)) }) { return row }
      position = (position + 1) & mask
    }
  }

  /// The row with the given key, or -1; for an identity of one slot.
  func find(_ key: Cell) -> Int32 {
    var position = Int(truncatingIfNeeded: KeyIndex.hash(key)) & mask
    while true {
      let row = table[position]
      if row < 0 || isKey(key, of: row) { return row }
      position = (position + 1) & mask
    }
  }

  /// Whether the row has the given key; for an identity of one slot.
  @inline(__always)
  func isKey(_ key: Cell, of row: Int32) -> Bool {
    let other = block[Int(row)][keySlot]
    switch (key.kind, other.kind) {
    case (.integer, .integer): return key.word == other.word
    case (.text, .text): return key.length == other.length && key.isIdentical(to: other)
    default: return key.isIdentical(to: other)
    }
  }

  /// The row whose identity equals that of the given one; adds the given one when there is none, and
  /// returns -1.
  func findOrInsert(_ row: Int32) -> Int32 {
    if used * 4 > mask * 3 { grow() }
    let cells = UnsafePointer(block[Int(row)])
    var position = firstPosition(of: row)
    while true {
      let known = table[position]
      if known < 0 {
        table[position] = row
        used += 1
        return -1
      }
      let isSame =
        if keySlot >= 0 {
          isKey(cells[keySlot], of: known)
        } else {
          isSameIdentity(cells, block[Int(known)])
        }
      if isSame { return known }
      position = (position + 1) & mask
    }
  }

  private func isSameIdentity(_ left: UnsafePointer<Cell>, _ right: UnsafePointer<Cell>) -> Bool {
    identity.allSatisfy { left[$0].isIdentical(to: right[$0]) }
  }

  /// Puts another row of the same identity in the place of an earlier one.
  func replace(_ earlier: Int32, by row: Int32) {
    var position = firstPosition(of: row)
    while table[position] != earlier { position = (position + 1) & mask }
    table[position] = row
  }

  private func place(_ row: Int32) {
    var position = firstPosition(of: row)
    while table[position] >= 0 { position = (position + 1) & mask }
    table[position] = row
  }

  private func firstPosition(of row: Int32) -> Int {
    let cells = block[Int(row)]
    let hash =
      keySlot >= 0 ? KeyIndex.hash(cells[keySlot]) : combinedHash { cells[$0] }
    return Int(truncatingIfNeeded: hash) & mask
  }

  private func grow() {
    let old = table
    let oldCount = mask + 1
    mask = mask * 2 + 1
    table = .allocate(capacity: mask + 1)
    table.initialize(repeating: -1, count: mask + 1)
    for position in 0..<oldCount where old[position] >= 0 { place(old[position]) }
    old.deallocate()
  }

  private func combinedHash(_ cell: (Int) -> Cell) -> UInt64 {
    var result: UInt64 = 0
    for slot in identity { result = (result ^ KeyIndex.hash(cell(slot))) &* 0x9E37_79B9_7F4A_7C15 }
    return result ^ (result >> 32)
  }

  /// Multiply-and-fold over the number, or over the text eight bytes at a time.
  private static func hash(_ cell: Cell) -> UInt64 {
    let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    switch cell.kind {
    case .text, .blob:
      let bytes = cell.bytes
      var state = UInt64(bytes.count) &* factor
      var offset = 0
      while offset + 8 <= bytes.count {
        state = (state ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* factor
        state ^= state >> 29
        offset += 8
      }
      while offset < bytes.count {
        state = (state ^ UInt64(bytes[offset])) &* factor
        offset += 1
      }
      return state ^ (state >> 32)
    default:
      let product = cell.word &* factor
      return product ^ (product >> 32)
    }
  }
}

@available(*, unavailable, message: "An index is confined to the batch that owns it.")
extension KeyIndex: Sendable {}
