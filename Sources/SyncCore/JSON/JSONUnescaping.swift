/// Undoes the escapes of strings that a scanner has checked.
enum JSONUnescaping {
  /// Writes the content of a string and returns its length, which never exceeds that of the text.
  static func unescape(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    var read = 0
    var written = 0
    while read < source.count {
      let byte = source[read]
      guard byte == UInt8(ascii: "\\") else {
        target[written] = byte
        read += 1
        written += 1
        continue
      }
      let escape = source[read + 1]
      read += 2
      switch escape {
      case UInt8(ascii: "b"): target[written] = 0x08
      case UInt8(ascii: "f"): target[written] = 0x0C
      case UInt8(ascii: "n"): target[written] = 0x0A
      case UInt8(ascii: "r"): target[written] = 0x0D
      case UInt8(ascii: "t"): target[written] = 0x09
      case UInt8(ascii: "u"):
        let scalar = self.scalar(source, &read)
        written += append(scalar, to: target, at: written)
        continue
      default: target[written] = escape
      }
      written += 1
    }
    return written
  }

  /// The character of a `\u` escape whose digits begin at `read`; both halves of a pair, U+FFFD for
  /// half a pair.
  private static func scalar(_ source: UnsafeRawBufferPointer, _ read: inout Int) -> UInt32 {
    let first = hexadecimal(source, read)
    read += 4
    guard first & 0xF800 == 0xD800 else { return first }
    guard first < 0xDC00, read + 6 <= source.count, source[read] == UInt8(ascii: "\\"),
      source[read + 1] == UInt8(ascii: "u")
    else { return 0xFFFD }
    let second = hexadecimal(source, read + 2)
    guard second & 0xFC00 == 0xDC00 else { return 0xFFFD }
    read += 6
    return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
  }

  private static func hexadecimal(_ source: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 4 | (JSONText.hexDigit(source[index + $1]) ?? 0) }
  }

  /// Writes a character in UTF-8 and returns its length.
  private static func append(
    _ scalar: UInt32, to target: UnsafeMutableRawBufferPointer, at index: Int
  ) -> Int {
    switch scalar {
    case 0..<0x80:
      target[index] = UInt8(scalar)
      return 1
    case 0x80..<0x800:
      target[index] = UInt8(0xC0 | scalar >> 6)
      target[index + 1] = UInt8(0x80 | scalar & 0x3F)
      return 2
    case 0x800..<0x10000:
      target[index] = UInt8(0xE0 | scalar >> 12)
      target[index + 1] = UInt8(0x80 | scalar >> 6 & 0x3F)
      target[index + 2] = UInt8(0x80 | scalar & 0x3F)
      return 3
    default:
      target[index] = UInt8(0xF0 | scalar >> 18)
      target[index + 1] = UInt8(0x80 | scalar >> 12 & 0x3F)
      target[index + 2] = UInt8(0x80 | scalar >> 6 & 0x3F)
      target[index + 3] = UInt8(0x80 | scalar & 0x3F)
      return 4
    }
  }
}
