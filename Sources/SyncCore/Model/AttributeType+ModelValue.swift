import Foundation

/// Values that stand in a model itself: defaults and limits.
extension AttributeType {
  /// The type of the attribute's limits: the type itself, whole numbers for lengths of text, nil
  /// for types whose values have no limits.
  var measure: AttributeType? {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .date: self
    case .string: .integer64
    case .boolean, .binary, .uuid, .uri, .transformable: nil
    }
  }

  /// Returns the value in the kind in which the type is kept, or nil when it is none of the type.
  /// Only other forms of the same value are turned: `1` for a double is `1.0`.
  func modelValue(_ value: Value) -> Value? {
    switch (self, value) {
    case (_, .null): .null
    case (.integer16, .int), (.integer32, .int), (.integer64, .int): value
    case (.boolean, .bool): value
    case (.boolean, .int(0)): .bool(false)
    case (.boolean, .int(1)): .bool(true)
    case (.double, .double(let number)) where number.isFinite: value
    case (.float, .double(let number)) where number.isFinite: value
    case (.double, .int(let number)), (.float, .int(let number)): .double(Double(number))
    case (.decimal, .decimal(let number)) where !number.isNaN: value
    case (.decimal, .int(let number)): .decimal(Decimal(number))
    case (.decimal, .double(let number)): modelValue(parsing: "\(number)")
    case (.string, .string), (.date, .date), (.binary, .data), (.transformable, _): value
    case (.uuid, .uuid), (.uri, .url): value
    case (.uuid, .string(let text)), (.uri, .string(let text)): modelValue(parsing: text)
    default: nil
    }
  }

  /// Returns the value that the text of a model document stands for, or nil when it stands for none
  /// of the type. Dates are seconds since 2001-01-01 UTC, bytes are Base64, and so is the stored
  /// form of a transformable attribute's value.
  func modelValue(parsing text: String) -> Value? {
    switch self {
    case .integer16, .integer32, .integer64:
      return (Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }).map(Value.int)
    case .double, .float:
      return AttributeType.number(text).map(Value.double)
    case .date:
      return AttributeType.number(text).map {
        .date(Date(timeIntervalSinceReferenceDate: $0))
      }
    case .decimal:
      guard AttributeType.number(text) != nil else { return nil }
      return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map(Value.decimal)
    case .boolean:
      switch text {
      case "YES", "true", "1": return .bool(true)
      case "NO", "false", "0": return .bool(false)
      default: return nil
      }
    case .string:
      return .string(text)
    case .uuid:
      return UUIDText.parse(text).map(Value.uuid)
    case .uri:
      return URLText.parse(text).map(Value.url)
    case .binary:
      return Data(base64Encoded: text).map(Value.data)
    case .transformable:
      return Data(base64Encoded: text).map { Value(storedBytes: $0, as: self) }
    }
  }

  /// A finite decimal number; `Double` alone would also take hexadecimal, `inf` and `nan`.
  private static func number(_ text: String) -> Double? {
    let allowed = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || [UInt8](".eE+-".utf8).contains(byte)
    }
    guard allowed, let result = Double(text), result.isFinite else { return nil }
    return result
  }
}
