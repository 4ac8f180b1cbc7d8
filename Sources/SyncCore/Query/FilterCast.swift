import Foundation

/// A value turned into one of another type: `CAST(seconds, 'NSDate') > now()`.
///
/// | to | from |
/// |---|---|
/// | `NSDate` | seconds since 2001-01-01 UTC |
/// | `NSNumber` | dates as those seconds; text that is a number as a whole |
/// | `NSDecimalNumber` | whole numbers; doubles by their shortest digits |
/// | `NSString` | whole numbers and decimals in plain digits, UUIDs and URLs in their one spelling |
///
/// A number is a number already, a text a text, a date a date. Of null each is null, and so is a
/// value that cannot be turned. Memory and SQL both calculate with ``apply(to:)``, so they cannot
/// differ.
package enum FilterCast: String, Sendable, Hashable, CaseIterable {
  /// The types that a filter may name.
  package enum Target: String, Sendable, Hashable, CaseIterable {
    case date = "NSDate"
    case number = "NSNumber"
    case decimal = "NSDecimalNumber"
    case text = "NSString"
  }

  case dateOfNumber
  case numberOfDate
  case numberOfText
  case decimalOfNumber
  case textOfNumber

  /// How values of a kind are turned, and the kind of the result; no cast when they are of the
  /// wanted kind already, nil when there is no way.
  static func path(
    from kind: FilterKind, to target: Target
  ) -> (cast: FilterCast?, kind: FilterKind)? {
    switch (target, kind) {
    case (.date, .date), (.date, .null): (nil, .date)
    case (.date, .integer), (.date, .real), (.date, .decimal): (.dateOfNumber, .date)
    case (.number, .integer), (.number, .real), (.number, .decimal): (nil, kind)
    case (.number, .null): (nil, .real)
    case (.number, .date): (.numberOfDate, .real)
    case (.number, .text): (.numberOfText, .real)
    case (.decimal, .decimal), (.decimal, .null): (nil, .decimal)
    case (.decimal, .integer), (.decimal, .real): (.decimalOfNumber, .decimal)
    case (.text, .text), (.text, .null), (.text, .uuid): (nil, .text)
    case (.text, .integer), (.text, .decimal): (.textOfNumber, .text)
    default: nil
    }
  }

  /// Turns a value.
  package func apply(to value: Value) -> Value {
    switch self {
    case .dateOfNumber:
      value.number.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
    case .numberOfDate: seconds(value)
    case .numberOfText: number(value)
    case .decimalOfNumber: decimal(value)
    case .textOfNumber: text(value)
    }
  }

  private func seconds(_ value: Value) -> Value {
    if case .date(let date) = value { .double(date.timeIntervalSinceReferenceDate) } else { value }
  }

  /// Digits, a point, an exponent; nothing else that `Double` reads.
  private func number(_ value: Value) -> Value {
    guard let text = value.text, text.utf8.allSatisfy({ "+-.0123456789Ee".utf8.contains($0) }),
      let number = Double(text), number.isFinite
    else { return .null }
    return .double(number)
  }

  private func decimal(_ value: Value) -> Value {
    if case .bool(let value) = value { return .decimal(value ? 1 : 0) }
    guard let decimal = Decimal.converted(from: value), !decimal.isNaN else { return .null }
    return .decimal(decimal)
  }

  private func text(_ value: Value) -> Value {
    switch value {
    case .bool(let value): .string(value ? "1" : "0")
    case .int(let value): .string(String(value))
    case .decimal(let value): .string(value.canonicalText)
    default: .null
    }
  }
}
