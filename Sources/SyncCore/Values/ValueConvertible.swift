/// A Swift type whose values an attribute can hold.
///
/// Numbers, texts, dates, data and the like conform; so does their optional. An enum with a raw
/// value of such a type conforms by saying so:
///
/// ```swift
/// enum Level: Int64, ValueConvertible { case low, high }
/// ```
///
/// Values are converted wherever they are read, so a conformance belongs to no actor.
public protocol ValueConvertible: SendableMetatype {
  /// The attribute type that holds values of this type.
  static var attributeType: AttributeType { get }

  /// Whether the type can say that there is no value.
  static var isOptionalValue: Bool { get }

  /// The stored form.
  var storedValue: Value { get }

  /// The value of a stored form, or nil when the stored form is not one of this type.
  static func converted(from value: Value) -> Self?
}

extension ValueConvertible {
  public static var isOptionalValue: Bool { false }
}

// MARK: - Optionals and enums

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  public static var attributeType: AttributeType { Wrapped.attributeType }
  public static var isOptionalValue: Bool { true }

  /// By a closure: a key path of a generic type is made anew each time, which takes 0.5 µs.
  public var storedValue: Value { map { $0.storedValue } ?? .null }

  @inlinable
  public static func converted(from value: Value) -> Wrapped?? {
    value.isNull ? .some(nil) : Wrapped.converted(from: value).map { .some($0) }
  }
}

extension ValueConvertible where Self: RawRepresentable, RawValue: ValueConvertible {
  public static var attributeType: AttributeType { RawValue.attributeType }
  public var storedValue: Value { rawValue.storedValue }

  @inlinable
  public static func converted(from value: Value) -> Self? {
    RawValue.converted(from: value).flatMap(Self.init(rawValue:))
  }
}

// MARK: - Standard types

extension Bool: ValueConvertible {
  public static var attributeType: AttributeType { .boolean }
  public var storedValue: Value { .bool(self) }

  @inlinable
  public static func converted(from value: Value) -> Bool? {
    switch value {
    case .bool(let value): value
    case .int(0): false
    case .int(1): true
    default: nil
    }
  }
}

extension String: ValueConvertible {
  public static var attributeType: AttributeType { .string }
  public var storedValue: Value { .string(self) }

  /// Text, and the text of a UUID or a URL.
  @inlinable
  public static func converted(from value: Value) -> String? {
    if case .string(let text) = value { text } else { value.text }
  }
}

extension Double: ValueConvertible {
  public static var attributeType: AttributeType { .double }
  public var storedValue: Value { .double(self) }

  @inlinable
  public static func converted(from value: Value) -> Double? {
    if case .double(let value) = value { value } else { value.number }
  }
}

extension Float: ValueConvertible {
  public static var attributeType: AttributeType { .float }
  public var storedValue: Value { .double(Double(self)) }
  public static func converted(from value: Value) -> Float? { value.number.map { Float($0) } }
}

/// Integers of every width: stored in 64 bits, read back when they fit.
extension ValueConvertible where Self: FixedWidthInteger {
  public static var attributeType: AttributeType {
    switch Self.bitWidth {
    case ...16: .integer16
    case ...32: .integer32
    default: .integer64
    }
  }

  /// An unsigned number beyond the range of 64 signed bits has no integer form and becomes a
  /// decimal.
  public var storedValue: Value {
    Int64(exactly: self).map { .int($0) } ?? Value.decimal(digits: String(self))
  }

  @inlinable
  public static func converted(from value: Value) -> Self? {
    if case .int(let value) = value { Self(exactly: value) } else { whole(value) }
  }

  @usableFromInline
  static func whole(_ value: Value) -> Self? {
    if case .double(let value) = value { return Self(exactly: value) }
    return value.wholeNumber.flatMap { Self(exactly: $0) }
  }
}

extension Int: ValueConvertible {}
extension Int8: ValueConvertible {}
extension Int16: ValueConvertible {}
extension Int32: ValueConvertible {}
extension Int64: ValueConvertible {}
extension UInt: ValueConvertible {}
extension UInt8: ValueConvertible {}
extension UInt16: ValueConvertible {}
extension UInt32: ValueConvertible {}
extension UInt64: ValueConvertible {}

extension Value: ValueConvertible {
  /// The number that all types of integers are made of; reading digits is long code, once is
  /// enough.
  fileprivate var wholeNumber: Int128? {
    switch self {
    case .int(let value): Int128(value)
    case .bool(let value): value ? 1 : 0
    case .decimal(let value): Int128(value.canonicalText)
    default: nil
    }
  }

  /// Any type will do; text is the one that shows most values as they are.
  public static var attributeType: AttributeType { .string }
  public static var isOptionalValue: Bool { true }
  public var storedValue: Value { self }
  public static func converted(from value: Value) -> Value? { value }
}
