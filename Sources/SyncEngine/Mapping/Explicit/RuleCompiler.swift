import SyncCore

/// Compiles the rules that somebody wrote for attributes of one entity.
struct RuleCompiler {
  let entity: EntityDescription
  let policy: SyncPolicy

  /// How a rule that was checked fills an attribute.
  func rule(
    _ rule: Rule, for attribute: AttributeDescription, isIdentity: Bool, check: AttributeCheck?
  ) -> AttributeRule {
    let converter =
      switch rule.content {
      case .objects, .constant:
        ValueConverter(attribute.type)
      case .attribute(let kind):
        kind.converter(
          for: attribute, coercion: rule.coercion ?? policy.coercion, isIdentity: isIdentity,
          unit: rule.unit, check: check?.ofValues)
      case .custom(let coding):
        ValueConverter(
          attribute.type, form: .natural, accepts: .any, checksWidth: !isIdentity,
          decoder: coding.decode, check: check?.ofValues)
      }
    return AttributeRule(
      attribute: attribute, converter: converter, isIdentity: isIdentity,
      remoteKey: rule.path.remoteKey, spellings: [rule.path.remoteKey], policy: policy,
      missing: rule.missing, mismatch: rule.mismatch, needsValue: check?.needsValue == true,
      isExportable: MappingRules.isExportable(attribute.userInfo), written: rule)
  }

  /// The attribute of a name.
  ///
  /// - Throws: ``MappingError`` when the entity has none, or a relationship of that name.
  func attribute(named name: String) throws -> AttributeDescription {
    guard let property = entity.property(named: name) else {
      throw MappingError.unknownProperty(name, of: entity)
    }
    guard let attribute = property.attribute else {
      throw MappingError(
        .wrongPropertyKind, entity: entity.name, property: name,
        message: """
          “\(entity.name).\(name)” is a relationship, and the rule is one for attributes. Give it a rule for \
          objects, or name an attribute.
          """)
    }
    guard !attribute.isTransient else {
      throw MappingError(
        .unsuitableRule, entity: entity.name, property: name,
        message: "“\(entity.name).\(name)” is transient: it is not stored, so no rule can fill it.")
    }
    return attribute
  }

  /// Checks that a rule can fill an attribute.
  ///
  /// - Throws: ``MappingError`` when it never can.
  func check(_ rule: Rule, for attribute: AttributeDescription) throws {
    let name = attribute.name
    guard rule.partial == nil else { throw notPartial(name) }
    if rule.path.leadsToEach {
      throw MappingError(
        .unsuitableRule, entity: entity.name, property: name,
        message: """
          “\(entity.name).\(name)” takes one value, and \(rule.path) leads to each value of a list. Name a position, \
          or make objects of the values with toMany.
          """)
    }
    switch rule.content {
    case .attribute(let kind) where !kind.fits(attribute.type):
      throw MappingError(
        .unsuitableRule, entity: entity.name, property: name,
        message: """
          A rule of the kind “\(kind.rawValue)” cannot fill “\(entity.name).\(name)”, which is of the type \
          \(attribute.type.rawValue). It fills attributes of the type \(kind.fittingTypes).
          """)
    case .custom(let coding) where !coding.fits(attribute.type):
      throw MappingError(
        .unsuitableRule, entity: entity.name, property: name,
        message: """
          The custom rule of “\(entity.name).\(name)” makes values of the type \(coding.type.rawValue), and \
          the attribute is of the type \(attribute.type.rawValue).
          """)
    case .constant(let value):
      guard
        case .mismatch(let reason) = ValueConverter(attribute.type).cell(
          for: value, arena: CellArena())
      else { break }
      throw MappingError(
        .unsuitableRule, entity: entity.name, property: name,
        message: """
          The constant of “\(entity.name).\(name)” is none that the attribute holds: \
          \(reason.message(for: attribute.type)).
          """)
    case .objects: throw noRelationship(name)
    case .attribute, .custom: break
    }
  }

  /// The relationship that a rule for objects fills.
  ///
  /// - Throws: ``MappingError`` when the entity has none of that name, or one that the rule never
  ///   fits.
  func relationship(named name: String, for rule: Rule) throws -> RelationshipDescription {
    guard let property = entity.property(named: name) else {
      throw MappingError.unknownProperty(name, of: entity)
    }
    guard case .objects(_, let isToMany) = rule.content,
      let relationship = property.relationship
    else {
      throw noRelationship(name)
    }
    guard !rule.path.listPath.steps.isEmpty else {
      throw MappingError(
        .unsuitableRule, entity: entity.name, property: name,
        message: """
          The rule of “\(entity.name).\(name)” has no path, and an item is not read again as an object of its own. \
          Name the key below which the objects stand.
          """)
    }
    guard rule.partial == nil || isToMany else { throw notPartial(name) }
    guard relationship.isToMany == isToMany, !relationship.isTransient else {
      throw MappingError(
        .unsuitableRule, entity: entity.name, property: name,
        message: relationship.isTransient
          ? "“\(entity.name).\(name)” is transient: it is not stored, so no rule can fill it."
          : """
          “\(entity.name).\(name)” leads to \(isToMany ? "one object" : "many objects"). Use \
          \(isToMany ? "toOne" : "toMany") for it.
          """)
    }
    return relationship
  }

  private func notPartial(_ name: String) -> MappingError {
    MappingError(
      .unsuitableRule, entity: entity.name, property: name,
      message: "“\(entity.name).\(name)” is no list, so it cannot be partial. Leave isPartial out.")
  }

  private func noRelationship(_ name: String) -> MappingError {
    MappingError(
      .wrongPropertyKind, entity: entity.name, property: name,
      message: """
        “\(entity.name).\(name)” is an attribute, and the rule is one for objects. Give it a rule for \
        values, or name a relationship.
        """)
  }
}

extension RuleCoding {
  /// Whether an attribute of the type can hold what the closure makes.
  fileprivate func fits(_ type: AttributeType) -> Bool {
    switch type {
    case self.type, .transformable, .string: true
    case .binary: self.type == .binary
    case .boolean: self.type.isNumber
    default: type.isNumber && (self.type.isNumber || self.type == .boolean)
    }
  }
}

extension MappingError {
  static func unknownProperty(_ name: String, of entity: EntityDescription) -> MappingError {
    let names = entity.properties.map { "“\($0.name)”" }.joined(separator: ", ")
    return MappingError(
      .unknownProperty, entity: entity.name, property: name,
      message: "“\(entity.name)” has no property “\(name)”. It has \(names).")
  }
}

extension JSONPath {
  /// The path as the key of a plan, which tells people what fills a property.
  var remoteKey: RemoteKey { RemoteKey(steps: steps.map(\.key), isCustom: true) }
}
