import SyncCore
import SyncStore

/// The work of one sync on one payload, part after part. Confined to the sync.
final class SyncPass {
  let request: SyncRequest
  let bytes: UnsafeRawBufferPointer
  let control: SyncControl
  let parent: ParentScope?
  let reader: PayloadReader
  var claims = Claims()
  let report = ReportBuilder()
  var changeCount: ChangeCount
  let checks: [NodeChecks]
  let memberCounts: MemberCountCheck
  /// What was edited here and not sent; nil when the store tracks no changes.
  var unsentEdits: UnsentEdits?
  /// A bit for each phase that was announced, by its position.
  private var announced: UInt8 = 0
  /// Every row of the root entity, when the only part of the payload read them.
  var knownRows: [Int64]?
  /// The kind of fingerprints that the sync uses and leaves, if any.
  var fingerprintKey: ContentFingerprint?
  /// What the current part holds that was not read, until it is counted.
  var unread: UnreadRows?
  /// The part that was read last and is still to be worked off.
  private var staged: Stager?
  /// The fingerprints of the payload, until they are kept.
  var made: MadeFingerprints?
  var clock = PhaseClock()
  /// What a sync that commits per batch leaves for another one to go on with.
  var resuming: Resuming?

  /// Whether the payload is worked off in parts, because it is larger than should be in memory.
  let isStreamed: Bool

  init(_ request: SyncRequest, bytes: UnsafeRawBufferPointer, control: SyncControl) throws {
    self.request = request
    self.bytes = bytes
    self.control = control
    parent = try ParentScope.resolve(request)
    checks = try request.plan.nodes.map(NodeChecks.init)
    memberCounts = MemberCountCheck(request.plan.model)
    changeCount = ChangeCount(report: report)
    for remark in request.plan.remarks {
      report.note(
        .unregisteredTransformer,
        request.plan.model.entity(named: remark.entity) ?? request.plan.rootNode.entity,
        property: remark.property, message: remark.message)
    }
    isStreamed = request.partItems != nil || bytes.count > request.streamingThreshold
    fingerprintKey = isStreamed ? nil : FingerprintKey.of(request)
    resuming = ResumePoint.name(of: request).map {
      Resuming(name: $0, prefix: PrefixFingerprint(bytes))
    }
    let limit: PayloadReader.PartLimit =
      switch request.transaction {
      case .perBatch(let count): .items(max(count, 1))
      case .whole where !isStreamed: .none
      case .whole: request.partItems.map { .items($0) } ?? .bytes(SyncPass.partSize)
      }
    try control.begin(.parse, total: bytes.count)
    announced = SyncPass.bit(.parse)
    reader = try PayloadReader(
      bytes, request: request, parent: parent, limit: limit, report: report, control: control)
  }

  /// Bytes of a part of a streamed payload: large enough that statements are used well, small against
  /// any memory.
  static let partSize = 2 << 20

  var isAtEnd: Bool { reader.isAtEnd }

  /// What was done. To be asked for once, at the end.
  func finishReport() -> SyncReport {
    unsentEdits?.describe(in: report)
    var result = report.report
    result.phaseDurations = clock.durations
    result.payloadBytes = bytes.count
    result.itemCount = reader.itemCount
    result.isDryRun = request.isDryRun
    return result
  }

  /// Reads and stages the next part, for ``process(in:)``.
  func stage() throws {
    staged = try reader.next()
    clock.end(.parse)
  }

  /// Does a part of the work inside a transaction, with what was edited here until it began.
  func work(
    in transaction: StoreTransaction, _ body: (StoreTransaction) throws -> Void
  ) throws {
    unsentEdits = try UnsentEdits.read(in: transaction, after: unsentEdits)
    try body(transaction)
    try memberCounts.run(transaction)
    try unsentEdits?.nameWithheld(in: transaction)
  }

  var edits: UnsentEdits? {
    unsentEdits.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Counts what a transaction changed.
  func count(_ changes: ChangeSet) {
    changeCount.count(changes)
  }

  // MARK: - One part

  /// Matches and writes the part that was staged, if there is one. Nothing of it is kept then.
  func process(in transaction: StoreTransaction) throws {
    guard let first = staged.take() else { return }
    claims.partCount += 1
    if !isOnlyPart, claims.parts == nil { claims.parts = PartMemory() }
    try begin(.match, total: first.rootBatch.occurrences.count)
    control.beginPart(objectCounts(first))
    let (stager, matcher, planner) = try decide(first, in: transaction)
    let quarantining = Quarantining(request: request, transaction: transaction, report: report)
    for item in stager.leftOutItems {
      try quarantining.keep(item)
      try request.onLeftOut?(item, transaction)
    }
    try quarantining.forgetSuperseded(by: stager)
    changeCount.mention(stager.batches)
    if let unread { changeCount.mention(unread, plan: request.plan) }
    unread = nil
    try makeFingerprints(stager, planner)
    // Between two transactions others may insert.
    if claims.partCount == 1, !reader.isAtEnd, request.transaction == .whole {
      try matcher.noteEmptyTables()
    }
    clock.end(.match)

    try OrderNotes(claims: claims, transaction: transaction).note(planner.batches)
    let writer = ChangeWriter(planner: planner, matcher: matcher)
    try begin(.insert, total: writer.total)
    try writer.insert()
    clock.end(.insert)
    try begin(.update, total: writer.total)
    try writer.update()
    clock.end(.update)
    try begin(.link, total: writer.linkCount)
    planner.isPartOfList = !isOnlyPart
    try writer.link(planner)
    if !isOnlyPart {
      claims.list(planner)
      claims.nesters.note(planner)
      claims.parts?.note(planner)
      noteParentMembers(stager.rootBatch)
    }
    matcher.noteKeys()
    clock.end(.link)
  }

  /// How many objects of each entity a part has, those that are not read among them.
  private func objectCounts(_ part: Stager) -> [Int: Int] {
    var result: [Int: Int] = [:]
    for batch in part.batches { result[batch.entity.index, default: 0] += batch.occurrences.count }
    guard let fingerprints = reader.fingerprints else { return result }
    for (shape, count) in zip(fingerprints.shapes, fingerprints.shapeCounts()) where count > 0 {
      for entry in shape.entries where entry.isDescribed {
        result[entry.entity, default: 0] += count
      }
    }
    return result
  }

  /// Matches and links a part, without the items that cannot be stored: they are found out before
  /// anything is written, and the part is staged once more without them.
  func decide(
    _ first: Stager, in transaction: StoreTransaction
  ) throws -> (Stager, Matcher, LinkPlanner) {
    let mayFail = !checks.allSatisfy(\.isEmpty)
    let before = mayFail ? claims.copy() : claims
    let withheld = edits?.withheld
    var replacements = request.willInsert.map { _ in ItemReplacements(bytes) }
    var stager = try refreshFingerprints(first, in: transaction)
    var leftOut = stager.offenders
    if !leftOut.isEmpty {
      stager = try reader.restage(replacements, tracksItems: true, leavingOut: leftOut)
    }
    for _ in 0..<SyncPass.roundLimit {
      let matcher = try match(&stager, &replacements, leavingOut: leftOut, in: transaction)
      absorb(stager)
      let planner = LinkPlanner(matcher: matcher, rootOwner: stager.rootOwner)
      try planner.plan()
      guard mayFail else { return (stager, matcher, planner) }
      let check = itemCheck(planner)
      guard let failure = check.firstFailure() else { return (stager, matcher, planner) }
      guard request.itemPolicy != .fail else { throw failure.error }
      if stager.tracksItems {
        let count = leftOut.count
        leftOut.merge(check.offenders()) { first, _ in first }
        // Nobody is to blame whom leaving out would help.
        guard leftOut.count > count else { throw failure.error }
      }
      claims = before.copy()
      if let withheld { edits?.withheld = withheld }
      stager = try reader.restage(replacements, tracksItems: true, leavingOut: leftOut)
    }
    throw SyncError(
      .requiredValueMissing, entity: request.plan.rootNode.entity.name,
      message: """
        Items of the payload require each other in so long a chain that leaving out those that cannot         be stored does not come to an end. Nothing was changed.
        """)
  }

  /// How often a part is staged again without the items that cannot be stored. Once is the rule; it
  /// takes more when one that is left out was required by another.
  static let roundLimit = 32

  func itemCheck(_ planner: LinkPlanner) -> ItemCheck {
    // References wait for later parts of the payload, not for later pages: a page is stored at once.
    let isLast = reader.isAtEnd
    return ItemCheck(planner, checks, edits: edits) { [claims] place in
      !isLast && claims.unresolvedByPlace[place] != nil
    }
  }

  /// Matches a part, and offers its new items for replacement.
  func match(
    _ stager: inout Stager, _ replacements: inout ItemReplacements?,
    leavingOut leftOut: [Int: SyncError], in transaction: StoreTransaction
  ) throws -> Matcher {
    var matcher = try match(stager, in: transaction)
    var rounds = 0
    while let fingerprints = reader.fingerprints,
      try refusesItems(fingerprints, stager, in: transaction)
    {
      rounds += 1
      if rounds == SyncPass.readingLimit { fingerprints.refuseAll() }
      stager = try reader.restage(
        nil, tracksItems: stager.tracksItems, leavingOut: leftOut)
      matcher = try match(stager, in: transaction)
    }
    guard let willInsert = request.willInsert else { return matcher }
    while try replacements?.ask(willInsert, about: matcher) == true {
      stager = try reader.restage(
        replacements, tracksItems: stager.tracksItems, leavingOut: leftOut)
      matcher = try match(stager, in: transaction)
    }
    return matcher
  }

  func match(_ stager: Stager, in transaction: StoreTransaction) throws -> Matcher {
    // A part of a payload is looked up, not scanned for: only the whole payload covers a table.
    let matcher = Matcher(
      stager: stager, transaction: transaction, operations: request.operations,
      coversScope: scope.isWholeEntity && isOnlyPart
        && (reader.fingerprints?.matchedCount ?? 0) == 0,
      claims: claims, edits: edits,
      control: control)
    try matcher.match(rootOwner: stager.rootOwner, root: request.plan.root) { [claims] in
      // Of several objects of a key those in the scope come first.
      let namesParent = request.filter == nil && (treeRule.map(stager.rootItemsName) ?? false)
      guard !scope.isWholeEntity, !namesParent else { return nil }
      return try claims.rootScope ?? scopeRows(in: transaction)
    }
    return matcher
  }

  func absorb(_ stager: Stager) {
    claims.itemCount += stager.itemCount - stager.firstItem
    claims.usableItemCount += stager.usableItemCount
    if stager.hasUnreadableRootKey { claims.isRootSuspended = true }
    if let rule = treeRule, stager.rootItemsName(rule) { claims.rootItemsNameParent = true }
    claims.mention(stager.batches)
    unread = nil
    if let fingerprints = reader.fingerprints, fingerprints.matchedCount > 0 {
      absorb(fingerprints)
    }
    let root = stager.rootBatch
    if request.operations.contains(.delete), root.node.policy.storedDuplicates == .keepOne {
      claims.sortDuplicates(of: root)
    }
    knownRows = isOnlyPart && root.isComplete ? Array(root.stored.rows) : nil
  }

  /// Ends a page: the session takes over what it said.
  func endPage(in transaction: StoreTransaction) throws {
    try begin(.save, total: 1)
    try request.session?.keep(claims, page: request.pageName, in: transaction)
  }

  /// What a page said counts once it is stored.
  func didCommitPage() {
    if !request.isDryRun { request.session?.claims = claims }
  }

  /// Announces a phase the first time it begins; parts after the first go on with it.
  func begin(_ phase: SyncPhase, total: Int) throws {
    if announced & SyncPass.bit(phase) == 0 {
      announced |= SyncPass.bit(phase)
      try control.begin(phase, total: total)
    } else {
      try control.checkpoint()
    }
  }

  /// Counts a phase as announced by somebody else.
  func noteAnnounced(_ phase: SyncPhase) { announced |= SyncPass.bit(phase) }

  private static func bit(_ phase: SyncPhase) -> UInt8 { 1 << UInt8(phase.position) }
}

@available(*, unavailable, message: "A pass is confined to its sync.")
extension SyncPass: Sendable {}
