/// The declared type of an attribute.
///
/// The integer types differ in name only: every integer is stored in 64 bits.
public enum AttributeType: String, Sendable, Hashable, CaseIterable, Codable {
  case integer16 = "Integer 16"
  case integer32 = "Integer 32"
  case integer64 = "Integer 64"
  case decimal = "Decimal"
  case double = "Double"
  case float = "Float"
  case string = "String"
  case boolean = "Boolean"
  case date = "Date"
  case binary = "Binary"
  case uuid = "UUID"
  case uri = "URI"
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
