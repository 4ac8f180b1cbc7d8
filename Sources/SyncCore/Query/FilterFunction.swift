import Foundation

/// A function of one value that a filter may call: `abs(age - 40) < 5`, `length(name) > 3`.
///
/// Of nothing each is nothing. Memory and SQL both calculate with ``apply(to:)``, so they cannot
/// differ.
package enum FilterFunction: String, Sendable, Hashable, CaseIterable {
  /// The number without its sign.
  case abs
  /// The next whole number that is not less.
  case ceiling
  /// The next whole number that is not greater.
  case floor
  /// The number without its fraction.
  case trunc
  /// The square root; nothing of a negative number.
  case sqrt
  /// The text in small letters, in every language alike.
  case lowercase
  /// The text in capital letters, in every language alike.
  case uppercase
  /// How many characters a text has.
  case length

  /// The kind of the result for values of a kind; nil when the function is not for them.
  func resultKind(of kind: FilterKind) -> FilterKind? {
    switch self {
    case .abs, .ceiling, .floor, .trunc: kind.isNumber || kind == .null ? kind : nil
    case .sqrt: kind.isNumber || kind == .null ? .real : nil
    case .lowercase, .uppercase: kind.isText || kind == .null ? .text : nil
    case .length: kind.isText || kind == .null ? .integer : nil
    }
  }

  /// Applies the function to a value.
  package func apply(to value: Value) -> Value {
    switch self {
    case .lowercase: value.text.map { .string($0.lowercased()) } ?? .null
    case .uppercase: value.text.map { .string($0.uppercased()) } ?? .null
    case .length: value.text.map { .int(Int64($0.count)) } ?? .null
    case .abs, .ceiling, .floor, .trunc, .sqrt: calculate(with: value)
    }
  }

  private func calculate(with value: Value) -> Value {
    switch value {
    case .bool(let value): calculate(with: .int(value ? 1 : 0))
    case .int(let value): calculate(with: value)
    case .double(let value): calculate(with: value)
    case .decimal(let value): calculate(with: value)
    default: .null
    }
  }

  private func calculate(with value: Int64) -> Value {
    switch self {
    case .abs: value == .min ? .double(-Double(value)) : .int(Swift.abs(value))
    case .sqrt: calculate(with: Double(value))
    default: .int(value)
    }
  }

  private func calculate(with value: Double) -> Value {
    let result =
      switch self {
      case .abs: value.magnitude
      case .ceiling: value.rounded(.up)
      case .floor: value.rounded(.down)
      case .trunc: value.rounded(.towardZero)
      default: value.squareRoot()
      }
    return result.isNaN ? .null : .double(result)
  }

  private func calculate(with value: Decimal) -> Value {
    var source = value
    var result = Decimal()
    switch self {
    case .abs: return .decimal(value.magnitude)
    case .ceiling: NSDecimalRound(&result, &source, 0, .up)
    case .floor: NSDecimalRound(&result, &source, 0, .down)
    case .trunc: NSDecimalRound(&result, &source, 0, value.isSignMinus ? .up : .down)
    default: return calculate(with: Value.decimal(value).number ?? .nan)
    }
    return .decimal(result)
  }
}
