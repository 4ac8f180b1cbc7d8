import Foundation
import SyncCore

/// Reads the items of a payload into batches: tape and plan in, cells, keys and links out. Needs no
/// store and no lock.
///
/// An object is staged in two steps: first its attributes, from which its key follows; then, once it
/// is known whether the payload mentioned it before, its relationships, which are staged the same
/// way, to any depth.
final class Stager {
  let plan: MappingPlan

  /// What becomes of it.
  var part: StagedPart
  var batches: [Batch]
  let arena = CellArena()

  /// That of the part, until the sync takes it over.
  var report: ReportBuilder

  /// The items at the top that are to be left out, by their index, and why.
  var leftOut: [Int: SyncError] = [:]

  /// Where the item stands that is staged next.
  var upcoming = StagedItem()

  /// Says of items at the top that their objects are deleted.
  var deletes: ItemTest?

  /// Whether an empty list is one of keys, whatever key of JSON it stands under.
  var listsKeys = false

  /// Whether everything staged now is part of an item that is left out.
  var isLeavingOut = false

  /// Text of the item that is being staged.
  var itemText = UnsafeRawBufferPointer(start: nil, count: 0)

  /// What all root items refer to, when they are the children of a given parent that has no list of them.
  var rootReference: RootReference?

  func noteUnreadable(_ list: ListKey) { part.unreadableLists.insert(list) }

  let operations: SyncOperations
  let onItemError: ItemErrorPolicy
  var nodes: [StagingNode]
  /// Everybody who is known to read objects: the nodes, and behind them what sources say, where it was asked before.
  private(set) var readers: [StagingNode] = []
  /// Those that sources made of nested objects, and those of them that can be found again.
  var nestedNodes: [StagingNode] = []
  var keyedNodes: [NodeKey: StagingNode] = [:]
  /// Stages the given parent into its batch.
  var parentScope: ParentScope?
  let path = PayloadPath()
  let candidates = PlainArray<LinkCandidate>()
  let targets = PlainArray<Int32>()
  /// What was said so far about relationships of which several places may speak.
  var statementCount: UInt32 = 0
  /// Objects mentioned so far.
  var mentionCount: UInt32 = 0
  private var rootTargets: [Int32] = []

  /// What is noted for fingerprints, when fingerprints are to be made.
  private(set) var trace: FingerprintTrace?

  init(
    plan: MappingPlan, operations: SyncOperations, onItemError: ItemErrorPolicy, firstItem: Int,
    report: ReportBuilder, keepsSources: Bool = false, tracksItems: Bool = false,
    tracesFingerprints: Bool = false
  ) {
    self.plan = plan
    self.operations = operations
    self.onItemError = onItemError
    self.report = report
    let batches = plan.nodes.enumerated().map {
      Batch(
        node: $1, number: $0, keepsSources: keepsSources, keepsItems: tracksItems,
        keepsOrders: $1.hasRelatives(in: plan) || (plan.sources != nil && $1.entity.hasFamily))
    }
    self.batches = batches
    part = StagedPart(
      batches: batches, root: plan.root, arena: arena, path: path, tracksItems: tracksItems,
      items: StagedPart.Items(first: firstItem, end: firstItem))
    let nodes = batches.map { [arena] in
      StagingNode($0, plan: $0.node, among: batches, arena)
    }
    self.nodes = nodes
    if let resolved = plan.resolved { prepare(resolved) }
    readers = self.nodes + nestedNodes
    trace =
      tracesFingerprints && nodes.count < FingerprintTrace.nodeLimit
      ? FingerprintTrace(nodes: self.nodes, readers: readers) : nil
    if let trace {
      for (number, reader) in readers.enumerated() {
        reader.scratch.onUnused = { [unowned trace] in trace.leave($0, node: number) }
      }
    }
  }

  /// Sets memory aside for so many times as much as was staged so far. Lists that are large at once
  /// need not be moved, and leave no holes behind.
  func reserve(_ factor: Double) {
    for batch in batches { batch.reserve(factor) }
    trace?.reserve(factor)
  }

  /// The batch of the root items.
  var rootBatch: Batch { batches[plan.root] }

  // MARK: - Items

  /// Stages the next item of the payload.
  ///
  /// - Parameters:
  ///   - text: The bytes of the item.
  ///   - target: The stored row that the item describes; nil is decided by its key.
  func stageRootItem(
    _ source: ItemSource, text: UnsafeRawBufferPointer, as target: Int64? = nil
  ) throws {
    path.reset(item: part.items.end, at: upcoming.place)
    itemText = text
    isLeavingOut = leftOut[part.items.end] != nil
    part.items.end += 1
    if let target { part.targetRows.append(target) }
    let role = target.map { .target($0) } ?? part.rootOwner.map { rootRole(of: $0) } ?? Role.root
    let node = nodes[plan.root]
    let key = upcoming.key.map { MemberKey(tape: $0.tape, token: $0.token) }
    guard let occurrence = try stage(source.root, of: source, node: node, role: role, key: key)
    else { return }
    if isLeavingOut {
      try leaveOut(occurrence, of: rootBatch)
    } else if part.items.usable > 0 || rootBatch.ofSubentities[occurrence] != nil
      || saysSomething(source)
    {
      part.items.usable += 1
    }
    rootBatch.occurrences[occurrence].flags.insert(.root)
    if node.plan.listsObjects, !isLeavingOut { part.rootItems.append(occurrence) }
    if part.rootOwner != nil { rootTargets.append(occurrence) }
    if let rootReference { refer(occurrence, to: rootReference) }
  }

  /// Stages an item that stands beside those at the top: it may be stored as if it were nested in one of them, and nothing
  /// is deleted for want of it.
  func stageBeside(
    _ source: ItemSource, text: UnsafeRawBufferPointer, node number: Int
  ) throws {
    path.reset(item: part.items.end, at: upcoming.place)
    itemText = text
    isLeavingOut = leftOut[part.items.end] != nil
    part.items.end += 1
    part.items.beside += 1
    let node = nodes[number]
    guard let occurrence = try stage(source.root, of: source, node: node, role: .beside) else {
      return
    }
    if isLeavingOut { try leaveOut(occurrence, of: node.batch) }
    part.beside.append(SubentityMention(batch: number, occurrence: occurrence))
  }

  private func rootRole(of owner: Owner) -> Role {
    batches[owner.batch].node.relationships[owner.rule].kind == .oneToMany
      && !plan.rootNode.ignoresOwners ? .member(owner) : .shared(owner)
  }

  /// Closes the payload: what is known only at its end.
  func finish() throws -> StagedPart {
    if let owner = part.rootOwner {
      let link = nodes[owner.batch].links[owner.rule]
      link.mentions.append(
        owner: owner.owner, kind: .objects, targets: rootTargets, order: nextOrder(link))
    }
    foldSuperentities()
    for node in nodes + nestedNodes
    where node.scratch.isReplayed
      || (plan.sources == nil ? !node.batch.occurrences.isEmpty : node.scratch.isUsed)
    {
      node.scratch.describe(node.batch.entity.name, in: report)
    }
    part.batches = batches
    part.hasUncountedKeys = readers.contains(where: \.scratch.isFull)
    return part
  }

  /// Stages one object and everything below it.
  ///
  /// - Returns: The occurrence that stands for it, or nil when it is left out, which is reported.
  ///
  /// - Parameter key: The key that it has in an object of objects.
  func stage(
    _ token: Int, of source: ItemSource, node: StagingNode, role: Role, key: MemberKey? = nil
  ) throws -> Int32? {
    let address = source.address(token)
    if let replacement = part.replacements?[address] {
      // The item keeps its identity, so that it is not offered for replacement again.
      return try stage(
        replacement.root, of: replacement, address: address, node: node, role: role, key: key)
    }
    return try stage(token, of: source, address: address, node: node, role: role, key: key)
  }

  private func stage(
    _ token: Int, of source: ItemSource, address: UInt, node: StagingNode, role: Role,
    key: MemberKey?
  ) throws -> Int32? {
    if node.steps.contains(.tombstone) || (deletes != nil && path.isAtTop),
      try stageTombstone(token, of: source, node: node, role: role, key: key)
    {
      return nil
    }
    if node.steps.contains(.validators) {
      guard let valid = try validated(token, of: source, node: node, role: role) else {
        return nil
      }
      return try stageValid(
        valid.root, of: valid, address: address, node: node, role: role, key: key)
    }
    return try stageValid(token, of: source, address: address, node: node, role: role, key: key)
  }

  @inline(__always)
  private func stageValid(
    _ token: Int, of source: ItemSource, address: UInt, node: StagingNode, role: Role,
    key: MemberKey?
  ) throws -> Int32? {
    let batch = node.batch
    guard source.tokens[token].kind == .object || node.plan.takesAnything else {
      noteUnreadable(role)
      try skip(batch, .invalidItem, "The item is \(source.tokens[token].kind.text), not an object.")
      return nil
    }
    if node.steps.contains(.kinds), let kinds = node.plan.kinds {
      guard let reader = try reader(of: token, source, kinds, in: node, role: role) else {
        return nil
      }
      if reader !== node {
        let object = try stage(
          token, of: source, address: address, node: reader, role: role, key: key)
        return object.map { mention($0, of: reader.batch, in: batch) }
      }
    }
    let row = batch.block.append()
    let firstCandidate = candidates.count
    defer { candidates.removeAll(from: firstCandidate) }
    try fill(batch.block[row], from: token, of: source, node: node)
    if let key { try fill(batch.block[row], from: key, node: node) }
    if node.steps.contains(.hook), let hook = node.plan.didFill, !isLeavingOut {
      try showFilled(row, to: hook, token, of: source, node: node)
    }
    if node.steps.contains(.defaults) { takeDefaults(batch.block[row], node) }
    let earlierCount = batch.occurrences.count
    guard let occurrence = try identify(row, in: node, source: address, role: role) else {
      return nil
    }
    trace?.describe(occurrence, in: batch.number)
    if node.permissions.contains(.neverInserted) {
      batch.paths[occurrence] = path.description
    }
    if candidates.count > firstCandidate {
      if trace != nil, batch.occurrences.count == earlierCount {
        batch.occurrences[occurrence].flags.insert(.conflicting)
      }
      let back = inverse(role)
      for link in node.links where link.number != back {
        let range = firstCandidate..<candidates.count
        try stageLink(
          link, of: occurrence, in: batch, candidates: range, parent: token, source: source)
      }
    }
    if node.steps.contains(.missingLinks) {
      let said = Set((firstCandidate..<candidates.count).map { candidates[$0].rule })
      let back = inverse(role)
      for link in node.links
      where link.rule.missing != .keep && link.number != back && !said.contains(link.number) {
        try stageMissing(link, of: occurrence, in: batch)
      }
    }
    return occurrence
  }

  /// Notes that nobody can tell which object a part of a list meant: the list then adds, but takes
  /// nothing away.
  func noteUnreadable(_ role: Role) {
    switch role {
    case .toOne, .beside: return
    default: break
    }
    if let owner = role.owner, owner != part.rootOwner {
      part.unreadableLists.insert(ListKey(batch: owner.batch, owner: owner.owner, rule: owner.rule))
    } else {
      part.hasUnreadableRootKey = true
    }
  }
}
