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
