package import SyncCore

/// The facts that the plans of a stack depend on, beside the model and the sources.
package struct MappingEnvironment: Sendable {
  let transformers: TransformerRegistry

  /// The types that the program reads attributes as; values that are none of them do not get in.
  let declaredTypes: DeclaredTypes

  /// Rules that take the place of the conventions for single properties.
  let written: WrittenRules

  package init(
    transformers: TransformerRegistry, declaredTypes: DeclaredTypes = .none,
    written: WrittenRules = WrittenRules()
  ) {
    self.transformers = transformers
    self.declaredTypes = declaredTypes
    self.written = written
  }
}

/// Compiles mappings: names and annotations of the model, serializers, and rules of single
/// properties between the two.
///
/// Every entity that relationships lead to becomes a node of the plan, in the order in which it is
/// reached. Nodes below a relationship that has a source are compiled when the source is asked,
/// against the same numbers.
package struct MappingPlanCompiler: Sendable {
  let environment: MappingEnvironment
  let model: ManagedObjectModel

  /// Whether objects below a relationship may be read as those of any subentity of its destination:
  /// a mapping by hand says so.
  private let takesSubentities: Bool

  /// The entities of the nodes, and the node of each by the index of the entity.
  private var entities: [EntityDescription] = []
  private var numbers: [Int: Int] = [:]

  /// Whether the nodes of the plan follow the conventions; those of serializers say nothing of
  /// themselves.
  private var hasNodes: Bool

  var remarks: [MappingRemark] = []

  /// The marks of elements of lists in the model that are no members any more.
  private let removals: [JSONPath]

  private init(
    _ environment: MappingEnvironment, from root: EntityDescription, hasNodes: Bool
  ) {
    self.environment = environment
    self.hasNodes = hasNodes
    model = root.model
    removals = Set(
      root.model.entities.flatMap(\.relationships).compactMap(MappingRules.removal)
    ).sorted { "\($0)" < "\($1)" }
    takesSubentities = !hasNodes || environment.written.hasObjects
    _ = number(of: root)
  }

  /// Compiles the plan for items of an entity by convention.
  ///
  /// - Complexity: O(properties of all entities that can be reached).
  package static func compile(
    _ entity: EntityDescription, _ environment: MappingEnvironment
  ) -> MappingPlan {
    var compiler = MappingPlanCompiler(environment, from: entity, hasNodes: true)
    return compiler.plan { $0.node(for: $1, .conventions, $0.conventionalRules(of: $1)) }
  }

  /// Compiles the plan for items that are mapped by hand.
  ///
  /// - Throws: ``MappingError`` when the mapping does not fit the model; `ModelError` when that has
  ///   no such entity.
  static func compile(
    _ mapping: ExplicitMapping, _ environment: MappingEnvironment, in model: ManagedObjectModel
  ) throws -> MappingPlan {
    let root = try model.requireEntity(named: mapping.entityName)
    var compiler = MappingPlanCompiler(environment, from: root, hasNodes: false)
    for kind in root.familyEntities { _ = compiler.number(of: kind) }
    // Reading and identity of their objects are undecided yet.
    let plan = compiler.plan { $0.node(for: $1, .undecided, PropertyRules()) }
    let node = try compiler.node(for: mapping)
    return MappingPlan(
      model: model, nodes: [node] + plan.nodes.dropFirst(), root: 0, sources: plan.sources)
  }

  private mutating func plan(
    _ node: (inout MappingPlanCompiler, EntityDescription) -> PlanNode
  ) -> MappingPlan {
    var nodes: [PlanNode] = []
    while nodes.count < entities.count {
      let entity = entities[nodes.count]
      nodes.append(node(&self, entity))
    }
    let hasSources = !hasNodes || nodes.contains { !$0.sources.isEmpty }
    return MappingPlan(
      model: model, nodes: nodes, root: 0, remarks: remarks, sources: hasSources ? self : nil)
  }

  /// The number of the entity's node, which is made later when there is none yet.
  mutating func number(of entity: EntityDescription) -> Int {
    if let number = numbers[entity.index] { return number }
    numbers[entity.index] = entities.count
    entities.append(entity)
    return entities.count - 1
  }

  // MARK: - Nodes

  /// How a source reads objects, in a plan whose nodes are numbered already.
  ///
  /// - Throws: ``MappingError``; `ModelError` when the model has no such entity.
  func node(for source: MappingSource) throws -> PlanNode {
    var compiler = self
    compiler.hasNodes = false
    if let mapping = try source.explicit(in: model) { return try compiler.node(for: mapping) }
    let entity = try model.requireEntity(named: source.entityName)
    return compiler.node(for: entity, .conventions, conventionalRules(of: entity))
  }

  private mutating func node(for mapping: ExplicitMapping) throws -> PlanNode {
    let entity = try model.requireEntity(named: mapping.entityName)
    let mapping = mapping.withKinds(of: entity)
    let rules = try PropertyRules(mapping, of: entity)
    let kinds = try mapping.subentities.map { try Kinds($0, of: mapping, entity) }
    return node(for: entity, .hand(mapping, kinds), rules)
  }

  private func conventionalRules(of entity: EntityDescription) -> PropertyRules {
    PropertyRules(environment.written.rules(of: entity), of: entity)
  }

  /// The author of the keys for properties that have no rule.
  private enum Author {
    case conventions
    case hand(ExplicitMapping, Kinds?)
    case undecided

    var mapping: ExplicitMapping? {
      if case .hand(let mapping, _) = self { mapping } else { nil }
    }

    var isConventional: Bool {
      if case .conventions = self { true } else { false }
    }
  }

  private mutating func node(
    for entity: EntityDescription, _ author: Author, _ rules: PropertyRules
  ) -> PlanNode {
    let policy = author.mapping?.policy ?? (author.isConventional ? .conventional : SyncPolicy())
    var table = MemberTableBuilder()
    let conventions = Conventions(entity, author.isConventional ? rules : nil)
    conventions.addAttributes(to: &table)
    let types = environment.declaredTypes.types(of: entity)
    let attributes = rules.attributes.enumerated().map { number, property in
      let attribute = property.attribute
      let check = AttributeCheck(
        attribute, types: types[attribute.slot] ?? [], transformers: environment.transformers)
      let isIdentity = rules.identity.contains(attribute.slot)
      guard let rule = property.rule else {
        return self.rule(
          for: attribute, number, isIdentity: isIdentity, check, conventions, of: entity)
      }
      if !rule.isConstant {
        table.add(
          MemberTarget(
            .attribute, rule: number, precedence: 0, isOfRule: !author.isConventional),
          at: rule.path)
      }
      return AttributeRule(
        rule, for: attribute, of: entity, isIdentity: isIdentity, policy: policy, check: check)
    }
    let relationships = entity.mappedRelationships
    var sources: [Int: NestedSource] = [:]
    for (number, relationship) in relationships.enumerated() {
      if let rule = rules.links[relationship.name], case .objects(let source, _) = rule.content {
        table.add(
          MemberTarget(.objects, rule: number, precedence: 0, isOfRule: true),
          at: rule.path.listPath)
        sources[number] = source
      } else {
        conventions.spellings(ofRelationship: number)?.add(number, to: &table)
      }
    }
    var names = conventions.names
    let aliases = MemberAliases(names.map(\.name))
    for mark in [MappingRules.tombstone(entity)] + removals where mark != nil {
      table.know(mark ?? JSONPath())
    }
    if author.isConventional { remarkAnnotations(of: entity) }
    let relationshipRules = relationships.enumerated().map { number, relationship in
      let destination = entity.destination(of: relationship)
      let node = self.number(of: destination)
      guard rules.links[relationship.name] == nil,
        let spellings = conventions.spellings(ofRelationship: number)
      else {
        return RelationshipRule(
          relationship, to: destination, node: node, written: rules.links[relationship.name],
          policy: policy)
      }
      let singular = spellings.addSingular(number, to: &table, unless: aliases)
      for name in spellings.names(number, of: relationship, singular: singular) { names.add(name) }
      return rule(for: relationship, node, spellings, singular: singular, of: entity)
    }
    for relationship in relationships where takesSubentities {
      for kind in entity.destination(of: relationship).familyEntities { _ = number(of: kind) }
    }
    let kinds = kinds(of: entity, author)
    if let path = kinds?.path ?? author.mapping?.kindPath
      ?? (author.isConventional ? MappingRules.declaredTypeKey(of: entity) : nil)
    {
      table.know(path)
    }
    // Objects that conventions read below objects of a serializer follow the conventions too.
    for (number, relationship) in relationships.enumerated()
    where author.isConventional && !hasNodes && sources[number] == nil {
      let destination = entity.destination(of: relationship).name
      sources[number] = .constant { Conventional(destination) }
    }
    return PlanNode(
      entity: entity, identity: rules.identity, attributes: attributes,
      relationships: relationshipRules, members: table.table(of: names), policy: policy,
      explicit: author.mapping?.settings, sources: sources, kinds: kinds)
  }

  private mutating func kinds(of entity: EntityDescription, _ author: Author) -> Kinds? {
    switch author {
    case .hand(_, let kinds): kinds
    case .undecided: nil
    case .conventions:
      Kinds(annotated: entity) { kind in
        let number = number(of: kind)
        return hasNodes ? .node(number) : .source(Conventional(kind.name))
      }
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
