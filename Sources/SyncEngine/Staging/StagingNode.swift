import SyncCore

/// What the stager needs of one plan node, ready at hand: asking the plan itself would copy its rules,
/// names and all, for every object. Confined to the stager.
final class StagingNode {
  let batch: Batch
  /// How the objects are read.
  let plan: PlanNode
  let table: StagingTable
  let scratch: StagingScratch
  let links: [StagingLink]

  /// Whether objects have a key at all, and the slot when it is a single one.
  let hasIdentity: Bool
  let keySlot: Int?

  /// Whether every item becomes a new object.
  let alwaysInserts: Bool
  /// What the mapping does not do with an item.
  let permissions: Occurrence.Flags
  /// The number of the group that stored objects are looked for in, or -1.
  let group: Int32
  /// The number of the group that its list may empty at the end, or -1 for all objects.
  let deletionGroup: Int32
  let validators: [Validator]
  /// Sees what an item fills an object with; nil where nothing of it is ever stored.
  let didFill: FillHook?
  /// The attribute that the keys of an object of objects fill.
  let memberSlot: Int?
  /// What in an item says that its object is deleted, and who says it beside.
  let tombstone: JSONPath?
  let deletes: ItemTest?
  let mayDelete: Bool
  /// The attributes that have the same value in every object, by the numbers of their rules, and the values.
  private let constants: [(rule: Int, slot: Int, value: Value)]
  private var constantCells: [Cell] = []
  /// Whether an item may be something else than an object.
  let takesAnything: Bool
  /// Which subentity each item is; nil where all are objects of the entity itself.
  let kinds: Kinds?
  /// What reads the kinds that were met.
  var readersOfKinds: [String: StagingNode] = [:]
  /// Whether a relationship of which an item says nothing means anything.
  let hasMissingLinks: Bool

  /// What required attributes take in place of null.
  let defaults: [(slot: Int, value: Value)]

  /// How keys that refer to objects of the node are read, when they can be looked up.
  let keyConverter: ValueConverter?
  /// The slot of such keys.
  let referenceSlot: Int?
  /// Which usual JSON such keys are converted from in place.
  let keyUse: StagingTable.Use

  convenience init(_ batch: Batch, among batches: [Batch]) {
    self.init(batch, plan: batch.node, among: batches)
  }

  init(_ batch: Batch, plan node: PlanNode, among batches: [Batch]) {
    self.batch = batch
    plan = node
    alwaysInserts = node.alwaysInserts
    var permissions: Occurrence.Flags = []
    if !node.insertsMissing { permissions.insert(.neverInserted) }
    if !node.updatesExisting { permissions.insert(.neverUpdated) }
    self.permissions = permissions
    validators = node.validators
    constants = node.attributes.enumerated().compactMap { number, rule in
      rule.constant.map { (number, rule.slot, $0) }
    }
    memberSlot = node.memberSlot
    tombstone = node.tombstone
    deletes = node.deletes
    mayDelete = tombstone != nil || deletes != nil
    didFill = node.didFill
    kinds = node.kinds
    takesAnything = node.takesAnything
    hasMissingLinks = node.hasMissingLinks
    deletionGroup = node.group.map(batch.number) ?? -1
    group = node.policy.identityScope == .group ? deletionGroup : -1
    table = StagingTable(node.members, of: node)
    scratch = StagingScratch(node: node)
    links = node.relationships.enumerated().map { rule, relationship in
      StagingLink(
        rule: rule, node: relationship.node, isToMany: relationship.relationship.isToMany,
        isOwned: relationship.relationship.kind == .oneToMany, name: relationship.name,
        isOneToOne: relationship.isOneToOne, ownsKeyless: relationship.ownsKeyless,
        createsStubs: relationship.createsStubs, partial: relationship.partial,
        keepsOrders: relationship.isOneToOne || batch.orders != nil,
        inverse: StagingNode.inverse(relationship, to: batches[relationship.node].node),
        mentions: batch.mentions[rule], source: node.sources[rule],
        missing: relationship.missing, key: relationship.path, elements: relationship.elements,
        memberSlot: relationship.memberSlot)
    }
    hasIdentity = !node.identity.isEmpty
    defaults = node.defaultsOfRequired
    keySlot = node.identity.count == 1 ? node.identity[0] : nil
    keyConverter = keySlot.flatMap { node.attributeRule(forSlot: $0) }
      .map { node.attributes[$0].converter }
    referenceSlot = keyConverter == nil ? nil : keySlot
    keyUse = keyConverter.map(StagingTable.use) ?? .general
  }

  /// Reads what another one reads, all in common but the group.
  init(_ other: StagingNode, group filter: Filter?) {
    deletionGroup = filter.map(other.batch.number) ?? -1
    group = other.plan.policy.identityScope == .group ? deletionGroup : -1
    batch = other.batch
    plan = other.plan
    table = other.table
    scratch = other.scratch
    links = other.links
    hasIdentity = other.hasIdentity
    keySlot = other.keySlot
    alwaysInserts = other.alwaysInserts
    permissions = other.permissions
    validators = other.validators
    didFill = other.didFill
    memberSlot = other.memberSlot
    tombstone = other.tombstone
    deletes = other.deletes
    mayDelete = other.mayDelete
    constants = other.constants
    constantCells = other.constantCells
    takesAnything = other.takesAnything
    kinds = other.kinds
    hasMissingLinks = other.hasMissingLinks
    defaults = other.defaults
    keyConverter = other.keyConverter
    referenceSlot = other.referenceSlot
    keyUse = other.keyUse
  }
}

extension StagingNode {
  /// Fills cells with the values that every object has.
  func fillConstants(_ cells: UnsafeMutablePointer<Cell>, _ arena: CellArena) {
    guard !constants.isEmpty else { return }
    if constantCells.isEmpty {
      constantCells = constants.map { constant in
        let conversion = plan.attributes[constant.rule].converter.cell(
          for: constant.value, arena: arena)
        // Checked when the rule was compiled.
        if case .cell(let cell) = conversion { return cell }
        return .null
      }
    }
    for (constant, cell) in zip(constants, constantCells) {
      cells[constant.slot] = cell
      _ = scratch.claims(constant.rule, 0)
    }
  }

  /// The destination's rule of the inverse when that is to-one, or -1.
  private static func inverse(_ rule: RelationshipRule, to node: PlanNode) -> Int {
    guard let inverse = rule.relationship.inverseSlot, !rule.relationship.isInverseToMany else {
      return -1
    }
    return node.relationshipRule(forSlot: inverse) ?? -1
  }
}

/// What the stager needs of one relationship.
final class StagingLink {
  let rule: Int
  let node: Int
  let isToMany: Bool

  /// Whether each object has one owner in the relationship.
  let isOwned: Bool
  let name: String

  /// Whether either side may speak of it.
  let isOneToOne: Bool

  /// Whether objects without a key belong to the one that leads to them.
  let ownsKeyless: Bool

  /// Whether keys of objects that are not there make some.
  let createsStubs: Bool

  /// When a list is only a part of what its owner has.
  let partial: PartialList?

  /// Whether it counts when something was said.
  let keepsOrders: Bool

  /// The rule of the inverse when that is to-one, or -1: the framework sets it, and what the JSON says about it is
  /// ignored.
  let inverse: Int
  let mentions: LinkMentions

  /// Who says how the objects are read; nil is the node.
  let source: NestedSource?
  /// What reads them, once a source that always says the same was asked.
  var destination: StagingNode?
  /// What it means when an item says nothing.
  let missing: SyncPolicy.Missing
  /// Where the value stands in the item, as in `.user.notes`.
  let key: String
  /// The way from the value to the objects, where it is no list of them.
  let elements: ArraySlice<JSONPath.Step>
  /// The attribute that the keys of an object of objects fill; nil is what their node says.
  let memberSlot: Int?

  init(
    rule: Int, node: Int, isToMany: Bool, isOwned: Bool, name: String, isOneToOne: Bool,
    ownsKeyless: Bool, createsStubs: Bool, partial: PartialList?, keepsOrders: Bool, inverse: Int,
    mentions: LinkMentions, source: NestedSource?, missing: SyncPolicy.Missing, key: String,
    elements: [JSONPath.Step], memberSlot: Int?
  ) {
    self.elements = elements[...]
    self.memberSlot = memberSlot
    self.source = source
    self.missing = missing
    self.key = key
    self.isOneToOne = isOneToOne
    self.ownsKeyless = ownsKeyless
    self.createsStubs = createsStubs
    self.partial = partial
    self.keepsOrders = keepsOrders
    self.inverse = inverse
    self.rule = rule
    self.node = node
    self.isToMany = isToMany
    self.isOwned = isOwned
    self.name = name
    self.mentions = mentions
  }
}
