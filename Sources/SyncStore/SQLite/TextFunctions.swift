import CSyncStackSQLite
import Foundation
import SyncCore

/// Names of the functions and collations that every connection adds to SQL. The functions are those
/// that filters need beyond SQLite's own: each is deterministic and calls the same code that
/// evaluates filters in memory.
package enum SQLFunction {
  /// Collation of decimal columns: numeric order of canonical text.
  package static let decimalCollation = "syncstack_decimal"

  /// `(text, options)`: the text without case or accents.
  package static let fold = "syncstack_fold"
  /// `(text, pattern, ignores case)`: whether a regular expression matches the whole text.
  package static let matches = "syncstack_matches"
  /// The beginning of an error of ``matches``; the pattern follows.
  static let badPattern = "syncstack_matches: "
  /// `(text, pattern)`: with `*` and `?`.
  package static let like = "syncstack_like"
  /// `(text, end)`
  package static let ends = "syncstack_ends"
  /// `(operator, left, right)`: exact for decimals.
  package static let arithmetic = "syncstack_arithmetic"
  /// `(name, value)`: one of ``FilterFunction``.
  package static let function = "syncstack_function"
  /// `(name, value)`: one of ``FilterCast``.
  package static let cast = "syncstack_cast"
  /// `(left, right)`: negative, zero or positive, for decimals with numbers.
  package static let compare = "syncstack_compare"
  /// `(left, right)`: true when both are NULL too.
  package static let equal = "syncstack_equal"
  /// `(bits)`: the double with these bits.
  package static let double = "syncstack_double"
  /// Aggregates whose results do not depend on the order of rows.
  package static let sum = "syncstack_sum"
  package static let average = "syncstack_average"
}

extension Connection {
  /// Makes the functions of filters known to the connection.
  func registerFilterFunctions() {
    register(SQLFunction.fold, arguments: 2) { context, arguments in
      guard let text = SQLArgument.text(arguments, 0) else { return }
      let options = TextOptions(rawValue: Int(sqlite3_value_int64(arguments?[1])))
      SQLArgument.answer(context, text: TextFolding.fold(text, options))
    }
    register(SQLFunction.matches, arguments: 3) { context, arguments in
      guard let text = SQLArgument.text(arguments, 0),
        let pattern = SQLArgument.text(arguments, 1)
      else { return }
      do throws(FilterError) {
        let matches = try TextPattern.matches(
          text, pattern, isCaseInsensitive: sqlite3_value_int64(arguments?[2]) != 0)
        sqlite3_result_int(context, matches ? 1 : 0)
      } catch {
        // The statement makes the same error of the pattern again; see `Statement.finish(_:)`.
        sqlite3_result_error(context, SQLFunction.badPattern + pattern, -1)
      }
    }
    register(SQLFunction.like, arguments: 2) { context, arguments in
      SQLArgument.answer(context, arguments, TextMatching.like)
    }
    register(SQLFunction.ends, arguments: 2) { context, arguments in
      SQLArgument.answer(context, arguments, TextMatching.ends)
    }
    register(SQLFunction.arithmetic, arguments: 3) { context, arguments in
      guard let name = SQLArgument.text(arguments, 0),
        let operation = ArithmeticOperation(rawValue: name)
      else { return }
      SQLArgument.answer(
        context,
        Arithmetic.apply(
          operation, SQLArgument.number(arguments?[1]), SQLArgument.number(arguments?[2])))
    }
    register(SQLFunction.function, arguments: 2) { context, arguments in
      guard let name = SQLArgument.text(arguments, 0), let function = FilterFunction(rawValue: name)
      else { return }
      switch function {
      case .lowercase, .uppercase, .length:
        guard let text = SQLArgument.text(arguments, 1) else { return }
        SQLArgument.answer(context, function.apply(to: .string(text)))
      case .abs, .ceiling, .floor, .trunc, .sqrt:
        SQLArgument.answer(context, function.apply(to: SQLArgument.number(arguments?[1])))
      }
    }
    register(SQLFunction.cast, arguments: 2) { context, arguments in
      guard let name = SQLArgument.text(arguments, 0), let cast = FilterCast(rawValue: name) else {
        return
      }
      switch cast {
      case .numberOfText:
        guard let text = SQLArgument.text(arguments, 1) else { return }
        SQLArgument.answer(context, cast.apply(to: .string(text)))
      case .dateOfNumber, .numberOfDate, .decimalOfNumber, .textOfNumber:
        SQLArgument.answer(context, cast.apply(to: SQLArgument.number(arguments?[1])))
      }
    }
    register(SQLFunction.compare, arguments: 2) { context, arguments in
      let left = SQLArgument.number(arguments?[0])
      let right = SQLArgument.number(arguments?[1])
      guard !left.isNull, !right.isNull else { return }
      sqlite3_result_int(context, Int32(left.compared(to: right)))
    }
    register(SQLFunction.equal, arguments: 2) { context, arguments in
      let isEqual = SQLArgument.number(arguments?[0]) == SQLArgument.number(arguments?[1])
      sqlite3_result_int(context, isEqual ? 1 : 0)
    }
    register(SQLFunction.double, arguments: 1) { context, arguments in
      let bits = UInt64(bitPattern: sqlite3_value_int64(arguments?[0]))
      sqlite3_result_double(context, Double(bitPattern: bits))
    }
    registerAggregate(SQLFunction.sum) { context in
      SQLArgument.answer(context, NumberSumBox.finish(context).sum())
    }
    registerAggregate(SQLFunction.average) { context in
      SQLArgument.answer(context, NumberSumBox.finish(context).average())
    }
  }

  func register(
    _ name: String, arguments: Int32,
    _ body: @escaping (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> Void
  ) {
    let box = Unmanaged.passRetained(FunctionBox(body: body))
    sqlite3_create_function_v2(
      handle, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC, box.toOpaque(),
      { context, _, arguments in
        guard let data = sqlite3_user_data(context) else { return }
        Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue().body(context, arguments)
      }, nil, nil, { data in data.map { Unmanaged<FunctionBox>.fromOpaque($0).release() } })
  }

  private func registerAggregate(
    _ name: String, _ finish: @escaping @convention(c) (OpaquePointer?) -> Void
  ) {
    sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, nil,
      { context, _, arguments in
        NumberSumBox.current(context)?.sum.add(SQLArgument.number(arguments?[0]))
      }, finish, nil)
  }

  /// Makes our collation and functions known to the connection.
  func registerTextFunctions() {
    sqlite3_create_collation_v2(
      handle, SQLFunction.decimalCollation, SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        Int32(
          DecimalText.compare(
            UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
            UnsafeRawBufferPointer(start: right, count: Int(rightCount))))
      }, nil)
    registerFilterFunctions()
    registerConversionFunction()
  }
}

/// The code of a function, where SQLite can find it.
private final class FunctionBox {
  let body: (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  init(body: @escaping (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> Void) {
    self.body = body
  }
}

/// The sum of one group. SQLite gives each group zeroed memory for a pointer to it
/// (https://www.sqlite.org/c3ref/aggregate_context.html).
private final class NumberSumBox {
  var sum = NumberSum()

  /// The sum that is being made, begun when there is none.
  static func current(_ context: OpaquePointer?) -> NumberSumBox? {
    let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
    guard
      let memory = sqlite3_aggregate_context(context, size)?
        .assumingMemoryBound(to: UnsafeRawPointer?.self)
    else { return nil }
    if let pointer = memory.pointee {
      return Unmanaged<NumberSumBox>.fromOpaque(pointer).takeUnretainedValue()
    }
    let box = NumberSumBox()
    memory.pointee = UnsafeRawPointer(Unmanaged.passRetained(box).toOpaque())
    return box
  }

  /// The finished sum, which is given up; empty when there were no rows.
  static func finish(_ context: OpaquePointer?) -> NumberSum {
    guard
      let memory = sqlite3_aggregate_context(context, 0)?
        .assumingMemoryBound(to: UnsafeRawPointer?.self),
      let pointer = memory.pointee
    else { return NumberSum() }
    memory.pointee = nil
    return Unmanaged<NumberSumBox>.fromOpaque(pointer).takeRetainedValue().sum
  }
}

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
