import SyncCore
import SyncStore

/// What earlier syncs have left, and what is left for later ones.
extension SyncPass {
  /// Whether ``readFingerprints(from:)`` is wanted before the payload is read.
  var wantsFingerprints: Bool { fingerprintKey != nil }

  /// Reads what earlier syncs have left.
  func readFingerprints(from store: StoreReader) throws {
    guard let fingerprintKey else { return }
    reader.fingerprints = try FingerprintSet.load(
      fingerprintKey, of: request.plan, payloadBytes: bytes.count, from: store)
    if reader.fingerprints == nil { self.fingerprintKey = nil }
  }

  /// Leaves reading the fingerprints to the transaction, because it would have to wait for another one.
  func postponeFingerprints() {
    reader.fingerprints = FingerprintSet(
      id: nil, generation: -1, seed: UInt64.random(in: 0 ... .max))
  }

  /// Reads the fingerprints again when somebody wrote after they were read.
  ///
  /// - Returns: What is staged now.
  func refreshFingerprints(_ first: StagedPart, in transaction: StoreTransaction) throws
    -> StagedPart
  {
    guard let before = reader.fingerprints, try transaction.generation() != before.generation else {
      return first
    }
    try readFingerprints(from: transaction)
    guard before.count == 0, reader.fingerprints?.count ?? 0 == 0 else {
      return try reader.restage(nil)
    }
    // There is nothing to compare with; what was noted of the items holds.
    reader.fingerprints = reader.fingerprints.map {
      FingerprintSet(id: $0.id, generation: $0.generation, seed: before.seed)
    }
    return first
  }

  /// Makes the fingerprints of what was read, once it is decided what becomes of it: what they are made
  /// of need not be kept until everything is written.
  ///
  /// - Throws: `CancellationError`.
  func makeFingerprints(_ planner: LinkPlanner) throws {
    guard fingerprintKey != nil, let fingerprints = reader.fingerprints, let trace = reader.trace,
      !request.isDryRun
    else { return }
    let isUncertain =
      edits != nil || trace.isIncomplete || planner.partnerWrites != nil
      || planner.batches.contains(where: \.isFolded)
      || FingerprintConflicts.speaksFromBothEnds(
        planner.batches, set: fingerprints, plan: request.plan)
    // Before the trace becomes what is made of it.
    let concerned =
      fingerprints.count > 0
      ? FingerprintConflicts(
        batches: planner.batches, set: fingerprints, trace: trace, plan: request.plan
      ).concerned() : [:]
    var maker = FingerprintMaker(trace: trace, planner: planner, shapes: fingerprints.shapes)
    if !isUncertain { try maker.make(control) }
    made = maker.made
    made?.concerned = concerned
    reader.dropTrace()
  }

  /// Keeps what a later sync need not read.
  func keepFingerprints(in transaction: StoreTransaction) throws {
    guard let fingerprintKey, let fingerprints = reader.fingerprints, let made else { return }
    self.made = nil
    try FingerprintKeeper(
      key: fingerprintKey, set: fingerprints, plan: request.plan, transaction: transaction,
      control: control
    )
    .keep(made)
  }

  /// Whether items that count as unchanged have to be read after all, because of those that were read.
  func refusesItems(
    _ fingerprints: FingerprintSet, _ part: StagedPart, in transaction: StoreTransaction
  ) throws -> Bool {
    guard let trace = reader.trace else { return false }
    if fingerprints.matchedCount > 0, try needsAllItems(part, in: transaction) {
      fingerprints.refuseAll()
      return true
    }
    return FingerprintConflicts(
      batches: part.batches, set: fingerprints, trace: trace, plan: request.plan
    ).refuse()
  }

  /// Of more unused keys than are counted the order matters. What is left alone because it was edited here is reported each
  /// time; an item in quarantine is forgotten when a good one of its key is read.
  private func needsAllItems(_ part: StagedPart, in transaction: StoreTransaction) throws -> Bool {
    if part.hasUncountedKeys || edits != nil { return true }
    guard try transaction.hasQuarantine else { return false }
    return try transaction.hasQuarantined(request.plan.rootNode.entity.name)
  }

  /// Times that items are read after all before all of them are.
  static let readingLimit = 3

  /// Notes what items say that were not read.
  func absorb(_ fingerprints: FingerprintSet) {
    let unread = UnreadRows(fingerprints, model: request.plan.model)
    self.unread = unread
    unread.mention(to: claims)
    guard let list = tree?.list else { return }
    for (shape, _) in unread.shapes
    where shape.mentions.contains(.init(node: request.plan.root, rule: list, nestsAtTop: true)) {
      claims.state.nestsChildren = true
    }
  }
}
