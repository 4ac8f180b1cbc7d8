import Foundation

/// Adds numbers up so that the result does not depend on their order: the store and memory visit
/// members differently. Nil values do not take part.
package struct NumberSum {
  private var integers: Int128 = 0
  private var doubles: [Double] = []
  private var decimals: [Decimal] = []

  /// How many numbers were added.
  package private(set) var count = 0

  package init() {}

  package mutating func add(_ value: Value) {
    switch value {
    case .bool(let value): integers += value ? 1 : 0
    case .int(let value): integers += Int128(value)
    case .double(let value): doubles.append(value)
    case .date(let value): doubles.append(value.timeIntervalSinceReferenceDate)
    case .decimal(let value): decimals.append(value)
    default: return
    }
    count += 1
  }

  /// The sum; nil when nothing was added. A sum of whole numbers that 64 bits do not hold becomes a
  /// double, like all arithmetic of filters; an answer that shows it is an error
  /// (``ResolvedColumn/checked(_:)``).
  ///
  /// - Complexity: O(*n* log *n*) for doubles and decimals, which are added in ascending order.
  package func sum() -> Value {
    if count == 0 { return .null }
    if isWhole { return Int64(exactly: integers).map { .int($0) } ?? .double(Double(integers)) }
    guard doubles.isEmpty else { return double.isNaN ? .null : .double(double) }
    return decimal.isNaN ? .null : .decimal(decimal)
  }

  /// The mean, always a double; nil when nothing was added.
  package func average() -> Value {
    if count == 0 { return .null }
    let isExact = doubles.isEmpty && !decimals.isEmpty
    let total = isExact ? Value.decimal(decimal).number ?? .nan : double
    let mean = total / Double(count)
    return mean.isNaN ? .null : .double(mean)
  }

  private var double: Double {
    let decimals = decimals.map { Value.decimal($0).number ?? .nan }
    return (doubles + decimals).sorted().reduce(Double(integers), +)
  }

  private var decimal: Decimal {
    decimals.sorted().reduce(Decimal(string: String(integers), locale: nil) ?? 0, +)
  }

  private var isWhole: Bool { doubles.isEmpty && decimals.isEmpty }
}
