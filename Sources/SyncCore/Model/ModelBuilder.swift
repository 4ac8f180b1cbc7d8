/// The drafts of a model: resolves their references to each other, and freezes them.
struct ModelBuilder {
  /// In order. An entity may name others that follow later.
  var entities: [EntityDraft]

  /// Version identifier of the model; empty for none.
  var versionIdentifier: String

  /// Resolves and validates everything; the records are in the order of the drafts.
  ///
  /// - Throws: ``ModelError`` for the first error, with entity and property and a sentence that
  ///   tells its remedy.
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
  /// - Complexity: to look at them, linear in its own; inherited ones were looked at and are
  ///   copied.
  private func record(
    at index: Int, inheriting superentity: EntityRecord?, in hierarchy: EntityHierarchy
  ) throws(ModelError) -> EntityRecord {
    let draft = entities[index]
    try NameRule.checkText(draft.texts, in: draft.name)
    var properties = superentity?.properties ?? []
    let inheritedSlots = superentity?.slots ?? [:]
    var slots = inheritedSlots
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
      slots[property.name] = properties.count
      properties.append(
        try property.description(slot: properties.count, entity: draft.name, index: index))
    }
    return EntityRecord(
      name: draft.name, isAbstract: draft.isAbstract, className: draft.className,
      superentity: hierarchy.superentities[index], subentities: hierarchy.subentities[index],
      root: hierarchy.roots[index], properties: properties, slots: slots,
      uniquenessConstraints: draft.uniquenessConstraints, indexes: draft.indexes,
      userInfo: draft.userInfo, renamingIdentifier: draft.renamingIdentifier)
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
    var texts = [content.renamingIdentifier ?? ""]
    if case .attribute(let attribute) = content {
      texts += [
        attribute.valueTransformerName, attribute.valueClassName,
        attribute.validation.regularExpression,
      ].compactMap { $0 }
      if case .string(let text) = attribute.defaultValue { texts.append(text) }
    }
    return texts + content.userInfo.inKeyOrder.flatMap { [$0.key, $0.value] }
  }
}
