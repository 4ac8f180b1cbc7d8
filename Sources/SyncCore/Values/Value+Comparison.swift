import Foundation

/// The one definition of equality and order. The store sorts and compares the same way in SQL.
///
/// Kinds that cannot be compared by value have a fixed order among each other, which is also
/// SQLite's (https://www.sqlite.org/datatype3.html#sort_order): null, numbers and dates, text
/// (UUIDs and URLs are stored as text), data.
extension Value: Comparable {
  public static func == (left: Value, right: Value) -> Bool {
    left.compared(to: right) == 0
  }

  public static func < (left: Value, right: Value) -> Bool {
    left.compared(to: right) < 0
  }

  /// Returns a negative number, zero or a positive number when this value comes before, is equal
  /// to or comes after the other.
  ///
  /// - Complexity: O(*n*) in the length of text and data.
  package func compared(to other: Value) -> Int {
    switch (self, other) {
    case (.int(let left), .int(let right)):
      left < right ? -1 : (left == right ? 0 : 1)
    case (.string(let left), .string(let right)):
      Value.compareBytes(left.utf8, right.utf8)
    case (.double(let left), .double(let right)):
      Value.compare(left, right)
    case (.data(let left), .data(let right)):
      Value.compareBytes(left, right)
    default:
      compareAcrossKinds(other)
    }
  }

  private func compareAcrossKinds(_ other: Value) -> Int {
    let ranks = (storageRank, other.storageRank)
    guard ranks.0 == ranks.1 else { return ranks.0 < ranks.1 ? -1 : 1 }
    switch ranks.0 {
    case 0: return 0
    case 1: return Value.compareNumbers(self, other)
    case 2: return Value.compareBytes(storedText.utf8, other.storedText.utf8)
    default: return 0
    }
  }

  /// Position of the kind in the order of storage classes.
  private var storageRank: Int {
    switch self {
    case .null: 0
    case .bool, .int, .double, .decimal, .date: 1
    case .string, .uuid, .url: 2
    case .data: 3
    }
  }

  /// The text a text-like value is stored as; empty for other kinds.
  private var storedText: String {
    switch self {
    case .string(let value): value
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    default: ""
    }
  }

  /// Numbers of different kinds compare by their exact values, as SQLite compares integers with
  /// reals (https://www.sqlite.org/datatype3.html#comparisons): by their nearest doubles first, and
  /// where those are equal without any rounding.
  private static func compareNumbers(_ left: Value, _ right: Value) -> Int {
    if let first = left.integer, let second = right.integer {
      return first < second ? -1 : (first == second ? 0 : 1)
    }
    if let first = left.exactDecimal, let second = right.exactDecimal {
      return first < second ? -1 : (first == second ? 0 : 1)
    }
    let order = compare(left.nearestDouble, right.nearestDouble)
    guard order == 0, left.nearestDouble.isFinite else { return order }
    switch (left, right) {
    case (.decimal(let decimal), _): return ExactNumber.compare(decimal, right.nearestDouble)
    case (_, .decimal(let decimal)): return -ExactNumber.compare(decimal, left.nearestDouble)
    default: break
    }
    if let integer = left.integer { return compare(integer, right.nearestDouble) }
    if let integer = right.integer { return -compare(integer, left.nearestDouble) }
    return 0
  }

  /// Compares an integer with a whole double that is near it.
  private static func compare(_ integer: Int64, _ double: Double) -> Int {
    // 2 to the power of 63 is the only whole double near an integer that is none itself.
    guard let other = Int64(exactly: double) else { return -1 }
    return integer < other ? -1 : (integer == other ? 0 : 1)
  }

  /// The number as a 64-bit integer when it was stored as one.
  private var integer: Int64? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .int(let value): value
    default: nil
    }
  }

  /// The number as a decimal when that loses nothing.
  private var exactDecimal: Decimal? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .int(let value): Decimal(value)
    case .decimal(let value): value.isNaN ? nil : value
    default: nil
    }
  }

  /// The double that is nearest to the number: equal numbers of different kinds share it.
  private var nearestDouble: Double {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .int(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): Double(value.canonicalText) ?? .nan
    case .date(let value): value.timeIntervalSinceReferenceDate
    default: 0
    }
  }

  /// Not-a-number is equal to itself and comes first, so that the order is total.
  private static func compare(_ left: Double, _ right: Double) -> Int {
    if left < right { return -1 }
    if left > right { return 1 }
    if left == right { return 0 }
    return (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1)
  }

  private static func compareBytes(
    _ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>
  ) -> Int {
    var first = left.makeIterator()
    var second = right.makeIterator()
    while true {
      switch (first.next(), second.next()) {
      case (nil, nil): return 0
      case (nil, _): return -1
      case (_, nil): return 1
      case (let a?, let b?): if a != b { return a < b ? -1 : 1 }
      }
    }
  }
}

extension Value: Hashable {
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null:
      hasher.combine(0)
    case .bool, .int, .double, .decimal, .date:
      // Equal numbers of different kinds must hash alike, so all go through one form. Zero has two
      // signs and not-a-number many patterns.
      let double = nearestDouble
      hasher.combine(double == 0 ? 0 : (double.isNaN ? .nan : double))
    case .string, .uuid, .url:
      for byte in storedText.utf8 { hasher.combine(byte) }
    case .data(let value):
      hasher.combine(value)
    }
  }
}
