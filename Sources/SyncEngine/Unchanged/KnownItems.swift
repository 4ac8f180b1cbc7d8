import SyncCore
import SyncStore

/// The items of a payload that need not be read, because the store agrees with all they say: `Run`
/// asks for them before it reads, and hands over the items that were read once everything is
/// written.
///
/// ```
/// load ─▶ the payload is read ─▶ refresh ─▶ match ─▶ refuses ─▶ mention ─▶ make ─▶ … ─▶ keep
///                    ▲                     │
///                    └ some are read after all
/// ```
///
/// Confined to its sync.
final class KnownItems {
  private let request: SyncRequest
  private let key: ContentFingerprint

  /// The fingerprints of earlier syncs; empty until they are loaded.
  private(set) var fingerprints: FingerprintSet

  /// The relationships of which the items speak that were read, and whether they speak of none from
  /// both ends.
  private var spoken = SpokenRelationships()
  private var isOneSided = true

  /// The items of the current part that were not read, until they are counted.
  private var unread: UnreadItems?

  /// The rows that have to do with unsent edits; nil until they are asked for.
  private var edited: [RowSet]?

  /// Whether there are fingerprints of the payload that are not kept yet.
  private var isMade = false

  /// - Returns: Nil when no fingerprints can be used or made.
  init?(_ request: SyncRequest) {
    guard let key = FingerprintKey.of(request) else { return nil }
    self.request = request
    self.key = key
    // A set that has to wait for another transaction is read in that of the sync.
    fingerprints = FingerprintSet(generation: -1)
  }

  /// Items of the current part that were not read.
  var matchedCount: Int { fingerprints.matchedCount }

  // MARK: - Before the payload is read

  /// Reads the fingerprints of earlier syncs. Where there were none and are none, the staged part
  /// holds.
  ///
  /// - Returns: Whether that is worth its while: false for a small payload where many items are
  ///   known.
  func load(payloadBytes: Int, from store: StoreReader) throws -> Bool {
    guard
      let loaded = try FingerprintSet.load(
        key, of: request.plan, payloadBytes: payloadBytes, from: store)
    else { return false }
    if fingerprints.count + loaded.count == 0 {
      fingerprints.generation = loaded.generation
    } else {
      fingerprints = loaded
    }
    return true
  }

  /// Whether a transaction wrote after the fingerprints were read.
  func isOutdated(in transaction: StoreTransaction) throws -> Bool {
    try transaction.generation() != fingerprints.generation
  }

  // MARK: - Once a part is matched

  /// Whether items that count as unchanged have to be read after all, because of those that were
  /// read.
  func refuses(
    _ matches: Matches, _ edits: UnsentEdits?, in transaction: StoreTransaction
  ) throws -> Bool {
    spoken = SpokenRelationships(matches.batches)
    var all = spoken
    if matchedCount > 0 { all.formUnion(fingerprints.head.spoken) }
    isOneSided = !all.areOfBothEnds(request.plan)
    if fingerprints.hasRepeats { return true }
    if matchedCount > 0,
      try !isOneSided || needsAllItems(matches.part, in: transaction)
    {
      refuseAll()
      return true
    }
    let model = request.plan.model
    if edited == nil { edited = try edits?.concernedRows(model, in: transaction) ?? [] }
    guard fingerprints.count > 0 else { return false }
    let isConcerned = fingerprints.outdate(any: edited ?? [], model: model)
    let conflicts = FingerprintConflicts(matches.batches, model)
    return fingerprints.outdate(any: conflicts.rows, model: model) || isConcerned
  }

  /// Of more unused keys than are counted the order matters; an item in quarantine is forgotten
  /// when a good one of its key is read.
  private func needsAllItems(
    _ part: StagedPart, in transaction: StoreTransaction
  ) throws -> Bool {
    if part.hasUncountedKeys { return true }
    guard try transaction.hasQuarantine else { return false }
    return try transaction.hasQuarantined(request.plan.rootNode.entity.name)
  }

  /// Has all items read from now on.
  func refuseAll() { fingerprints.outdateAll() }

  /// Tells the claims the items that were not read.
  func mention(to claims: Claims) {
    unread = matchedCount > 0 ? UnreadItems(fingerprints, request.plan.model) : nil
    unread?.mention(to: claims)
  }

  /// Counts the objects of these items as unchanged.
  func mention(to count: inout ChangeCount) {
    unread?.mention(to: &count)
    unread = nil
  }

  // MARK: - Fingerprints for later syncs

  /// Makes the fingerprints of the items that were read, once their objects are decided: their
  /// batches need not be kept until everything is written. Of a payload that nests objects of a
  /// tree none are made: from those alone the scope does not follow.
  ///
  /// - Throws: `CancellationError`.
  func make(_ planner: LinkPlanner, _ control: SyncControl) throws {
    let part = planner.matches.part
    guard let contents = part.contents, !request.setup.isDryRun else { return }
    let isUncertain =
      part.hasUncountedKeys || planner.partnerWrites != nil || !isOneSided
      || planner.claims.state.nestsChildren
      || planner.batches.contains(where: \.staged.ofSubentities.areFolded)
    isMade = true
    if !isUncertain {
      var maker = FingerprintMaker(planner, contents, fingerprints)
      try maker.make(control)
    }
    contents.removeAll()
  }

  /// Keeps the fingerprints, so that a later sync need not read the items. Those that have to do
  /// with unsent edits are read as long as these wait: an edit that is left alone is reported each
  /// time.
  func keep(
    _ edits: UnsentEdits?, in transaction: StoreTransaction, _ control: SyncControl
  ) throws {
    guard isMade else { return }
    isMade = false
    if let edits, var edited {
      for id in edits.withheld.keys where edited.indices.contains(id.entity.rootIndex) {
        edited[id.entity.rootIndex].insert(id.row)
      }
      fingerprints.withdraw(edited, model: request.plan.model)
    }
    try fingerprints.keep(spoken, as: key, of: request.plan, in: transaction, control)
  }
}

@available(*, unavailable, message: "What is known of items is confined to their sync.")
extension KnownItems: Sendable {}

/// Which syncs share fingerprints: those of the same plan, scope and options.
private enum FingerprintKey {
  /// Raised when the library reads the same JSON in another way than before, or keeps fingerprints
  /// in another form.
  private static let version = 5

  /// The key of a request's fingerprints, or nil when no fingerprints can be used or made: for
  /// parts of a payload, when items go through code of the user's, which may answer differently the
  /// next time, and when not everything that an item says is stored.
  static func of(_ request: SyncRequest) -> ContentFingerprint? {
    guard request.setup.usesFingerprints, request.place == nil,
      request.setup.parent == nil,
      request.targets.isEmpty, request.hooks.willInsert == nil, request.settings.deletes == nil,
      !request.takesMembers, request.rewritten == nil, request.setup.path?.leadsToEach != true,
      !request.plan.nodes.contains(where: \.takesAway), !request.settings.deferReferences,
      request.settings.operations.isSuperset(of: everything),
      !request.settings.operations.contains(.alwaysInsert), case .whole = request.setup.transaction,
      !request.plan.rootNode.identity.isEmpty, request.plan.isPlain
    else { return nil }
    let parts = [
      "\(version)", "\(request.plan.key)", request.plan.rootNode.entity.name,
      "\(request.settings.operations.rawValue)", request.settings.onItemError?.rawValue ?? "",
      "\(request.settings.reading.allowsTrailingCommas) \(request.settings.reading.maximumDepth)",
      request.settings.filter?.wholeText ?? "",
    ]
    return ContentFingerprint(parts.joined(separator: "\u{0}"))
  }

  /// The operations that a sync needs, so that the store agrees with every item afterwards.
  private static let everything: SyncOperations = [
    .insert, .update, .insertRelationships, .updateRelationships, .deleteRelationships,
  ]
}
