package import SyncCore

/// What the plans of a stack depend on, beside the model and who says how items are read.
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

/// Compiles the conventional mapping of an entity: names and annotations of the model decide which
/// key fills what.
///
/// Every entity that relationships lead to becomes a node of the same plan, in the order in which
/// it is reached.
package struct MappingPlanCompiler {
  private let environment: MappingEnvironment
  private let policy: SyncPolicy
  private var nodes: [PlanNode] = []
  private var numbers: [Int: Int] = [:]
  private var pending: [EntityDescription] = []
  private var remarks: [MappingRemark] = []
  /// Whether the nodes of the plan follow the conventions; those of serializers say nothing of
  /// themselves.
  private var hasNodes = true

  private init(_ environment: MappingEnvironment, policy: SyncPolicy) {
    self.environment = environment
    self.policy = policy
  }

  /// Compiles the plan for items of an entity.
  ///
  /// - Complexity: O(properties of all entities that can be reached).
  package static func compile(
    _ entity: EntityDescription, _ environment: MappingEnvironment,
    policy: SyncPolicy = .conventional
  ) -> MappingPlan {
    var compiler = MappingPlanCompiler(environment, policy: policy)
    let root = compiler.number(of: entity)
    while compiler.nodes.count < compiler.pending.count {
      let node = compiler.node(for: compiler.pending[compiler.nodes.count])
      compiler.nodes.append(node)
    }
    let hasSources = compiler.nodes.contains { !$0.sources.isEmpty }
    return MappingPlan(
      model: entity.model, nodes: compiler.nodes, root: root, remarks: compiler.remarks,
      sources: hasSources
        ? SourceCompiler(
          environment: environment, model: entity.model, numbers: compiler.numbers) : nil)
  }

  /// The conventional node of an entity in a plan whose nodes are numbered already.
  static func node(
    for entity: EntityDescription, numbers: [Int: Int], _ environment: MappingEnvironment
  ) -> PlanNode {
    var compiler = MappingPlanCompiler(environment, policy: .conventional)
    // All that can be reached has its number by now.
    compiler.numbers = numbers
    compiler.hasNodes = false
    return compiler.node(for: entity)
  }

  /// The number of the entity's node, which is made later when there is none yet.
  private mutating func number(of entity: EntityDescription) -> Int {
    if let number = numbers[entity.index] { return number }
    numbers[entity.index] = pending.count
    pending.append(entity)
    return pending.count - 1
  }

  private mutating func node(for entity: EntityDescription) -> PlanNode {
    let attributes = entity.attributes.filter { !$0.isTransient }
    let relationships = entity.mappedRelationships
    let identity = entity.primaryKey.flatMap { $0.isTransient ? nil : $0.slot }
    let reserved = ReservedNames(of: entity, for: attributes)
    let rules = environment.written.rules(of: entity)
    let spellings = AttributeSpellings(
      of: attributes, reserved: reserved, except: Set(rules.keys))
    var table = MemberTableBuilder()
    for claim in spellings.claims {
      table.add(
        MemberTarget(.attribute, rule: claim.attribute, precedence: claim.precedence),
        at: claim.key)
    }
    let types = environment.declaredTypes.types(of: entity)
    let attributeRules = attributes.enumerated().map { number, attribute in
      if let rule = rules[attribute.name] {
        if !rule.isConstant {
          table.add(
            MemberTarget(.attribute, rule: number, precedence: 0, isOfRule: true), at: rule.path)
        }
        return RuleCompiler(entity: entity, policy: policy).rule(
          rule, for: attribute, isIdentity: attribute.slot == identity,
          check: AttributeCheck(
            attribute, types: types[attribute.slot] ?? [],
            transformers: environment.transformers))
      }
      return self.rule(
        for: attribute, of: entity, types: types[attribute.slot] ?? [],
        isIdentity: attribute.slot == identity, reserved: reserved,
        spellings: spellings.claims.filter { $0.attribute == number }.map(\.key))
    }
    let spelled = relationships.map(RelationshipSpellings.init)
    var sources: [Int: NestedSource] = [:]
    for (number, spellings) in spelled.enumerated() {
      guard let rule = rules[relationships[number].name],
        case .objects(let source, _) = rule.content
      else {
        spellings.add(number, to: &table)
        continue
      }
      table.add(
        MemberTarget(.objects, rule: number, precedence: 0, isOfRule: true),
        at: rule.path.listPath)
      sources[number] = source
    }
    var names = attributes.enumerated().filter { rules[$1.name] == nil }.map { number, attribute in
      SpelledName(
        name: attribute.name,
        targets: [MemberTarget(.attribute, rule: number, precedence: .max)])
    }
    let aliases = MemberAliases(names.map(\.name))
    if let tombstone = MappingRules.tombstone(entity) { table.note(tombstone) }
    let relationshipRules = relationships.enumerated().map { number, relationship in
      if let rule = rules[relationship.name] {
        return RelationshipRule(
          relationship, node: self.number(of: entity.destination(of: relationship)), written: rule,
          policy: policy)
      }
      let singular = spelled[number].addSingular(number, to: &table, unless: aliases)
      for name in spelled[number].names(number, of: relationship, singular: singular) {
        names.add(name)
      }
      return rule(
        for: relationship, spellings: spelled[number], singular: singular, of: entity)
    }
    // Mappings written by hand may read objects of any subentity below the relationship.
    for relationship in relationships where environment.written.hasObjects {
      for kind in entity.destination(of: relationship).familyEntities { _ = self.number(of: kind) }
    }
    let kinds = Kinds(annotated: entity) { kind in
      let number = self.number(of: kind)
      return hasNodes ? .node(number) : .source(Conventional(kind.name))
    }
    if let path = MappingRules.declaredTypeKey(of: entity) { table.know(path) }
    // What conventions read below objects of a serializer follows the conventions too.
    for (number, relationship) in relationships.enumerated()
    where !hasNodes && sources[number] == nil {
      let destination = entity.destination(of: relationship).name
      sources[number] = .constant { Conventional(destination) }
    }
    return PlanNode(
      entity: entity, identity: identity.map { [$0] } ?? [], attributes: attributeRules,
      relationships: relationshipRules,
      members: table.table(aliases: MemberAliases(names.map(\.name)), of: names), policy: policy,
      sources: sources, kinds: kinds)
  }

  private mutating func rule(
    for attribute: AttributeDescription, of entity: EntityDescription, types: [DeclaredType],
    isIdentity: Bool, reserved: ReservedNames, spellings: [RemoteKey]
  ) -> AttributeRule {
    let name = MappingRules.transformerName(attribute)
    let transformer = name.flatMap { environment.transformers.transformer(named: $0) }
    if let name, transformer == nil {
      remarks.append(
        MappingRemark(
          kind: .unregisteredTransformer, entity: entity.name, property: attribute.name,
          message: """
            no transformer is registered as “\(name)”, so values are converted as usual; register \
            one before the sync
            """))
    }
    var decoder: ValueConverter.Decoder?
    if let transformer { decoder = { try transformer.value(from: $0) } }
    let check = AttributeCheck(attribute, types: types, transformers: environment.transformers)
    return AttributeRule(
      attribute: attribute,
      converter: ValueConverter(
        attribute.type, decoder: decoder, check: check?.ofValues),
      isIdentity: isIdentity,
      remoteKey: AttributeSpellings.remoteKey(of: attribute, reserved: reserved),
      spellings: spellings, policy: policy,
      needsValue: check?.needsValue == true,
      isExportable: MappingRules.isExportable(attribute.userInfo),
      transformerName: name, transformer: transformer)
  }

  private mutating func rule(
    for relationship: RelationshipDescription, spellings: RelationshipSpellings,
    singular: [RemoteKey], of entity: EntityDescription
  ) -> RelationshipRule {
    if let scope = MappingRules.keyScope(relationship), scope != "owner" {
      remarks.append(
        MappingRemark(
          kind: .unknownAnnotation, entity: entity.name, property: relationship.name,
          message: "“sync.keyScope” understands “owner” only, not “\(scope)”; keys stay unique"))
    }
    let destination = entity.destination(of: relationship)
    if relationship.isToMany, destination.primaryKey == nil, relationship.deleteRule != .cascade,
      MappingRules.typeKey(of: destination) == nil
    {
      remarks.append(
        MappingRemark(
          kind: .missingPrimaryKey, entity: entity.name, property: relationship.name,
          message: MappingError.noPrimaryKey(destination, in: relationship, of: entity).message))
    }
    var createsStubs = MappingRules.createsStubs(relationship)
    if createsStubs, let reason = destination.reasonAgainstStubs {
      createsStubs = false
      remarks.append(
        MappingRemark(
          kind: .unknownAnnotation, entity: entity.name, property: relationship.name,
          message: "no stub of “\(destination.name)” can be stored: \(reason)"))
    }
    return RelationshipRule(
      relationship: relationship, node: self.number(of: destination),
      hasCustomKey: spellings.hasCustomKey,
      keyScopeIsOwner: MappingRules.keyScopeIsOwner(relationship),
      remoteKey: spellings.objects[0], objectKeys: spellings.objects,
      referenceKeys: spellings.references + singular, missing: policy.missingKey,
      isExportable: MappingRules.isExportable(relationship.userInfo), createsStubs: createsStubs,
      elements: elements(of: relationship, to: destination),
      memberSlot: MappingRules.keyedBy(destination, below: relationship))
  }

  /// The way from the value of a to-many relationship to its objects.
  private func elements(
    of relationship: RelationshipDescription, to destination: EntityDescription
  ) -> [JSONPath.Step] {
    guard relationship.isToMany else { return [] }
    let written = MappingRules.elements(relationship.userInfo)
    let isKeyed = MappingRules.keyedBy(destination, below: relationship) != nil
    return written.isEmpty && isKeyed ? [.each] : written
  }
}
