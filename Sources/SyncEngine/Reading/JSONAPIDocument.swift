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
/// Relationships are given by keys, so that cycles need no care and a list gives its members and no
/// more. Below a mapping that was written by hand resources are nested where they are met first,
/// and stand by type and id elsewhere.
package struct JSONAPIDocument {
  /// The type and id that tell a resource.
  struct Identity: Hashable {
    let type: String
    let id: String
  }

  struct Resource {
    let json: JSONObject
    let path: String
    let identity: Identity?

    init(_ json: JSONObject, _ path: String) {
      self.json = json
      self.path = path
      identity = Identity(json)
    }
  }

  let data: [Resource]
  let included: [Resource]
  let byIdentity: [Identity: Int]

  /// Whether `data` is a list, and no page of one.
  package let isWhole: Bool
  /// Whether it is a page of a longer list.
  package let isPage: Bool
  /// The address of the page after it.
  package let nextPage: String?

  /// - Throws: ``SyncError`` when it is no such document, or one that reports an error.
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
  init?(_ json: JSONObject) {
    guard let type = json["type"]?.stringValue else { return nil }
    switch json["id"] {
    case .string(let id): self.init(type: type, id: id)
    case let id?: self.init(type: type, id: "\(id)")
    case nil: return nil
    }
  }

  /// The resources that linkage leads to.
  static func all(in linkage: JSONValue) -> [JSONAPIDocument.Identity] {
    (linkage.arrayValue ?? [linkage]).compactMap {
      $0.objectValue.flatMap(JSONAPIDocument.Identity.init)
    }
  }
}

extension JSONAPIDocument {
  /// The linkages of a resource's relationships; a relationship that has links alone has none.
  static func linkages(of json: JSONObject) -> [(name: String, data: JSONValue)] {
    (json["relationships"]?.objectValue ?? JSONObject()).compactMap { member in
      member.value["data"].map { (member.key, $0) }
    }
  }
}

extension JSONAPIDocument {
  /// The resources of `data` with those that they lead to inside, each where it is met first.
  ///
  /// - Parameter namesTypes: Whether the type of each stands in it.
  package func nested(namesTypes: Bool = true) -> [JSONObject] {
    var seen = Set(data.compactMap(\.identity))
    return data.map { nested($0.json, namesTypes, &seen, depth: 0) }
  }

  /// Deeper resources stand by their identity alone, so that a long chain becomes no JSON that is
  /// too deep to be read.
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
