/// The declared type of an attribute.
///
/// The integer types differ in name only: every integer is stored in 64 bits.
public enum AttributeType: String, Sendable, Hashable, CaseIterable, Codable {
  /// A whole number, as a model calls it that means 16 bits.
  case integer16 = "Integer 16"
  /// A whole number, as a model calls it that means 32 bits.
  case integer32 = "Integer 32"
  /// A whole number of 64 bits, for keys of servers too.
  case integer64 = "Integer 64"
  /// A decimal number that keeps all its digits, for money.
  case decimal = "Decimal"
  /// A number with a fraction.
  case double = "Double"
  /// A number with a fraction, as a model calls it that means 32 bits.
  case float = "Float"
  /// A text.
  case string = "String"
  /// True or false.
  case boolean = "Boolean"
  /// A point in time.
  case date = "Date"
  /// Bytes, or JSON as it stands.
  case binary = "Binary"
  /// A universally unique identifier.
  case uuid = "UUID"
  /// An address.
  case uri = "URI"
  /// A value of the program's own, which a transformer turns into bytes.
  case transformable = "Transformable"

  /// How values of the type are stored.
  package var storage: StorageClass {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: .integer
    case .double, .float, .date: .real
    case .string, .uuid, .uri: .text
    case .decimal: .decimalText
    case .binary, .transformable: .blob
    }
  }

  /// Whether values of the type are whole numbers (booleans are not).
  package var isInteger: Bool {
    self == .integer16 || self == .integer32 || self == .integer64
  }
}

/// The form in which a column keeps its values.
package enum StorageClass: Sendable, Hashable {
  /// 64-bit integers; booleans as 0 and 1.
  case integer
  /// Doubles; dates as seconds since 2001-01-01 UTC.
  case real
  /// UTF-8 text, compared byte by byte.
  case text
  /// Canonical decimal text, compared by its numeric value.
  case decimalText
  /// Bytes.
  case blob
}
