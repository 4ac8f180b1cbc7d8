public import Foundation

/// One stored scalar: an attribute of an object holds it, and a filter compares it.
///
/// Equality and order are those of the store: numbers of every kind compare by their value, text
/// compares byte by byte in UTF-8, and `null` comes before everything else.
@frozen
public enum Value: Sendable {
  /// No value.
  case null
  /// A boolean.
  case bool(Bool)
  /// A whole number, of any declared width.
  case int(Int64)
  /// A double, or a float in its attribute.
  case double(Double)
  /// A decimal, with all of its digits.
  case decimal(Decimal)
  /// Text, byte for byte as it came.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A moment; one from JSON is cut to milliseconds.
  case date(Date)
  /// A UUID.
  case uuid(UUID)
  /// A URL.
  case url(URL)

  /// Whether there is no value.
  @inlinable
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The text of a ``string(_:)``; nil for every other value.
  public var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
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

/// How a value of a transformable attribute is stored: a letter for its kind, then its bytes. Equal
/// values of one kind have equal bytes, and every value comes back as it was.
///
/// ```
/// n            s text        i integer text    r 8 bytes of a double, big-endian
/// b 0 or 1     u UUID text   d decimal text    t 8 bytes of a date (seconds since 2001)
///              l URL text    x bytes
/// ```
extension Value {
  /// The stored form of the value in a transformable attribute.
  package var archive: Data {
    switch self {
    case .null: Value.archive("n")
    case .bool(let value): Value.archive("b", text: value ? "1" : "0")
    case .int(let value): Value.archive("i", text: String(value))
    case .double(let value): Value.archive("r", value)
    case .decimal(let value): Value.archive("d", text: value.canonicalText)
    case .string(let value): Value.archive("s", text: value)
    case .data(let value): Value.archive("x") + value
    case .date(let value): Value.archive("t", value.timeIntervalSinceReferenceDate)
    case .uuid(let value): Value.archive("u", text: value.uuidString)
    case .url(let value): Value.archive("l", text: value.absoluteString)
    }
  }

  /// Reads a stored form; nil when the bytes are none.
  package init?(archive: Data) {
    guard let kind = archive.first else { return nil }
    let content = archive.dropFirst()
    let text = String(decoding: content, as: UTF8.self)
    let value: Value? =
      switch Character(UnicodeScalar(kind)) {
      case "n": content.isEmpty ? .null : nil
      case "b": text == "1" ? .bool(true) : (text == "0" ? .bool(false) : nil)
      case "i": Int64(text).map { .int($0) }
      case "r": Value.real(content).map { .double($0) }
      case "d": Decimal(string: text, locale: nil).map { .decimal($0) }
      case "s": .string(text)
      case "x": .data(Data(content))
      case "t": Value.real(content).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case "u": UUIDText.parse(text).map { .uuid($0) }
      case "l": URL(string: text).map { .url($0) }
      default: nil
      }
    guard let value else { return nil }
    self = value
  }

  private static func archive(_ kind: Unicode.Scalar, text: String = "") -> Data {
    var data = Data([UInt8(ascii: kind)])
    data.append(contentsOf: text.utf8)
    return data
  }

  private static func archive(_ kind: Unicode.Scalar, _ number: Double) -> Data {
    var data = Data([UInt8(ascii: kind)])
    withUnsafeBytes(of: number.bitPattern.bigEndian) { data.append(contentsOf: $0) }
    return data
  }

  private static func real(_ bytes: Data) -> Double? {
    guard bytes.count == 8 else { return nil }
    return Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }
}
