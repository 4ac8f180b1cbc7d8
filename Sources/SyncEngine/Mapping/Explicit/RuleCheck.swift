import SyncCore

/// Checks a written rule against the property that it is to fill.
struct RuleCheck {
  private let rule: Rule
  private let name: String
  private let entity: EntityDescription

  init(_ rule: Rule, _ name: String, of entity: EntityDescription) {
    self.rule = rule
    self.name = name
    self.entity = entity
  }

  /// The property that the rule fills.
  ///
  /// - Throws: ``MappingError`` when the entity has none of that name, or one that the rule can
  ///   never fill.
  func property() throws -> PropertyDescription {
    guard let property = entity.property(named: name) else {
      throw MappingError.unknownProperty(name, of: entity)
    }
    if case .objects(_, let isToMany) = rule.content {
      guard let relationship = property.relationship else {
        throw error(
          """
          is an attribute, and the rule is one for objects. Give it a rule for values, or name a \
          relationship.
          """, .wrongPropertyKind)
      }
      try check(relationship, isToMany: isToMany)
    } else {
      guard let attribute = property.attribute else {
        throw error(
          """
          is a relationship, and the rule is one for attributes. Give it a rule for objects, or \
          name an attribute.
          """, .wrongPropertyKind)
      }
      try check(attribute)
    }
    return property
  }

  private func check(_ attribute: AttributeDescription) throws {
    if attribute.isTransient { throw transient }
    guard rule.partial == nil else { throw notPartial }
    if rule.path.leadsToEach {
      throw error(
        """
        takes one value, and \(rule.path) leads to each value of a list. Name a position, or make \
        objects of the values with toMany.
        """)
    }
    switch rule.content {
    case .attribute(let kind) where !kind.fits(attribute.type):
      throw error(
        """
        is of the type \(attribute.type.rawValue), which a rule of the kind “\(kind.rawValue)” cannot \
        fill. It fills attributes of the type \(kind.fittingTypes).
        """)
    case .custom(let coding) where !coding.fits(attribute.type):
      throw error(
        """
        is of the type \(attribute.type.rawValue), and its custom rule makes values of the type \
        \(coding.type.rawValue).
        """)
    case .constant(let value):
      guard
        case .mismatch(let reason) = ValueConverter(attribute.type).cell(
          for: value, arena: CellArena())
      else { break }
      throw error(
        "cannot hold the constant of its rule: \(reason.message(for: attribute.type)).")
    case .objects, .attribute, .custom: break
    }
  }

  private func check(_ relationship: RelationshipDescription, isToMany: Bool) throws {
    guard !rule.path.listPath.steps.isEmpty else {
      throw error(
        """
        has a rule without a path, and an item is not read again as an object of its own. Name the \
        key below which the objects stand.
        """)
    }
    guard rule.partial == nil || isToMany else { throw notPartial }
    if relationship.isTransient { throw transient }
    guard relationship.isToMany == isToMany else {
      throw error(
        """
        leads to \(isToMany ? "one object" : "many objects"). Use \(isToMany ? "toOne" : "toMany") \
        for it.
        """)
    }
  }

  private var transient: MappingError {
    error("is transient: it is not stored, so no rule can fill it.")
  }

  private var notPartial: MappingError {
    error("is no list, so it cannot be partial. Leave isPartial out.")
  }

  /// - Parameter rest: The sentence behind the name of the property.
  private func error(
    _ rest: String, _ code: MappingError.Code = .unsuitableRule
  ) -> MappingError {
    MappingError(
      code, entity: entity.name, property: name, message: "“\(entity.name).\(name)” \(rest)")
  }
}

extension RuleCoding {
  /// Whether an attribute of the type can hold the values of the closure.
  fileprivate func fits(_ type: AttributeType) -> Bool {
    switch type {
    case self.type, .transformable, .string: true
    case .binary: self.type == .binary
    case .boolean: self.type.isNumber
    default: type.isNumber && (self.type.isNumber || self.type == .boolean)
    }
  }
}

extension JSONPath {
  /// The path as the key of a plan, which tells people the key of a property.
  var remoteKey: RemoteKey { RemoteKey(steps: steps.map(\.key), isCustom: true) }
}
