import CSyncStackSQLite
import Foundation
package import SyncCore

/// How values of an attribute turn into another type when the model changes. Only exact conversions
/// with one meaning:
///
/// | from | to | |
/// |---|---|---|
/// | Integer 16, 32, 64 | each other | all are stored in 64 bits |
/// | Double, Float | each other | |
/// | Boolean | Integer | 0 and 1 |
/// | Boolean | String | `false` and `true` |
/// | Integer | Double, Float | refused when a value is too large to be exact |
/// | Integer | Decimal, String | |
/// | Double, Float | String | the shortest text that reads back as the same number |
/// | Decimal, UUID, URI | String | as they are written |
/// | Date | String | ISO 8601 in UTC; refused when a date is finer than milliseconds |
///
/// Everything else is refused: it loses something, may fail, or could mean more than one thing.
package struct ValueConversion: Sendable, Hashable {
  package let source: AttributeType
  package let target: AttributeType

  /// Whether stored values stay as they are, byte for byte.
  package let keepsStoredForm: Bool

  /// Nil when values of one type do not turn into values of the other.
  package init?(from source: AttributeType, to target: AttributeType) {
    let isSame =
      source == target || (source.isInteger && target.isInteger)
      || (source.isFloatingPoint && target.isFloatingPoint)
    switch (source, target) {
    case _ where isSame: keepsStoredForm = true
    case (.boolean, _) where target.isInteger: keepsStoredForm = true
    case (.decimal, .string), (.uuid, .string), (.uri, .string): keepsStoredForm = true
    case (.boolean, .string), (.double, .string), (.float, .string), (.date, .string):
      keepsStoredForm = false
    case (_, .double) where source.isInteger, (_, .float) where source.isInteger,
      (_, .decimal) where source.isInteger, (_, .string) where source.isInteger:
      keepsStoredForm = false
    default: return nil
    }
    self.source = source
    self.target = target
  }

  /// Whether some values may have no exact form in the new type.
  package var mayFail: Bool {
    (source.isInteger && target.isFloatingPoint) || (source == .date && target == .string)
  }

  /// The value in the new type; nil when it has no exact form there.
  package func convert(_ value: Value) -> Value? {
    switch (value, target) {
    case (.null, _): return .null
    case (.bool(let value), .string): return .string(value ? "true" : "false")
    case (.bool(let value), _) where target.isInteger: return .int(value ? 1 : 0)
    case (.int(let value), .double), (.int(let value), .float):
      return Double(exactly: value).map { .double($0) }
    case (.int(let value), .decimal): return .decimal(Decimal(value))
    case (.decimal(let value), .string): return .string(value.canonicalText)
    case (.date(let value), .string):
      let text = DateText.iso8601(value)
      return DateText.parse(text) == value.timeIntervalSinceReferenceDate ? .string(text) : nil
    case (_, .string): return .string(value.description)
    default: return value
    }
  }
}

extension AttributeType {
  fileprivate var isFloatingPoint: Bool { self == .double || self == .float }
}

extension SQLFunction {
  /// `(value, old type, new type)`: the value in the form of the new type, NULL when it has none.
  static let convert = "syncstack_convert"
}

extension Connection {
  /// Makes the conversion of values known to the connection.
  func registerConversionFunction() {
    register(SQLFunction.convert, arguments: 3) { context, arguments in
      guard let source = SQLArgument.text(arguments, 1).flatMap(AttributeType.init(rawValue:)),
        let target = SQLArgument.text(arguments, 2).flatMap(AttributeType.init(rawValue:)),
        let conversion = ValueConversion(from: source, to: target),
        let value = SQLArgument.value(arguments?[0], as: source),
        let converted = conversion.convert(value)
      else { return }
      if case .string(let text) = converted {
        SQLArgument.answer(context, text: text)
      } else {
        SQLArgument.answer(context, converted)
      }
    }
  }
}

extension SQLArgument {
  /// A value in its stored form as one of the types that need more than a copy to be converted.
  fileprivate static func value(_ argument: OpaquePointer?, as type: AttributeType) -> Value? {
    guard sqlite3_value_type(argument) != SQLITE_NULL else { return nil }
    switch type {
    case .boolean: return .bool(sqlite3_value_int64(argument) != 0)
    case .double, .float: return .double(sqlite3_value_double(argument))
    case .date:
      return .date(Date(timeIntervalSinceReferenceDate: sqlite3_value_double(argument)))
    default: return type.isInteger ? .int(sqlite3_value_int64(argument)) : nil
    }
  }
}
