package import SyncCore

extension RuleRegistry {
  /// Adds the rules of a file: an object per entity, in it a rule per attribute. All of them are added, or none.
  ///
  /// - Throws: ``MappingError`` and `ModelError`, which name entity and attribute; ``RuleError`` when the JSON is no
  ///   such object.
  package func add(_ json: JSONValue, of model: ManagedObjectModel) throws {
    try replace { rules in
      var rules = rules
      for entity in try members(of: json, of: "a mapping", "entities") {
        let description = try model.requireEntity(named: entity.key)
        var own = rules[description]
        let what = "the mapping of “\(entity.key)”"
        for member in try members(of: entity.value, of: what, "attributes") {
          own[member.key] = try rule(member.value, member.key, entity.key)
        }
        rules = try rules.replacing(own, of: description)
      }
      return rules
    }
  }

  private func members(
    of json: JSONValue, of what: String, _ contents: String
  ) throws -> JSONObject {
    guard let members = json.objectValue else {
      throw RuleError("The JSON of \(what) is an object of \(contents), not \(json).")
    }
    return members
  }

  private func rule(_ json: JSONValue, _ attribute: String, _ entity: String) throws -> Rule {
    do {
      return try Rule(json: json)
    } catch {
      throw MappingError(
        .unreadableRule, entity: entity, property: attribute,
        message: "The rule of “\(entity).\(attribute)” cannot be read. \(error)")
    }
  }
}
