import SyncCore
import SyncStore

/// What the model, and whoever opens an engine, says of the fields of an entity's records.
struct FieldRules: Sendable {
  /// Whether objects of the entity have records in the zone at all.
  var travels = false

  /// In slot order.
  var slots: [Int] = []
  var names: Set<String> = []

  /// Fields that are not masked in that direction.
  var sent: Set<String> = []
  var taken: Set<String> = []
  var policies: [String: CloudPolicy] = [:]

  /// Ordered to-many relationships of which the order travels, by name.
  var lists: [String: RelationshipDescription] = [:]

  /// Many-to-many relationships that travel.
  var sides: [PairKind.Side] = []

  /// Slots of the attributes that say which object it is; empty when every object is one of its own.
  var identity: [Int] = []
}

/// Which properties of each entity travel as fields of its records: attributes, to-one relationships inside the scope,
/// and the order of ordered to-many ones. Their members live on the children, or travel as pairs.
struct TravellingFields: Sendable {
  let model: ManagedObjectModel

  /// Per entity, by index.
  private let rules: [FieldRules]

  /// Whether the order of any list travels.
  let hasLists: Bool

  /// Many-to-many relationships by name.
  let kinds: [String: PairKind]

  /// - Parameter policies: By entity and property: `Note.stars`. They win over the model's.
  init(
    _ model: ManagedObjectModel, scope: CloudZone.Scope = .private,
    policies: [String: CloudPolicy] = [:]
  ) throws(CloudError) {
    self.model = model
    var scopes: [CloudZone.Scope?] = []
    for entity in model.entities { scopes.append(try CloudAnnotations.scope(of: entity)) }
    var rules: [FieldRules] = []
    var unused = policies
    for entity in model.entities {
      var rule = FieldRules()
      rule.travels = scopes[entity.index] == scope
      if rule.travels {
        rule.identity = try CloudAnnotations.identity(of: entity)
        rule.sides = try PairKind.sides(of: entity, in: model) { scopes[$0.index] == scope }
      }
      for property in entity.properties where rule.travels && Self.travels(property) {
        if let relationship = property.relationship,
          scopes[entity.destination(of: relationship).index] != scope
        {
          continue
        }
        if let list = property.relationship, list.isToMany {
          // A list of which the members do not travel has no order that could.
          let isPair = rule.sides.contains { $0.relationship.slot == list.slot }
          guard list.kind == .oneToMany || isPair else { continue }
          rule.lists[list.name] = list
        }
        let mask = try CloudAnnotations.mask(of: property, in: entity)
        rule.slots.append(property.slot)
        rule.names.insert(property.name)
        if !mask.upload { rule.sent.insert(property.name) }
        if !mask.download { rule.taken.insert(property.name) }
        rule.policies[property.name] = try CloudAnnotations.policy(of: property, in: entity)
        if let policy = unused.removeValue(forKey: "\(entity.name).\(property.name)") {
          rule.policies[property.name] = policy
        }
      }
      rules.append(rule)
    }
    if let name = unused.keys.min() {
      throw CloudError(
        .unsupported, message: "There is no property “\(name)” that travels, to give a policy to.")
    }
    self.rules = rules
    hasLists = rules.contains { !$0.lists.isEmpty }
    kinds = Dictionary(rules.flatMap(\.sides).map { ($0.kind.name, $0.kind) }) { first, _ in first }
  }

  private static func travels(_ property: PropertyDescription) -> Bool {
    if let attribute = property.attribute { return !attribute.isTransient }
    guard let relationship = property.relationship else { return false }
    return !relationship.isTransient && (!relationship.isToMany || relationship.isOrdered)
  }

  func rules(of entity: EntityDescription) -> FieldRules { rules[entity.index] }

  func travels(_ entity: EntityDescription) -> Bool { rules[entity.index].travels }

  /// In slot order.
  func slots(of entity: EntityDescription) -> [Int] { rules[entity.index].slots }

  func contains(_ name: String, in entity: EntityDescription) -> Bool {
    rules[entity.index].names.contains(name)
  }
}
