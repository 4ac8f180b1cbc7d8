import Foundation

/// Compares a decimal with a double exactly, for the rare case that rounding makes them look equal.
///
/// Both are fractions with a power of ten or two below the line, so both sides are multiplied out
/// to whole numbers of any length.
enum ExactNumber {
  /// Returns a negative number, zero or a positive number when the decimal is smaller, equal or
  /// larger. The double has to be finite.
  static func compare(_ decimal: Decimal, _ double: Double) -> Int {
    let isNegative = decimal < 0
    guard isNegative == (double < 0) else { return isNegative ? -1 : 1 }
    let digits = decimal.canonicalText.drop { $0 == "-" }
    let point = digits.firstIndex(of: ".")
    let places = point.map { digits.distance(from: $0, to: digits.endIndex) - 1 } ?? 0

    var left = LargeNumber()
    for digit in digits.utf8 where digit != UInt8(ascii: ".") {
      left.multiply(by: 10, adding: UInt32(digit - UInt8(ascii: "0")))
    }
    let magnitude = double.magnitude
    var right = LargeNumber()
    let exponent: Int
    if magnitude.isNormal {
      right.set(magnitude.significandBitPattern | 1 << UInt64(Double.significandBitCount))
      exponent = Int(magnitude.exponent) - Double.significandBitCount
    } else {
      right.set(magnitude.significandBitPattern)
      exponent = -1074
    }
    for _ in 0..<max(-exponent, 0) { left.multiply(by: 2) }
    for _ in 0..<max(exponent, 0) { right.multiply(by: 2) }
    for _ in 0..<places { right.multiply(by: 10) }
    let order = left.compare(right)
    return isNegative ? -order : order
  }
}

/// A whole number of any length; the least significant part comes first.
private struct LargeNumber {
  private var parts: [UInt32] = []

  mutating func set(_ value: UInt64) {
    parts = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)]
    while parts.last == 0 { parts.removeLast() }
  }

  mutating func multiply(by factor: UInt32, adding summand: UInt32 = 0) {
    var carry = UInt64(summand)
    for index in parts.indices {
      let product = UInt64(parts[index]) * UInt64(factor) + carry
      parts[index] = UInt32(truncatingIfNeeded: product)
      carry = product >> 32
    }
    if carry > 0 { parts.append(UInt32(carry)) }
  }

  func compare(_ other: LargeNumber) -> Int {
    guard parts.count == other.parts.count else { return parts.count < other.parts.count ? -1 : 1 }
    for (left, right) in zip(parts, other.parts).reversed() where left != right {
      return left < right ? -1 : 1
    }
    return 0
  }
}
