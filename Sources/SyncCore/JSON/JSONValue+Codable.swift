import Foundation

extension JSONValue: Codable {
  /// Encodes a value into a tree, as `JSONEncoder` does: members sorted by name, decimals exact,
  /// dates as ISO 8601 text, data as Base64 text, UUIDs and URLs as text.
  ///
  /// - Throws: Errors of the value's own `encode(to:)`, and `EncodingError` for a number that JSON
  ///   does not have.
  public init(encoding value: some Encodable) throws {
    if let json = value as? JSONValue {
      self = json
      return
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(DateText.iso8601(date))
    }
    try self.init(canonical: encoder.encode(value))
  }

  /// Decodes any JSON with any decoder. Members are sorted by name, because decoders do not tell
  /// their order.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: JSONCodingKey.self) {
      var object = JSONObject()
      let keys = container.allKeys.sorted {
        $0.stringValue.utf8.lexicographicallyPrecedes($1.stringValue.utf8)
      }
      for key in keys {
        object[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
      }
      self = .object(object)
    } else if var container = try? decoder.unkeyedContainer() {
      var array: [JSONValue] = []
      while !container.isAtEnd { array.append(try container.decode(JSONValue.self)) }
      self = .array(array)
    } else {
      self = try JSONValue(scalarIn: decoder.singleValueContainer())
    }
  }

  private init(scalarIn container: any SingleValueDecodingContainer) throws {
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Decimal.self) {
      self = .decimal(value)
    } else {
      self = .double(try container.decode(Double.self))
    }
  }

  /// Encodes the value with any encoder.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object):
      var container = encoder.container(keyedBy: JSONCodingKey.self)
      for member in object {
        try container.encode(member.value, forKey: JSONCodingKey(stringValue: member.key))
      }
    case .array(let array):
      var container = encoder.unkeyedContainer()
      for element in array { try container.encode(element) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .integer(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .decimal(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .double(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .string(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}

/// Any name of a member, or a position.
struct JSONCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}
