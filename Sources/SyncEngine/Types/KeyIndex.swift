import SyncCore

/// Finds rows of a block by the cells that identify them: open addressing over row indexes.
///
/// ```
/// slot:  hash │ row + 1        8 bytes; 0 is empty
/// ```
///
/// The keys stay in the block, which is much larger than any cache: the hash beside the row spares
/// nearly every look at a row that is not the one, and all of them when the table grows. At most
/// three quarters full, and of any size: a hash lies where its share of all hashes puts it.
///
/// While integers come in ascending order, as lists sorted by their key have them, none can repeat
/// and nothing is put into the table: it is filled when another kind of key comes, or a key is
/// looked for. Confined to the batch that owns it.
final class KeyIndex {
  private let block: RowBlock
  private let identity: [Int]

  /// The slot of an identity that is a single one, else -1.
  private let keySlot: Int
  private var table: UnsafeMutablePointer<UInt64>
  private var size: Int
  private var used = 0

  /// Rows that came in ascending order and are not in the table, the key of the last one, and
  /// whether another one may follow them.
  private var pending = 0..<0
  private var lastKey = Int64.min
  private var isAscending: Bool

  init(block: RowBlock, identity: [Int]) {
    self.block = block
    self.identity = identity
    keySlot = identity.count == 1 ? identity[0] : -1
    isAscending = identity.count == 1
    size = 0
    table = PlainMemory.empty()
  }

  deinit {
    if size > 0 { table.deallocate() }
  }

  private static func makeTable(_ count: Int) -> UnsafeMutablePointer<UInt64> {
    let table = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
    table.initialize(repeating: 0, count: count)
    return table
  }

  // MARK: - Finding

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
    let hash = combinedHash(cell)
    var position = start(of: hash)
    while true {
      let entry = table[position]
      if entry == 0 { return -1 }
      if KeyIndex.hash(of: entry) == hash {
        let cells = block[KeyIndex.row(of: entry)]
        if identity.allSatisfy({ cells[$0].isIdentical(to: cell($0)) }) {
          return KeyIndex.row(of: entry)
        }
      }
      position = next(position)
    }
  }

  /// The row with the given key, or -1; for an identity of one slot.
  func find(_ key: Cell) -> Int32 {
    if isAscending { fill() }
    let hash = KeyIndex.hash(key)
    var position = start(of: hash)
    while true {
      let entry = table[position]
      if entry == 0 { return -1 }
      if KeyIndex.hash(of: entry) == hash, isKey(key, of: KeyIndex.row(of: entry)) {
        return KeyIndex.row(of: entry)
      }
      position = next(position)
    }
  }

  /// Whether the row has the given key; for an identity of one slot.
  @inline(__always)
  func isKey(_ key: Cell, of row: Int32) -> Bool {
    let other = block[row][keySlot]
    switch (key.kind, other.kind) {
    case (.integer, .integer): return key.word == other.word
    case (.text, .text): return key.length == other.length && key.isIdentical(to: other)
    default: return key.isIdentical(to: other)
    }
  }

  // MARK: - Changing

  /// The row whose identity equals that of the given one; adds the given one when there is none,
  /// and returns -1.
  func findOrInsert(_ row: Int32) -> Int32 {
    if isAscending {
      if isNext(row) { return -1 }
      fill()
    }
    if used * 4 >= size * 3 { resize(to: max(size * 2, 64)) }
    let cells = UnsafePointer(block[row])
    let hash = hash(ofRow: cells)
    var position = start(of: hash)
    while true {
      let entry = table[position]
      if entry == 0 {
        table[position] = KeyIndex.entry(hash, row)
        used += 1
        return -1
      }
      if KeyIndex.hash(of: entry) == hash {
        let known = KeyIndex.row(of: entry)
        let isSame =
          keySlot >= 0
          ? isKey(cells[keySlot], of: known) : isSameIdentity(cells, block[known])
        if isSame { return known }
      }
      position = next(position)
    }
  }

  /// Whether a row goes on with the ascending ones; it is one of them then.
  @inline(__always)
  private func isNext(_ row: Int32) -> Bool {
    let key = block[row][keySlot]
    guard case .integer = key.kind, key.integer > lastKey,
      pending.isEmpty || pending.upperBound == Int(row)
    else { return false }
    pending = (pending.isEmpty ? Int(row) : pending.lowerBound)..<Int(row) + 1
    lastKey = key.integer
    return true
  }

  /// Puts the ascending rows into the table. From now on all rows go there.
  @inline(never)
  private func fill() {
    isAscending = false
    let needed = pending.count / 3 * 4 + 64
    if needed > size { resize(to: needed) }
    for row in pending {
      let hash = KeyIndex.hash(block[row][keySlot])
      var position = start(of: hash)
      while table[position] != 0 { position = next(position) }
      table[position] = KeyIndex.entry(hash, Int32(row))
    }
    used = pending.count
    pending = 0..<0
  }

  private func isSameIdentity(_ left: UnsafePointer<Cell>, _ right: UnsafePointer<Cell>) -> Bool {
    identity.allSatisfy { left[$0].isIdentical(to: right[$0]) }
  }

  /// Puts another row of the same identity in the place of an earlier one.
  func replace(_ earlier: Int32, by row: Int32) {
    if isAscending { fill() }
    let hash = hash(ofRow: block[row])
    var position = start(of: hash)
    while table[position] != KeyIndex.entry(hash, earlier) { position = next(position) }
    table[position] = KeyIndex.entry(hash, row)
  }

  /// Makes room for so many keys.
  func reserve(_ count: Int) {
    guard !isAscending else { return }
    let needed = count / 3 * 4 + 64
    if needed > size { resize(to: needed) }
  }

  private func resize(to count: Int) {
    let old = table
    let oldCount = size
    size = count
    table = KeyIndex.makeTable(size)
    for index in 0..<oldCount where old[index] != 0 {
      var position = start(of: KeyIndex.hash(of: old[index]))
      while table[position] != 0 { position = next(position) }
      table[position] = old[index]
    }
    if oldCount > 0 { old.deallocate() }
  }

  /// Where the search for a hash begins.
  @inline(__always)
  private func start(of hash: UInt32) -> Int {
    Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(truncatingIfNeeded: size)) >> 32)
  }

  @inline(__always)
  private func next(_ position: Int) -> Int {
    position + 1 == size ? 0 : position + 1
  }

  // MARK: - Hashing

  @inline(__always)
  private static func entry(_ hash: UInt32, _ row: Int32) -> UInt64 {
    UInt64(hash) << 32 | UInt64(UInt32(bitPattern: row + 1))
  }

  @inline(__always)
  private static func hash(of entry: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: entry >> 32) }

  @inline(__always)
  private static func row(of entry: UInt64) -> Int32 { Int32(truncatingIfNeeded: entry) - 1 }

  @inline(__always)
  private func hash(ofRow cells: UnsafePointer<Cell>) -> UInt32 {
    keySlot >= 0 ? KeyIndex.hash(cells[keySlot]) : combinedHash { cells[$0] }
  }

  private func combinedHash(_ cell: (Int) -> Cell) -> UInt32 {
    var result: UInt64 = 0
    for slot in identity {
      result = (result ^ UInt64(KeyIndex.hash(cell(slot)))) &* 0x9E37_79B9_7F4A_7C15
      result ^= result >> 32
    }
    return UInt32(truncatingIfNeeded: result)
  }
}

@available(*, unavailable, message: "An index is confined to the batch that owns it.")
extension KeyIndex: Sendable {}
