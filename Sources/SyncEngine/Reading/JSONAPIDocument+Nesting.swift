package import SyncCore

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
