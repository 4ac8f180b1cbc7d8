/// The numeric order of decimals in canonical text: plain digits, no exponent, no needless zeros.
enum DecimalText {
  /// Returns a negative number, zero or a positive number when the left number is smaller, equal or
  /// larger. Exact for any number of digits.
  ///
  /// - Complexity: O(*n*) in the number of digits.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let (leftIsNegative, leftDigits) = split(left)
    let (rightIsNegative, rightDigits) = split(right)
    if leftIsNegative != rightIsNegative { return leftIsNegative ? -1 : 1 }
    let order = compareMagnitudes(leftDigits, rightDigits)
    return leftIsNegative ? -order : order
  }

  private static func split(
    _ text: UnsafeRawBufferPointer
  ) -> (isNegative: Bool, digits: UnsafeRawBufferPointer) {
    guard text.first == UInt8(ascii: "-") else { return (false, text) }
    return (true, UnsafeRawBufferPointer(rebasing: text.dropFirst()))
  }

  /// More digits before the point is larger; otherwise the first different digit decides, and the
  /// point, being smaller than any digit, never stands against one before the lengths are equal.
  private static func compareMagnitudes(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Int {
    let leftWhole = left.firstIndex(of: UInt8(ascii: ".")) ?? left.count
    let rightWhole = right.firstIndex(of: UInt8(ascii: ".")) ?? right.count
    if leftWhole != rightWhole { return leftWhole < rightWhole ? -1 : 1 }
    for (a, b) in zip(left, right) where a != b { return a < b ? -1 : 1 }
    return left.count == right.count ? 0 : (left.count < right.count ? -1 : 1)
  }
}
