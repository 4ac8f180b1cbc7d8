import Foundation

/// Calculation in filters, the same in memory and in SQL (https://www.sqlite.org/lang_expr.html).
///
/// - Anything with nil is nil; so is a division by zero, and a result that is not a number.
/// - Whole numbers stay whole: `7 / 2` is 3. A result that does not fit into 64 bits becomes a
///   double.
/// - Decimals with decimals or whole numbers are calculated exactly, up to 38 digits.
/// - `%%` is the remainder of whole numbers. `**` gives a double.
/// - `&`, `|`, `^`, `<<` and `>>` work on the 64 bits of whole numbers, as in Swift.
/// - Dates count as seconds.
package enum Arithmetic {
  /// The value with the other sign, or nil when it is not a number.
  static func negated(_ value: Value) -> Value? {
    switch value {
    case .int(let integer): integer == .min ? .double(-Double(integer)) : .int(-integer)
    case .double(let double): .double(-double)
    case .decimal(let decimal): .decimal(-decimal)
    default: nil
    }
  }

  /// Calculates with two numbers.
  package static func apply(
    _ operation: ArithmeticOperation, _ left: Value, _ right: Value
  ) -> Value {
    switch (operand(left), operand(right)) {
    case (.null, _), (_, .null): .null
    case (.int(let left), .int(let right)): integers(operation, left, right)
    case (.decimal(let left), .decimal(let right)): decimals(operation, left, right)
    case (.decimal(let left), .int(let right)): decimals(operation, left, Decimal(right))
    case (.int(let left), .decimal(let right)): decimals(operation, Decimal(left), right)
    case (let left, let right):
      doubles(operation, left.number ?? .nan, right.number ?? .nan)
    }
  }

  private static func operand(_ value: Value) -> Value {
    switch value {
    case .bool(let value): .int(value ? 1 : 0)
    case .date(let date): .double(date.timeIntervalSinceReferenceDate)
    default: value
    }
  }

  private static func integers(
    _ operation: ArithmeticOperation, _ left: Int64, _ right: Int64
  ) -> Value {
    let (result, isOverflow): (Int64, Bool)
    switch operation {
    case .add: (result, isOverflow) = left.addingReportingOverflow(right)
    case .subtract: (result, isOverflow) = left.subtractingReportingOverflow(right)
    case .multiply: (result, isOverflow) = left.multipliedReportingOverflow(by: right)
    case .divide:
      guard right != 0 else { return .null }
      (result, isOverflow) = left.dividedReportingOverflow(by: right)
    case .remainder:
      guard right != 0 else { return .null }
      return .int(right == -1 ? 0 : left % right)
    case .power:
      return doubles(operation, Double(left), Double(right))
    case .bitAnd: return .int(left & right)
    case .bitOr: return .int(left | right)
    case .bitXor: return .int(left ^ right)
    case .shiftLeft: return .int(left << right)
    case .shiftRight: return .int(left >> right)
    }
    return isOverflow ? doubles(operation, Double(left), Double(right)) : .int(result)
  }

  private static func doubles(
    _ operation: ArithmeticOperation, _ left: Double, _ right: Double
  ) -> Value {
    let result: Double
    switch operation {
    case .add: result = left + right
    case .subtract: result = left - right
    case .multiply: result = left * right
    case .divide:
      guard right != 0 else { return .null }
      result = left / right
    case .power: result = pow(left, right)
    case .remainder, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight: return .null
    }
    return result.isNaN ? .null : .double(result)
  }

  private static func decimals(
    _ operation: ArithmeticOperation, _ left: Decimal, _ right: Decimal
  ) -> Value {
    let result: Decimal
    switch operation {
    case .add: result = left + right
    case .subtract: result = left - right
    case .multiply: result = left * right
    case .divide:
      guard right != 0 else { return .null }
      result = left / right
    case .remainder, .power, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight:
      return doubles(
        operation, Value.decimal(left).number ?? .nan, Value.decimal(right).number ?? .nan)
    }
    return result.isNaN ? .null : .decimal(result)
  }
}
