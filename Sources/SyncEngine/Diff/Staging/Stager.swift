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
  let batches: [Batch]
  let arena = CellArena()
  let report: ReportBuilder

  /// Items that stand in for others.
  var replacements: ItemReplacements?

  /// The items at the top that are to be left out, by their index, and why.
  var leftOut: [Int: SyncError] = [:]

  /// What was left out.
  var leftOutItems: [LeftOutItem] = []

  /// Items that a rule of the plan refuses, by their index; they are still to be left out.
  var offenders: [Int: SyncError] = [:]

  /// Whether everything staged now is part of an item that is left out.
  var isLeavingOut = false

  /// Text of the item that is being staged.
  var itemText = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Whether it is noted which item every object stands in. Mentions are not laid together early then.
  let tracksItems: Bool

  /// The stored rows that items at the top describe whatever their keys.
  private(set) var targetRows: [Int64] = []

  /// The owner of the root items, when they are the children of a given parent.
  var rootOwner: Owner?

  /// Whether the key of an item at the top could not be read, so that nobody knows which object was
  /// meant.
  private(set) var hasUnreadableRootKey = false

  /// The owners of lists in which a key could not be read.
  private(set) var unreadableLists: Set<ListKey> = []

  /// Items that can be used, at the top of the payload.
  var usableItemCount = 0
  var itemCount = 0
  let firstItem: Int

  let operations: SyncOperations
  let onItemError: ItemErrorPolicy
  let nodes: [StagingNode]
  let path: PayloadPath
  let candidates = PlainArray<LinkCandidate>()
  let targets = PlainArray<Int32>()
  var partnerOrder: UInt32 = 0
  private var rootTargets: [Int32] = []

  /// What is noted for fingerprints, when fingerprints are to be made.
  private(set) var trace: FingerprintTrace?

  init(
    plan: MappingPlan, operations: SyncOperations, onItemError: ItemErrorPolicy, path: String?,
    firstItem: Int, report: ReportBuilder, keepsSources: Bool = false, tracksItems: Bool = false,
    tracesFingerprints: Bool = false
  ) {
    self.tracksItems = tracksItems
    self.firstItem = firstItem
    itemCount = firstItem
    self.plan = plan
    self.operations = operations
    self.onItemError = onItemError
    self.path = PayloadPath(list: path, plan: plan)
    self.report = report
    let batches = plan.nodes.enumerated().map {
      Batch(node: $1, number: $0, keepsSources: keepsSources, keepsItems: tracksItems)
    }
    self.batches = batches
    let nodes = batches.map { StagingNode($0, among: batches) }
    self.nodes = nodes
    trace =
      tracesFingerprints && nodes.count < FingerprintTrace.nodeLimit
      ? FingerprintTrace(nodes: nodes) : nil
    if let trace {
      for (number, node) in nodes.enumerated() {
        node.scratch.onUnused = { [unowned trace] in trace.leave($0, node: number) }
      }
    }
  }

  /// Sets memory aside for so many times as much as was staged so far. Lists that are large at once
  /// need not be moved, and leave no holes behind.
  func reserve(_ factor: Double) {
    for batch in batches { batch.reserve(factor) }
    trace?.reserve(factor)
  }

  /// Gives up what was noted for fingerprints.
  func dropTrace() {
    for node in nodes { node.scratch.onUnused = nil }
    trace = nil
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
    path.reset(item: itemCount)
    itemText = text
    isLeavingOut = leftOut[itemCount] != nil
    itemCount += 1
    if let target { targetRows.append(target) }
    let role = target.map { .target($0) } ?? rootOwner.map { rootRole(of: $0) } ?? Role.root
    guard let occurrence = try stage(0, of: source, node: plan.root, role: role) else { return }
    if isLeavingOut { try leaveOut(occurrence) } else { usableItemCount += 1 }
    rootBatch.occurrences[Int(occurrence)].flags.insert(.root)
    if rootOwner != nil { rootTargets.append(occurrence) }
  }

  private func rootRole(of owner: Owner) -> Role {
    batches[owner.batch].node.relationships[owner.rule].relationship.kind == .oneToMany
      ? .member(owner) : .shared(owner)
  }

  /// Whether an item is to become a new object whatever is stored.
  private func alwaysInserts(_ role: Role) -> Bool {
    guard operations.contains(.alwaysInsert) else { return false }
    if case .root = role { return true }
    return role.owner == rootOwner
  }

  /// Whether an item at the top of the payload says anything about the relationship.
  func rootItemsName(_ rule: Int) -> Bool {
    let batch = rootBatch
    return batch.mentions[rule].owners.contains {
      batch.occurrences[Int($0)].flags.contains(.root)
    }
  }

  /// Closes the payload: what is known only at its end.
  func finish() throws {
    if let owner = rootOwner {
      batches[owner.batch].mentions[owner.rule].append(
        owner: owner.owner, kind: .objects, targets: rootTargets)
    }
    for node in nodes where !node.batch.occurrences.isEmpty || node.scratch.isReplayed {
      node.scratch.report(into: &report[node.batch.entity])
    }
  }

  /// Stages one object and everything below it.
  ///
  /// - Returns: The occurrence that stands for it, or nil when it is left out, which is reported.
  func stage(
    _ token: Int, of source: ItemSource, node number: Int, role: Role
  ) throws -> Int32? {
    let address = source.address(token)
    if let replacement = replacements?[address] {
      // The item keeps its identity, so that it is not offered for replacement again.
      return try stage(0, of: replacement, address: address, node: number, role: role)
    }
    return try stage(token, of: source, address: address, node: number, role: role)
  }

  private func stage(
    _ token: Int, of source: ItemSource, address: UInt, node number: Int, role: Role
  ) throws -> Int32? {
    let node = nodes[number]
    let batch = node.batch
    guard case .object = source.tokens[token].kind else {
      noteUnreadable(role)
      try skip(batch, .invalidItem, "The item is \(source.tokens[token].kind.text), not an object.")
      return nil
    }
    let row = batch.block.append()
    let firstCandidate = candidates.count
    defer { candidates.removeAll(from: firstCandidate) }
    try fill(batch.block[row], from: token, of: source, node: node)
    let earlierCount = batch.occurrences.count
    guard let occurrence = try identify(row, in: node, source: address, role: role) else {
      return nil
    }
    trace?.describe(occurrence, in: number)
    if candidates.count > firstCandidate {
      if trace != nil, batch.occurrences.count == earlierCount {
        batch.occurrences[Int(occurrence)].flags.insert(.disputed)
      }
      let back = role.owner.map { nodes[$0.batch].links[$0.rule].wayBack } ?? -1
      for link in node.links where link.rule != back {
        let range = firstCandidate..<candidates.count
        try stageLink(link, of: occurrence, in: batch, candidates: range, source: source)
      }
    }
    return occurrence
  }

  // MARK: - Identity

  /// Decides which object a freshly filled row is, as far as the payload alone can tell.
  private func identify(
    _ row: Int, in node: StagingNode, source: UInt, role: Role
  ) throws -> Int32? {
    let batch = node.batch
    let cells = batch.block[row]
    let isKeyless =
      if let slot = node.keySlot {
        cells[slot].holdsNothing
      } else {
        !node.hasIdentity || batch.node.identity.contains { cells[$0].isEmpty }
      }
    var occurrence = Occurrence()
    if isLeavingOut { occurrence.flags.insert(.leftOut) }
    if let owner = role.owner {
      occurrence.owner = owner.owner
      occurrence.ownerBatch = Int16(owner.batch)
      occurrence.ownerRule = Int16(owner.rule)
      if case .member = role { occurrence.flags.insert(.owned) }
    }
    if case .target(let target) = role {
      // A key that is null or unreadable says nothing about the object's key.
      for slot in batch.node.identity where cells[slot].isEmpty { cells[slot] = .absent }
      occurrence.row = target
      occurrence.flags.insert(.keyless)
      return append(occurrence, source: source, to: batch)
    }
    if isKeyless || alwaysInserts(role) {
      return try identifyKeyless(
        row, occurrence, source: source, in: batch, role: role)
    }
    if case .root = role { occurrence.flags.insert(.root) }
    if rootOwner != nil, role.owner == rootOwner { occurrence.flags.insert(.root) }
    let head = batch.index.findOrInsert(Int32(row))
    guard head >= 0 else { return append(occurrence, source: source, to: batch) }
    if let earlier = earlierOccurrence(like: occurrence, from: head, in: batch) {
      if case .root = role { noteRepeated(earlier, in: batch) }
      if !tracksItems || occurrence.isOwned {
        if trace != nil, batch.isDisputed(row, Int(earlier)) {
          batch.occurrences[Int(earlier)].flags.insert(.disputed)
        }
        batch.overlay(row, over: Int(earlier))
        batch.block.removeLast()
        batch.hasRepeats = true
        return earlier
      }
    }
    let result = append(occurrence, source: source, to: batch)
    batch.chain(result, to: head)
    return result
  }

  /// An object without a key: only the one a to-one relationship leads to can still be told.
  private func identifyKeyless(
    _ row: Int, _ occurrence: Occurrence, source: UInt, in batch: Batch, role: Role
  ) throws -> Int32? {
    if alwaysInserts(role) {
      var new = occurrence
      new.flags.insert(.keyless)
      return append(new, source: source, to: batch)
    }
    if case .toOne = role {
      // A key that is null or unreadable says nothing about the linked object's key.
      for slot in batch.node.identity where batch.block[row][slot].isEmpty {
        batch.block[row][slot] = .absent
      }
      var keyless = occurrence
      keyless.flags.insert(.keyless)
      return append(keyless, source: source, to: batch)
    }
    guard !batch.node.identity.isEmpty else {
      throw SyncError.noPrimaryKey(batch.entity.name, path: path.description)
    }
    batch.block.removeLast()
    if batch.node.policy.missingIdentity == .fail {
      try refuse(
        SyncError(
          .missingKey, entity: batch.entity.name, property: batch.node.identityName,
          path: path.description,
          message: """
            An item of entity “\(batch.entity.name)” has no readable “\(batch.node.identityName)”, so \
            nobody can tell which object it is.
            """))
    }
    noteUnreadable(role)
    try skip(batch, .missingKey, "The item has no readable “\(batch.node.identityName)”.")
    return nil
  }

  private func append(_ occurrence: Occurrence, source: UInt, to batch: Batch) -> Int32 {
    batch.append(occurrence, source: source, item: itemCount - 1)
  }

  /// Notes that nobody can tell which object a part of a list meant: the list then adds, but takes
  /// nothing away.
  func noteUnreadable(_ role: Role) {
    if case .toOne = role { return }
    if let owner = role.owner, owner != rootOwner {
      unreadableLists.insert(ListKey(batch: owner.batch, owner: owner.owner, rule: owner.rule))
    } else {
      hasUnreadableRootKey = true
    }
  }

  /// An earlier occurrence that is certainly the same object: of the same key, and in the list of
  /// the same owner when it stands in one. What is not found here is found when objects are matched.
  private func earlierOccurrence(
    like occurrence: Occurrence, from head: Int32, in batch: Batch
  ) -> Int32? {
    var candidate = head
    // What was said since would otherwise come after what is said now.
    let latest = max(head, batch.occurrences[Int(head)].next)
    // The members of one owner are staged together, so they stand at the front of the chain: a key
    // that every owner uses does not cost a walk over all owners.
    for _ in 0..<4 where candidate >= 0 {
      let other = batch.occurrences[Int(candidate)]
      if candidate == latest, other.isOwned == occurrence.isOwned, mayMerge(other, occurrence),
        !other.isOwned
          || (other.owner == occurrence.owner && other.ownerBatch == occurrence.ownerBatch
            && other.ownerRule == occurrence.ownerRule)
      {
        return candidate
      }
      candidate = other.next
    }
    return nil
  }

  /// Whether two mentions of one object may be laid together before anybody knows what is stored: when
  /// both count in any case, or stand in the same place.
  private func mayMerge(_ one: Occurrence, _ other: Occurrence) -> Bool {
    guard one.flags.isDisjoint(with: .leftOut), other.flags.isDisjoint(with: .leftOut) else {
      return false
    }
    return one.isOwned || (one.flags.contains(.root) && other.flags.contains(.root))
      || operations.isSuperset(of: Stager.writing)
  }

  /// With these options every mention counts.
  private static let writing: SyncOperations = [
    .insert, .update, .insertRelationships, .updateRelationships,
  ]

  private func noteRepeated(_ occurrence: Int32, in batch: Batch) {
    let key = batch.key(batch.block[Int(occurrence)]).description
    report.note(
      .repeatedItem, batch.entity, key: key, path: path.description,
      message: "The payload holds \(batch.entity.name) \(key) more than once; later values win.")
  }
}
