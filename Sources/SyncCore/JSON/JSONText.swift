/// The words of JSON: white space, literals, numbers and strings, read from memory with a known
/// end.
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

  /// Reads the key of a member and its colon, and writes its token; returns the fault.
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
}

/// Numbers: 64-bit integers at once, all others by their extent only.
extension JSONText {
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
  static func scanNumber(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> NumberEnd {
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
