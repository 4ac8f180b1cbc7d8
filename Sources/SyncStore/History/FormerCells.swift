import Foundation
import SyncCore

/// Stored values one after the other, as small as they are.
///
/// ```
/// 0                     no value
/// 1 number              a whole number, small ones in a byte: the sign is the lowest bit
/// 2 eight bytes         a double, low byte first
/// 3 length bytes        text
/// 4 length bytes        bytes
/// ```
///
/// Numbers take 7 bits a byte, low bits first; the top bit says that more follows.
struct FormerCells {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ cell: Cell) {
    switch cell.kind {
    case .absent, .null: bytes.append(0)
    case .integer:
      bytes.append(1)
      appendNumber(UInt64(bitPattern: cell.integer << 1) ^ UInt64(bitPattern: cell.integer >> 63))
    case .real:
      bytes.append(2)
      var bits = cell.real.bitPattern.littleEndian
      withUnsafeBytes(of: &bits) { bytes.append(contentsOf: $0) }
    case .text: append(3, cell.bytes)
    case .blob: append(4, cell.bytes)
    }
  }

  /// Appends a name as it is, in the place of values.
  mutating func append(name: String) { bytes.append(contentsOf: name.utf8) }

  private mutating func append(_ tag: UInt8, _ content: UnsafeRawBufferPointer) {
    bytes.append(tag)
    appendNumber(UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  private mutating func appendNumber(_ number: UInt64) {
    var number = number
    while number >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
      number >>= 7
    }
    bytes.append(UInt8(number))
  }
}

/// Reads ``FormerCells``. The memory has to stay as long as the cells are used.
struct FormerCellReader {
  let bytes: UnsafeRawBufferPointer
  let transaction: Int64
  private(set) var place = 0

  var isAtEnd: Bool { place == bytes.count }

  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` when there is none.
  mutating func next() throws -> Cell {
    switch try byte() {
    case 0: return .null
    case 1:
      let number = try number()
      return .integer(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
    case 2:
      var bits: UInt64 = 0
      for shift in stride(from: 0, to: 64, by: 8) { bits |= UInt64(try byte()) << UInt64(shift) }
      return .real(Double(bitPattern: bits))
    case 3: return .text(try content())
    case 4: return .blob(try content())
    default: throw damage
    }
  }

  private mutating func byte() throws -> UInt8 {
    guard place < bytes.count else { throw damage }
    defer { place += 1 }
    return bytes[place]
  }

  private mutating func number() throws -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      result |= UInt64(byte & 0x7f) << shift
      guard byte >= 0x80 else { return result }
      guard shift < 63 else { throw damage }
      shift += 7
    }
  }

  private mutating func content() throws -> UnsafeRawBufferPointer {
    let count = try number()
    guard count <= UInt64(bytes.count - place) else { throw damage }
    defer { place += Int(count) }
    return UnsafeRawBufferPointer(rebasing: bytes[place..<place + Int(count)])
  }

  private var damage: StoreError {
    .damaged("_syncstack_history_values", "transaction \(transaction)", "former holds no values")
  }
}
