import Foundation

/// Between stored values and the values of string keys.
extension Value {
  /// The value as a Swift value; nil for no value.
  package var anyValue: Any? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .int(let value): value
    case .double(let value): value
    case .decimal(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .uuid(let value): value
    case .url(let value): value
    }
  }

  /// The value as string keys give it: ``anyValue``, with integers and floating-point numbers as
  /// `NSNumber`, which casts to every number type that can hold them. An `Int64` in an `Any` would
  /// be no `Int`, and `as? Int` nil.
  package var keyedValue: Any? {
    switch self {
    case .int(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    default: anyValue
    }
  }

  /// Makes a value of a program's `Any`, or returns nil when there is no such value.
  package init?(anyValue: Any?) {
    switch Value.unwrapped(anyValue) {
    case nil: self = .null
    case let value as any ValueConvertible: self = value.storedValue
    case let number as NSNumber: self = Value(number)
    case let text as NSString: self = .string(text as String)
    default: return nil
    }
  }

  /// Removes optionals that hide inside `Any`, and `NSNull`.
  package static func unwrapped(_ value: Any?) -> Any? {
    guard let value, !(value is NSNull) else { return nil }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return value }
    return unwrapped(mirror.children.first?.value)
  }

  /// Booleans are told from numbers by their Objective-C type, never by casting, which mixes them
  /// up.
  private init(_ number: NSNumber) {
    if let decimal = number as? NSDecimalNumber {
      self = .decimal(decimal.decimalValue)
      return
    }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "B"): self = .bool(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(number.doubleValue)
    case UInt8(ascii: "Q"):
      let value = number.uint64Value
      self = Int64(exactly: value).map { .int($0) } ?? .decimal(Decimal(value))
    default: self = .int(number.int64Value)
    }
  }
}

extension AttributeType {
  /// The value in the kind in which attributes of this type keep it, or nil when it is none of the
  /// type. Only forms of the same thing are turned into each other: `3` for a double is `3.0`.
  package func coerced(_ value: Value) -> Value? {
    switch (self, value) {
    case (_, .null): value
    case (.integer16, .int), (.integer32, .int), (.integer64, .int): value
    case (.integer16, _), (.integer32, _), (.integer64, _):
      if case .bool = value { nil } else { Int64.converted(from: value).map { .int($0) } }
    case (.boolean, .bool): value
    case (.boolean, .int(let number)): number == 0 || number == 1 ? .bool(number == 1) : nil
    case (.double, .double), (.float, .double), (.decimal, .decimal): value
    case (.double, .int), (.double, .decimal), (.float, .int), (.float, .decimal):
      Double.converted(from: value).map { .double($0) }
    case (.decimal, .int), (.decimal, .double):
      Decimal.converted(from: value).map { .decimal($0) }
    case (.string, .string), (.date, .date), (.binary, .data), (.transformable, _): value
    case (.uuid, .uuid), (.uri, .url): value
    case (.uuid, .string): UUID.converted(from: value).map { .uuid($0) }
    case (.uri, .string): URL.converted(from: value).map { .url($0) }
    default: nil
    }
  }
}

extension Value {
  /// Whether it is the result of a calculation that has none. A store keeps no such number: it
  /// comes back as null.
  package var isNoNumber: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }
}
