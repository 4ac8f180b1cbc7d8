package import SyncCore

/// How one object of a payload becomes a row of one entity.
package struct PlanNode: Sendable {
  package let entity: EntityDescription

  /// Slots of the attributes that together identify an object; conventional mapping: the primary
  /// key, or none.
  package private(set) var identity: [Int]

  /// Rules of attributes, in model order (serializers: in the order of their mapping).
  package let attributes: [AttributeRule]

  /// Rules of relationships: to-one before to-many, each in model order.
  package let relationships: [RelationshipRule]

  /// What the keys of an item mean.
  package let members: MemberTable

  package let policy: NodePolicy

  /// What a serializer says of the objects beside; nil for conventional mapping.
  package let explicit: ExplicitSettings?

  /// Which subentity each item is; nil where all are objects of the entity itself.
  var kinds: Kinds?

  /// Who says how the objects below a relationship are read, by its rule; where nobody does, the node of their entity.
  var sources: [Int: NestedSource]

  /// The attribute that the keys of an object of objects fill: what the entity says (`sync.keyedBy`), else what identifies
  /// an object.
  package var memberSlot: Int? { keyedBy ?? identity.first }

  /// Whether the entity says that its objects come as an object of objects.
  package var takesMembers: Bool { keyedBy != nil }
  private let keyedBy: Int?

  /// What in an item says that its object is deleted (`sync.tombstoneKey`).
  package let tombstone: JSONPath?

  /// What a new object starts with: the default values of the model.
  package let defaults: [(slot: Int, value: Value)]

  /// Slots of the attributes that must have a value.
  package let required: [Int]

  /// The defaults of those of them that have one and tell no object: what null means for them.
  var defaultsOfRequired: [(slot: Int, value: Value)] {
    defaults.filter { required.contains($0.slot) && !identity.contains($0.slot) }
  }

  /// Slots of the to-one relationships that must have a destination: checked when everything is
  /// linked, because an owner may set them.
  package let requiredToOne: [Int]

  /// How many slots there are up to the last one that a row holds something in: to-many relationships
  /// hold nothing, and mostly come last.
  package let cellCount: Int

  /// The smallest range of slots that the identity is in; of one slot when there is no identity.
  package private(set) var identityRange: Range<Int>

  /// Slots of stored attributes, in order.
  package let attributeSlots: [Int]

  /// Slots of stored to-one relationships, in order.
  package let toOneSlots: [Int]

  package init(
    entity: EntityDescription, identity: [Int], attributes: [AttributeRule],
    relationships: [RelationshipRule], members: MemberTable, policy: NodePolicy
  ) {
    self.init(
      entity: entity, identity: identity, attributes: attributes, relationships: relationships,
      members: members, policy: policy, explicit: nil, sources: [:])
  }

  init(
    entity: EntityDescription, identity: [Int], attributes: [AttributeRule],
    relationships: [RelationshipRule], members: MemberTable, policy: NodePolicy,
    explicit: ExplicitSettings?, sources: [Int: NestedSource]
  ) {
    self.explicit = explicit
    self.sources = sources
    keyedBy = explicit == nil ? MappingRules.keyedBy(entity) : nil
    tombstone = explicit == nil ? MappingRules.tombstone(entity) : nil
    self.entity = entity
    self.identity = identity
    identityRange = PlanNode.range(of: identity)
    self.attributes = attributes
    require(
      relationships.drop { !$0.relationship.isToMany }.allSatisfy(\.relationship.isToMany),
      "List the to-one relationships of a node first: its member table counts on the order.")
    self.relationships = relationships
    self.members = members
    self.policy = policy
    let columns = entity.properties.filter(\.isColumn)
    cellCount = 1 + (entity.properties.last { !($0.relationship?.isToMany ?? false) }?.slot ?? -1)
    attributeSlots = columns.compactMap(\.attribute?.slot)
    toOneSlots = columns.compactMap(\.relationship?.slot)
    let needed = Set(attributes.filter(\.isRequired).map(\.slot))
    required =
      columns.filter { $0.attribute != nil && (!$0.isOptional || needed.contains($0.slot)) }
      .map(\.slot)
    requiredToOne = columns.filter { $0.relationship != nil && !$0.isOptional }.map(\.slot)
    defaults = columns.compactMap(\.attribute).filter { !$0.defaultValue.isNull }
      .map { ($0.slot, $0.defaultValue) }
  }

  private static func range(of identity: [Int]) -> Range<Int> {
    (identity.min() ?? 0)..<(identity.max() ?? 0) + 1
  }

  /// The node, with its objects told apart by some attributes.
  func identified(by slots: [Int]) -> PlanNode {
    var result = self
    result.identity = slots
    result.identityRange = PlanNode.range(of: slots)
    return result
  }

  /// Whether objects of the node may be mentioned under another entity of the plan too.
  func hasRelatives(in plan: MappingPlan) -> Bool {
    guard entity.superentity != nil || !entity.subentities.isEmpty else { return false }
    return plan.nodes.contains { other in
      other.entity.index != entity.index && other.identity == identity
        && (other.entity.isKind(of: entity) || entity.isKind(of: other.entity))
    }
  }

  /// Whether a closure has a say in what an item means: nobody can know whether it would say the same again.
  var hasClosures: Bool {
    attributes.contains { !$0.isPlain }
      || relationships.contains { $0.partial?.isClosure == true }
  }

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

  /// Index in ``attributes`` of the rule that fills the slot, or nil when none does.
  package func attributeRule(forSlot slot: Int) -> Int? {
    attributes.firstIndex { $0.slot == slot }
  }

  /// Index in ``relationships`` of the rule that fills the slot, or nil when none does.
  package func relationshipRule(forSlot slot: Int) -> Int? {
    relationships.firstIndex { $0.slot == slot }
  }
}

/// How one attribute gets its value.
package struct AttributeRule: Sendable {
  package let slot: Int
  package let name: String
  package let type: AttributeType
  package let converter: ValueConverter

  /// Whether the attribute is (part of) the identity of the object.
  package let isIdentity: Bool

  /// Where the value is looked for first, and what an export calls it.
  package let remoteKey: RemoteKey

  /// All places where the value is looked for, the most important one first.
  package let spellings: [RemoteKey]
  package let missing: SyncPolicy.Missing
  package let mismatch: SyncPolicy.Mismatch

  /// Whether there has to be a value: the model says so, or the class of the program.
  package let isRequired: Bool

  /// Whether an export may mention the attribute.
  package let isExportable: Bool

  /// Name of the transformer, as the model or the rule gives it.
  package let transformerName: String?

  /// The transformer, when it is registered: for exports.
  package let transformer: (any AttributeTransformer)?

  /// The rule that somebody wrote for the attribute; nil when a convention or an annotation fills it.
  let written: Rule?

  init(
    attribute: AttributeDescription, converter: ValueConverter, isIdentity: Bool,
    remoteKey: RemoteKey, spellings: [RemoteKey], policy: NodePolicy,
    missing: SyncPolicy.Missing? = nil, mismatch: SyncPolicy.Mismatch? = nil,
    needsValue: Bool = false, isExportable: Bool = true, transformerName: String? = nil,
    transformer: (any AttributeTransformer)? = nil, written: Rule? = nil
  ) {
    slot = attribute.slot
    name = attribute.name
    type = attribute.type
    self.converter = converter
    self.isIdentity = isIdentity
    self.remoteKey = remoteKey
    self.spellings = spellings
    self.missing = missing ?? policy.missingKey
    self.mismatch = mismatch ?? policy.mismatch
    isRequired = !attribute.isOptional || needsValue
    self.isExportable = isExportable
    self.transformerName = transformerName
    self.transformer = transformer
    self.written = written
  }
}

extension AttributeRule {
  /// Where the value stands in an item, as an error says it: `.user.name`.
  var path: String { remoteKey.path(written) }

  /// The value for every item, where none is asked.
  var constant: Value? {
    if case .constant(let value)? = written?.content { value } else { nil }
  }
}

extension RelationshipRule {
  /// Where the value stands in an item, as an error says it: `.user.notes`.
  var path: String { remoteKey.path(written) }
}

extension RemoteKey {
  fileprivate func path(_ rule: Rule?) -> String {
    String("\(rule?.path.listPath ?? JSONPath(steps.map { .key($0) }))".dropFirst())
  }
}

/// How one relationship is filled.
package struct RelationshipRule: Sendable {
  package let slot: Int
  package let name: String
  package let relationship: RelationshipDescription

  /// Index of the destination's node in the plan.
  package let node: Int

  /// Whether the key was given by an annotation or a rule. Then the default keys are not looked at.
  package let hasCustomKey: Bool

  /// Whether keys of the children are unique per owner only: nothing ever moves between owners.
  package let keyScopeIsOwner: Bool

  /// The way from the value to the objects, where it is no list of them: `[].node`.
  private(set) var elements: [JSONPath.Step] = []

  /// The attribute that the keys of an object of objects fill; nil is what the entity says.
  private(set) var memberSlot: Int?

  /// Where nested objects are looked for first, and what an export calls them.
  package let remoteKey: RemoteKey

  /// All keys under which nested objects are looked for, the most important one first.
  package let objectKeys: [RemoteKey]

  /// All keys under which identifiers are looked for, the most important one first.
  package let referenceKeys: [RemoteKey]
  package let missing: SyncPolicy.Missing

  /// Whether an export may mention the relationship.
  package let isExportable: Bool

  /// Whether keys of objects that are not there make objects which have nothing but the key.
  let createsStubs: Bool

  /// The rule that somebody wrote for the relationship; nil when a convention or an annotation fills it.
  private(set) var written: Rule?

  /// When a list is only a part of what its owner has.
  var partial: PartialList? { written?.partial }

  /// Whether objects without a key belong to the one that leads to them, and go with it.
  var ownsKeyless: Bool { relationship.deleteRule == .cascade }

  package init(
    relationship: RelationshipDescription, node: Int, hasCustomKey: Bool, keyScopeIsOwner: Bool,
    remoteKey: RemoteKey, objectKeys: [RemoteKey], referenceKeys: [RemoteKey],
    missing: SyncPolicy.Missing, isExportable: Bool = true, createsStubs: Bool = false,
    elements: [JSONPath.Step] = [], memberSlot: Int? = nil
  ) {
    self.createsStubs = createsStubs
    self.elements = elements
    self.memberSlot = memberSlot
    slot = relationship.slot
    name = relationship.name
    self.relationship = relationship
    self.node = node
    self.hasCustomKey = hasCustomKey
    self.keyScopeIsOwner = keyScopeIsOwner
    self.remoteKey = remoteKey
    self.objectKeys = objectKeys
    self.referenceKeys = referenceKeys
    self.missing = missing
    self.isExportable = isExportable
  }

  /// The rule that somebody wrote for a relationship.
  init(
    _ relationship: RelationshipDescription, node: Int, written: Rule, policy: NodePolicy
  ) {
    let key = written.path.listPath.remoteKey
    self.init(
      relationship: relationship, node: node, hasCustomKey: true, keyScopeIsOwner: false,
      remoteKey: key, objectKeys: [key], referenceKeys: [],
      missing: written.missing ?? policy.missingKey,
      isExportable: MappingRules.isExportable(relationship.userInfo),
      elements: written.path.elements)
    self.written = written
  }
}

extension RelationshipRule {
  var isOneToOne: Bool {
    !relationship.isToMany && relationship.inverseSlot != nil && !relationship.isInverseToMany
  }
}
