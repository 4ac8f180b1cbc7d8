package import SyncCore

/// How one object of a payload becomes a row of one entity. A class, because phases ask it for
/// every object, and a copy would count all that it holds each time.
package final class PlanNode: Sendable {
  package let entity: EntityDescription

  /// Slots of the attributes that together identify an object; conventional mapping: those that
  /// the entity names, else the primary key, or none.
  package let identity: [Int]

  /// The smallest range of slots that the identity is in; of one slot when there is no identity.
  package let identityRange: Range<Int>

  /// Rules of attributes, in model order (serializers: in the order of their mapping).
  package let attributes: [AttributeRule]

  /// Rules of relationships: to-one before to-many, each in model order.
  package let relationships: [RelationshipRule]

  /// The targets of the keys of an item.
  package let members: MemberTable

  package let policy: SyncPolicy

  /// The settings of a serializer for the objects beside; nil for conventional mapping.
  package let explicit: ExplicitSettings?

  /// Which subentity each item is; nil where all are objects of the entity itself.
  let kinds: Kinds?

  /// The sources of the objects below a relationship, by its rule; without one, the node of their
  /// entity reads them.
  let sources: [Int: NestedSource]

  /// The attribute that the entity says is filled by the keys of an object of objects
  /// (`sync.keyedBy`).
  private let keyedBy: Int?

  /// The mark of an item whose object is deleted (`sync.tombstoneKey`).
  package let tombstone: JSONPath?

  /// Slots of the attributes that must have a value.
  package let required: [Int]

  /// The defaults of those of them that have one and tell no object: the meaning of null for them.
  let defaultsOfRequired: [(slot: Int, value: Value)]

  package let columns: EntityColumns

  /// Rules of relationships whose lists the model limits.
  let limitedLists: [(rule: Int, limits: MemberLimits)]

  /// Whether the model lets every object be stored, whatever it lacks.
  let takesEveryObject: Bool

  init(
    entity: EntityDescription, identity: [Int], attributes: [AttributeRule],
    relationships: [RelationshipRule], members: MemberTable, policy: SyncPolicy,
    explicit: ExplicitSettings? = nil, sources: [Int: NestedSource] = [:], kinds: Kinds? = nil
  ) {
    require(
      relationships.drop { !$0.isToMany }.allSatisfy(\.isToMany),
      "List the to-one relationships of a node first: its member table counts on the order.")
    self.entity = entity
    self.identity = identity
    identityRange = (identity.min() ?? 0)..<(identity.max() ?? 0) + 1
    self.attributes = attributes
    self.relationships = relationships
    self.members = members
    self.policy = policy
    self.explicit = explicit
    self.kinds = kinds
    self.sources = sources
    keyedBy = MappingRules.keyedBy(entity)
    tombstone = MappingRules.tombstone(entity)
    columns = EntityColumns(of: entity)
    let needed = Set(attributes.filter(\.isRequired).map(\.slot))
    let required = columns.attributes.filter {
      !entity.properties[$0].isOptional || needed.contains($0)
    }
    self.required = required
    limitedLists = relationships.enumerated().compactMap { rule, relationship in
      relationship.relationship.memberLimits.map { (rule, $0) }
    }
    takesEveryObject =
      required.isEmpty && columns.requiredToOne.isEmpty && columns.limited.isEmpty
      && limitedLists.isEmpty
    defaultsOfRequired = columns.defaults.filter {
      required.contains($0.slot) && !identity.contains($0.slot)
    }
  }

  /// The node, with its objects told apart by some attributes.
  func identified(by slots: [Int]) -> PlanNode {
    PlanNode(
      entity: entity, identity: slots, attributes: attributes, relationships: relationships,
      members: members, policy: policy, explicit: explicit, sources: sources, kinds: kinds)
  }

  /// The attribute that the keys of an object of objects fill: that of the entity, else the one
  /// that identifies an object.
  package var memberSlot: Int? { keyedBy ?? identity.first }

  /// Whether the entity says that its objects come as an object of objects.
  package var takesMembers: Bool { keyedBy != nil }

  /// Whether objects of the node may be mentioned under another entity of the plan too.
  func hasRelatives(in plan: MappingPlan) -> Bool {
    guard entity.superentity != nil || !entity.subentities.isEmpty else { return false }
    return plan.nodes.contains { other in
      other.entity.index != entity.index && other.identity == identity
        && (other.entity.isKind(of: entity) || entity.isKind(of: other.entity))
    }
  }

  /// Whether its objects are objects of another node's entity, too.
  func isSubentity(of other: PlanNode) -> Bool {
    entity != other.entity && entity.isKind(of: other.entity)
  }

  /// Whether a closure takes part in the reading of an item: it may return another result the next
  /// time.
  var hasClosures: Bool {
    attributes.contains { !$0.isPlain }
      || relationships.contains { $0.partial?.isClosure == true }
  }

  /// Whether items say of objects that they go, which the store cannot agree with afterwards.
  var takesAway: Bool { tombstone != nil || relationships.contains { $0.removal != nil } }

  /// Names of the attributes that identify an object, for messages.
  package var identityName: String {
    identity.map { entity.properties[$0].name }.joined(separator: ", ")
  }

  /// The same in quotation marks, with the keys that were given for them: `“id” (key “trackId”)`.
  package var identityText: String {
    identity.map { slot in
      let name = entity.properties[slot].name
      let key = attributeRule(forSlot: slot).map { attributes[$0].remoteKey }
      guard let key, key.isCustom, key.description != name else { return "“\(name)”" }
      return "“\(name)” (key “\(key)”)"
    }.joined(separator: ", ")
  }

  /// The rule of the attribute that alone identifies an object; nil when none does.
  var keyRule: AttributeRule? {
    identity.count == 1 ? attributes.first { $0.slot == identity[0] } : nil
  }

  /// Index in ``attributes`` of the rule that fills the slot, or nil when none does.
  package func attributeRule(forSlot slot: Int) -> Int? {
    attributes.firstIndex { $0.slot == slot }
  }

  /// Index in ``relationships`` of the rule that fills the slot, or nil when none does.
  package func relationshipRule(forSlot slot: Int) -> Int? {
    relationships.firstIndex { $0.slot == slot }
  }
}

/// The columns of an entity's rows, under any mapping.
package struct EntityColumns: Sendable {
  /// How many slots there are up to the last one that a row holds something in: to-many
  /// relationships hold nothing, and mostly come last.
  package let count: Int

  /// How many there are up to the last attribute: the slots that an item fills.
  let valueCount: Int

  /// Slots of stored attributes, in order.
  package let attributes: [Int]
  let attributeSet: SlotSet

  /// The stored attributes whose values the model limits.
  let limited: [(slot: Int, type: AttributeType?, limits: ValueLimits)]

  /// Slots of stored to-one relationships, in order.
  package let toOne: [Int]

  /// Those that must have a destination: checked when everything is linked, because an owner may
  /// set them.
  package let requiredToOne: [Int]

  /// The values with which a new object starts: the default values of the model.
  package let defaults: [(slot: Int, value: Value)]

  /// Slots of the attributes that have one.
  let defaulted: SlotSet

  init(of entity: EntityDescription) {
    let columns = entity.properties.filter(\.isColumn)
    count = 1 + (entity.properties.last { !($0.relationship?.isToMany ?? false) }?.slot ?? -1)
    valueCount = 1 + (entity.attributes.last?.slot ?? -1)
    attributes = columns.compactMap(\.attribute?.slot)
    attributeSet = attributes.reduce(into: SlotSet()) { $0.insert($1) }
    limited = columns.compactMap(\.attribute).filter { !$0.validation.isEmpty }
      .map { ($0.slot, $0.type, ValueLimits($0.validation)) }
    toOne = EntityColumns.toOne(of: entity)
    requiredToOne = columns.filter { $0.relationship != nil && !$0.isOptional }.map(\.slot)
    defaults = columns.compactMap(\.attribute).filter { !$0.defaultValue.isNull }
      .map { ($0.slot, $0.defaultValue) }
    defaulted = defaults.reduce(into: SlotSet()) { $0.insert($1.slot) }
  }

  /// Slots of the stored to-one relationships of an entity, in order.
  static func toOne(of entity: EntityDescription) -> [Int] {
    entity.properties.filter(\.isColumn).compactMap(\.relationship?.slot)
  }
}
