public import SyncCore

/// How the properties of an entity get their values, in the order in which they are filled:
/// attributes first, then relationships.
///
/// ```swift
/// var mapping: Mapping = ["id": .int("id"), "name": .string(["user", "name"])]
/// mapping["name"] = .string("name").whenMissing(.clear)
/// ```
public struct Mapping: Sendable, ExpressibleByDictionaryLiteral {
  private(set) var rules: [(name: String, rule: Rule)]

  /// Makes a mapping without rules.
  public init() { rules = [] }

  /// Takes the rules that single properties have beside the conventions, in alphabetical order.
  init(_ rules: [String: Rule]) {
    self.rules = rules.inKeyOrder.map { (name: $0.key, rule: $0.value) }
  }

  /// The rules by property.
  ///
  /// - Throws: ``MappingError`` when a property has two.
  func byProperty(of entity: EntityDescription) throws -> [String: Rule] {
    var result: [String: Rule] = [:]
    for (name, rule) in rules {
      guard result.updateValue(rule, forKey: name) == nil else {
        throw MappingError.repeatedRule(name, of: entity)
      }
    }
    return result
  }

  /// Takes rules in their order. A property that has two of them is an error when the mapping is
  /// compiled.
  public init(dictionaryLiteral rules: (String, Rule)...) {
    self.rules = rules.map { (name: $0.0, rule: $0.1) }
  }

  /// The rule of a property. A new one comes last.
  ///
  /// - Complexity: O(*n*) in the rules.
  public subscript(property: String) -> Rule? {
    get { rules.first { $0.name == property }?.rule }
    set {
      let place = rules.firstIndex { $0.name == property }
      switch (place, newValue) {
      case (let place?, let rule?): rules[place].rule = rule
      case (let place?, nil): rules.remove(at: place)
      case (nil, let rule?): rules.append((property, rule))
      case (nil, nil): break
      }
    }
  }

  /// Names of the properties that have a rule, in their order.
  package var properties: [String] { rules.map(\.name) }
}

/// The properties of an entity that a mapping fills, with the rules written for them.
struct PropertyRules {
  /// The attributes in the order of their rules; without a rule the conventions fill one.
  private(set) var attributes: [(attribute: AttributeDescription, rule: Rule?)] = []
  /// Rules of relationships.
  private(set) var links: [String: Rule] = [:]
  /// The slots of the attributes that tell objects apart.
  private(set) var identity: [Int] = []

  init() {}

  /// All properties, a few of which have rules that were checked before.
  init(_ written: [String: Rule], of entity: EntityDescription) {
    attributes = entity.attributes.filter { !$0.isTransient }.map { ($0, written[$0.name]) }
    links = written
    identity =
      MappingRules.identifiers(of: entity)
      ?? entity.primaryKey.flatMap { $0.isTransient ? nil : [$0.slot] } ?? []
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

/// Which subentity each item is, as a key of it says: for lists of several kinds.
///
/// ```swift
/// var subentities: Subentities? { ["image": Image.self, "text": Text.self] }               // by the key “type”
/// var subentities: Subentities? { Subentities(by: "kind", ["t3": LinkSerializer()]) }
/// ```
///
/// A class is read by the rules of the serializer that names it, as far as they are about
/// properties of its own; a serializer or ``Conventional`` mapping by its own. `"*"` stands for all
/// kinds that have no name here. An item of a kind without a reader is left out and reported.
public struct Subentities: Sendable {
  enum Kind: Sendable {
    case entity(String)
    case source(any PlanSource)

    var entityName: String {
      switch self {
      case .entity(let name): name
      case .source(let source): source.mappingSource.entityName
      }
    }
  }

  /// Where the name of the kind stands in the item.
  package var path: JSONPath
  let kinds: [(type: String, kind: Kind)]

  init(_ path: JSONPath, _ kinds: [(type: String, kind: Kind)]) {
    self.path = path
    self.kinds = kinds
  }

  /// Takes the source that reads each kind.
  ///
  /// - Parameter path: Where the name of the kind stands in the item.
  public init(by path: JSONPath = "type", _ sources: [String: any PlanSource]) {
    self.path = path
    kinds = sources.inKeyOrder.map { ($0.key, .source($0.value)) }
  }

  /// Takes the subentity of each kind, read by the rules of the serializer.
  public init(by path: JSONPath = "type", entitiesNamed names: [String: String]) {
    self.path = path
    kinds = names.inKeyOrder.map { ($0.key, .entity($0.value)) }
  }
}
