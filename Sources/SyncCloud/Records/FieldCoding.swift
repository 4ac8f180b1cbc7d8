import Foundation
import SyncCore

/// Values of attributes as records carry them. Every value comes back bit for bit, whatever the
/// server does with numbers and texts; tags stand in arrays, which servers do not merge.
///
/// | type | JSON |
/// |---|---|
/// | String | text; with U+0000 in it `["s", base64]` |
/// | Integer | number up to 2^53, else `["i", text]` |
/// | Double, Float | number of usual size and at most 15 digits, else (−0.0, infinity, 0.1 + 0.2) `["d", text]` |
/// | Boolean | `true`, `false` |
/// | Decimal, Date, UUID, URI | `["n", text]`, `["t", seconds since 2001-01-01 UTC]`, `["u", text]`, `["l", text]` |
/// | Binary, Transformable | `["b", base64]`, `["x", base64]` |
/// | Binary whose bytes are a file | `["a", SHA-256, size]` |
/// | to-one | `["r", record name, entity]` |
/// | order of a to-many | `["o", record names…]` |
enum FieldCoding {
  private static let largestExact: Int64 = 1 << 53

  static func encode(_ value: Value, as type: AttributeType) -> JSONValue {
    if type == .transformable, !value.isNull {
      return tagged("x", value.archive.base64EncodedString())
    }
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let value):
      return value.magnitude <= UInt64(largestExact) ? .integer(value) : tagged("i", String(value))
    case .double(let value): return encode(value)
    case .decimal(let value): return tagged("n", value.canonicalText)
    case .string(let value):
      guard value.utf8.contains(0) else { return .string(value) }
      return tagged("s", Data(value.utf8).base64EncodedString())
    case .data(let value):
      return CloudAsset(placeholder: value)?.json ?? tagged("b", value.base64EncodedString())
    case .date(let value): return tagged("t", String(value.timeIntervalSinceReferenceDate))
    case .uuid(let value): return tagged("u", value.uuidString)
    case .url(let value): return tagged("l", value.absoluteString)
    }
  }

  private static func encode(_ value: Double) -> JSONValue {
    let isUsual = value.magnitude >= 1e-6 && value.magnitude < 1e15 && digits(value) <= 15
    let isPlainZero = value == 0 && value.sign == .plus
    return isUsual || isPlainZero ? .double(value) : tagged("d", String(value))
  }

  /// How many digits a number needs. With 16 or 17 some servers read or write it as its neighbour.
  private static func digits(_ value: Double) -> Int {
    var digits = String(value).utf8.prefix { $0 != UInt8(ascii: "e") }.filter {
      (48...57).contains($0)
    }
    digits.removeLast(digits.reversed().prefix { $0 == 48 }.count)
    return digits.drop { $0 == 48 }.count
  }

  private static func tagged(_ tag: String, _ text: String) -> JSONValue {
    .array([.string(tag), .string(text)])
  }

  /// The value that a field says; nil when it is none of the type.
  static func decode(_ json: JSONValue, as type: AttributeType) -> Value? {
    if json.isNull { return .null }
    let text: String?
    let tag: String?
    if case .array(let parts) = json, parts.count == 2 {
      (tag, text) = (parts[0].stringValue, parts[1].stringValue)
    } else {
      (tag, text) = (nil, nil)
    }
    switch type {
    case .integer16, .integer32, .integer64:
      if tag == "i" { return text.flatMap { Int64($0) }.map(Value.int) }
      return json.integerValue.map(Value.int)
    case .boolean: return json.boolValue.map(Value.bool)
    case .double, .float:
      if tag == "d" { return text.flatMap { Double($0) }.map(Value.double) }
      return json.doubleValue.map(Value.double)
    case .string: return string(json, tag, text).map(Value.string)
    case .decimal:
      guard tag == "n", let text else { return json.decimalValue.map(Value.decimal) }
      return Decimal(string: text, locale: nil).map(Value.decimal)
    case .date:
      guard tag == "t", let seconds = text.flatMap({ Double($0) }), seconds.isFinite else {
        return nil
      }
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .uuid: return tag == "u" ? text.flatMap { UUID(uuidString: $0) }.map(Value.uuid) : nil
    case .uri:
      if let plain = json.stringValue { return .string(plain) }
      return tag == "l" ? text.flatMap { URL(string: $0) }.map(Value.url) : nil
    case .binary:
      if tag == "b" { return text.flatMap { Data(base64Encoded: $0) }.map(Value.data) }
      return json.stringValue == nil ? CloudAsset(json).map { .data($0.placeholder) } : nil
    case .transformable:
      return tag == "x"
        ? text.flatMap { Data(base64Encoded: $0) }.flatMap { Value(archive: $0) } : nil
    }
  }

  private static func string(_ json: JSONValue, _ tag: String?, _ text: String?) -> String? {
    if let plain = json.stringValue { return plain }
    guard tag == "s", let data = text.flatMap({ Data(base64Encoded: $0) }) else { return nil }
    return String(data: data, encoding: .utf8)
  }

  // MARK: - References

  /// Where a to-one relationship leads.
  struct Reference: Hashable {
    let name: String
    let entity: String
  }

  static func encode(_ reference: Reference?) -> JSONValue {
    guard let reference else { return .null }
    return .array([.string("r"), .string(reference.name), .string(reference.entity)])
  }

  /// Where a field leads; nil inside when it is cleared, nil outside when it is no reference.
  static func decodeReference(_ json: JSONValue) -> Reference?? {
    if json.isNull { return .some(nil) }
    guard case .array(let parts) = json, parts.count >= 3, parts[0].stringValue == "r",
      let name = parts[1].stringValue, let entity = parts[2].stringValue
    else { return nil }
    return .some(Reference(name: name, entity: entity))
  }

  // MARK: - Orders

  static func encode(order names: [String]) -> JSONValue {
    .array(([FieldCoding.order] + names).map(JSONValue.string))
  }

  /// The names that an order lists, each once; nil when it is none.
  static func decodeOrder(_ json: JSONValue) -> [String]? {
    if json.isNull { return [] }
    guard case .array(let parts) = json, parts.first?.stringValue == order else { return nil }
    var known: Set<String> = []
    var names: [String] = []
    for part in parts.dropFirst() {
      guard let name = part.stringValue else { return nil }
      if known.insert(name).inserted { names.append(name) }
    }
    return names
  }

  private static let order = "o"
}
