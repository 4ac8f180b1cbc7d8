import Foundation
import SyncCore

/// The text form of what is kept of a deleted object: a JSON object of texts by attribute name. Their
/// types are the model's.
enum Tombstone {
  static func encode(_ values: [String: Value], of entity: EntityDescription) throws -> String? {
    guard !values.isEmpty else { return nil }
    var texts: [String: String] = [:]
    for (name, value) in values where !value.isNull {
      let isArchived = entity.attribute(named: name)?.type == .transformable
      texts[name] = isArchived ? value.archive.base64EncodedString() : text(value)
    }
    guard !texts.isEmpty else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(texts), as: UTF8.self)
  }

  /// Attributes that the model no longer has come back as text.
  static func decode(_ text: String, of entity: EntityDescription?) throws -> [String: Value] {
    try JSONDecoder().decode([String: String].self, from: Data(text.utf8)).reduce(into: [:]) {
      $0[$1.key] = value($1.value, as: entity?.attribute(named: $1.key)?.type)
    }
  }

  private static func text(_ value: Value) -> String? {
    switch value {
    case .null: nil
    case .bool(let value): value ? "1" : "0"
    case .int(let value): String(value)
    case .double(let value): String(value)
    case .decimal(let value): value.canonicalText
    case .string(let value): value
    case .data(let value): value.base64EncodedString()
    case .date(let value): String(value.timeIntervalSinceReferenceDate)
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    }
  }

  private static func value(_ text: String, as type: AttributeType?) -> Value {
    switch type {
    case .boolean: .bool(text == "1")
    case .integer16, .integer32, .integer64: Int64(text).map(Value.int) ?? .string(text)
    case .double, .float: Double(text).map(Value.double) ?? .string(text)
    case .date:
      Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .string(text)
    case .binary, .transformable:
      Data(base64Encoded: text).map { Value(storedBytes: $0, as: type) } ?? .string(text)
    default: Value(storedText: text, as: type)
    }
  }
}
