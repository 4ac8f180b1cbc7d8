import SyncCore
import SyncStore

/// The items of a payload that need not be read, because the store agrees with all they say: `Run`
/// asks for them before it reads, and hands over the items that were read once everything is
/// written.
///
/// ```
/// load ─▶ a part is read ─▶ refresh ─▶ match ─▶ refuses ─▶ mention ─▶ make ─▶ … ─▶ keep
///              ▲   ▲                     │                             │
///              │   └ some are read after all                           │
///              └───────────────────── the next part ◀──────────────────┘
/// ```
///
/// Parts are applied in order, and share one set of fingerprints; several lists have one each. An
/// item that an earlier part stored is history: a known item of a later part is a mention without a
/// change, unless a read item of an earlier one has to do with its rows (``ReadTrace``). Confined
/// to its sync; in a page session, to the page inside the store's gate (``KnownLists``).
final class KnownItems: @unchecked Sendable {
  private let plan: MappingPlan
  private let isDryRun: Bool
  private let key: ContentFingerprint

  /// The fingerprints of earlier syncs; empty until they are loaded.
  private(set) var fingerprints: FingerprintSet

  /// The relationships of which the items speak that were read.
  private var spoken = SpokenRelationships()

  /// Whether the current part is the whole payload.
  private var isOnlyPart = true

  /// The rows that the read items of the current part have to do with, and the trace of all parts.
  private var conflicts: [RowSet] = []
  private let trace: ReadTrace
  /// The rekeyings of the trace that the fingerprints have taken into account.
  private var rekeyings = 0

  /// The items of the current part that were not read, until they are counted.
  private var unread: UnreadItems?

  /// The rows that have to do with unsent edits; nil until they are asked for.
  private var edited: [RowSet]?

  /// Whether there are fingerprints of the payload that are not kept yet.
  private var isMade = false

  /// Bytes of the payloads for which fingerprints were to be read: of all pages so far.
  private var byteCount = 0

  /// - Parameter trace: That of the sync, when it has several lists.
  /// - Returns: Nil when no fingerprints can be used or made.
  convenience init?(_ request: SyncRequest) {
    guard let key = FingerprintKey.of(request) else { return nil }
    self.init(request, key, ReadTrace([request.plan]))
  }

  /// - Parameter trace: That of the sync.
  init(_ request: SyncRequest, _ key: ContentFingerprint, _ trace: ReadTrace) {
    plan = request.plan
    isDryRun = request.setup.isDryRun
    self.key = key
    self.trace = trace
    // A set that has to wait for another transaction is read in that of the sync.
    fingerprints = FingerprintSet(generation: -1)
  }

  /// Items of the current part that were not read.
  var matchedCount: Int { fingerprints.matchedCount }

  // MARK: - Before the payload is read

  /// Whether the fingerprints of earlier syncs were read.
  var isLoaded: Bool { fingerprints.generation >= 0 }

  /// Reads the fingerprints of earlier syncs. Where there were none and are none, the staged part
  /// holds.
  ///
  /// - Returns: Whether that is worth its while: false for a small payload where many items are
  ///   known, and for the first small pages. No fingerprints are made then.
  func load(payloadBytes: Int, from store: StoreReader) throws -> Bool {
    byteCount += payloadBytes
    guard
      let loaded = try FingerprintSet.load(key, of: plan, payloadBytes: byteCount, from: store)
    else { return false }
    if fingerprints.count + loaded.count == 0 {
      fingerprints.generation = loaded.generation
      fingerprints.keptHead = loaded.keptHead
    } else {
      fingerprints = loaded
    }
    return true
  }

  /// Whether a transaction wrote after the fingerprints were read, and before any of the sync.
  func isOutdated(in transaction: StoreTransaction) throws -> Bool {
    try trace.isFirst && transaction.generation() != fingerprints.generation
  }

  // MARK: - Several transactions

  /// Whether nothing is known any more; see ``ReadTrace/isLost(in:)``.
  func isLost(in transaction: StoreTransaction) throws -> Bool { try trace.isLost(in: transaction) }

  /// Takes the changes of a transaction into account that is not the last one, and the edits that
  /// it left alone.
  func settle(
    _ edits: UnsentEdits?, in transaction: StoreTransaction, _ control: SyncControl
  ) throws {
    try trace.settle(in: transaction, control)
    try noteWithheld(edits, in: transaction)
  }

  /// Notes the generation that a transaction led to.
  func didCommit(_ generation: Int64) { trace.didCommit(generation) }

  /// Notes the edits that a transaction left alone: items that have to do with them are read next
  /// time.
  func noteWithheld(_ edits: UnsentEdits?, in transaction: StoreTransaction) throws {
    guard let edits, var edited else { return }
    try edits.addWithheld(to: &edited, in: transaction)
    self.edited = edited
  }

  // MARK: - Once a part is matched

  /// Whether items that count as unchanged have to be read after all, because of those that were
  /// read.
  ///
  /// - Parameters:
  ///   - batches: The matched ones of the part; empty when none of its items were read.
  ///   - isOnlyPart: Whether the part is the whole payload.
  func refuses(
    _ part: StagedPart, _ batches: [MatchedBatch], _ edits: UnsentEdits?, isOnlyPart: Bool,
    in transaction: StoreTransaction
  ) throws -> Bool {
    let spoken = SpokenRelationships(batches)
    self.spoken.formUnion(spoken)
    trace.add(spoken, of: plan)
    if matchedCount > 0 { trace.add(fingerprints.head.spoken, of: plan) }
    if fingerprints.hasRepeats { return true }
    let hasMatched = matchedCount > 0
    forgetRekeyed()
    if hasMatched, try !trace.isOneSided || isQuarantined(in: transaction) {
      fingerprints.outdateAll()
    }
    if hasMatched, matchedCount == 0 { return true }
    // Of more unused keys than are counted the order matters.
    if matchedCount > 0, part.hasUncountedKeys {
      refusePart()
      return true
    }
    let model = plan.model
    var isConcerned = false
    if edited == nil {
      edited = try edits?.concernedRows(model, in: transaction) ?? []
      isConcerned = fingerprints.outdate(any: edited ?? [], model: model)
    }
    self.isOnlyPart = isOnlyPart
    guard fingerprints.count > 0 || !isOnlyPart else { return false }
    conflicts = batches.isEmpty ? [] : FingerprintConflicts(batches, model).rows
    let isTouched = fingerprints.outdateMatched(any: trace.any, model: model)
    return fingerprints.outdateMatched(any: conflicts, model: model) || isTouched || isConcerned
  }

  /// An item in quarantine is forgotten when a good one of its key is read.
  private func isQuarantined(in transaction: StoreTransaction) throws -> Bool {
    guard try transaction.hasQuarantine else { return false }
    return try transaction.hasQuarantined(plan.rootNode.entity.name)
  }

  /// Has all items of the part read.
  func refusePart() { fingerprints.outdateMatched() }

  /// Tells the claims the items that were not read.
  ///
  /// - Parameter isOnlyPart: Whether the part is the whole payload.
  func mention(to claims: Claims, isOnlyPart: Bool) {
    unread = matchedCount > 0 ? UnreadItems(fingerprints, plan.model) : nil
    unread?.mention(to: claims)
    if !isOnlyPart { unread?.list(in: claims) }
  }

  /// Counts the objects of these items as unchanged.
  func mention(to count: inout ChangeCount) {
    unread?.mention(to: &count)
    unread = nil
  }

  // MARK: - Fingerprints for later syncs

  /// Makes the fingerprints of the items that were read, once their objects are decided: their
  /// batches need not be kept until everything is written. Of a payload that nests objects of a
  /// tree none are made: from those alone the scope does not follow. Rows that the read items of
  /// the part have to do with concern those of later parts from now on.
  ///
  /// - Throws: `CancellationError`.
  func make(_ planner: LinkPlanner, _ control: SyncControl) throws {
    let hasNewKeys = trace.hasNewKeys(planner.batches)
    if !isOnlyPart {
      trace.add(conflicts)
      if hasNewKeys { trace.noteRekeying() }
      forgetRekeyed()
    }
    let part = planner.matches.part
    guard let contents = part.contents, isLoaded, !isDryRun else { return }
    let isUncertain =
      part.hasUncountedKeys || planner.partnerWrites != nil || !trace.isOneSided || hasNewKeys
      || planner.claims.state.nestsChildren
      || planner.batches.contains(where: \.staged.ofSubentities.areFolded)
    isMade = true
    if !isUncertain, let read = part.read {
      var maker = FingerprintMaker(planner, contents, read, fingerprints)
      try maker.make(control)
    }
    contents.removeAll()
  }

  /// Ends a part of which no item was read: there is nothing to make, and the kept ones hold.
  func passOver(_ part: StagedPart) {
    if part.contents != nil, isLoaded, !isDryRun { isMade = true }
  }

  /// Takes back everything from before the last part, of any list, that gave objects other keys.
  private func forgetRekeyed() {
    guard rekeyings < trace.rekeyings else { return }
    rekeyings = trace.rekeyings
    fingerprints.withdrawAll()
    fingerprints.outdateAll()
  }

  /// Keeps the fingerprints, so that a later sync need not read the items. Those that have to do
  /// with unsent edits are read as long as these wait: an edit that is left alone is reported each
  /// time.
  func keep(
    _ edits: UnsentEdits?, in transaction: StoreTransaction, _ control: SyncControl
  ) throws {
    guard isMade, !trace.isLost else { return }
    isMade = false
    try noteWithheld(edits, in: transaction)
    fingerprints.withdraw(edited ?? [], model: plan.model)
    fingerprints.withdraw(trace.again, model: plan.model)
    forgetRekeyed()
    if !trace.isOneSided {
      fingerprints.withdrawAll()
      fingerprints.outdateAll()
    }
    try fingerprints.keep(
      spoken, touched: readRows, trace, as: key, of: plan, in: transaction, control)
  }

  /// The rows that the read items of all parts have to do with. Those of the only part concern no
  /// later one, and were not collected.
  private var readRows: [RowSet] {
    isOnlyPart && !conflicts.isEmpty ? conflicts : trace.any
  }
}
