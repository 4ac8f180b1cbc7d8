import SyncCore

/// The mapping that follows from the names and annotations of one entity: the keys that fill its
/// properties, but for those that have rules.
struct Conventions {
  private let attributes: AttributeSpellings
  private let relationships: [RelationshipSpellings]

  /// The names of attributes, which count in any spelling.
  let names: [SpelledName]

  /// - Parameter rules: The properties to fill; nil where none is by convention.
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

  /// Adds the keys of attributes to a table.
  func addAttributes(to table: inout MemberTableBuilder) {
    for claim in attributes.claims {
      table.add(
        MemberTarget(.attribute, rule: claim.attribute, precedence: claim.precedence),
        at: claim.key)
    }
  }

  /// The keys under which an attribute is looked for, and the one that an export writes.
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
        .unregisteredTransformer, entity, .attribute(attribute),
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
      missing: MappingRules.whenMissing(attribute, of: entity, isIdentity: isIdentity)
        ?? SyncPolicy.conventional.missingKey,
      mismatch: SyncPolicy.conventional.mismatch,
      needsValue: check?.needsValue == true, transformerName: name, transformer: transformer)
  }

  /// How the conventions fill a relationship.
  mutating func rule(
    for relationship: RelationshipDescription, _ node: Int, _ spellings: RelationshipSpellings,
    singular: [RemoteKey], of entity: EntityDescription
  ) -> RelationshipRule {
    let destination = entity.destination(of: relationship)
    if relationship.isToMany, destination.primaryKey == nil,
      MappingRules.identifiers(of: destination) == nil, relationship.deleteRule != .cascade,
      MappingRules.typeKey(of: destination) == nil
    {
      remark(
        .missingPrimaryKey, entity, .relationship(relationship),
        MappingError.noPrimaryKey(destination, in: relationship, of: entity).message)
    }
    return RelationshipRule(
      relationship: relationship, to: destination, node: node,
      hasCustomKey: spellings.hasCustomKey,
      remoteKey: spellings.objects[0], objectKeys: spellings.objects,
      referenceKeys: spellings.references + singular,
      missing: MappingRules.whenMissing(relationship) ?? SyncPolicy.conventional.missingKey,
      elements: relationship.isToMany ? MappingRules.elements(relationship.userInfo) : [])
  }

  /// Remarks on annotations of an entity that mean nothing. An inherited one is told once, of the
  /// entity that declares it.
  mutating func remarkAnnotations(of entity: EntityDescription) {
    let choices = SyncPolicy.Missing.allCases.map(\.rawValue)
    func check(_ userInfo: [String: String], _ property: PropertyDescription?) {
      guard let value = userInfo["sync.whenMissing"], !choices.contains(value) else { return }
      remark(
        .unknownAnnotation, entity, property,
        "“sync.whenMissing” is one of \(choices.joined(separator: ", ")), not “\(value)”")
    }
    check(entity.userInfo, nil)
    if let text = entity.userInfo["sync.identifiers"],
      MappingRules.identifiers(of: entity) == nil
    {
      remark(
        .unknownAnnotation, entity, nil,
        "“sync.identifiers” names stored attributes with commas between them, and “\(text)” does not"
      )
    }
    for property in entity.properties {
      check(property.userInfo, property)
      guard let relationship = property.relationship else { continue }
      if let scope = MappingRules.keyScope(relationship), scope != "owner" {
        remark(
          .unknownAnnotation, entity, property,
          "“sync.keyScope” understands “owner” only, not “\(scope)”; keys stay unique")
      }
      let destination = entity.destination(of: relationship)
      if MappingRules.createsStubs(relationship), let reason = destination.reasonAgainstStubs {
        remark(
          .unknownAnnotation, entity, property,
          "no stub of “\(destination.name)” can be stored: \(reason)")
      }
    }
  }

  private mutating func remark(
    _ kind: MappingRemark.Kind, _ entity: EntityDescription, _ property: PropertyDescription?,
    _ message: String
  ) {
    var declaring = entity
    while let name = property?.name, let next = declaring.superentity,
      next.property(named: name) != nil
    {
      declaring = next
    }
    let remark = MappingRemark(
      kind: kind, entity: declaring.name, property: property?.name, message: message)
    if !remarks.contains(remark) { remarks.append(remark) }
  }
}
