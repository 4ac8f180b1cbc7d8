package import SyncCore
package import SyncStore

/// One sync: the phases in order, everything from *match* on inside one transaction.
///
/// ```
/// parse │ match ─▶ insert ─▶ update ─▶ link ─▶ delete ─▶ save
///       └ transaction ────────────────────────────────── commit
/// ```
///
/// Whatever throws in between, a checkpoint of a cancelled sync among it, leaves the store as it was.
package struct SyncRun {
  let request: SyncRequest
  let store: Store
  let control: SyncControl

  package init(_ request: SyncRequest, store: Store, control: SyncControl) {
    self.request = request
    self.store = store
    self.control = control
  }

  /// Runs on the calling thread.
  package func run() throws -> (report: SyncReport, changes: ChangeSet) {
    try request.payload.withBytes { bytes in
      var clock = PhaseClock()
      let parent = try ParentScope.resolve(request)
      let stager = try stage(bytes, parent: parent, replacements: ItemReplacements(bytes))
      clock.end(.parse)
      let info = TransactionInfo(author: request.author, contextName: request.name)
      let (report, changes) = try store.write(info, commit: !request.isDryRun) { transaction in
        let token = transaction.token
        control.onCancel { [store] in store.interrupt(token) }
        defer { control.onCancel(nil) }
        do {
          return try write(stager, parent: parent, bytes: bytes, in: transaction, clock: &clock)
        } catch  where control.isCancelled {
          // A statement that was interrupted says so in SQLite's words.
          throw CancellationError()
        }
      }
      var result = report
      clock.end(.save)
      result.phaseDurations = clock.durations
      result.payloadBytes = bytes.count
      result.isDryRun = request.isDryRun
      return (result, changes)
    }
  }

  // MARK: - Parse

  private func stage(
    _ bytes: UnsafeRawBufferPointer, parent: ParentScope?, replacements: ItemReplacements
  ) throws -> Stager {
    let stager = Stager(
      plan: request.plan, operations: request.operations, onItemError: request.onItemError,
      path: request.path)
    stager.replacements = replacements
    if let parent { stager.rootOwner = parent.addOwner(to: stager) }
    try control.begin(.parse, total: bytes.count)
    var reader = try JSONItemReader(
      bytes, at: request.path.map { JSONPath($0) } ?? JSONPath(), options: request.reading)
    let tape = JSONTape()
    let source = ItemSource(tape: tape, base: UInt(bitPattern: bytes.baseAddress))
    var nextCheckpoint = 0
    while try reader.next(into: tape) {
      try stager.stageRootItem(source)
      if reader.position >= nextCheckpoint {
        try control.advance(.parse, to: reader.position, of: bytes.count)
        nextCheckpoint = reader.position + SyncRun.parseStride
      }
    }
    try stager.finish()
    try checkRoot(stager)
    return stager
  }

  /// Bytes between two checkpoints of the parse phase: well under a millisecond.
  private static let parseStride = 64 * 1024

  private func checkRoot(_ stager: Stager) throws {
    let node = request.plan.rootNode
    if node.identity.isEmpty, !request.operations.contains(.alwaysInsert) {
      throw SyncError.noPrimaryKey(node.entity.name)
    }
  }

  // MARK: - Write

  private func write(
    _ first: Stager, parent: ParentScope?, bytes: UnsafeRawBufferPointer,
    in transaction: StoreTransaction, clock: inout PhaseClock
  ) throws -> SyncReport {
    try control.begin(.match, total: first.rootBatch.occurrences.count)
    try parent?.check(in: transaction)
    var stager = first
    var matcher = try match(stager, parent: parent, in: transaction)
    if let willInsert = request.willInsert {
      var replacements = stager.replacements ?? ItemReplacements(bytes)
      while try replacements.ask(willInsert, about: matcher) {
        stager = try stage(bytes, parent: parent, replacements: replacements)
        matcher = try match(stager, parent: parent, in: transaction)
      }
    }
    let planner = LinkPlanner(matcher: matcher, rootOwner: stager.rootOwner)
    let deleter = try plan(planner, matcher, stager)
    clock.end(.match)

    let writer = ChangeWriter(planner: planner, matcher: matcher)
    try writer.insert()
    clock.end(.insert)
    try writer.update()
    clock.end(.update)
    try writer.link(planner)
    clock.end(.link)
    try deleter.delete()
    clock.end(.delete)
    try control.begin(.save, total: 1)
    return stager.report.report
  }

  private func match(
    _ stager: Stager, parent: ParentScope?, in transaction: StoreTransaction
  ) throws -> Matcher {
    let matcher = Matcher(
      stager: stager, transaction: transaction, operations: request.operations,
      scope: scope(stager, parent), control: control)
    try matcher.match(rootOwner: stager.rootOwner, root: request.plan.root)
    return matcher
  }

  private func plan(
    _ planner: LinkPlanner, _ matcher: Matcher, _ stager: Stager
  ) throws -> Deleter {
    let guards = request.deletionGuard == .on
    let deleter = Deleter(
      planner: planner, matcher: matcher, root: request.plan.root, guardsDeletion: guards)
    try deleter.findUnclaimed(isSuspended: stager.hasUnreadableRootKey)
    if guards { try deleter.checkPayload(items: stager.itemCount, usable: stager.usableItemCount) }
    try planner.plan(isRootSuspended: stager.hasUnreadableRootKey)
    deleter.take(planner)
    return deleter
  }

  /// The predicate; else the parent's members; else, for a tree whose items name no parent, the roots;
  /// else the whole entity (sync-behaviour, sections 8.10 and 9).
  private func scope(_ stager: Stager, _ parent: ParentScope?) -> Scope {
    if let filter = request.filter { return Scope(kind: .filter(filter)) }
    if parent != nil { return Scope(kind: .members) }
    let batch = stager.rootBatch
    for (rule, relationship) in batch.node.relationships.enumerated()
    where !relationship.relationship.isToMany
      && relationship.relationship.destinationIndex == batch.entity.index
    {
      if stager.rootItemsName(rule) { return Scope(kind: .all) }
      return Scope(kind: .roots(slot: relationship.slot))
    }
    return Scope(kind: .all)
  }
}

/// Measures phases, one after the other.
struct PhaseClock {
  private(set) var durations: [String: Double] = [:]
  private var last = ContinuousClock.now

  mutating func end(_ phase: SyncPhase) {
    let now = ContinuousClock.now
    let duration = last.duration(to: now)
    durations[phase.rawValue, default: 0] +=
      Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    last = now
  }
}
