import Foundation
import SyncCore

/// One mention of an object in a payload, read by the conventional rules.
final class OracleItem {
  enum ToOne {
    case clear
    case reference(Value)
    case object(OracleItem)
  }

  enum Member {
    case key(Value)
    case object(OracleItem)
  }

  struct ToMany {
    var members: [Member] = []
    /// Whether members that are not listed are deleted, not only unlinked.
    var deletes = false
    var isComplete = true
  }

  let entity: EntityDescription
  /// Nil when there is none that can be read.
  let key: Value?
  var attributes: [(name: String, value: Value)] = []
  var toOnes: [(RelationshipDescription, ToOne)] = []
  var toManys: [(RelationshipDescription, ToMany)] = []
  /// The item it is nested in and the relationship that leads here.
  private(set) weak var owner: OracleItem?
  let relationship: RelationshipDescription?
  /// Set by the matching.
  var object: OracleID?
  var isActive = false
  /// The item under a subentity that is the same object.
  weak var same: OracleItem?

  init(
    _ json: JSONObject, _ entity: EntityDescription, owner: OracleItem? = nil,
    relationship: RelationshipDescription? = nil,
    back: RelationshipDescription? = nil
  ) {
    self.entity = entity
    self.owner = owner
    self.relationship = relationship
    key = entity.primaryKey.flatMap { attribute in
      OracleItem.value(of: attribute, in: json).flatMap { OracleItem.convert($0, attribute.type) }
    }.flatMap { $0.isNull ? Value?.none : $0 }
    for attribute in entity.attributes {
      guard let raw = OracleItem.value(of: attribute, in: json),
        let value = OracleItem.convert(raw, attribute.type)
      else { continue }
      attributes.append((attribute.name, value))
    }
    let back = relationship.flatMap { owner?.entity.inverse(of: $0) } ?? back
    for relationship in entity.relationships {
      // The way back to the owner is set by the framework.
      if !relationship.isToMany, relationship.name == back?.name { continue }
      if relationship.isToMany {
        if let value = toMany(relationship, json) { toManys.append((relationship, value)) }
      } else if let value = toOne(relationship, json) {
        toOnes.append((relationship, value))
      }
    }
  }

  /// How many entities its entity inherits from.
  var depth: Int {
    sequence(first: entity) { $0.superentity }.reduce(-1) { count, _ in count + 1 }
  }

  /// Itself and everything below, as the payload is read: to-one before to-many, in model order.
  var all: [OracleItem] { [self] + children.flatMap(\.all) }

  var children: [OracleItem] {
    var result: [OracleItem] = []
    for (_, value) in toOnes {
      if case .object(let item) = value { result.append(item) }
    }
    for (_, value) in toManys {
      for case .object(let item) in value.members { result.append(item) }
    }
    return result
  }

  /// The keys that it refers to.
  var references: [(EntityDescription, Value)] {
    var result: [(EntityDescription, Value)] = []
    for (relationship, value) in toOnes {
      if case .reference(let key) = value {
        result.append((entity.destination(of: relationship), key))
      }
    }
    for (relationship, value) in toManys {
      for case .key(let key) in value.members {
        result.append((entity.destination(of: relationship), key))
      }
    }
    return result
  }

  // MARK: - Relationships

  private func toOne(_ relationship: RelationshipDescription, _ json: JSONObject) -> ToOne? {
    let snake = OracleItem.snake(relationship.name)
    let destination = entity.destination(of: relationship)
    let named = json[snake] ?? json[relationship.name]
    if case .object(let object)? = named {
      return .object(OracleItem(object, destination, owner: self, relationship: relationship))
    }
    for value in [json[snake + "_id"], named] {
      switch value {
      case nil, .array?, .object?: continue
      case .null?: return .clear
      case let value?:
        guard let type = destination.primaryKey?.type,
          let key = OracleItem.convert(value, type, isReference: true)
        else { continue }
        return .reference(key)
      }
    }
    return nil
  }

  private func toMany(_ relationship: RelationshipDescription, _ json: JSONObject) -> ToMany? {
    let snake = OracleItem.snake(relationship.name)
    let singular = snake.hasSuffix("s") ? String(snake.dropLast()) : snake
    let named = json[snake] ?? json[relationship.name]
    let keys = json[snake + "_ids"] ?? json[singular + "_ids"]
    // A list comes before null, nested objects before keys.
    if case .array(let elements)? = named {
      return list(elements, relationship, emptyDeletes: true)
    }
    if case .array(let elements)? = keys {
      return list(elements, relationship, emptyDeletes: false)
    }
    if named?.isNull == true { return ToMany(deletes: true) }
    return keys?.isNull == true ? ToMany() : nil
  }

  private func list(
    _ elements: [JSONValue], _ relationship: RelationshipDescription, emptyDeletes: Bool
  ) -> ToMany {
    let destination = entity.destination(of: relationship)
    var list = ToMany()
    for element in elements {
      if case .object(let object) = element {
        list.deletes = true
        let item = OracleItem(object, destination, owner: self, relationship: relationship)
        if item.key == nil { list.isComplete = false } else { list.members.append(.object(item)) }
      } else if let type = destination.primaryKey?.type,
        let key = OracleItem.convert(element, type, isReference: true), !key.isNull
      {
        list.members.append(.key(key))
      } else {
        list.isComplete = false
      }
    }
    if list.members.isEmpty, emptyDeletes { list.deletes = true }
    return list
  }

  // MARK: - Values

  static func value(of attribute: AttributeDescription, in json: JSONObject) -> JSONValue? {
    json[snake(attribute.name)] ?? json[attribute.name]
  }

  /// The value as the type holds it; nil when it cannot be converted.
  static func convert(
    _ json: JSONValue, _ type: AttributeType, isReference: Bool = false
  ) -> Value? {
    if json.isNull { return .null }
    if json.stringValue == "", type != .string, type != .binary, !isReference { return .null }
    switch type {
    case .integer16, .integer32, .integer64:
      if let bool = json.boolValue { return .int(bool ? 1 : 0) }
      return (json.integerValue ?? json.stringValue.flatMap { Int64($0) }).map { .int($0) }
    case .double, .float:
      if let bool = json.boolValue { return .double(bool ? 1 : 0) }
      return (json.doubleValue ?? json.stringValue.flatMap { Double($0) }).map { .double($0) }
    case .boolean:
      if let bool = json.boolValue { return .bool(bool) }
      if let word = ["true": true, "yes": true, "false": false, "no": false][
        json.stringValue?.lowercased() ?? ""]
      {
        return .bool(word)
      }
      return (json.integerValue ?? json.stringValue.flatMap { Int64($0) }).map { .bool($0 != 0) }
    case .string:
      if let text = json.stringValue { return .string(text) }
      if let bool = json.boolValue { return .string(bool ? "1" : "0") }
      return json.integerValue.map { .string(String($0)) }
    case .date:
      let seconds =
        json.stringValue.map { DateText.parse($0) } ?? json.doubleValue.map { DateText.unix($0) }
      return seconds?.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? nil
    case .decimal:
      let text = json.stringValue ?? json.doubleValue.map { "\($0)" }
      return text.flatMap { Decimal(string: $0) }.map { .decimal($0) }
    case .uuid: return json.stringValue.flatMap { UUID(uuidString: $0) }.map { .uuid($0) }
    case .uri: return json.stringValue.flatMap { URLText.parse($0) }.map { .url($0) }
    default:
      return nil
    }
  }

  static func snake(_ name: String) -> String {
    name.reduce(into: "") { result, character in
      if character.isUppercase {
        result += "_" + character.lowercased()
      } else {
        result.append(character)
      }
    }
  }
}
