public import Foundation

extension Date: ValueConvertible {
  public static var attributeType: AttributeType { .date }
  public var storedValue: Value { .date(self) }

  @inlinable
  public static func converted(from value: Value) -> Date? {
    if case .date(let date) = value { date } else { nil }
  }
}

extension Data: ValueConvertible {
  public static var attributeType: AttributeType { .binary }
  public var storedValue: Value { .data(self) }

  @inlinable
  public static func converted(from value: Value) -> Data? {
    if case .data(let data) = value { data } else { nil }
  }
}

extension UUID: ValueConvertible {
  public static var attributeType: AttributeType { .uuid }
  public var storedValue: Value { .uuid(self) }

  public static func converted(from value: Value) -> UUID? {
    switch value {
    case .uuid(let uuid): uuid
    case .string(let text): UUIDText.parse(text)
    default: nil
    }
  }
}

extension URL: ValueConvertible {
  public static var attributeType: AttributeType { .uri }
  public var storedValue: Value { .url(self) }

  public static func converted(from value: Value) -> URL? {
    switch value {
    case .url(let url): url
    case .string(let text): URLText.parse(text)
    default: nil
    }
  }
}

extension Decimal: ValueConvertible {
  public static var attributeType: AttributeType { .decimal }
  public var storedValue: Value { .decimal(self) }

  public static func converted(from value: Value) -> Decimal? {
    switch value {
    case .decimal(let value): value
    case .int(let value): Decimal(value)
    case .double(let value): Decimal(string: value.description, locale: nil)
    default: nil
    }
  }
}

extension Value {
  /// The nearest double of a number; nil for other kinds.
  @usableFromInline
  package var number: Double? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .int(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): Double(value.canonicalText)
    default: nil
    }
  }

  /// A decimal of plain digits.
  static func decimal(digits: String) -> Value {
    Decimal(string: digits, locale: nil).map { .decimal($0) } ?? .null
  }
}
