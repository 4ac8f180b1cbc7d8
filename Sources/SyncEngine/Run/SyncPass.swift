import SyncCore
import SyncStore

/// The work of one sync on one payload, part after part: ``begin(in:)``, a ``PartPass`` for each
/// part, ``end(in:)``. Confined to the sync.
///
/// A sync of several pages or lists has a pass for each, one after the other. They share the claims
/// and the report, and each takes everything else that lasts over from the one before
/// (``goOn(after:)``).
final class SyncPass {
  let request: SyncRequest
  /// The payload; empty once the pass is closed.
  private(set) var bytes: UnsafeRawBufferPointer
  /// Whether the payload is worked off in parts, because it is larger than should be in memory.
  private(set) var isStreamed: Bool
  let control: SyncControl
  let reader: PayloadReader
  var claims: Claims
  let report: ReportBuilder
  var changeCount: ChangeCount
  /// Edits made here and not sent; nil when the store tracks no changes.
  var unsentEdits: UnsentEdits?
  var phases: PhaseClock
  /// Every row of the root entity, when the only part of the payload read them.
  var knownRows: PlainArray<Int64>?
  let rootScope: RootScope
  /// The part that was read last and is still to be worked off.
  private var staged: StagedPart?
  var collected = CollectedFindings()
  /// The generation that the last of several transactions led to.
  private var lastGeneration: Int64?
  /// Of a payload that was closed, when nothing of it could be used.
  private var closed: UnusablePayload?

  /// - Parameter earlier: The pass of the page or the list before, in a sync that has several: it
  ///   is through.
  init(
    _ request: SyncRequest, bytes: UnsafeRawBufferPointer, control: SyncControl,
    after earlier: SyncPass? = nil
  ) throws {
    self.request = request
    self.bytes = bytes
    self.control = control
    claims = earlier?.claims ?? Claims()
    report = earlier?.report ?? ReportBuilder()
    changeCount = ChangeCount(report: report, hasBatches: request.setup.transaction != .whole)
    isStreamed =
      request.tuning.partItems != nil || bytes.count > request.tuning.streamingThreshold
    let limit: PayloadReader.PartLimit =
      switch request.setup.transaction {
      case .perBatch(let count): .items(max(count, 1))
      case .whole where !isStreamed: .none
      case .whole: request.tuning.partItems.map { .items($0) } ?? .bytes(SyncPass.partSize)
      }
    phases = earlier?.phases ?? PhaseClock(control)
    try phases.begin(.parse, total: bytes.count)
    reader = try PayloadReader(
      bytes, request: request,
      parent: try request.setup.parent.map { try ParentScope.resolve($0, request) }, limit: limit,
      report: report, control: control)
    rootScope = RootScope(request, reader.parent)
    if request.place == nil { reader.known = KnownItems(request) }
    ListReport(request: request, report: report).note()
    if let earlier { goOn(after: earlier) }
  }

  /// Takes the state over that lasts, from the pass that worked last.
  func goOn(after earlier: SyncPass) {
    guard earlier !== self else { return }
    // Taken out of the other one, so that it is changed in place.
    swap(&changeCount, &earlier.changeCount)
    swap(&collected, &earlier.collected)
    unsentEdits = earlier.unsentEdits
    phases = earlier.phases
  }

  /// Lets go of the payload when all of it was worked off. The pass may still take part in the end.
  func close() {
    if claims.state.hasNothingUsable { closed = unusable }
    reader.stop()
    bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  // MARK: - Questions

  /// Bytes of a part of a streamed payload: large enough that statements are used well, small
  /// against any memory.
  private static let partSize = 2 << 20

  var isAtEnd: Bool { reader.isAtEnd }

  /// Whether the part that is worked off is a whole list.
  var isWholeList: Bool {
    isAtEnd && claims.state.partCount <= 1 && request.session == nil
  }

  /// Whether the part that is worked off is the whole payload, and the payload all there is.
  var isOnlyPart: Bool { isWholeList && request.place == nil }

  /// Whether references of one part of the sync may lead to objects of another one.
  var isInParts: Bool { claims.state.partCount > 1 || request.place != nil }

  /// Which stored rows take part.
  var scope: Scope { rootScope.scope(claims.state) }

  /// The edits to leave alone; nil when there are none.
  var edits: UnsentEdits? {
    unsentEdits.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What is to be said of the payload when nothing of it can be used.
  var unusable: UnusablePayload { closed ?? UnusablePayload(bytes, of: request) }

  /// The values that all phases work with.
  ///
  /// - Parameter operations: Nil is those of the request.
  func partWork(
    _ operations: SyncOperations? = nil, in transaction: StoreTransaction
  ) -> PartWork {
    PartWork(
      transaction: transaction, operations: operations ?? request.settings.operations,
      defersReferences: request.settings.deferReferences, claims: claims, edits: edits,
      report: report, control: control)
  }

  /// The children of the given parent; nil when there is none.
  func children(_ work: PartWork) -> ParentChildren? {
    reader.parent.map { ParentChildren($0, request, isOnlyPart: isOnlyPart, work) }
  }

  // MARK: - Transactions

  /// Reads and stages the payload beside writes to the store: of the store nothing is needed for
  /// that but which items are known. A large first import is left to its transaction, which works
  /// it off in parts: one is read while another is written.
  func stage(beside store: Store) throws {
    if store.readsBesideWrites {
      if bytes.count > request.tuning.firstImportThreshold,
        try store.read({ try isFirstImport(in: $0) })
      {
        isStreamed = true
        reader.limit = .bytes(SyncPass.partSize)
        return
      }
      if reader.known?.isLoaded == false { try store.read { try loadKnownItems(from: $0) } }
    }
    try stage()
  }

  /// Whether there is no object yet of the items' entity, and all others are found by an index.
  private func isFirstImport(in store: StoreReader) throws -> Bool {
    guard try store.estimatedCount(of: request.plan.rootNode.entity) == 0 else { return false }
    return try request.plan.nodes.allSatisfy { node in
      try node.identity.first.map { store.hasIndex(on: $0, of: node.entity) } == true
        || store.estimatedCount(of: node.entity) == 0
    }
  }

  /// Reads and stages the next part, for ``process(in:)``.
  func stage() throws {
    let part = try reader.next()
    // Items before it may be wrong too, which takes the store to find out.
    if let stop = part.refusals.stop,
      stop.item == part.items.first || request.plan.nodes.allSatisfy(\.takesEveryObject)
    {
      throw stop.error
    }
    staged = part
    phases.end(.parse)
  }

  /// Does a part of the work inside a transaction, with the edits made here until it began.
  func work(in transaction: StoreTransaction, _ body: (StoreTransaction) throws -> Void) throws {
    unsentEdits = try UnsentEdits.read(
      in: transaction, after: unsentEdits,
      answered: request.targets.map {
        ManagedObjectID(entity: request.plan.rootNode.entity, row: $0)
      })
    // When another writer committed since the last batch, other keys may be there.
    if !claims.seenKeys.isEmpty, try transaction.generation() != lastGeneration {
      claims.seenKeys = [:]
    }
    try body(transaction)
    let model = request.plan.model
    if !model.limitedRelationships.isEmpty { try MemberCountCheck(model).run(transaction) }
    try unsentEdits?.nameWithheld(in: transaction)
  }

  /// Counts the changes of a transaction.
  func count(_ changes: ChangeSet) {
    changeCount.count(changes)
    if !changes.isEmpty { report.report.commits.sets.append(changes) }
    lastGeneration = changes.generation
  }

  /// Announces a phase, does its work and measures it.
  func phase(_ phase: SyncPhase, total: Int, _ body: () throws -> Void) throws {
    try phases.begin(phase, total: total)
    try body()
    phases.end(phase)
  }

  // MARK: - Parts

  /// Works off the payload, or the rest of it that was not staged, inside one transaction, and
  /// takes the decisions of its end.
  func workOff(in transaction: StoreTransaction) throws {
    try begin(in: transaction)
    try workOffParts(in: transaction)
    try end(in: transaction)
  }

  /// Works off all parts, or those behind the one that was staged.
  func workOffParts(in transaction: StoreTransaction) throws {
    if staged == nil, reader.known?.isLoaded == false { try loadKnownItems(from: transaction) }
    repeat {
      if staged == nil { try stage() }
      try process(in: transaction)
      if case .perBatch = request.setup.transaction, request.session == nil {
        count(try transaction.takeChanges())
      }
    } while !isAtEnd
  }

  /// Decides and writes the part that was staged, if there is one. Nothing of it is kept then.
  func process(in transaction: StoreTransaction) throws {
    guard let part = staged.take() else { return }
    if request.saysNothing {
      claims.state.silentPageCount += 1
    } else {
      claims.state.partCount += 1
    }
    var work = try PartPass(part, of: self, in: transaction)
    try work.run()
  }

  // MARK: - The report

  /// The report of the sync. To be asked for once, at the end.
  func finishReport() -> SyncReport {
    unsentEdits?.describe(in: report)
    collected.noteContradictions(request.plan.model, in: report)
    var result = report.report
    result.phaseDurations = phases.durations
    result.payloadBytes = bytes.count
    result.itemCount = reader.itemCount
    result.isDryRun = request.setup.isDryRun
    return result
  }
}

@available(*, unavailable, message: "A pass is confined to its sync.")
extension SyncPass: Sendable {}
