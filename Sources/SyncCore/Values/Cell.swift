package import Foundation

/// One stored value in 12 bytes: the content of a column, ready to be bound to or compared with it.
///
/// ```
///  low, high: 8 bytes                     tag: 4
/// ┌──────────────────────────────────────┬─────────────────┐
/// │ integer, bits of a double, or        │ length   │ kind │
/// │ address of text or bytes             │ 29 bits  │ 3    │
/// └──────────────────────────────────────┴─────────────────┘
/// ```
///
/// Cells take most of the memory of a sync, so they have no padding. Two tags stand for text and
/// bytes of half a gigabyte and more; a value longer than SQLite can store
/// (https://www.sqlite.org/limits.html) has ``longest`` as its length, and cannot be bound.
///
/// Text and bytes are not owned: they lie in the payload or in a ``CellArena``, and the holder
/// of cells keeps both alive.
///
/// The attribute on the type lets other modules inline its inlinable parts.
@usableFromInline
package struct Cell: BitwiseCopyable {
  @usableFromInline
  package enum Kind: UInt8, BitwiseCopyable {
    /// Nothing was said about the property.
    case absent
    case null
    case integer
    case real
    case text
    case blob
  }

  @usableFromInline package var low: UInt32
  @usableFromInline package var high: UInt32
  @usableFromInline package var tag: UInt32

  @inlinable
  package init(low: UInt32, high: UInt32, tag: UInt32) {
    self.low = low
    self.high = high
    self.tag = tag
  }

  @inlinable
  package init(word: UInt64, tag: UInt32) {
    self.init(
      low: UInt32(truncatingIfNeeded: word), high: UInt32(truncatingIfNeeded: word >> 32), tag: tag)
  }

  @inlinable package static var absent: Cell { Cell(low: 0, high: 0, tag: 0) }
  @inlinable package static var null: Cell { Cell(low: 0, high: 0, tag: 1) }

  @inlinable
  package static func integer(_ value: Int64) -> Cell {
    Cell(word: UInt64(bitPattern: value), tag: 2)
  }

  @inlinable
  package static func real(_ value: Double) -> Cell {
    Cell(word: value.bitPattern, tag: 3)
  }

  /// Text at an address, given as a word.
  @inlinable
  package static func text(at address: UInt64, length: Int) -> Cell {
    Cell(word: address, tag: tag(4, length))
  }

  /// Text at an address that stays valid as long as the cell is used.
  @inlinable
  package static func text(_ bytes: UnsafeRawBufferPointer) -> Cell {
    text(at: address(bytes), length: bytes.count)
  }

  /// Bytes at an address that stays valid as long as the cell is used.
  @inlinable
  package static func blob(_ bytes: UnsafeRawBufferPointer) -> Cell {
    Cell(word: address(bytes), tag: tag(5, bytes.count))
  }

  @inlinable
  package static func address(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    UInt64(UInt(bitPattern: bytes.baseAddress))
  }

  /// Length of text and bytes that are longer than anything that can be stored.
  @inlinable package static var longest: Int { 1 << 30 - 1 }

  /// The tag of text, 4, or bytes, 5; of those whose length has a thirtieth bit it is 6 or 7.
  @inlinable
  package static func tag(_ kind: UInt32, _ length: Int) -> UInt32 {
    let length = UInt32(truncatingIfNeeded: min(length, longest))
    return length << 3 | (kind + (length >> 29) << 1)
  }

  @inlinable @inline(__always)
  package var kind: Kind {
    switch tag & 7 {
    case 0: .absent
    case 1: .null
    case 2: .integer
    case 3: .real
    case 4, 6: .text
    default: .blob
    }
  }

  /// The integer, the bits of the double, or the address.
  @inlinable package var word: UInt64 { UInt64(low) | UInt64(high) << 32 }

  /// Bytes of text or blob, else 0; ``longest`` when there are more.
  @inlinable package var length: Int { Int(tag >> 3) | (tag & 7 > 5 ? 1 << 29 : 0) }

  @inlinable package var integer: Int64 { Int64(bitPattern: word) }
  @inlinable package var real: Double { Double(bitPattern: word) }

  /// The text or the bytes of the cell; empty for other kinds.
  @inlinable
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(word)), count: length)
  }

  @inlinable package var isAbsent: Bool { tag & 7 == 0 }

  /// Whether there is no value to store: null, or nothing said.
  @inlinable package var isEmpty: Bool { tag & 7 <= 1 }

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

extension Cell {
  /// The cell as a value of an attribute type; a nil type is a reference. Copies text and bytes.
  package func value(as type: AttributeType?) -> Value {
    switch kind {
    case .absent, .null:
      return .null
    case .integer:
      switch type {
      case .boolean: return .bool(integer != 0)
      case .double, .float: return .double(Double(integer))
      case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(integer)))
      default: return .int(integer)
      }
    case .real:
      if type == .date { return .date(Date(timeIntervalSinceReferenceDate: real)) }
      return .double(real)
    case .blob:
      return Value(storedBytes: Data(bytes), as: type)
    case .text:
      return Value(storedText: String(decoding: bytes, as: UTF8.self), as: type)
    }
  }
}

extension Value {
  /// The value of a type that is stored as bytes; the bytes themselves when they are no stored form
  /// of a transformable attribute.
  package init(storedBytes data: Data, as type: AttributeType?) {
    self = type == .transformable ? Value(archive: data) ?? .data(data) : .data(data)
  }

  /// The value of a type that is stored as text; the text itself when it is not one of the type.
  package init(storedText text: String, as type: AttributeType?) {
    switch type {
    case .decimal: self = Decimal(string: text, locale: nil).map(Value.decimal) ?? .string(text)
    case .uuid: self = UUIDText.parse(text).map(Value.uuid) ?? .string(text)
    case .uri: self = URL(string: text).map(Value.url) ?? .string(text)
    default: self = .string(text)
    }
  }
}
