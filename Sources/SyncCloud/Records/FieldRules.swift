import SyncCore

/// The rules for the fields of an entity's records, from the model and the policies of an engine.
final class FieldRules: Sendable {
  /// Whether objects of the entity have records in the zone at all.
  let travels: Bool

  /// The name of the entity under which records travel.
  let type: String

  /// A property that travels.
  struct Field: Sendable {
    let slot: Int
    let name: String

    /// The members of records with its value and its stamp.
    let member: String
    let stampMember: String

    /// Nil for a relationship.
    let type: AttributeType?

    init(_ property: PropertyDescription) {
      (slot, name, type) = (property.slot, property.name, property.attribute?.type)
      (member, stampMember) = ("f_" + property.wireName, "t_" + property.wireName)
    }
  }

  /// In slot order.
  let fields: [Field]
  let names: Set<String>

  /// Fields that are not masked in that direction.
  let sent: Set<String>
  let taken: Set<String>

  /// Whether any field is masked.
  var isMasked: Bool { min(sent.count, taken.count) < names.count }

  let policies: [String: CloudPolicy]

  /// Attributes whose bytes travel as files, by name.
  let assets: [String: AssetRule]

  /// Attributes whose values the server does not see.
  let sealed: Set<String>

  /// Ordered to-many relationships of which the order travels, by name.
  let lists: [String: RelationshipDescription]

  /// Many-to-many relationships that travel.
  let sides: [PairKind.Side]

  /// Slots of the attributes that say which object it is; empty when every object is one of its
  /// own.
  let identity: [Int]

  /// Stored attributes that cannot be empty in a new object: those with a default, and those that
  /// are required.
  let filled: [AttributeDescription]

  /// The to-one relationship to the object that an object is shared with.
  let parent: RelationshipDescription?

  /// - Parameters:
  ///   - travels: Whether an entity is in the scope.
  ///   - policies: By entity and property; those of this entity are taken out.
  init(
    of entity: EntityDescription, in model: ManagedObjectModel,
    travels: (EntityDescription) -> Bool, policies: inout [String: CloudPolicy]
  ) throws(CloudError) {
    self.travels = travels(entity)
    type = entity.wireName
    guard self.travels else {
      (fields, names, sent, taken, self.policies) = ([], [], [], [], [:])
      (sealed, lists, sides, identity, assets, filled) = ([], [:], [], [], [:], [])
      parent = nil
      return
    }
    try CloudAnnotations.check(entity)
    let services = try CloudCoreAnnotations.serviceAttributes(of: entity)
    let sides = try PairKind.sides(of: entity, in: model, travels: travels)
    var slots: [Int] = []
    var (sent, taken) = (Set<String>(), Set<String>())
    var chosen: [String: CloudPolicy] = [:]
    var lists: [String: RelationshipDescription] = [:]
    for property in entity.properties
    where Self.travels(property) && !services.contains(property.name) {
      if let relationship = property.relationship, !travels(entity.destination(of: relationship)) {
        continue
      }
      if let list = property.relationship, list.isToMany {
        // A list of which the members do not travel has no order that could.
        let isPair = sides.contains { $0.relationship.slot == list.slot }
        guard list.kind == .oneToMany || isPair else { continue }
        lists[list.name] = list
      }
      let mask = try CloudAnnotations.mask(of: property, in: entity)
      slots.append(property.slot)
      if !mask.upload { sent.insert(property.name) }
      if !mask.download { taken.insert(property.name) }
      let policy = try CloudAnnotations.policy(of: property, in: entity)
      chosen[property.name] =
        policies.removeValue(forKey: "\(entity.name).\(property.name)") ?? policy
    }
    fields = slots.map { Field(entity.properties[$0]) }
    names = Set(fields.map(\.name))
    (self.sent, self.taken, self.policies) = (sent, taken, chosen)
    (self.lists, self.sides) = (lists, sides)
    identity = try CloudAnnotations.identity(of: entity)
    sealed = try CloudAnnotations.sealed(of: entity, slots, identity: identity)
    assets = try CloudAnnotations.assets(of: entity, slots, identity: identity, sealed: sealed)
    filled = entity.attributes.filter {
      !$0.isTransient && (!$0.isOptional || !$0.defaultValue.isNull)
    }
    let name = try CloudAnnotations.parent(of: entity) ?? ""
    parent = names.contains(name) ? entity.property(named: name)?.relationship : nil
  }

  init(_ rules: FieldRules, without parent: RelationshipDescription) {
    travels = rules.travels
    type = rules.type
    fields = rules.fields.filter { $0.slot != parent.slot }
    names = rules.names.subtracting([parent.name])
    sent = rules.sent.subtracting([parent.name])
    taken = rules.taken.subtracting([parent.name])
    (policies, sealed, lists, sides) = (rules.policies, rules.sealed, rules.lists, rules.sides)
    (identity, assets, filled) = (rules.identity, rules.assets, rules.filled)
    self.parent = parent
  }

  private static func travels(_ property: PropertyDescription) -> Bool {
    if let attribute = property.attribute { return !attribute.isTransient }
    guard let relationship = property.relationship else { return false }
    return !relationship.isTransient && (!relationship.isToMany || relationship.isOrdered)
  }
}
