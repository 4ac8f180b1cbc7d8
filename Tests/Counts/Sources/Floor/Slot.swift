/// One value in 16 bytes: a number, or where a text lies.
struct Slot {
  enum Kind: UInt8 {
    case null
    case integer
    case real
    case text
  }

  var word: UInt64 = 0
  var length: UInt32 = 0
  var kind = Kind.null

  static func integer(_ value: Int64) -> Slot {
    Slot(word: UInt64(bitPattern: value), kind: .integer)
  }

  static func real(_ value: Double) -> Slot { Slot(word: value.bitPattern, kind: .real) }

  static func text(_ start: UnsafePointer<UInt8>, _ count: Int) -> Slot {
    Slot(
      word: UInt64(UInt(bitPattern: start)), length: UInt32(truncatingIfNeeded: count), kind: .text)
  }

  var integer: Int64 { Int64(bitPattern: word) }
  var real: Double { Double(bitPattern: word) }
  var bytes: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: UInt(word)) }
}
