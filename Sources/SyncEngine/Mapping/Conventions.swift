import SyncCore

/// What the names and annotations of the model say of one entity: the keys that fill its
/// properties, but for those that have rules.
struct Conventions {
  private let attributes: AttributeSpellings
  private let relationships: [RelationshipSpellings]

  /// The names of attributes, which count in any spelling.
  let names: [SpelledName]

  /// - Parameter rules: What is filled; nil where nothing is by convention.
  init(_ entity: EntityDescription, _ rules: PropertyRules?) {
    let properties = rules?.attributes ?? []
    attributes = AttributeSpellings(of: entity, properties)
    relationships = rules == nil ? [] : entity.mappedRelationships.map(RelationshipSpellings.init)
    names = properties.enumerated().filter { $1.rule == nil }.map { number, property in
      SpelledName(
        name: property.attribute.name,
        targets: [MemberTarget(.attribute, rule: number, precedence: .max)])
    }
  }

  /// The keys of a relationship; nil where it is not filled by convention.
  func spellings(ofRelationship number: Int) -> RelationshipSpellings? {
    relationships.indices.contains(number) ? relationships[number] : nil
  }

  /// Says in a table what the keys of attributes mean.
  func addAttributes(to table: inout MemberTableBuilder) {
    for claim in attributes.claims {
      table.add(
        MemberTarget(.attribute, rule: claim.attribute, precedence: claim.precedence),
        at: claim.key)
    }
  }

  /// Where an attribute is looked for, and what an export calls it.
  func keys(
    of attribute: AttributeDescription, _ number: Int
  ) -> (remoteKey: RemoteKey, spellings: [RemoteKey]) {
    (
      attributes.remoteKey(of: attribute),
      attributes.claims.filter { $0.attribute == number }.map(\.key)
    )
  }
}

extension MappingPlanCompiler {
  /// How the conventions fill an attribute.
  mutating func rule(
    for attribute: AttributeDescription, _ number: Int, isIdentity: Bool, _ check: AttributeCheck?,
    _ conventions: Conventions, of entity: EntityDescription
  ) -> AttributeRule {
    let name = MappingRules.transformerName(attribute)
    let transformer = name.flatMap { environment.transformers.transformer(named: $0) }
    if let name, transformer == nil {
      remark(
        .unregisteredTransformer, entity, attribute.name,
        """
        no transformer is registered as “\(name)”, so values are converted as usual; register \
        one before the sync
        """)
    }
    var decoder: ValueConverter.Decoder?
    if let transformer { decoder = { try transformer.value(from: $0) } }
    let (remoteKey, spellings) = conventions.keys(of: attribute, number)
    return AttributeRule(
      attribute: attribute,
      converter: ValueConverter(attribute.type, decoder: decoder, check: check?.ofValues),
      isIdentity: isIdentity, remoteKey: remoteKey, spellings: spellings,
      missing: SyncPolicy.conventional.missingKey, mismatch: SyncPolicy.conventional.mismatch,
      needsValue: check?.needsValue == true, transformerName: name, transformer: transformer)
  }

  /// How the conventions fill a relationship.
  mutating func rule(
    for relationship: RelationshipDescription, _ node: Int, _ spellings: RelationshipSpellings,
    singular: [RemoteKey], of entity: EntityDescription
  ) -> RelationshipRule {
    if let scope = MappingRules.keyScope(relationship), scope != "owner" {
      remark(
        .unknownAnnotation, entity, relationship.name,
        "“sync.keyScope” understands “owner” only, not “\(scope)”; keys stay unique")
    }
    let destination = entity.destination(of: relationship)
    if relationship.isToMany, destination.primaryKey == nil, relationship.deleteRule != .cascade,
      MappingRules.typeKey(of: destination) == nil
    {
      remark(
        .missingPrimaryKey, entity, relationship.name,
        MappingError.noPrimaryKey(destination, in: relationship, of: entity).message)
    }
    var createsStubs = MappingRules.createsStubs(relationship)
    if createsStubs, let reason = destination.reasonAgainstStubs {
      createsStubs = false
      remark(
        .unknownAnnotation, entity, relationship.name,
        "no stub of “\(destination.name)” can be stored: \(reason)")
    }
    return RelationshipRule(
      relationship: relationship, node: node, hasCustomKey: spellings.hasCustomKey,
      keyScopeIsOwner: MappingRules.keyScopeIsOwner(relationship),
      remoteKey: spellings.objects[0], objectKeys: spellings.objects,
      referenceKeys: spellings.references + singular, missing: SyncPolicy.conventional.missingKey,
      createsStubs: createsStubs, elements: elements(of: relationship, to: destination),
      memberSlot: MappingRules.keyedBy(destination, below: relationship))
  }

  private mutating func remark(
    _ kind: MappingRemark.Kind, _ entity: EntityDescription, _ property: String, _ message: String
  ) {
    remarks.append(
      MappingRemark(kind: kind, entity: entity.name, property: property, message: message))
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
