package import SyncCore

/// A JSON:API document, and the items of it in terms of a plan.
///
/// ```
/// data      ──▶ items at the top, flat: id, attributes, and the keys of relationships
/// included  ──▶ items beside them, each of the entity that its type or the relationship to it says
/// errors    ──▶ an error
/// links     ──▶ whether it is a page, and which comes next
/// ```
///
/// Relationships are given by keys, so that cycles need no care and a list says who is in it and no more. Below a mapping
/// that was written by hand resources are nested where they are met first, and stand by type and id elsewhere.
package struct JSONAPIDocument {
  /// What tells a resource.
  fileprivate struct Identity: Hashable {
    let type: String
    let id: String
  }

  fileprivate struct Resource {
    let json: JSONObject
    let path: String
    let identity: Identity?

    init(_ json: JSONObject, _ path: String) {
      self.json = json
      self.path = path
      identity = Identity(json)
    }
  }

  private let data: [Resource]
  private let included: [Resource]
  private let byIdentity: [Identity: Int]

  /// Whether `data` is a list, and no page of one.
  package let isWhole: Bool
  /// Whether it is a page of a longer list.
  package let isPage: Bool
  /// The address of the page after it.
  package let nextPage: String?

  /// - Throws: ``SyncError`` when it is no such document, or one that says what went wrong.
  package init(_ document: JSONValue) throws {
    guard let members = document.objectValue else {
      throw JSONAPIDocument.error("The payload is \(document.kindText), no JSON:API document.", "$")
    }
    guard let data = members["data"] else {
      throw JSONAPIDocument.failure(members)
    }
    switch data {
    case .null: self.data = []
    case .object(let resource): self.data = [Resource(resource, "$.data")]
    case .array(let resources):
      self.data = try JSONAPIDocument.resources(resources, at: "$.data")
    default:
      throw JSONAPIDocument.error("“data” is \(data.kindText), no resource and no list.", "$.data")
    }
    included = try JSONAPIDocument.resources(
      members["included"]?.arrayValue ?? [], at: "$.included")
    var byIdentity: [Identity: Int] = [:]
    for (number, resource) in included.enumerated() {
      if let identity = resource.identity { byIdentity[identity] = number }
    }
    self.byIdentity = byIdentity
    let links = members["links"]
    nextPage = JSONAPIDocument.address(links?["next"])
    isPage = nextPage != nil || JSONAPIDocument.address(links?["prev"]) != nil
    isWhole = data.arrayValue != nil && !isPage
  }

  private static func resources(_ list: [JSONValue], at path: String) throws -> [Resource] {
    try list.enumerated().map { index, json in
      let path = "\(path)[\(index)]"
      guard let object = json.objectValue else {
        throw error("A resource is \(json.kindText), not an object.", path)
      }
      return Resource(object, path)
    }
  }

  private static func address(_ link: JSONValue?) -> String? {
    link?.stringValue ?? link?["href"]?.stringValue
  }

  private static func error(_ message: String, _ path: String) -> SyncError {
    SyncError(.unreadablePayload, path: path, message: message)
  }

  /// Why a document has no data.
  private static func failure(_ members: JSONObject) -> SyncError {
    let errors = members["errors"]?.arrayValue ?? []
    guard let first = errors.first else {
      return error(
        "The document has no member “data”, so it is no answer of a JSON:API. Give other JSON as it is.",
        "$")
    }
    let words = ["status", "title", "detail"].compactMap { first[$0]?.stringValue }
    let more = errors.count > 1 ? ", and \(errors.count - 1) more" : ""
    return error(
      "The server answered with an error: \(words.joined(separator: ": "))\(more). Ask it again.",
      "$.errors[0]")
  }
}

extension JSONAPIDocument.Identity {
  fileprivate init?(_ json: JSONObject) {
    guard let type = json["type"]?.stringValue else { return nil }
    switch json["id"] {
    case .string(let id): self.init(type: type, id: id)
    case let id?: self.init(type: type, id: "\(id)")
    case nil: return nil
    }
  }

  /// The resources that linkage leads to.
  fileprivate static func all(in linkage: JSONValue) -> [JSONAPIDocument.Identity] {
    (linkage.arrayValue ?? [linkage]).compactMap {
      $0.objectValue.flatMap(JSONAPIDocument.Identity.init)
    }
  }
}

// MARK: - Nested

extension JSONAPIDocument {
  /// The resources of `data` with those that they lead to inside, each where it is met first.
  ///
  /// - Parameter namesTypes: Whether the type of each stands in it.
  package func nested(namesTypes: Bool = true) -> [JSONObject] {
    var seen = Set(data.compactMap(\.identity))
    return data.map { nested($0.json, namesTypes, &seen, depth: 0) }
  }

  /// What is deeper stands by its identity alone, so that a long chain becomes no JSON that is too deep to be read.
  private static let nestingLimit = 64

  private func nested(
    _ json: JSONObject, _ namesTypes: Bool, _ seen: inout Set<Identity>, depth: Int
  ) -> JSONObject {
    var item = json["attributes"]?.objectValue ?? JSONObject()
    item["id"] = json["id"]
    if namesTypes { item["type"] = json["type"] }
    for (name, linkage) in JSONAPIDocument.linkages(of: json) {
      let members = Identity.all(in: linkage).map { identity -> JSONValue in
        guard depth < JSONAPIDocument.nestingLimit, let number = byIdentity[identity],
          seen.insert(identity).inserted
        else {
          let id = JSONValue.string(identity.id)
          return .object(namesTypes ? ["type": .string(identity.type), "id": id] : ["id": id])
        }
        return .object(nested(included[number].json, namesTypes, &seen, depth: depth + 1))
      }
      item[name] =
        linkage.isNull ? .null : linkage.arrayValue != nil ? .array(members) : members.first
    }
    return item
  }
}

// MARK: - For a plan

extension JSONAPIDocument {
  /// The items in terms of a plan.
  func rewritten(for plan: MappingPlan) -> RewrittenPayload {
    var result = RewrittenPayload()
    result.isWhole = isWhole
    result.isPage = isPage
    result.nextPage = nextPage
    if plan.sources != nil || plan.rootNode.explicit != nil {
      result.resources = data.map { .init(path: $0.path) }
      result.json = .array(nested().map { .object($0) })
      return result
    }
    let nodes = nodes(in: plan)
    var items: [JSONValue] = []
    for (resource, isIncluded) in data.map({ ($0, false) }) + included.map({ ($0, true) }) {
      guard let number = nodes.number(of: resource.identity?.type, isIncluded: isIncluded) else {
        let type = resource.identity?.type ?? ""
        result.remarks.append(
          (
            resource.path,
            "No entity is known for resources of the type “\(type)”, so they were passed over."
          ))
        continue
      }
      items.append(.object(flat(resource.json, plan.nodes[number])))
      result.resources.append(
        .init(path: resource.path, node: isIncluded || number != plan.root ? number : nil))
    }
    result.json = .array(items)
    // Where nothing is of the entity, nobody said which objects of it there are.
    if !data.isEmpty, !result.resources.contains(where: { $0.node == nil }) {
      result.isWhole = false
    }
    return result
  }

  /// Which node reads the resources of each type.
  private struct Nodes {
    let plan: MappingPlan
    var numbers: [String: Int] = [:]

    func number(of type: String?, isIncluded: Bool) -> Int? {
      type.flatMap { numbers[$0] } ?? (isIncluded ? nil : plan.root)
    }

    /// The node of the entity that a type names: what the entity says (`sync.type`), or its name, in the plural too.
    func named(_ type: String) -> Int? {
      if let said = plan.nodes.firstIndex(where: { $0.entity.userInfo["sync.type"] == type }) {
        return said
      }
      let name = Inflection.camel(type.replacing("-", with: "_")) ?? type
      let names = ([name] + Inflection.singulars(name)).map(Nodes.letters)
      return plan.nodes.firstIndex { names.contains(Nodes.letters($0.entity.name)) }
    }

    private static func letters(_ text: String) -> String {
      text.lowercased().filter { $0 != "_" && $0 != "-" }
    }
  }

  private func nodes(in plan: MappingPlan) -> Nodes {
    var nodes = Nodes(plan: plan)
    var seen: Set<Identity> = []
    var waiting: [(JSONObject, Int)] = []
    for resource in data {
      guard let identity = resource.identity else { continue }
      let number = nodes.numbers[identity.type] ?? nodes.named(identity.type) ?? plan.root
      nodes.numbers[identity.type] =
        plan.nodes[number].entity.isKind(of: plan.rootNode.entity) ? plan.root : number
      seen.insert(identity)
      waiting.append((resource.json, nodes.numbers[identity.type] ?? plan.root))
    }
    // Whoever leads to a resource says what it is, where its type does not.
    while let (json, number) = waiting.popLast() {
      let node = plan.nodes[number]
      for (name, linkage) in JSONAPIDocument.linkages(of: json) {
        guard let rule = node.relationship(forKey: node.key(for: name)) else { continue }
        for identity in Identity.all(in: linkage) {
          let destination = plan.nodes[rule.node].entity
          let named = nodes.named(identity.type)
          let number =
            nodes.numbers[identity.type]
            ?? named.flatMap { plan.nodes[$0].entity.isKind(of: destination) ? $0 : nil }
            ?? rule.node
          nodes.numbers[identity.type] = number
          if seen.insert(identity).inserted, let other = byIdentity[identity] {
            waiting.append((included[other].json, number))
          }
        }
      }
    }
    for resource in included {
      if let type = resource.identity?.type, nodes.numbers[type] == nil {
        nodes.numbers[type] = nodes.named(type)
      }
    }
    return nodes
  }

  /// A resource as an item of a node: what the node does not ask for of the form is left out.
  private func flat(_ json: JSONObject, _ node: PlanNode) -> JSONObject {
    var item = JSONObject()
    for key in ["id", "type", "links", "meta"] where key == "id" || node.members.find(key) >= 0 {
      item[key] = json[key]
    }
    for member in json["attributes"]?.objectValue ?? JSONObject() {
      item[node.key(for: member.key)] = member.value
    }
    for (name, linkage) in JSONAPIDocument.linkages(of: json) {
      let keys = Identity.all(in: linkage).map { JSONValue.string($0.id) }
      item[node.key(for: name)] =
        linkage.isNull ? .null : linkage.arrayValue != nil ? .array(keys) : keys.first
    }
    return item
  }

  /// What a resource says of its relationships; of those that have links alone it says nothing.
  private static func linkages(of json: JSONObject) -> [(name: String, data: JSONValue)] {
    (json["relationships"]?.objectValue ?? JSONObject()).compactMap { member in
      member.value["data"].map { (member.key, $0) }
    }
  }
}

extension PlanNode {
  /// The key under which the node knows what a document calls so, with underscores for dashes if need be.
  fileprivate func key(for name: String) -> String {
    guard members.find(name) < 0 else { return name }
    let other = name.replacing("-", with: "_")
    return members.find(other) < 0 ? name : other
  }

  /// The relationship that a key gives.
  fileprivate func relationship(forKey key: String) -> RelationshipRule? {
    let number = members.find(key)
    guard number >= 0 else { return nil }
    return members.entries[number].targets.first { $0.kind != .attribute }
      .map { relationships[$0.rule] }
  }
}
