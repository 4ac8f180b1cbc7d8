import Foundation
import SyncCore

/// The text form of the kept values of an object, deleted or as it was: a JSON object of texts by
/// property name. Their types are the model's.
enum Tombstone {
  /// - Parameter keepsNulls: Whether an empty value is something else than one that is not known.
  static func encode(
    _ values: [String: Value], of entity: EntityDescription, keepsNulls: Bool = false
  ) throws -> String? {
    guard !values.isEmpty else { return nil }
    var texts: [String: String?] = [:]
    for (name, value) in values where keepsNulls || !value.isNull {
      let isArchived = entity.attribute(named: name)?.type == .transformable && !value.isNull
      texts[name] = .some(isArchived ? value.archive.base64EncodedString() : text(value))
    }
    guard !texts.isEmpty else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(texts), as: UTF8.self)
  }

  /// The kept values of the objects of one record: of one object as it is, of several a list.
  static func joined(_ texts: [String?]) -> String? {
    guard texts.contains(where: { $0 != nil }) else { return nil }
    guard texts.count > 1 else { return texts[0] }
    return "[\(texts.map { $0 ?? "null" }.joined(separator: ","))]"
  }

  /// The kept values of each of so many objects of one record.
  static func decode(
    _ text: String?, count: Int, of entity: EntityDescription?
  ) throws -> [[String: Value]] {
    let nothing: [[String: Value]] = Array(repeating: [:], count: count)
    guard let text else { return nothing }
    guard text.hasPrefix("[") else { return [try decode(text, of: entity)] + nothing.dropFirst() }
    let lists = try JSONDecoder().decode([[String: String?]?].self, from: Data(text.utf8))
    let decoded = lists.map { values($0 ?? [:], of: entity) }
    return Array((decoded + nothing).prefix(count))
  }

  /// Attributes that the model no longer has come back as text.
  static func decode(_ text: String, of entity: EntityDescription?) throws -> [String: Value] {
    values(try JSONDecoder().decode([String: String?].self, from: Data(text.utf8)), of: entity)
  }

  private static func values(
    _ texts: [String: String?], of entity: EntityDescription?
  ) -> [String: Value] {
    texts.reduce(into: [:]) { values, member in
      guard let text = member.value else {
        values[member.key] = .null
        return
      }
      let property = entity?.property(named: member.key)
      // A reference is kept as the number of a row, a list as those of its members.
      let isReference = property?.relationship?.isToMany == false
      values[member.key] = value(text, as: isReference ? .integer64 : property?.attribute?.type)
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
