import SyncCore

/// What the stager needs of one plan node, ready at hand: asking the plan itself would copy its rules,
/// names and all, for every object. Confined to the stager.
final class StagingNode {
  let batch: Batch
  let table: StagingTable
  let scratch: StagingScratch
  let links: [StagingLink]

  /// Whether objects have a key at all, and the slot when it is a single one.
  let hasIdentity: Bool
  let keySlot: Int?

  /// How keys that refer to objects of the node are read, when they can be looked up.
  let keyConverter: ValueConverter?
  /// The slot of such keys.
  let referenceSlot: Int?
  /// Which usual JSON such keys are converted from in place.
  let keyUse: StagingTable.Use

  init(_ batch: Batch, among batches: [Batch]) {
    self.batch = batch
    let node = batch.node
    table = StagingTable(node.members, of: node)
    scratch = StagingScratch(node: node)
    links = node.relationships.enumerated().map { rule, relationship in
      StagingLink(
        rule: rule, node: relationship.node, isToMany: relationship.relationship.isToMany,
        isOwned: relationship.relationship.kind == .oneToMany, name: relationship.name,
        isOneToOne: relationship.isOneToOne,
        keepsOrders: relationship.isOneToOne || batch.orders != nil,
        inverse: StagingNode.inverse(relationship, to: batches[relationship.node].node),
        mentions: batch.mentions[rule])
    }
    hasIdentity = !node.identity.isEmpty
    keySlot = node.identity.count == 1 ? node.identity[0] : nil
    keyConverter = keySlot.flatMap { node.attributeRule(forSlot: $0) }
      .map { node.attributes[$0].converter }
    referenceSlot = keyConverter == nil ? nil : keySlot
    keyUse = keyConverter.map(StagingTable.use) ?? .general
  }
}

extension StagingNode {
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

  /// Whether it counts when something was said.
  let keepsOrders: Bool

  /// The rule of the inverse when that is to-one, or -1: the framework sets it, and what the JSON says about it is
  /// ignored.
  let inverse: Int
  let mentions: LinkMentions

  init(
    rule: Int, node: Int, isToMany: Bool, isOwned: Bool, name: String, isOneToOne: Bool,
    keepsOrders: Bool, inverse: Int, mentions: LinkMentions
  ) {
    self.isOneToOne = isOneToOne
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
