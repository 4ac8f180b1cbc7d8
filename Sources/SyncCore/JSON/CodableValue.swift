import Foundation

/// A `Codable` type of the program's own whose values an attribute can hold.
///
/// ```swift
/// struct Address: CodableValue { var street: String; var city: String? }
///
/// @Attribute var address: Address?
/// @Attribute var labels: [String] = []
/// ```
///
/// The attribute is of type ``AttributeType/binary`` and holds the value as JSON in its one
/// canonical form (``JSONValue/canonicalData``): names sorted by their bytes, no white space, so
/// equal values have equal bytes on every system. A JSON object under the attribute's key is synced
/// into it and exported from it as it stands.
///
/// | Swift | JSON |
/// |---|---|
/// | date | seconds since 2001-01-01 UTC, exact; ISO 8601 text is read too |
/// | data | Base64 text |
/// | infinity, not a number | `"inf"`, `"-inf"`, `"nan"` |
/// | all else | as the type's own `encode(to:)` says |
///
/// Arrays, sets and dictionaries with text keys conform when their elements are `Codable`; a set is
/// sorted. A set inside another value has no order of its own: equal values may then differ in
/// bytes and count as changed.
///
/// The value is decoded at every read: keep it in a variable when you look at it in a loop.
public protocol CodableValue: ValueConvertible, Codable {}

extension CodableValue {
  public static var attributeType: AttributeType { .binary }

  /// The canonical JSON of the value.
  ///
  /// - Precondition: `encode(to:)` does not throw.
  public var storedValue: Value { .data(CodableForm.data(of: self)) }

  public static func converted(from value: Value) -> Self? {
    guard case .data(let data) = value else { return nil }
    return CodableForm.value(of: data)
  }
}

/// An enum with raw values keeps its raw value, `Codable` or not.
extension CodableValue where Self: RawRepresentable, RawValue: ValueConvertible {
  public static var attributeType: AttributeType { RawValue.attributeType }
  public var storedValue: Value { rawValue.storedValue }

  public static func converted(from value: Value) -> Self? {
    RawValue.converted(from: value).flatMap(Self.init(rawValue:))
  }
}

// MARK: - Collections

extension Array: ValueConvertible, CodableValue where Element: Codable {}

extension Dictionary: ValueConvertible, CodableValue where Key == String, Value: Codable {}

extension Set: ValueConvertible, CodableValue where Element: Codable {
  /// The canonical JSON of the elements, sorted by their bytes.
  public var storedValue: Value {
    let elements = map { CodableForm.json(of: $0) }.map { (json: $0, bytes: $0.canonicalData) }
    let sorted = elements.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    return .data(JSONValue.array(sorted.map(\.json)).canonicalData)
  }
}

extension JSONValue: CodableValue {
  public var storedValue: Value { .data(canonicalData) }

  public static func converted(from value: Value) -> JSONValue? {
    guard case .data(let data) = value else { return nil }
    return try? JSONValue(canonical: data)
  }
}

/// One value as its own type encodes itself, for lists of which only the stored forms are known.
struct CodableScalar: Encodable {
  let value: SyncCore.Value

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .uuid(let value): try container.encode(value)
    case .url(let value): try container.encode(value)
    }
  }
}

// MARK: - The form

/// Values as canonical JSON and back.
enum CodableForm {
  static func data(of value: some Encodable) -> Data { json(of: value).canonicalData }

  static func json(of value: some Encodable) -> JSONValue {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      // Encoded once more by our own writer: its order of names is the same on every system.
      return try JSONValue(canonical: encoder.encode(value))
    } catch {
      programmingError(
        """
        A value of type \(type(of: value)) cannot be kept in an attribute: \(error). Its encode(to:) \
        has to accept every value.
        """)
    }
  }

  static func value<Value: Decodable>(of data: Data) -> Value? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      if let seconds = try? container.decode(Double.self) {
        return Date(timeIntervalSinceReferenceDate: seconds)
      }
      let text = try container.decode(String.self)
      guard let seconds = DateText.parse(text) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "“\(text)” is no date in ISO 8601.")
      }
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    return try? decoder.decode(Value.self, from: data)
  }
}
