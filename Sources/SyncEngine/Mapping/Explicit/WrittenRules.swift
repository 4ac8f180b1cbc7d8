package import SyncCore

/// Rules that were written for single properties of entities, where everything else follows the
/// conventions. All of them were checked against the model.
package struct WrittenRules: Sendable {
  private var byEntity: [Int: [String: Rule]] = [:]

  package init() {}

  /// Whether a rule says how nested objects are read.
  var hasObjects: Bool {
    byEntity.values.contains { rules in
      rules.values.contains { if case .objects = $0.content { true } else { false } }
    }
  }

  /// The rules of an entity by property: its own, and those of the entities it inherits from where
  /// it has none.
  func rules(of entity: EntityDescription) -> [String: Rule] {
    guard !byEntity.isEmpty else { return [:] }
    var result: [String: Rule] = [:]
    var level: EntityDescription? = entity
    while let current = level {
      result.merge(byEntity[current.index] ?? [:]) { nearest, _ in nearest }
      level = current.superentity
    }
    return result
  }

  /// The entity's own rules.
  subscript(entity: EntityDescription) -> [String: Rule] {
    byEntity[entity.index] ?? [:]
  }

  /// The rules, with others for an entity.
  ///
  /// - Throws: ``MappingError`` when one of them names no property of the entity, or can never fill
  ///   it.
  func replacing(
    _ rules: [String: Rule], of entity: EntityDescription
  ) throws -> WrittenRules {
    for (name, rule) in rules.inKeyOrder {
      _ = try RuleCheck(rule, name, of: entity).property()
    }
    var result = self
    result.byEntity[entity.index] = rules
    return result
  }
}

/// The rules that were written for the entities of a stack. Safe to use from any thread: everything
/// lies under one lock.
package final class RuleRegistry: Sendable {
  private let state = Locked((rules: WrittenRules(), version: 0))

  package init() {}

  /// The rules, and a number that changes with them.
  var current: (rules: WrittenRules, version: Int) { state.withLock { $0 } }

  /// Replaces all rules at once.
  ///
  /// - Parameter change: Makes the new rules of those that are there; called again when another
  ///   thread was faster.
  /// - Throws: Errors of the closure; nothing has changed then.
  func replace(_ change: (WrittenRules) throws -> WrittenRules) throws {
    while true {
      let (rules, version) = current
      let changed = try change(rules)
      let isDone = state.withLock { state in
        guard state.version == version else { return false }
        state = (changed, version + 1)
        return true
      }
      if isDone { return }
    }
  }
}

extension RuleRegistry {
  /// Adds the rules of a file: an object per entity, in it a rule per attribute. All of them are
  /// added, or none.
  ///
  /// - Throws: ``MappingError`` and `ModelError`, which name entity and attribute; ``RuleError``
  ///   when the JSON is no such object.
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
