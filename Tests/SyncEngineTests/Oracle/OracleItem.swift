import Foundation
import SyncCore

/// One JSON object of a payload, read by the conventional rules: the values that it gives its
/// object, and the objects that it says its relationships lead to.
final class OracleItem {
  /// The objects that a relationship leads to, by the word of one item: none or one if it is
  /// to-one.
  struct Relation {
    let relationship: RelationshipDescription
    var elements: [Element] = []
    /// Whether members that are not listed are deleted, not only unlinked.
    var deletes = false
    /// Whether every element of the list could be read.
    var isComplete = true
  }

  enum Element {
    case key(Value)
    case item(OracleItem)
  }

  let entity: EntityDescription
  /// Nil when there is none that can be read.
  private(set) var key: Value?
  private(set) var values: [String: Value] = [:]
  /// To-one relationships before to-many ones, each in the order of the model.
  private(set) var relations: [Relation] = []
  /// The item it is nested in and the relationship that leads here.
  private(set) weak var owner: OracleItem?
  let relationship: RelationshipDescription?

  // Found out by the oracle:

  /// The item under a subentity that is the same object.
  weak var same: OracleItem?
  var object: OracleID?
  /// Whether the operations of the sync allow that the object takes the values and relations.
  var isWritten = false

  init(
    _ json: JSONObject, _ entity: EntityDescription, in owner: OracleItem? = nil,
    _ relationship: RelationshipDescription? = nil
  ) {
    self.entity = entity
    self.owner = owner
    self.relationship = relationship
    for attribute in entity.attributes {
      let raw = json[OracleItem.snake(attribute.name)] ?? json[attribute.name]
      values[attribute.name] = raw.flatMap { OracleItem.convert($0, attribute.type) }
    }
    if let name = entity.primaryKey?.name {
      key = values[name].flatMap { $0.isNull ? Value?.none : $0 }
      values[name] = key
    }
    // The way back to the owner is set by the framework.
    let back = relationship.flatMap { owner?.entity.inverse(of: $0) }
    let toOne = entity.relationships.filter { !$0.isToMany && $0.name != back?.name }
    let toMany = entity.relationships.filter(\.isToMany)
    relations =
      toOne.compactMap { relation($0, toOne: json) }
      + toMany.compactMap { relation($0, list: json) }
  }

  /// The given parent of a sync, as if it were an item whose list the payload is.
  init(parent object: OracleID, _ entity: EntityDescription) {
    self.entity = entity
    relationship = nil
    self.object = object
    isWritten = true
  }

  // MARK: - Relationships

  /// Whether it is nested in a one-to-many list.
  var isOwned: Bool { relationship?.kind == .oneToMany }

  /// The relationship that it is nested in, of the object above.
  var place: OraclePlace? {
    owner?.object.flatMap { owner in relationship.map { OraclePlace(owner, $0) } }
  }

  var children: [OracleItem] {
    relations.flatMap(\.elements).compactMap {
      if case .item(let child) = $0 { child } else { nil }
    }
  }

  /// Itself and everything below, as the payload is read.
  var all: [OracleItem] { [self] + children.flatMap(\.all) }

  /// The keys that it refers to.
  var references: [(entity: EntityDescription, key: Value)] {
    relations.flatMap { relation in
      relation.elements.compactMap { element in
        guard case .key(let key) = element else { return nil }
        return (entity.destination(of: relation.relationship), key)
      }
    }
  }

  private func relation(
    _ relationship: RelationshipDescription, toOne json: JSONObject
  ) -> Relation? {
    let snake = OracleItem.snake(relationship.name)
    let named = json[snake] ?? json[relationship.name]
    if named?.objectValue != nil, let element = named.flatMap({ element($0, relationship) }) {
      return Relation(relationship: relationship, elements: [element])
    }
    for value in [json[snake + "_id"], named].compactMap(\.self) where value.objectValue == nil {
      if value.isNull { return Relation(relationship: relationship) }
      if let element = element(value, relationship) {
        return Relation(relationship: relationship, elements: [element])
      }
    }
    return nil
  }

  private func relation(
    _ relationship: RelationshipDescription, list json: JSONObject
  ) -> Relation? {
    let snake = OracleItem.snake(relationship.name)
    let named = json[snake] ?? json[relationship.name]
    let singular = snake.hasSuffix("s") ? String(snake.dropLast()) : snake
    let keys = json[snake + "_ids"] ?? json[singular + "_ids"]
    // A list comes before null, nested objects before keys, and these before a list of others.
    let nested = named?.arrayValue
    let nests = nested.map { $0.isEmpty || $0.contains { $0.objectValue != nil } } ?? false
    let isNamed = nested != nil && (nests || keys?.arrayValue == nil)
    guard let list = isNamed ? nested : keys?.arrayValue else {
      guard named?.isNull == true || keys?.isNull == true else { return nil }
      return Relation(relationship: relationship, deletes: named?.isNull == true)
    }
    var relation = Relation(relationship: relationship)
    for json in list {
      if json.objectValue != nil { relation.deletes = true }
      let element = element(json, relationship)
      if case .item(let child)? = element, child.key == nil {
        relation.isComplete = false
      } else if let element {
        relation.elements.append(element)
      } else {
        relation.isComplete = false
      }
    }
    if relation.elements.isEmpty, isNamed { relation.deletes = true }
    return relation
  }

  private func element(_ json: JSONValue, _ relationship: RelationshipDescription) -> Element? {
    let destination = entity.destination(of: relationship)
    if let object = json.objectValue {
      return .item(OracleItem(object, destination, in: self, relationship))
    }
    guard let type = destination.primaryKey?.type,
      let key = OracleItem.convert(json, type, isReference: true), !key.isNull
    else { return nil }
    return .key(key)
  }

  // MARK: - Values

  /// The value as the type holds it; nil when it cannot be converted.
  private static func convert(
    _ json: JSONValue, _ type: AttributeType, isReference: Bool = false
  ) -> Value? {
    let text = json.stringValue
    if json.isNull || text == "" && type != .string && !isReference { return .null }
    let bit: Int64? = json.boolValue.map { $0 ? 1 : 0 }
    let whole = bit ?? json.integerValue ?? text.flatMap { Int64($0) }
    let number = bit.map(Double.init) ?? json.doubleValue ?? text.flatMap { Double($0) }
    switch type {
    case .integer16, .integer32, .integer64: return whole.map { .int($0) }
    case .double, .float: return number.map { .double($0) }
    case .boolean:
      let word = ["true": true, "yes": true, "false": false, "no": false][text?.lowercased() ?? ""]
      return (word ?? whole.map { $0 != 0 }).map { .bool($0) }
    case .string: return (text ?? whole.map { String($0) }).map { .string($0) }
    case .date:
      let seconds = text.map { DateText.parse($0) } ?? json.doubleValue.map { DateText.unix($0) }
      return seconds?.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? nil
    case .decimal:
      return (text ?? json.doubleValue.map { "\($0)" }).flatMap { Decimal(string: $0) }
        .map { .decimal($0) }
    case .uuid: return text.flatMap { UUID(uuidString: $0) }.map { .uuid($0) }
    case .uri: return text.flatMap { URLText.parse($0) }.map { .url($0) }
    case .binary, .transformable: return nil
    }
  }

  static func snake(_ name: String) -> String {
    name.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
  }
}
