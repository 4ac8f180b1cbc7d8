public import Foundation

/// One stored scalar: what an attribute of an object holds, and what a filter compares.
///
/// Equality and order are those of the store: numbers of every kind compare by their value, text
/// compares byte by byte in UTF-8, and `null` comes before everything else.
@frozen
public enum Value: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case decimal(Decimal)
  case string(String)
  case data(Data)
  case date(Date)
  case uuid(UUID)
  case url(URL)

  /// Whether there is no value.
  @inlinable
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: CustomStringConvertible {
  /// The value as a person would write it; text without quotes, `nil` for no value.
  public var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .double(let value): String(value)
    case .decimal(let value): value.description
    case .string(let value): value
    case .data(let value): "\(value.count) bytes"
    case .date(let value): DateText.iso8601(value)
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    }
  }
}
