import SyncCore

/// The properties of an entity that a mapping fills, with the rules that somebody wrote for them.
struct PropertyRules {
  /// The attributes in the order of their rules; without a rule the conventions fill one.
  private(set) var attributes: [(attribute: AttributeDescription, rule: Rule?)] = []
  /// Rules of relationships.
  private(set) var links: [String: Rule] = [:]
  /// The slots of what tells objects apart.
  private(set) var identity: [Int] = []

  init() {}

  /// All properties, a few of which have rules that were checked before.
  init(_ written: [String: Rule], of entity: EntityDescription) {
    attributes = entity.attributes.filter { !$0.isTransient }.map { ($0, written[$0.name]) }
    links = written
    if let key = entity.primaryKey, !key.isTransient { identity = [key.slot] }
  }

  /// Those that a serializer names.
  ///
  /// - Throws: ``MappingError`` when the mapping does not fit the entity; `ModelError` when the
  ///   model does not have an entity that it names.
  init(_ mapping: ExplicitMapping, of entity: EntityDescription) throws {
    let relatives = try
      (mapping.relatives + (mapping.subentities?.kinds.map(\.kind.entityName) ?? []))
      .map { try entity.model.requireEntity(named: $0) }
    _ = try mapping.mapping.byProperty(of: entity)
    for (name, rule) in mapping.mapping.rules {
      // The rules of a serializer are those of its subentities, too.
      if entity.property(named: name) == nil,
        relatives.contains(where: { $0.property(named: name) != nil })
      {
        continue
      }
      if let attribute = try RuleCheck(rule, name, of: entity).property().attribute {
        attributes.append((attribute, rule))
      } else {
        links[name] = rule
      }
    }
    identity = try mapping.identifiers.map { try slot(ofIdentifier: $0, entity) }
  }

  private func slot(ofIdentifier name: String, _ entity: EntityDescription) throws -> Int {
    guard let property = entity.property(named: name) else {
      throw MappingError.unknownProperty(name, of: entity)
    }
    guard property.attribute != nil else {
      throw MappingError(
        .identifierIsRelationship, entity: entity.name, property: name,
        message: """
          “\(entity.name).\(name)” is a relationship, and only attributes can identify an object. Use \
          groupers where its owner matters.
          """)
    }
    guard let attribute = attributes.first(where: { $0.attribute.name == name })?.attribute else {
      throw MappingError(
        .identifierNotMapped, entity: entity.name, property: name,
        message: """
          “\(name)” identifies the objects of “\(entity.name)”, and no rule of the mapping fills it. Add \
          a rule for it.
          """)
    }
    return attribute.slot
  }
}
