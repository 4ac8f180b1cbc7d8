import SyncStack

/// An API in memory. It checks every reference, has a unique index over labels, counts versions,
/// and notes whatever a client should not have asked for.
struct DialectServer: Sendable {
  let dialect: Dialect
  private(set) var objects: [String: [String: JSONObject]] = [:]
  private var answers: [String: OutboxAnswer] = [:]

  /// Whether the next request is refused, unless it was done before.
  var isRefusing = false
  private var next = 0

  /// Requests that referred to objects that are not there, or took away objects that others refer
  /// to.
  private(set) var violations: [String] = []

  init(_ dialect: Dialect) { self.dialect = dialect }

  private static let references = [
    "buyer_id": "Buyer", "favourite_id": "Deal", "deal_id": "Deal", "mark_ids": "Mark",
  ]

  // MARK: - Requests

  mutating func post(_ entity: String, _ json: JSONValue, key: String) -> OutboxAnswer {
    repeated(key) { $0.insert(entity, json.objectValue ?? JSONObject()) }
  }

  mutating func patch(
    _ entity: String, _ id: String, _ json: JSONValue, version: JSONValue?, key: String
  ) -> OutboxAnswer {
    repeated(key) { $0.update(entity, id, json.objectValue ?? JSONObject(), version) }
  }

  mutating func delete(_ entity: String, _ id: String) -> OutboxAnswer {
    guard objects[entity]?[id] != nil else { return .gone }
    if isRefusing { return Self.refusal }
    for (name, destination) in Self.references where destination == entity {
      for (other, members) in objects {
        for (member, object) in members where Self.keys(object[name]).contains(id) {
          // A favourite may go away, as by ON DELETE SET NULL.
          if name == "favourite_id" {
            objects[other]?[member]?[name] = .null
          } else if objects[entity]?[id]?["favourite_id"]?.stringValue == member {
            // They refer to each other, and no model says which of the two has to go first.
            return .refused("\(other) \(member) refers to \(entity) \(id)")
          } else if dialect.links != .nested || other != "Item" {
            return violate("DELETE \(entity) \(id), which \(other) \(member) refers to")
          } else {
            objects[other]?[member] = nil
          }
        }
      }
    }
    objects[entity]?[id] = nil
    return .accepted()
  }

  /// Adds a mark to a deal or takes it out: `PUT` and `DELETE /deals/1/marks/5`.
  mutating func link(_ deal: String, _ mark: String, isThere: Bool) -> OutboxAnswer {
    guard var object = objects["Deal"]?[deal] else { return .gone }
    if isThere, objects["Mark"]?[mark] == nil {
      return violate("PUT mark \(mark), which is not there")
    }
    let keys = Self.keys(object["mark_ids"]).filter { $0 != mark }
    object["mark_ids"] = .array((keys + (isThere ? [mark] : [])).map(JSONValue.string))
    objects["Deal"]?[deal] = object
    return .accepted()
  }

  /// An edit of another client there.
  mutating func note(_ text: String, of label: String) {
    for (key, deal) in objects["Deal"] ?? [:] where deal["label"]?.stringValue == label {
      objects["Deal"]?[key]?["note"] = .string(text)
      count(&objects["Deal", default: [:]][key, default: JSONObject()])
    }
  }

  /// The answer to a client that asks for all objects.
  func list(_ entity: String) -> JSONValue {
    .array(
      (objects[entity] ?? [:]).sorted { $0.key < $1.key }.map { .object(whole(entity, $0.value)) })
  }

  // MARK: - Writing

  /// Does everything once, where idempotency keys are known.
  private mutating func repeated(
    _ key: String, _ body: (inout DialectServer) -> OutboxAnswer
  ) -> OutboxAnswer {
    if let known = answers[key] {
      if dialect.knowsKeys { return known }
    } else if isRefusing {
      return Self.refusal
    }
    let answer = body(&self)
    if case .accepted = answer { answers[key] = answer }
    return answer
  }

  private mutating func insert(_ entity: String, _ json: JSONObject) -> OutboxAnswer {
    if let refusal = check(json, "POST \(entity)") { return refusal }
    if let twin = objects[entity]?.values.first(where: { $0["label"] == json["label"] }) {
      return .conflict(answer(entity, twin))
    }
    var object = json
    next += 1
    let key = json["id"]?.stringValue ?? "s\(next)"
    object["id"] = .string(key)
    if entity == "Deal" { count(&object) }
    write(entity, key, object)
    return .accepted(answer(entity, objects[entity]?[key] ?? object))
  }

  private mutating func update(
    _ entity: String, _ id: String, _ json: JSONObject, _ version: JSONValue?
  ) -> OutboxAnswer {
    guard var object = objects[entity]?[id] else { return .gone }
    if let refusal = check(json, "PATCH \(entity) \(id)") { return refusal }
    if entity == "Deal", let version, !version.isNull, version != object["version"] {
      return .conflict(answer(entity, object))
    }
    for member in json where member.key != "id" && member.key != "version" {
      object[member.key] = member.value
    }
    if entity == "Deal" { count(&object) }
    write(entity, id, object)
    return .accepted(answer(entity, objects[entity]?[id] ?? object))
  }

  /// Stores an object; its items beside it, when they are nested: the list is all there are.
  private mutating func write(_ entity: String, _ key: String, _ json: JSONObject) {
    var object = json
    if dialect.links == .apart, entity == "Deal" {
      object["mark_ids"] = objects[entity]?[key]?["mark_ids"] ?? .array([])
    }
    if entity == "Deal", let items = object["items"]?.arrayValue {
      object["items"] = nil
      var kept: Set<String> = []
      for item in items {
        guard var item = item.objectValue else { continue }
        next += 1
        let id = item["id"]?.stringValue ?? "s\(next)"
        (item["id"], item["deal_id"]) = (.string(id), .string(key))
        objects["Item", default: [:]][id] = item
        kept.insert(id)
      }
      for (id, item) in objects["Item"] ?? [:]
      where item["deal_id"]?.stringValue == key && !kept.contains(id) {
        objects["Item"]?[id] = nil
      }
    }
    objects[entity, default: [:]][key] = object
  }

  private func count(_ object: inout JSONObject) {
    object["version"] = .integer((object["version"]?.integerValue ?? 0) + 1)
  }

  /// Refuses an object with a reference to one that is not there.
  private mutating func check(_ json: JSONObject, _ request: String) -> OutboxAnswer? {
    for (name, entity) in Self.references {
      for key in Self.keys(json[name]) where objects[entity]?[key] == nil {
        return violate("\(request) refers to \(entity) \(key), which is not there")
      }
    }
    return nil
  }

  private mutating func violate(_ text: String) -> OutboxAnswer {
    violations.append(text)
    return .refused(text)
  }

  private static let refusal = OutboxAnswer.refused("Status 422: not today")

  private static func keys(_ json: JSONValue?) -> [String] {
    json?.stringValue.map { [$0] } ?? json?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  // MARK: - Answers

  /// An object with its nested objects.
  private func whole(_ entity: String, _ object: JSONObject) -> JSONObject {
    var object = object
    if entity == "Deal", dialect.links == .nested {
      let items = (objects["Item"] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        .filter { $0["deal_id"] == object["id"] }
      object["items"] = .array(
        items.map { item in
          var item = item
          item["deal_id"] = nil
          return .object(item)
        })
    }
    return object
  }

  private func answer(_ entity: String, _ object: JSONObject) -> JSONValue {
    let object = whole(entity, object)
    return dialect.links == .resources ? DialectServer.document(entity, object) : .object(object)
  }

  // MARK: - Checking

  var graph: DialectGraph {
    var graph = DialectGraph()
    func labels(_ json: JSONValue?, _ entity: String) -> Set<String> {
      Set(Self.keys(json).map { objects[entity]?[$0]?["label"]?.stringValue ?? "lost \($0)" })
    }
    for (entity, members) in objects {
      for object in members.values {
        var node = DialectGraph.Node(
          entity: entity, state: object["state"]?.stringValue, note: object["note"]?.stringValue)
        switch entity {
        case "Buyer": node.links = ["favourite": labels(object["favourite_id"], "Deal")]
        case "Deal":
          node.links = [
            "buyer": labels(object["buyer_id"], "Buyer"),
            "marks": labels(object["mark_ids"], "Mark"),
          ]
        case "Item": node.links = ["deal": labels(object["deal_id"], "Deal")]
        default: break
        }
        graph.add(object["label"]?.stringValue ?? "?", node)
      }
    }
    return graph
  }
}

// MARK: - JSON:API

extension DialectServer {
  /// The document of an object.
  static func document(_ entity: String, _ object: JSONObject) -> JSONValue {
    var attributes = JSONObject()
    var relationships = JSONObject()
    func linkage(_ key: JSONValue, _ type: String) -> JSONValue {
      ["type": .string(type.lowercased() + "s"), "id": key]
    }
    for member in object where member.key != "id" {
      guard let type = references[member.key] else {
        attributes[member.key] = member.value
        continue
      }
      let isList = member.key.hasSuffix("_ids")
      let name = isList ? member.key.dropLast(4) + "s" : member.key.dropLast(3)
      let data =
        isList
        ? JSONValue.array((member.value.arrayValue ?? []).map { linkage($0, type) })
        : member.value.isNull ? .null : linkage(member.value, type)
      relationships[String(name)] = ["data": data]
    }
    var resource = linkage(object["id"] ?? .null, entity).objectValue ?? JSONObject()
    resource["attributes"] = .object(attributes)
    resource["relationships"] = .object(relationships)
    return ["data": .object(resource)]
  }

  /// The object of a document.
  static func object(_ document: JSONValue) -> JSONValue {
    guard let resource = document["data"] else { return document }
    var object = resource["attributes"]?.objectValue ?? JSONObject()
    object["id"] = resource["id"]
    for member in resource["relationships"]?.objectValue ?? JSONObject() {
      let data = member.value["data"] ?? .null
      if let list = data.arrayValue {
        object[member.key.dropLast() + "_ids"] = .array(list.map { $0["id"] ?? .null })
      } else {
        object[member.key + "_id"] = data["id"] ?? .null
      }
    }
    return .object(object)
  }
}
