import Foundation
import SyncCore

/// Reads the items of a payload into batches: tape and plan in, cells, keys and links out. Needs no
/// store and no lock.
///
/// An object is staged in two steps: first its attributes, from which its key follows; then, once
/// it is known whether the payload mentioned it before, its relationships, which are staged the
/// same way, to any depth.
final class Stager {
  let request: StagingRequest

  // Asked for every object: a check for overlapping access would cost more than the answer.

  /// The result.
  @exclusivity(unchecked) var part: StagedPart
  @exclusivity(unchecked) var readers = StagingReaders()
  let arena = CellArena()

  /// That of the part, until the sync takes it over.
  var report = ReportBuilder()

  /// The item at the top that is staged.
  var item = StagedItem()
  let turn: ItemTurn

  /// How the items at the top are linked with a given parent.
  @exclusivity(unchecked) var rootLink: RootLink?
  let path = PayloadPath()
  let candidates = PlainArray<LinkCandidate>()
  let targets = PlainArray<Int32>()
  /// The mentions of each relationship of which nothing is said.
  let unsaid: LinkMentions
  var counts = Counts()

  /// The contents of each item at the top, where the request asks for them.
  private(set) var contents: ItemContents?

  /// Numbers counted so far.
  struct Counts {
    /// Words about relationships of which several places may speak.
    var statements: UInt32 = 0
    /// Objects that were mentioned.
    var mentions: UInt32 = 0
  }

  init(_ request: StagingRequest) {
    self.request = request
    let plan = request.plan
    let unsaid = LinkMentions()
    self.unsaid = unsaid
    let batches = plan.nodes.enumerated().map { number, node in
      Batch(
        node, number: number,
        Batch.Origins(
          keepsAddresses: request.keepsAddresses, keepsItems: request.version.tracksItems),
        keepsOrders: node.hasRelatives(in: plan) || (plan.sources != nil && node.entity.hasFamily),
        unsaid: unsaid)
    }
    part = StagedPart(
      batches: batches, root: plan.root, arena: arena, path: path,
      version: request.version,
      items: StagedPart.Items(first: request.firstItem, end: request.firstItem))
    readers.nodes = Array(repeating: nil, count: batches.count)
    let notesContents = request.notesContents && batches.count <= UInt16.max
    turn = ItemTurn(notesItems: notesContents)
    if notesContents { contents = ItemContents(turn) }
    if let resolved = plan.resolved { prepare(resolved) }
  }

  var plan: MappingPlan { request.plan }
  var batches: [Batch] { part.batches }

  /// Sets memory aside for so many times as much as was staged so far. Lists that are large at once
  /// need not be moved, and leave no holes behind.
  func reserve(_ factor: Double) {
    for batch in batches { batch.reserve(factor) }
    contents?.reserve(factor)
  }

  var rootBatch: Batch { part.rootBatch }

  // MARK: - Items

  /// Stages the next item of the payload.
  ///
  /// - Parameters:
  ///   - text: The bytes of the item.
  ///   - target: The stored row that the item describes; nil is decided by its key.
  func stageRootItem(
    _ source: ItemSource, text: UnsafeRawBufferPointer, as target: Int64? = nil
  ) throws {
    let (noteCount, usable) = (report.noteCount, part.items.usable)
    contents?.begin()
    try stageRoot(source, text: text, as: target)
    contents?.end(isUsable: report.noteCount == noteCount && part.items.usable > usable)
  }

  private func stageRoot(
    _ source: ItemSource, text: UnsafeRawBufferPointer, as target: Int64?
  ) throws {
    begin(text)
    let role = target.map { .target($0) } ?? part.rootOwner.map { rootRole(of: $0) } ?? Role.root
    let node = reader(plan.root)
    let key = item.key.map { MemberKey(tape: $0.tape, token: $0.token) }
    guard let occurrence = try stage(source.root, of: source, node: node, role: role, key: key)
    else { return }
    if item.isRejected {
      try reject(occurrence, of: rootBatch)
    } else if part.items.usable > 0 || rootBatch.ofSubentities[occurrence] != nil
      || saysSomething(source)
    {
      part.items.usable += 1
    }
    rootBatch.occurrences[occurrence].traits.insert(.root)
    if node.plan.listsObjects, !item.isRejected { part.items.listed.append(occurrence) }
    rootLink?.targets.append(occurrence)
    if let reference = rootLink?.reference { refer(occurrence, to: reference) }
  }

  private func begin(_ text: UnsafeRawBufferPointer) {
    path.reset(item: part.items.end, at: item.place)
    item.text = text
    item.isRejected = request.version.rejected[part.items.end] != nil
    part.items.end += 1
  }

  /// Stages an item that stands beside those at the top: it may be stored as if it were nested in
  /// one of them, and nothing is deleted for want of it.
  func stageBeside(
    _ source: ItemSource, text: UnsafeRawBufferPointer, node number: Int
  ) throws {
    begin(text)
    part.items.besideCount += 1
    let node = try conventionalNode(number)
    guard let occurrence = try stage(source.root, of: source, node: node, role: .beside) else {
      return
    }
    if item.isRejected { try reject(occurrence, of: node.batch) }
    part.items.beside.append(SubentityMention(batch: number, occurrence: occurrence))
  }

  private func rootRole(of owner: Owner) -> Role {
    plan.rootNode.tellsApart(ownersIn: batches[owner.batch].node.relationships[owner.rule])
      ? .member(owner) : .shared(owner)
  }

  /// Closes the payload: stages the facts known only at its end.
  func finish() throws -> StagedPart {
    if let owner = part.rootOwner {
      say(
        reader(owner.batch).links[owner.rule], of: owner.owner, .objects,
        rootLink?.targets ?? [])
    }
    foldSuperentities()
    if plan.sources == nil {
      for batch in batches where !batch.occurrences.isEmpty { _ = reader(batch.number) }
    }
    for node in readers.made
    where node.scratch.isReplayed
      || (plan.sources == nil ? !node.batch.occurrences.isEmpty : node.scratch.isUsed)
    {
      node.scratch.describe(node.batch.entity.name, in: report)
    }
    part.contents = contents
    part.hasUncountedKeys = readers.made.contains { $0.scratch.number != nil && $0.scratch.isFull }
    return part
  }

  /// Stages one object and everything below it.
  ///
  /// - Parameters:
  ///   - key: The key that it has in an object of objects.
  ///   - known: The address by which it is known already; nil is that of its bytes.
  /// - Returns: The occurrence that stands for it, or nil when it is left out, which is reported.
  func stage(
    _ token: Int, of source: ItemSource, node: StagingNode, role: Role, key: MemberKey? = nil,
    address known: UInt? = nil
  ) throws -> Int32? {
    let address = known ?? source.address(token)
    if known == nil, let replacement = part.version.replacements?[address] {
      // The item keeps its identity, so that it is not offered for replacement again.
      return try stage(
        replacement.root, of: replacement, node: node, role: role, key: key, address: address)
    }
    if node.steps.contains(.tombstone) || (request.deletes != nil && path.isAtTop),
      try stageGone(token, of: source, node: node, role: role, key: key)
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
    let kind = source.tokens[token].kind
    guard kind == .object || node.plan.takesAnything || kind == .array && node.plan.takesArrays
    else {
      noteUnreadable(role)
      try skip(
        batch, .invalidItem,
        "The item is \(kind.text), not an object.\(node.plan.arrayAdvice(kind))")
      return nil
    }
    if node.steps.contains(.kinds), let kinds = node.plan.kinds {
      guard let reader = try reader(of: token, source, kinds, in: node, role: role) else {
        return nil
      }
      if reader !== node {
        let object = try stage(
          token, of: source, node: reader, role: role, key: key, address: address)
        return object.map { mention($0, of: reader.batch, in: batch) }
      }
    }
    let row = batch.block.append()
    let firstCandidate = candidates.count
    defer { candidates.removeAll(from: firstCandidate) }
    try fill(batch.block[row], from: token, of: source, node: node)
    if let key { try fill(batch.block[row], from: key, node: node) }
    if node.steps.contains(.hook), let hook = node.plan.didFill, !item.isRejected {
      try showFilled(row, to: hook, token, of: source, node: node)
    }
    if node.steps.contains(.defaults) { takeDefaults(batch.block[row], node) }
    let earlierCount = batch.occurrences.count
    guard let occurrence = try identify(row, in: node, source: address, role: role) else {
      return nil
    }
    contents?.describe(occurrence, in: batch.number)
    if batch.occurrences[occurrence].traits.contains(.neverInserted) {
      batch.origins.paths[occurrence] = path.description
    }
    if candidates.count > firstCandidate {
      if batch.occurrences.count == earlierCount {
        batch.occurrences[occurrence].traits.insert(.conflicting)
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
}
