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
/// Parts are applied in order, and share one set of fingerprints. An item that an earlier part
/// stored is history: a known item of a later part is a mention without a change, unless a read
/// item of an earlier one has to do with its rows (``TouchedRows``). Confined to its sync.
final class KnownItems {
  private let request: SyncRequest
  private let key: ContentFingerprint

  /// The fingerprints of earlier syncs; empty until they are loaded.
  private(set) var fingerprints: FingerprintSet

  /// The relationships of which the items speak that were read, and whether no relationship is
  /// spoken of from both ends, known items included.
  private var spoken = SpokenRelationships()
  private var isOneSided = true
  private var hasMatched = false

  /// Whether the current part is the whole payload.
  private var isOnlyPart = true

  /// The attributes by which the plan knows objects, by the root entity of their table.
  private let keySlots: [SlotSet]

  /// The rows that the read items of the current part have to do with, and those of earlier parts.
  private var conflicts: [RowSet] = []
  private var touched: TouchedRows

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
    touched = TouchedRows(request.plan.model)
    keySlots = KnownItems.keySlots(of: request.plan)
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
  ///
  /// - Parameter isOnlyPart: Whether the part is the whole payload.
  func refuses(
    _ matches: Matches, _ edits: UnsentEdits?, isOnlyPart: Bool, in transaction: StoreTransaction
  ) throws -> Bool {
    spoken.formUnion(SpokenRelationships(matches.batches))
    hasMatched = hasMatched || matchedCount > 0
    var all = spoken
    if hasMatched { all.formUnion(fingerprints.head.spoken) }
    isOneSided = isOneSided && !all.areOfBothEnds(request.plan)
    if fingerprints.hasRepeats { return true }
    if matchedCount > 0, try !isOneSided || isQuarantined(in: transaction) {
      fingerprints.outdateAll()
      return true
    }
    // Of more unused keys than are counted the order matters.
    if matchedCount > 0, matches.part.hasUncountedKeys {
      refusePart()
      return true
    }
    let model = request.plan.model
    var isConcerned = false
    if edited == nil {
      edited = try edits?.concernedRows(model, in: transaction) ?? []
      isConcerned = fingerprints.outdate(any: edited ?? [], model: model)
    }
    self.isOnlyPart = isOnlyPart
    guard fingerprints.count > 0 || !isOnlyPart else { return false }
    conflicts = FingerprintConflicts(matches.batches, model).rows
    let isTouched = fingerprints.outdateMatched(any: touched.any, model: model)
    return fingerprints.outdateMatched(any: conflicts, model: model) || isTouched || isConcerned
  }

  /// An item in quarantine is forgotten when a good one of its key is read.
  private func isQuarantined(in transaction: StoreTransaction) throws -> Bool {
    guard try transaction.hasQuarantine else { return false }
    return try transaction.hasQuarantined(request.plan.rootNode.entity.name)
  }

  /// Has all items of the part read.
  func refusePart() { fingerprints.outdateMatched() }

  /// Tells the claims the items that were not read.
  ///
  /// - Parameter isOnlyPart: Whether the part is the whole payload.
  func mention(to claims: Claims, isOnlyPart: Bool) {
    unread = matchedCount > 0 ? UnreadItems(fingerprints, request.plan.model) : nil
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
    if !isOnlyPart { touched.add(conflicts) }
    let hasNewKeys = hasNewKeys(planner.batches)
    if hasNewKeys, !isOnlyPart {
      // References of items before and behind may mean other objects now.
      fingerprints.withdrawAll()
      fingerprints.outdateAll()
    }
    let part = planner.matches.part
    guard let contents = part.contents, !request.setup.isDryRun else { return }
    let isUncertain =
      part.hasUncountedKeys || planner.partnerWrites != nil || !isOneSided || hasNewKeys
      || planner.claims.state.nestsChildren
      || planner.batches.contains(where: \.staged.ofSubentities.areFolded)
    isMade = true
    if !isUncertain, let read = part.read {
      var maker = FingerprintMaker(planner, contents, read, fingerprints)
      try maker.make(control)
    }
    contents.removeAll()
  }

  /// Whether stored objects of a part get other keys.
  private func hasNewKeys(_ batches: [MatchedBatch]) -> Bool {
    batches.contains { batch in
      let keys = keySlots[batch.entity.rootIndex]
      return batch.differences.contains { !$0.isDisjoint(with: keys) }
    }
  }

  private static func keySlots(of plan: MappingPlan) -> [SlotSet] {
    var slots = Array(repeating: SlotSet(), count: plan.model.entities.count)
    for node in plan.nodes {
      for slot in node.identity { slots[node.entity.rootIndex].insert(slot) }
      if let key = node.entity.primaryKey { slots[node.entity.rootIndex].insert(key.slot) }
    }
    return slots
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
      try edits.addWithheld(to: &edited, in: transaction)
      fingerprints.withdraw(edited, model: request.plan.model)
    }
    fingerprints.withdraw(touched.again, model: request.plan.model)
    if !isOneSided {
      fingerprints.withdrawAll()
      fingerprints.outdateAll()
    }
    try fingerprints.keep(
      spoken, touched: readRows, keys: keySlots, as: key, of: request.plan, in: transaction,
      control)
  }

  /// The rows that the read items of all parts have to do with. Those of the only part concern no
  /// later one, and were not collected.
  private var readRows: [RowSet] {
    isOnlyPart && !conflicts.isEmpty ? conflicts : touched.any
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
  /// pages and batches, when items go through code of the user's, which may answer differently the
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
