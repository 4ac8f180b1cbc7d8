/// Collects the drafts of a model, resolves what they say about each other, and freezes them.
///
/// ```swift
/// var builder = ModelBuilder()
/// builder.add(EntityDraft("Note", [.toOne("user", to: "User", inverse: "notes")]))
/// builder.add(EntityDraft("User", [.toMany("notes", to: "Note", inverse: "user")]))
/// let model = try builder.build()
/// ```
package struct ModelBuilder: Sendable {
  /// What was added so far, in order.
  package private(set) var entities: [EntityDraft]

  /// Version identifier of the model; empty for none.
  package var versionIdentifier: String

  /// Makes a builder that already has some entities.
  package init(_ entities: [EntityDraft] = [], versionIdentifier: String = "") {
    self.entities = entities
    self.versionIdentifier = versionIdentifier
  }

  /// Adds an entity. Others that it names may follow later.
  package mutating func add(_ entity: EntityDraft) {
    entities.append(entity)
  }

  /// Makes the model.
  ///
  /// - Throws: ``ModelError`` for the first thing that is wrong, with entity and property and a
  ///   sentence that says what to do.
  package func build() throws(ModelError) -> ManagedObjectModel {
    ManagedObjectModel(validated: try records(), versionIdentifier: versionIdentifier)
  }

  /// Resolves and validates everything; the records are in the order of the drafts.
  func records() throws(ModelError) -> [EntityRecord] {
    try NameRule.checkText([versionIdentifier])
    let hierarchy = try EntityHierarchy(entities)
    var records = [EntityRecord?](repeating: nil, count: entities.count)
    for index in hierarchy.superentitiesFirst {
      let superentity = hierarchy.superentities[index].flatMap { records[$0] }
      records[index] = try record(at: index, inheriting: superentity, in: hierarchy)
    }
    var resolved = records.compactMap { $0 }
    try RelationshipResolver(indexes: hierarchy.indexes).resolve(&resolved)
    for index in resolved.indices {
      resolved[index].primaryKey = try PrimaryKeyRule.slot(in: resolved[index])
      try ConstraintRule.check(resolved[index])
    }
    return resolved
  }

  /// Makes the record of one entity: inherited properties first, then its own, with their slots.
  ///
  /// - Complexity: to look at them, linear in its own; what it inherits was looked at and is
  ///   copied.
  private func record(
    at index: Int, inheriting superentity: EntityRecord?, in hierarchy: EntityHierarchy
  ) throws(ModelError) -> EntityRecord {
    let draft = entities[index]
    try NameRule.checkText(draft.texts, in: draft.name)
    var properties = superentity?.properties ?? []
    let inheritedSlots = superentity?.slots ?? [:]
    var names: Set<String> = []
    for property in draft.properties {
      try NameRule.checkProperty(property.name, in: draft.name)
      try NameRule.checkText(property.texts, in: draft.name, property: property.name)
      if inheritedSlots[property.name] != nil {
        throw .overrides(property.name, in: draft.name, superentity: draft.superentityName)
      }
      guard names.insert(property.name).inserted else {
        throw .duplicateProperty(property.name, in: draft.name)
      }
      properties.append(
        try property.description(slot: properties.count, entity: draft.name, index: index))
    }
    return EntityRecord(
      name: draft.name, isAbstract: draft.isAbstract, className: draft.className,
      superentity: hierarchy.superentities[index], subentities: hierarchy.subentities[index],
      root: hierarchy.roots[index], properties: properties,
      uniquenessConstraints: draft.uniquenessConstraints, indexes: draft.indexes,
      userInfo: draft.userInfo, renamingIdentifier: draft.renamingIdentifier,
      inheritedSlots: inheritedSlots)
  }
}

extension EntityDraft {
  /// Texts that are not names of properties or entities.
  fileprivate var texts: [String] {
    [className ?? "", renamingIdentifier ?? ""] + indexes.map(\.name)
      + userInfo.inKeyOrder.flatMap { [$0.key, $0.value] }
  }
}

extension PropertyDraft {
  /// Texts that are not names of properties or entities.
  fileprivate var texts: [String] {
    switch content {
    case .attribute(let draft):
      var texts = [
        draft.valueTransformerName, draft.valueClassName, draft.renamingIdentifier,
        draft.validation.regularExpression,
      ].compactMap { $0 }
      if case .string(let text) = draft.defaultValue { texts.append(text) }
      return texts + draft.userInfo.inKeyOrder.flatMap { [$0.key, $0.value] }
    case .relationship(let draft):
      return [draft.renamingIdentifier ?? ""]
        + draft.userInfo.inKeyOrder.flatMap { [$0.key, $0.value] }
    }
  }
}
