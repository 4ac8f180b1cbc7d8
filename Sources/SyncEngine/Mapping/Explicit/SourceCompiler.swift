import SyncCore

/// Compiles what sources say into nodes of one plan.
///
/// A plan has one node per entity that its root leads to, numbered before anything is read. What
/// stands below a relationship is known when the first of it is read: then its source is compiled
/// against the same numbers.
struct SourceCompiler: Sendable {
  let environment: MappingEnvironment
  let model: ManagedObjectModel
  /// The node of each entity, by the index of the entity.
  let numbers: [Int: Int]

  /// Takes numbers that were given already.
  init(environment: MappingEnvironment, model: ManagedObjectModel, numbers: [Int: Int]) {
    self.environment = environment
    self.model = model
    self.numbers = numbers
  }

  /// Numbers an entity and all that its relationships lead to.
  init(from root: EntityDescription, _ environment: MappingEnvironment) {
    self.environment = environment
    model = root.model
    var numbers = [root.index: 0]
    var pending = [root]
    for kind in root.familyEntities.dropFirst() {
      numbers[kind.index] = numbers.count
      pending.append(kind)
    }
    while let entity = pending.popLast() {
      for relationship in entity.mappedRelationships {
        let destination = entity.destination(of: relationship)
        // A mapping may be one of objects of a subentity.
        for kind in destination.familyEntities where numbers[kind.index] == nil {
          numbers[kind.index] = numbers.count
          pending.append(kind)
        }
      }
    }
    self.numbers = numbers
  }

  /// The plan for items that a source describes.
  ///
  /// - Throws: ``MappingError`` when it cannot describe them.
  func plan(for mapping: ExplicitMapping) throws -> MappingPlan {
    let root = try node(for: mapping)
    let entities = numbers.sorted { $0.value < $1.value }.map { model.entities[$0.key] }
    let nodes = entities.enumerated().map { $0 == 0 ? root : blankNode(of: $1) }
    return MappingPlan(model: model, nodes: nodes, root: 0, sources: self)
  }

  /// How the source reads objects.
  ///
  /// - Throws: ``MappingError``; `ModelError` when the model has no such entity.
  func node(for source: MappingSource) throws -> PlanNode {
    if let mapping = try source.explicit(in: model) { return try node(for: mapping) }
    return MappingPlanCompiler.node(
      for: try model.requireEntity(named: source.entityName), numbers: numbers, environment)
  }

  /// A node of whose objects nobody has said yet how they are read and told apart.
  private func blankNode(of entity: EntityDescription) -> PlanNode {
    PlanNode(
      entity: entity, identity: [], attributes: [],
      relationships: entity.mappedRelationships.map { rule(for: $0, of: entity, nil, .init()) },
      members: MemberTableBuilder().table(), policy: SyncPolicy())
  }

  private func node(for mapping: ExplicitMapping) throws -> PlanNode {
    let entity = try model.requireEntity(named: mapping.entityName)
    let compiler = RuleCompiler(entity: entity, policy: mapping.policy)
    let relationships = entity.mappedRelationships
    var table = MemberTableBuilder()
    var attributes: [AttributeRule] = []
    var links: [String: Rule] = [:]
    var sources: [Int: NestedSource] = [:]
    let types = environment.declaredTypes.types(of: entity)
    var seen: Set<String> = []
    let relatives = try
      (mapping.relatives + (mapping.subentities?.kinds.map(\.kind.entityName) ?? []))
      .map { try model.requireEntity(named: $0) }
    for (name, rule) in mapping.mapping.rules {
      guard seen.insert(name).inserted else { throw MappingError.repeatedRule(name, of: entity) }
      // The rules of a serializer are those of its subentities, too.
      if entity.property(named: name) == nil,
        relatives.contains(where: { $0.property(named: name) != nil })
      {
        continue
      }
      if case .objects(let source, _) = rule.content {
        let relationship = try compiler.relationship(named: name, for: rule)
        guard let number = relationships.firstIndex(where: { $0.slot == relationship.slot }) else {
          continue
        }
        table.add(
          MemberTarget(.objects, rule: number, precedence: 0, isOfRule: true),
          at: rule.path.listPath)
        links[name] = rule
        sources[number] = source
      } else {
        let attribute = try compiler.attribute(named: name)
        try compiler.check(rule, for: attribute)
        if !rule.isConstant {
          table.add(
            MemberTarget(.attribute, rule: attributes.count, precedence: 0, isOfRule: true),
            at: rule.path)
        }
        attributes.append(
          compiler.rule(
            rule, for: attribute, isIdentity: mapping.identifiers.contains(name),
            check: AttributeCheck(
              attribute, types: types[attribute.slot] ?? [],
              transformers: environment.transformers)))
      }
    }
    let kinds = try mapping.subentities.map { try Kinds($0, of: mapping, entity) }
    if let path = kinds?.path ?? mapping.kindPath { table.know(path) }
    return PlanNode(
      entity: entity, identity: try identity(of: mapping, attributes, entity),
      attributes: attributes,
      relationships: relationships.map {
        self.rule(for: $0, of: entity, links[$0.name], mapping.policy)
      },
      members: table.table(), policy: mapping.policy, explicit: mapping.settings, sources: sources,
      kinds: kinds)
  }

  private func rule(
    for relationship: RelationshipDescription, of entity: EntityDescription, _ written: Rule?,
    _ policy: SyncPolicy
  ) -> RelationshipRule {
    let node = numbers[entity.destination(of: relationship).index] ?? 0
    guard let written else {
      let key = RemoteKey(steps: [relationship.name], isCustom: false)
      return RelationshipRule(
        relationship: relationship, node: node, hasCustomKey: true, keyScopeIsOwner: false,
        remoteKey: key, objectKeys: [], referenceKeys: [], missing: .keep, isExportable: false)
    }
    return RelationshipRule(relationship, node: node, written: written, policy: policy)
  }

  /// The slots of the identifiers.
  private func identity(
    of mapping: ExplicitMapping, _ attributes: [AttributeRule], _ entity: EntityDescription
  ) throws -> [Int] {
    return try mapping.identifiers.map { name in
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
      guard let rule = attributes.first(where: { $0.name == name }) else {
        throw MappingError(
          .identifierNotMapped, entity: entity.name, property: name,
          message: """
            “\(name)” identifies the objects of “\(entity.name)”, and no rule of the mapping fills it. Add \
            a rule for it.
            """)
      }
      return rule.slot
    }
  }
}

extension EntityDescription {
  /// The relationships that plans have rules for, in the order of these: to one first.
  var mappedRelationships: [RelationshipDescription] {
    let stored = relationships.filter { !$0.isTransient }
    return stored.filter { !$0.isToMany } + stored.filter(\.isToMany)
  }
}

extension MappingError {
  /// What describes the objects below a relationship is a mapping of others.
  static func wrongEntity(
    _ name: String, below relationship: String, of owner: EntityDescription,
    to destination: EntityDescription
  ) -> MappingError {
    MappingError(
      .wrongEntity, entity: owner.name, property: relationship,
      message: """
        “\(owner.name).\(relationship)” leads to objects of “\(destination.name)”, and the rule gives it a mapping of \
        “\(name)”. Give it one of “\(destination.name)”.
        """)
  }

  /// Nobody can say which object an item means.
  static func identifiersRequired(_ entity: EntityDescription) -> MappingError {
    MappingError(
      .identifiersRequired, entity: entity.name,
      message: """
        The serializer of “\(entity.name)” has no identifiers, so its objects cannot be told apart. Name \
        the attributes that identify one; nest them below a relationship with the delete rule cascade, whose owner \
        they belong to then; or set forceInsert if every item is a new object.
        """)
  }

  static func repeatedRule(
    _ name: String, of entity: EntityDescription
  ) -> MappingError {
    MappingError(
      .unsuitableRule, entity: entity.name, property: name,
      message: "The mapping has more than one rule for “\(entity.name).\(name)”. Leave one.")
  }
}
