/// Strings, with and without escapes.
///
/// Strings are read eight bytes at a time. Within a word, subtracting from every byte at once shows
/// which byte is special: the lowest one found is exact, because a borrow only disturbs the bytes
/// above it.
extension JSONText {
  /// A string that was read: `end` is its closing quote, or the byte that is wrong.
  struct StringEnd {
    var end: UnsafePointer<UInt8>
    var isEscaped = false
    var fault: JSONFault?
  }

  /// Finds the end of a string from the byte behind its opening quote.
  @inline(__always)
  static func scanString(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> StringEnd {
    var cursor = start
    while end - cursor >= 8 {
      let special = specialBytes(load(cursor))
      if special == 0 {
        cursor += 8
        continue
      }
      cursor += special.trailingZeroBitCount >> 3
      if cursor.pointee == UInt8(ascii: "\"") { return StringEnd(end: cursor) }
      break
    }
    return scanUnusualString(cursor, end)
  }

  /// The highest bit of each byte that is a quote, a backslash, a control character or not ASCII.
  @inline(__always)
  private static func specialBytes(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    let found =
      (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
      | (backslashes &- ones) & ~backslashes | word
    return found & 0x8080_8080_8080_8080
  }

  /// Index of the first byte from an index that cannot stand in a string as it is; the count when
  /// there is none.
  static func indexOfEscape(_ content: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let base = content.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    var index = start
    while index < content.count {
      if content.count - index >= 8, specialBytes(load(base + index)) == 0 {
        index += 8
        continue
      }
      // Eight bytes one by one, which may hold characters that only look special here.
      let end = Swift.min(index + 8, content.count)
      while index < end {
        let byte = base[index]
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
        index += 1
      }
    }
    return index
  }

  /// Goes on where a string has an escape or is not ASCII, and in the last bytes of the buffer.
  @inline(never)
  private static func scanUnusualString(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> StringEnd {
    var cursor = start
    var isEscaped = false
    while cursor < end {
      if end - cursor >= 8 {
        let special = specialBytes(load(cursor))
        if special == 0 {
          cursor += 8
          continue
        }
        cursor += special.trailingZeroBitCount >> 3
      }
      let byte = cursor.pointee
      switch byte {
      case UInt8(ascii: "\""):
        return StringEnd(end: cursor, isEscaped: isEscaped)
      case UInt8(ascii: "\\"):
        isEscaped = true
        let length = lengthOfEscape(cursor, end)
        guard length > 0 else {
          return StringEnd(end: length < 0 ? end : cursor, fault: length < 0 ? .end : .escape)
        }
        cursor += length
      case 0..<0x20:
        return StringEnd(end: cursor, fault: .control)
      case 0x80...:
        let length = lengthOfCharacter(cursor, end)
        guard length > 0 else { return StringEnd(end: cursor, fault: .encoding) }
        cursor += length
      default:
        cursor += 1
      }
    }
    return StringEnd(end: end, fault: .end)
  }

  /// Bytes of the escape that begins here; 0 when there is no such escape, -1 when the text ends.
  private static func lengthOfEscape(
    _ cursor: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> Int {
    guard end - cursor >= 2 else { return -1 }
    switch cursor[1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      for index in 2..<6 {
        guard cursor + index < end else { return -1 }
        guard hexDigit(cursor[index]) != nil else { return 0 }
      }
      return 6
    default:
      return 0
    }
  }

  static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte) - 0x30
    case 0x41...0x46: UInt32(byte) - 0x37
    case 0x61...0x66: UInt32(byte) - 0x57
    default: nil
    }
  }

  /// Bytes of the UTF-8 character that begins here and is not ASCII; 0 when there is none: overlong
  /// forms, surrogates and numbers beyond U+10FFFF are no characters (Unicode, table 3-7).
  private static func lengthOfCharacter(
    _ cursor: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> Int {
    func continues(_ index: Int) -> Bool { cursor[index] & 0xC0 == 0x80 }
    let first = cursor[0]
    let available = end - cursor
    switch first {
    case 0xC2...0xDF:
      return available >= 2 && continues(1) ? 2 : 0
    case 0xE0...0xEF:
      guard available >= 3, continues(1), continues(2) else { return 0 }
      if first == 0xE0 && cursor[1] < 0xA0 || first == 0xED && cursor[1] > 0x9F { return 0 }
      return 3
    case 0xF0...0xF4:
      guard available >= 4, continues(1), continues(2), continues(3) else { return 0 }
      if first == 0xF0 && cursor[1] < 0x90 || first == 0xF4 && cursor[1] > 0x8F { return 0 }
      return 4
    default:
      return 0
    }
  }
}
