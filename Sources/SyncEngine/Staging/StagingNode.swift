import SyncCore

/// Reads the objects of one plan node, or those of a source of nested objects. Confined to the
/// stager.
final class StagingNode {
  let batch: Batch
  /// How the objects are read.
  let plan: PlanNode
  let table: StagingTable
  let scratch: StagingScratch
  let links: [StagingLink]

  /// The steps for an object beside the filling of its cells; asked for every object.
  let steps: Steps

  /// The differences of the mapping from conventions, for every item.
  let permissions: Occurrence.Traits

  /// The slot of the key when it is a single one.
  let keySlot: Int?
  let keys: KeyReading?

  /// The number of the group that its list may empty at the end, or -1 for all objects.
  let deletionGroup: Int32

  /// The attributes that have the same value in every object: the numbers of their rules, and the
  /// values.
  private let constants: [(rule: Int, slot: Int, cell: Cell)]

  /// Whether a source has its objects told apart otherwise than conventions do, which read none of
  /// them in the same part of a payload.
  var isOfSources = false

  /// The readers of the kinds that were met.
  var readersOfKinds: [String: StagingNode] = [:]

  struct Steps: OptionSet {
    let rawValue: UInt8
    /// An item may say that its object is deleted.
    static let tombstone = Steps(rawValue: 1)
    static let validators = Steps(rawValue: 2)
    /// An item may be an object of a subentity.
    static let kinds = Steps(rawValue: 4)
    /// Attributes of which an item says nothing may be given a value.
    static let missingValues = Steps(rawValue: 8)
    /// A hook sees the values that an item fills.
    static let hook = Steps(rawValue: 16)
    /// Required attributes take a default in place of null.
    static let defaults = Steps(rawValue: 32)
    /// Relationships of which an item says nothing may be given a link.
    static let missingLinks = Steps(rawValue: 64)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ node: PlanNode) {
      self = []
      if node.tombstone != nil || node.deletes != nil { insert(.tombstone) }
      if !node.validators.isEmpty { insert(.validators) }
      if node.kinds != nil { insert(.kinds) }
      if node.attributes.contains(where: { $0.missing != .keep }) { insert(.missingValues) }
      if node.didFill != nil { insert(.hook) }
      if !node.defaultsOfRequired.isEmpty { insert(.defaults) }
      if node.hasMissingLinks { insert(.missingLinks) }
    }
  }

  /// How keys that refer to objects of the node are read.
  struct KeyReading {
    let slot: Int
    let converter: ValueConverter
    /// Which usual JSON they are converted from in place.
    let use: StagingTable.Use
  }

  /// - Parameter number: The number by which the reader is found again; nil when it is not.
  init(
    _ batch: Batch, plan node: PlanNode, among batches: [Batch], _ arena: CellArena, number: Int?,
    _ turn: ItemTurn
  ) {
    self.batch = batch
    plan = node
    table = StagingTable(node.members, of: node)
    scratch = StagingScratch(node: node, number: number, turn)
    links = node.relationships.indices.map {
      StagingLink($0, of: node, batch, to: batches[node.relationships[$0].node].node)
    }
    steps = Steps(node)
    var permissions: Occurrence.Traits = []
    if !node.insertsMissing { permissions.insert(.neverInserted) }
    if !node.updatesExisting { permissions.insert(.neverUpdated) }
    if node.emptiesUnresolved { permissions.insert(.emptiesUnresolved) }
    self.permissions = permissions
    let keySlot = node.identity.count == 1 ? node.identity[0] : nil
    self.keySlot = keySlot
    keys = keySlot.flatMap { slot in
      node.attributeRule(forSlot: slot).map { rule in
        let converter = node.attributes[rule].converter
        return KeyReading(slot: slot, converter: converter, use: StagingTable.use(converter))
      }
    }
    deletionGroup = node.group.map(batch.number) ?? -1
    constants = node.attributes.enumerated().compactMap { number, rule in
      guard let value = rule.constant else { return nil }
      // Checked when the rule was compiled.
      guard case .cell(let cell) = rule.converter.cell(for: value, arena: arena) else {
        return (number, rule.slot, .null)
      }
      return (number, rule.slot, cell)
    }
  }

  /// Reads like another node, all in common but the group.
  init(_ other: StagingNode, group filter: Filter?) {
    batch = other.batch
    plan = other.plan
    table = other.table
    scratch = other.scratch
    links = other.links
    steps = other.steps
    permissions = other.permissions
    keySlot = other.keySlot
    keys = other.keys
    deletionGroup = filter.map(other.batch.number) ?? -1
    constants = other.constants
  }

  /// Whether objects have a key at all.
  var hasIdentity: Bool { !plan.identity.isEmpty }

  /// The number of the group that stored objects are looked for in, or -1.
  var group: Int32 { plan.policy.identityScope == .group ? deletionGroup : -1 }

  /// Fills cells with the values that every object has.
  func fillConstants(_ cells: UnsafeMutablePointer<Cell>) {
    for constant in constants {
      cells[constant.slot] = constant.cell
      _ = scratch.claims(constant.rule, 0)
    }
  }
}

/// One relationship of the objects that a ``StagingNode`` reads, and its mentions.
final class StagingLink {
  /// The number of the rule.
  let number: Int
  let rule: RelationshipRule
  private let batch: Batch

  /// Whether it counts when something was said.
  let keepsOrders: Bool

  /// The rule of the inverse when that is to-one, or -1: the framework sets it, and its value in
  /// the JSON is ignored.
  let inverse: Int

  /// The source of the plan by which the objects are read; nil is the node.
  let source: NestedSource?
  /// The node that reads them, once a source that always gives the same plan was asked.
  var destination: StagingNode?

  init(_ number: Int, of node: PlanNode, _ batch: Batch, to destination: PlanNode) {
    self.number = number
    rule = node.relationships[number]
    self.batch = batch
    keepsOrders = rule.isOneToOne || batch.orders != nil
    let inverse = rule.relationship.isInverseToMany ? nil : rule.relationship.inverseSlot
    self.inverse = inverse.flatMap { destination.relationshipRule(forSlot: $0) } ?? -1
    source = node.sources[number]
  }

  /// The mentions so far.
  var mentions: LinkMentions { batch.mentions[number] }

  /// The mentions, to which some may be added; kept, because it is asked for every mention.
  private(set) lazy var saidMentions = batch.saidMentions(of: number)

  /// Whether each object has one owner in the relationship.
  var isOwned: Bool { rule.kind == .oneToMany }
}

/// The readers of objects.
struct StagingReaders {
  /// Those of the nodes of the plan that had an object: most items have objects of few of them.
  var nodes: [StagingNode?] = []

  /// Those that sources made of nested objects, and those of them that can be found again.
  private(set) var nested: [StagingNode] = []
  private var keyed: [NodeKey: StagingNode] = [:]

  /// Those that were known before anything was read: the nodes, and plans that sources gave before.
  private(set) var nestedBefore = 0

  /// Those that were made.
  var made: [StagingNode] { nodes.compactMap { $0 } + nested }

  subscript(key: NodeKey) -> StagingNode? { keyed[key] }

  mutating func add(_ node: StagingNode, _ key: NodeKey?) {
    nested.append(node)
    if let key { keyed[key] = node }
  }

  /// Adds one that a source gave before anything was read.
  mutating func addBefore(_ node: StagingNode) {
    nested.append(node)
    nestedBefore += 1
  }

  /// Whether a nested source reads objects into the batch.
  func readNested(_ batch: Batch) -> Bool { nested.contains { $0.batch === batch } }
}

extension Stager {
  /// The reader of the objects of a node.
  @inline(__always)
  func reader(_ number: Int) -> StagingNode { readers.nodes[number] ?? makeReader(number) }

  @inline(never)
  private func makeReader(_ number: Int) -> StagingNode {
    let batch = batches[number]
    let reader = StagingNode(
      batch, plan: batch.node, among: batches, arena, number: number, turn)
    readers.nodes[number] = reader
    return reader
  }

  /// The reader of a number, those of nested objects behind the nodes; nil when there is none.
  func reader(at number: Int) -> StagingNode? {
    let nested = number - readers.nodes.count
    if nested >= 0 { return nested < readers.nestedBefore ? readers.nested[nested] : nil }
    return number >= 0 ? reader(number) : nil
  }

  /// Makes the nodes of all that sources say, before any of it is read.
  func prepare(_ resolved: ResolvedSources) {
    for reader in resolved.readers {
      let identity = reader.node.identity
      guard !identity.isEmpty, identity != batches[reader.number].node.identity else { continue }
      _ = identify(reader.number, by: identity)
    }
    for (number, reader) in resolved.readers.enumerated().dropFirst(readers.nodes.count) {
      readers.addBefore(
        StagingNode(
          batches[reader.number], plan: reader.node, among: batches, arena, number: number, turn))
    }
    for (number, reader) in resolved.readers.enumerated() {
      for (rule, other) in reader.below {
        self.reader(at: number)?.links[rule].destination = self.reader(at: other)
      }
    }
  }

  /// Has the objects of a batch, of which there are none yet, told apart by some attributes.
  func identify(_ number: Int, by slots: [Int]) -> Batch {
    let old = batches[number]
    let batch = Batch(
      old.node.identified(by: slots), number: number, old.origins.emptied,
      keepsOrders: old.orders != nil, unsaid: unsaid)
    part.batches[number] = batch
    readers.nodes[number] = nil
    if !old.occurrences.isEmpty { rootLink?.scope.prepare(self) }
    return batch
  }
}

/// A value under a key of a relationship.
struct LinkCandidate: BitwiseCopyable {
  let rule: Int
  let kind: MemberTarget.Kind
  let precedence: UInt8
  let token: Int

  /// Whether the key is one of identifiers, so that an object does not belong under it.
  var isForReferences: Bool {
    if case .references = kind { true } else { false }
  }
}
