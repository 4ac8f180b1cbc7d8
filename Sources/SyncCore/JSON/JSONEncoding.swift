import Foundation

extension JSONValue {
  /// Encodes a value into a tree: members in the order in which they are encoded, decimals exact,
  /// dates as ISO 8601 text, data as base64 text, UUIDs and URLs as text.
  ///
  /// - Throws: What the value's own `encode(to:)` throws.
  public init(encoding value: some Encodable) throws {
    self = try JSONEncoding.encode(value, path: [])
  }
}

/// An encoder whose output is a ``JSONValue``.
///
/// Containers share one box with the encoder, so that what a nested container writes late is still
/// in the result. Confined to one call of ``JSONValue/init(encoding:)``.
final class JSONEncoding: Encoder {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var root = JSONBox(.undecided)

  private init(path: [any CodingKey]) {
    codingPath = path
  }

  static func encode(_ value: some Encodable, path: [any CodingKey]) throws -> JSONValue {
    switch value {
    case let value as JSONValue: return value
    case let value as JSONObject: return .object(value)
    case let value as Decimal: return .decimal(value)
    case let value as Date: return .string(DateText.iso8601(value))
    case let value as Data: return .string(value.base64EncodedString())
    case let value as URL: return .string(value.absoluteString)
    case let value as UUID: return .string(value.uuidString)
    default:
      let encoder = JSONEncoding(path: path)
      try value.encode(to: encoder)
      return encoder.root.value
    }
  }

  fileprivate static func box(_ value: some Encodable, path: [any CodingKey]) throws -> JSONBox {
    JSONBox(.value(try encode(value, path: path)))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    root.becomeObject()
    return KeyedEncodingContainer(JSONKeyedEncoding<Key>(box: root, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    root.becomeArray()
    return JSONUnkeyedEncoding(box: root, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    JSONScalarEncoding(box: root, codingPath: codingPath)
  }

  /// An encoder that writes into a box of a container: `super` of a subclass.
  fileprivate init(box: JSONBox, path: [any CodingKey]) {
    codingPath = path
    root = box
  }
}

/// A place in the tree that is being made.
private final class JSONBox {
  enum Content {
    case undecided
    case value(JSONValue)
    case object([(key: String, value: JSONBox)])
    case array([JSONBox])
  }

  private var content: Content

  init(_ content: Content) {
    self.content = content
  }

  var value: JSONValue {
    switch content {
    // Whoever encodes nothing means an empty object, as Foundation has it.
    case .undecided: .object(JSONObject())
    case .value(let value): value
    case .object(let members): .object(JSONObject(members.map { ($0.key, $0.value.value) }))
    case .array(let elements): .array(elements.map(\.value))
    }
  }

  var count: Int {
    if case .array(let elements) = content { elements.count } else { 0 }
  }

  func becomeObject() {
    switch content {
    case .object: break
    case .value(.object(let object)):
      content = .object(object.map { ($0.key, JSONBox(.value($0.value))) })
    default: content = .object([])
    }
  }

  func becomeArray() {
    if case .array = content { return }
    content = .array([])
  }

  func set(_ value: JSONValue) {
    content = .value(value)
  }

  func set(_ box: JSONBox, forKey key: String) {
    guard case .object(var members) = content else { return }
    content = .undecided
    members.append((key, box))
    content = .object(members)
  }

  func append(_ box: JSONBox) {
    guard case .array(var elements) = content else { return }
    content = .undecided
    elements.append(box)
    content = .array(elements)
  }
}

private struct JSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let box: JSONBox
  let codingPath: [any CodingKey]

  mutating func encodeNil(forKey key: Key) throws {
    box.set(JSONBox(.value(.null)), forKey: key.stringValue)
  }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    box.set(try JSONEncoding.box(value, path: codingPath + [key]), forKey: key.stringValue)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let inner = JSONBox(.object([]))
    box.set(inner, forKey: key.stringValue)
    return KeyedEncodingContainer(
      JSONKeyedEncoding<NestedKey>(box: inner, codingPath: codingPath + [key]))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let inner = JSONBox(.array([]))
    box.set(inner, forKey: key.stringValue)
    return JSONUnkeyedEncoding(box: inner, codingPath: codingPath + [key])
  }

  mutating func superEncoder() -> any Encoder {
    superEncoder(named: JSONCodingKey(stringValue: "super"))
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    superEncoder(named: key)
  }

  private func superEncoder(named key: any CodingKey) -> any Encoder {
    let inner = JSONBox(.undecided)
    box.set(inner, forKey: key.stringValue)
    return JSONEncoding(box: inner, path: codingPath + [key])
  }
}

private struct JSONUnkeyedEncoding: UnkeyedEncodingContainer {
  let box: JSONBox
  let codingPath: [any CodingKey]

  var count: Int { box.count }

  private var innerPath: [any CodingKey] { codingPath + [JSONCodingKey(intValue: count)] }

  mutating func encodeNil() throws {
    box.append(JSONBox(.value(.null)))
  }

  mutating func encode(_ value: some Encodable) throws {
    box.append(try JSONEncoding.box(value, path: innerPath))
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    let path = innerPath
    let inner = JSONBox(.object([]))
    box.append(inner)
    return KeyedEncodingContainer(JSONKeyedEncoding<NestedKey>(box: inner, codingPath: path))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let path = innerPath
    let inner = JSONBox(.array([]))
    box.append(inner)
    return JSONUnkeyedEncoding(box: inner, codingPath: path)
  }

  mutating func superEncoder() -> any Encoder {
    let path = innerPath
    let inner = JSONBox(.undecided)
    box.append(inner)
    return JSONEncoding(box: inner, path: path)
  }
}

private struct JSONScalarEncoding: SingleValueEncodingContainer {
  let box: JSONBox
  let codingPath: [any CodingKey]

  mutating func encodeNil() throws { box.set(.null) }
  mutating func encode(_ value: Bool) throws { box.set(.bool(value)) }
  mutating func encode(_ value: String) throws { box.set(.string(value)) }
  mutating func encode(_ value: Double) throws { box.set(.double(value)) }
  mutating func encode(_ value: Float) throws {
    box.set(.double(Double(value.description) ?? Double(value)))
  }
  mutating func encode(_ value: Int) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: Int8) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: Int16) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: Int32) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: Int64) throws { box.set(.integer(value)) }
  mutating func encode(_ value: UInt) throws { try encode(UInt64(value)) }
  mutating func encode(_ value: UInt8) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: UInt16) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: UInt32) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: UInt64) throws {
    box.set(Int64(exactly: value).map { .integer($0) } ?? .decimal(Decimal(value)))
  }
  mutating func encode(_ value: some Encodable) throws {
    box.set(try JSONEncoding.encode(value, path: codingPath))
  }
}

@available(*, unavailable, message: "A place in the tree belongs to the encoder that makes it.")
extension JSONBox: Sendable {}

@available(*, unavailable, message: "The encoder is confined to one call.")
extension JSONEncoding: Sendable {}
