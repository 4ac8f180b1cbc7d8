/// One stored value in 16 bytes: what a column holds, ready to be bound to or compared with it.
///
/// ```
///  word: 8 bytes                          length: 4     kind: 1
/// ┌──────────────────────────────────────┬─────────────┬───────┐
/// │ integer, bits of a double, or        │ bytes       │ tag   │
/// │ address of text or bytes             │ there       │       │
/// └──────────────────────────────────────┴─────────────┴───────┘
/// ```
///
/// Text and bytes are not owned: they lie in the payload or in a ``CellArena``, and whoever holds
/// cells keeps both alive.
package struct Cell: BitwiseCopyable {
  package enum Kind: UInt8, BitwiseCopyable {
    /// Nothing was said about the property.
    case absent
    case null
    case integer
    case real
    case text
    case blob
  }

  package var word: UInt64
  package var length: UInt32
  package var kind: Kind

  package init(word: UInt64, length: UInt32, kind: Kind) {
    self.word = word
    self.length = length
    self.kind = kind
  }

  package static var absent: Cell { Cell(word: 0, length: 0, kind: .absent) }
  package static var null: Cell { Cell(word: 0, length: 0, kind: .null) }

  package static func integer(_ value: Int64) -> Cell {
    Cell(word: UInt64(bitPattern: value), length: 0, kind: .integer)
  }

  package static func real(_ value: Double) -> Cell {
    Cell(word: value.bitPattern, length: 0, kind: .real)
  }

  /// Text at an address that stays valid as long as the cell is used.
  package static func text(_ bytes: UnsafeRawBufferPointer) -> Cell {
    Cell(word: address(bytes), length: UInt32(bytes.count), kind: .text)
  }

  /// Bytes at an address that stays valid as long as the cell is used.
  package static func blob(_ bytes: UnsafeRawBufferPointer) -> Cell {
    Cell(word: address(bytes), length: UInt32(bytes.count), kind: .blob)
  }

  private static func address(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    UInt64(UInt(bitPattern: bytes.baseAddress))
  }

  package var integer: Int64 { Int64(bitPattern: word) }
  package var real: Double { Double(bitPattern: word) }

  /// The text or the bytes of the cell; empty for other kinds.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: UnsafeRawPointer(bitPattern: UInt(word)), count: Int(length))
  }

  package var isAbsent: Bool { kind == .absent }

  /// Whether there is no value to store: null, or nothing said.
  package var isEmpty: Bool { kind.rawValue <= Kind.null.rawValue }

  /// Whether both cells store the same: same kind, same number or same bytes.
  package func isIdentical(to other: Cell) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .absent, .null: return true
    case .integer, .real: return word == other.word
    case .text, .blob:
      guard length == other.length else { return false }
      return word == other.word || bytes.elementsEqual(other.bytes)
    }
  }
}

@available(*, unavailable, message: "A cell points into memory that its batch owns.")
extension Cell: Sendable {}
