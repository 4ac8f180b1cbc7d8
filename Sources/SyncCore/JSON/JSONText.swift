/// The words of JSON: white space, literals, numbers and strings, read from memory with a known end.
///
/// Strings are read eight bytes at a time. Within a word, subtracting from every byte at once shows
/// which byte is special: the lowest one found is exact, because a borrow only disturbs the bytes
/// above it.
enum JSONText {
  /// Steps over white space.
  @inline(__always)
  static func skipSpace(_ cursor: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
    if cursor < end && cursor.pointee > 0x20 { return }
    cursor = endOfSpace(cursor, end)
  }

  private static func endOfSpace(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    var cursor = start
    while cursor < end {
      switch cursor.pointee {
      case 0x20:
        // Indentation of pretty printed text.
        while end - cursor >= 8, load(cursor) == 0x2020_2020_2020_2020 { cursor += 8 }
        while cursor < end, cursor.pointee == 0x20 { cursor += 1 }
      case 0x0A, 0x0D, 0x09:
        cursor += 1
      default:
        return cursor
      }
    }
    return cursor
  }

  /// Eight bytes, the first in the lowest place.
  @inline(__always)
  static func load(_ cursor: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self))
  }

  /// Whether four bytes stand here.
  @inline(__always)
  static func matches(
    _ cursor: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ word: UInt32
  ) -> Bool {
    end - cursor >= 4
      && UInt32(littleEndian: UnsafeRawPointer(cursor).loadUnaligned(as: UInt32.self)) == word
  }

  /// Why a literal cannot be read: the text ends in it, or something else stands here.
  @inline(never)
  static func faultOfLiteral(
    _ cursor: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ literal: StaticString
  ) -> JSONFault {
    let available = end - cursor
    guard available < literal.utf8CodeUnitCount else { return .value }
    for index in 0..<available where cursor[index] != literal.utf8Start[index] { return .value }
    return .end
  }

  // MARK: - Strings

  /// A string that was read: `end` is its closing quote, or the byte that is wrong.
  struct StringEnd {
    var end: UnsafePointer<UInt8>
    var isEscaped = false
    var fault: JSONFault?
  }

  /// Finds the end of a string from the byte behind its opening quote.
  @inline(__always)
  static func scanString(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> StringEnd {
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

  /// Reads the key of a member and its colon, and writes its token; returns what is wrong.
  @inline(__always)
  static func scanKey(
    _ cursor: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
    _ base: UnsafePointer<UInt8>, _ token: UnsafeMutablePointer<JSONToken>, index: Int
  ) -> JSONFault? {
    guard cursor.pointee == UInt8(ascii: "\"") else { return .key }
    let start = cursor
    let string = scanString(cursor + 1, end)
    cursor = string.end
    if let fault = string.fault { return fault }
    let length = cursor - start - 1
    guard length <= UInt32.max else { return .size }
    token.initialize(
      to: JSONToken(
        kind: string.isEscaped ? .escapedString : .string,
        word: UInt64(UInt(bitPattern: start + 1)), length: UInt32(truncatingIfNeeded: length),
        next: Int32(truncatingIfNeeded: index + 1), start: UInt64(UInt(bitPattern: start - base))))
    cursor += 1
    skipSpace(&cursor, end)
    if cursor == end { return .end }
    guard cursor.pointee == UInt8(ascii: ":") else { return .colon }
    cursor += 1
    return nil
  }

  // MARK: - Numbers

  /// A number that was read: `end` is the byte behind it, or the byte that is wrong.
  struct NumberEnd {
    var end: UnsafePointer<UInt8>
    var isInteger = false
    /// The bits of the integer.
    var value: UInt64 = 0
    var fault: JSONFault?
  }

  /// Reads a number, or finds that no value begins here.
  @inline(__always)
  static func scanNumber(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> NumberEnd {
    var cursor = start
    let isNegative = cursor.pointee == UInt8(ascii: "-")
    if isNegative { cursor += 1 }
    let digits = cursor
    var value: UInt64 = 0
    while cursor < end {
      let digit = cursor.pointee &- 0x30
      if digit > 9 { break }
      value = value &* 10 &+ UInt64(digit)
      cursor += 1
    }
    let length = cursor - digits
    if length == 0 {
      return NumberEnd(end: cursor, fault: cursor == end ? .end : (isNegative ? .number : .value))
    }
    if length > 1 && digits.pointee == UInt8(ascii: "0") {
      return NumberEnd(end: digits, fault: .leadingZero)
    }
    if cursor < end {
      let byte = cursor.pointee
      if byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
        return scanFraction(cursor, end)
      }
    }
    // Nineteen digits never wrap round in 64 bits.
    let limit: UInt64 = isNegative ? 1 << 63 : 1 << 63 - 1
    guard length <= 19, value <= limit else { return NumberEnd(end: cursor) }
    return NumberEnd(end: cursor, isInteger: true, value: isNegative ? 0 &- value : value)
  }

  @inline(never)
  private static func scanFraction(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> NumberEnd {
    var cursor = start
    if cursor.pointee == UInt8(ascii: ".") {
      cursor += 1
      let first = cursor
      while cursor < end, cursor.pointee &- 0x30 <= 9 { cursor += 1 }
      guard cursor > first else {
        return NumberEnd(end: cursor, fault: cursor == end ? .end : .number)
      }
    }
    if cursor < end, cursor.pointee | 0x20 == UInt8(ascii: "e") {
      cursor += 1
      if cursor < end, cursor.pointee == UInt8(ascii: "-") || cursor.pointee == UInt8(ascii: "+") {
        cursor += 1
      }
      let first = cursor
      while cursor < end, cursor.pointee &- 0x30 <= 9 { cursor += 1 }
      guard cursor > first else {
        return NumberEnd(end: cursor, fault: cursor == end ? .end : .number)
      }
    }
    return NumberEnd(end: cursor)
  }
}
