package import Foundation

/// A decimal number written as text, taken apart without losing a digit.
///
/// `value = ± (high × 10^lowDigits + low) × 10^exponent`, with up to 38 significant digits.
///
/// Accepted are the numbers of JSON, and beyond them a leading plus, leading zeros and a missing
/// whole part (`.5`): people write them into strings. No grouping, no white space, no other locale.
package struct NumberText {
  /// Whether a minus sign stands before it.
  package private(set) var isNegative = false
  private(set) var high: UInt64 = 0
  private(set) var low: UInt64 = 0
  private(set) var lowDigits = 0
  private(set) var exponent = 0
  /// Whether all digits that are not zero are kept.
  private(set) var isExact = true
  private let bytes: UnsafeRawBufferPointer

  /// Reads a number; nil when the bytes are anything else.
  ///
  /// - Complexity: O(*n*); no allocation.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    var index = 0
    let count = bytes.count
    guard count > 0 else { return nil }
    if bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+") {
      isNegative = bytes[0] == UInt8(ascii: "-")
      index = 1
    }
    var digitsSeen = 0
    var highDigits = 0
    func digit(_ byte: UInt8) -> UInt64? {
      let value = byte &- 0x30
      return value <= 9 ? UInt64(value) : nil
    }
    while index < count, let value = digit(bytes[index]) {
      append(value, highDigits: &highDigits, isFraction: false)
      digitsSeen += 1
      index += 1
    }
    if index < count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      let firstFraction = index
      while index < count, let value = digit(bytes[index]) {
        append(value, highDigits: &highDigits, isFraction: true)
        digitsSeen += 1
        index += 1
      }
      guard index > firstFraction else { return nil }
    }
    guard digitsSeen > 0 else { return nil }
    if index < count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      guard let power = NumberText.power(bytes, &index) else { return nil }
      exponent += power
    }
    guard index == count else { return nil }
  }

  private mutating func append(_ digit: UInt64, highDigits: inout Int, isFraction: Bool) {
    if high == 0 && low == 0 && lowDigits == 0 && digit == 0 {
      if isFraction { exponent -= 1 }
      return
    }
    if highDigits < 19 {
      high = high &* 10 &+ digit
      highDigits += 1
      if isFraction { exponent -= 1 }
    } else if lowDigits < 19 {
      low = low &* 10 &+ digit
      lowDigits += 1
      if isFraction { exponent -= 1 }
    } else {
      if digit != 0 { isExact = false }
      if !isFraction { exponent += 1 }
    }
  }

  private static func power(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Int? {
    var isNegative = false
    if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
      isNegative = bytes[index] == UInt8(ascii: "-")
      index += 1
    }
    let first = index
    var value = 0
    while index < bytes.count, bytes[index] &- 0x30 <= 9 {
      // Beyond this every number is zero or infinite; the digits are only checked.
      if value < 1_000_000_000 { value = value * 10 + Int(bytes[index] &- 0x30) }
      index += 1
    }
    return index > first ? (isNegative ? -value : value) : nil
  }

  /// Whether there is no digit but zero.
  package var isZero: Bool { high == 0 }

  /// The number as a 64-bit integer; nil when it has a fraction or does not fit.
  package var integer: Int64? {
    if isZero { return 0 }
    guard isExact else { return nil }
    var magnitude = high
    var power = exponent
    if lowDigits > 0 {
      // Twenty significant digits fit only when those behind the first nineteen are zeros, or one.
      guard low == 0 || lowDigits + exponent <= 1, lowDigits <= 19 else { return nil }
      if low == 0 {
        power += lowDigits
      } else {
        var rest = low
        var digits = lowDigits
        while digits > 1, rest % 10 == 0 {
          rest /= 10
          digits -= 1
          power += 1
        }
        guard digits == 1, power >= 0 else { return nil }
        let (scaled, overflow) = magnitude.multipliedReportingOverflow(by: 10)
        let (sum, carry) = scaled.addingReportingOverflow(rest)
        guard !overflow, !carry else { return nil }
        magnitude = sum
      }
    }
    guard let value = NumberText.shifted(magnitude, by: power, exactly: true) else { return nil }
    if isNegative { return value <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- value) : nil }
    return Int64(exactly: value)
  }

  /// `value × 10^power`, cut towards zero; nil when it does not fit, or loses digits it must keep.
  static func shifted(_ value: UInt64, by power: Int, exactly: Bool = false) -> UInt64? {
    if value == 0 { return 0 }
    var result = value
    if power < 0 {
      if power < -20 { return exactly ? nil : 0 }
      for _ in 0..<(-power) {
        if exactly && result % 10 != 0 { return nil }
        result /= 10
      }
      return result
    }
    if power > 20 { return nil }
    for _ in 0..<power {
      let (next, overflow) = result.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      result = next
    }
    return result
  }

  /// The magnitude of `number × 10^power` without its fraction; nil when it does not fit.
  package func cut(shiftedBy power: Int) -> UInt64? {
    // The digits that are left out stand behind the first nineteen, where only larger numbers than
    // fit have whole digits.
    NumberText.shifted(high, by: exponent + lowDigits + power)
  }

  /// The number with all its digits; nil when a decimal cannot hold them (38 digits, powers of ten
  /// up to 120).
  package var decimal: Decimal? {
    if isZero { return 0 }
    guard isExact, exponent >= -120, exponent <= 120 else { return nil }
    var significand = Decimal(high)
    if lowDigits > 0 {
      significand = significand * Decimal(sign: .plus, exponent: lowDigits, significand: 1)
      significand += Decimal(low)
    }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
  }

  /// The nearest double; infinite beyond its range.
  package var double: Double {
    if isZero { return isNegative ? -0.0 : 0 }
    if lowDigits == 0, high <= 1 << 53, exponent >= -22, exponent <= 22 {
      // Both factors are exact, so the one rounding is the right one (Clinger 1990).
      let power = NumberText.powers[abs(exponent)]
      let magnitude = exponent < 0 ? Double(high) / power : Double(high) * power
      return isNegative ? -magnitude : magnitude
    }
    return Double(String(decoding: bytes, as: UTF8.self)) ?? (isNegative ? -.infinity : .infinity)
  }

  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}

@available(*, unavailable, message: "It refers to the bytes it was read from.")
extension NumberText: Sendable {}
