import SyncCore
import SyncStore

/// The work on one part of a payload, from its staged items to the written rows.
///
/// ```
/// staged ─▶ match ─▶ link ─▶ check ─▶ count ─▶ insert ─▶ update ─▶ link
///    ▲                         │
///    └─ without items that  ◀──┘
///       cannot be stored
/// ```
///
/// ``run()`` is the whole of it; a part of which no item is read goes from the claims straight to
/// its end. Matching and linking decide and write nothing, so that the part can be staged once
/// more. Facts that few payloads have are optional values, and each is asked before the decisions
/// and told after them: the children of a given parent, known items, unsent edits, quarantined
/// items.
struct PartPass: PartPhase {
  let work: PartWork
  private let pass: SyncPass
  private let request: SyncRequest
  /// Whether the part is the whole payload, and the payload all there is.
  private let isOnly: Bool
  private let children: ParentChildren?
  private let quarantine: Quarantining?

  private var part: StagedPart
  private var version = PartVersion()

  init(_ part: StagedPart, of pass: SyncPass, in transaction: StoreTransaction) throws {
    self.part = part
    self.pass = pass
    request = pass.request
    isOnly = pass.isOnlyPart
    work = pass.partWork(in: transaction)
    children = pass.children(work)
    quarantine =
      try request.itemPolicy == .quarantine || transaction.hasQuarantine
      ? Quarantining(request, transaction, pass.report) : nil
  }

  private var known: KnownItems? { pass.reader.known }

  // MARK: - The way of a part

  /// Decides everything, and then writes it.
  mutating func run() throws {
    try pass.phases.begin(.match, total: part.rootBatch.occurrences.count)
    try prepare()
    guard try !passOver() else { return }
    let (matcher, planner) = try decide()
    try keepRejected(planner.matches)
    try count(planner)
    try known?.make(planner, control)
    if claims.state.partCount == 1, !pass.isAtEnd { try matcher.noteEmptyTables() }
    pass.phases.end(.match)
    let writer = ChangeWriter(planner)
    try pass.phase(.insert, total: writer.total) { try writer.insert() }
    try pass.phase(.update, total: writer.total) { try writer.update() }
    // Linking asks for keys alone, and makes lists of them.
    for batch in part.batches { batch.dropValues() }
    try pass.phase(.link, total: writer.linkCount) {
      try writer.link()
      try claim(planner)
      matcher.noteKeys()
    }
  }

  /// Stages the part as it is to be decided: without items that are known by now, and without those
  /// that a rule of the plan refuses.
  private mutating func prepare() throws {
    if !pass.isWholeList {
      try pass.collected.noteMissingIndexes(
        part.batches, claims.seenKeys, in: transaction, report)
    }
    try refreshKnownItems()
    if request.hooks.willInsert != nil {
      version.replacements = ItemReplacements(pass.bytes, parent: request.setup.parent)
    }
    guard !part.refusals.offenders.isEmpty else { return part.check() }
    version.rejected = part.refusals.offenders
    try restage(tracksItems: true)
  }

  /// Matches and links the part, without the items that cannot be stored: they are found out before
  /// anything is written, and the part is staged once more without them.
  private mutating func decide() throws -> (Matcher, LinkPlanner) {
    let before = claims.mark
    let withheld = edits?.withheld
    for _ in 0..<PartPass.roundLimit {
      let matcher = try match()
      try mention(matcher)
      let planner = LinkPlanner(
        matcher.matches, work, endsParentList: children?.endsList ?? false,
        isPartOfList: !isOnly || children?.endsList ?? false, keptMember: children?.keptMember)
      try planner.plan()
      planner.check()
      guard let offenders = try offenders(planner) else { return (matcher, planner) }
      claims.restore(before)
      if let withheld { edits?.withheld = withheld }
      version.rejected.merge(offenders) { first, _ in first }
      try restage(tracksItems: true)
    }
    throw SyncError(
      .requiredValueMissing, entity: request.plan.rootNode.entity.name,
      message: """
        Items of the payload require each other in so long a chain that leaving out those that cannot \
        be stored does not come to an end. Nothing was changed.
        """)
  }

  /// Counts the objects of the part, and tells the report about them.
  private func count(_ planner: LinkPlanner) throws {
    pass.collected.add(planner)
    ListReport(request: request, report: report).note(planner.matches, known)
    try pass.changeCount.mention(planner.batches, control)
    known?.mention(to: &pass.changeCount)
  }

  /// Claims the facts about the written part that later ones and the end ask for.
  private func claim(_ planner: LinkPlanner) throws {
    if !isOnly {
      try PartClaims(claims: claims).list(planner)
      try control.checkpoint()
    }
    if claims.hasGone || part.batches.contains(where: { $0.goneItems != nil }) {
      try GoneObjects(work: work).note(of: planner.matches)
    }
    try children?.note(planner)
  }

  // MARK: - Matching

  /// Matches the part. Known items are read after all where others have to do with their rows, and
  /// new items are offered for replacement.
  private mutating func match() throws -> Matcher {
    var matcher = try matchOnce()
    var rounds = 0
    while let known,
      try known.refuses(part, matcher.batches, edits, isOnlyPart: isOnly, in: transaction)
    {
      rounds += 1
      if rounds == PartPass.readingLimit { known.refusePart() }
      try restage()
      matcher = try matchOnce()
    }
    while let willInsert = request.hooks.willInsert, var offered = version.replacements {
      let isRewritten = try ItemOffer(willInsert: willInsert, matcher: matcher).rewrite(&offered)
      version.replacements = offered
      guard isRewritten else { break }
      try restage()
      matcher = try matchOnce()
    }
    matcher.matches.check()
    return matcher
  }

  private mutating func matchOnce() throws -> Matcher {
    if let list = pass.rootScope.tree?.list, part.nestingRules.contains(list) {
      claims.state.nestsChildren = true
    }
    let scope = pass.scope
    // A part of a payload is looked up, not scanned for: only the whole payload covers a table.
    let matcher = Matcher(
      part,
      coversScope: scope.isWholeEntity && pass.isWholeList && (known?.matchedCount ?? 0) == 0,
      scannedRowsPerKey: request.tuning.scannedRowsPerKey, hasParts: !isOnly, work)
    try matcher.loadKeys()
    guard matcher.hasMixedKeys, !version.tracksItems else {
      try matcher.match {
        // Of several objects of a key those in the scope come first.
        guard !scope.isWholeEntity else { return nil }
        return try claims.rootScope ?? pass.rootScope.rows(in: transaction, control)
      }
      return matcher
    }
    try restage(tracksItems: true)
    return try matchOnce()
  }

  /// Claims which objects the part is about.
  private func mention(_ matcher: Matcher) throws {
    let root = matcher.matches.rootBatch
    mentionItems()
    if part.unreadable.hasRootKey { claims.state.isRootSuspended = true }
    try PartClaims(claims: claims).mention(matcher.batches, control)
    if operations.contains(.delete), !root.contested.isEmpty,
      root.node.policy.storedDuplicates == .keepOne
    {
      try Namesakes(root).sort(in: claims, transaction)
    }
    pass.knownRows =
      isOnly && root.stored.isComplete && root.staged.goneItems == nil ? root.stored.rows : nil
    try matcher.noteDeletingGroups()
    try matcher.noteChangedKinds()
    claims.state.firstNewRow = min(
      claims.state.firstNewRow,
      matcher.matches.firstNewRows[root.entity.rootIndex] ?? .max)
  }

  /// Claims how many items there are, and the objects of those that were not read.
  private func mentionItems() {
    claims.state.itemCount += part.items.count
    claims.state.usableItemCount += part.items.usable
    known?.mention(to: claims, isOnlyPart: isOnly)
  }

  // MARK: - Items that are known

  /// Takes a part of which no item is read to its end: it says nothing but what is stored.
  ///
  /// - Returns: False when there is an item to read.
  private mutating func passOver() throws -> Bool {
    guard let known, known.matchedCount > 0, part.isUntouched, quarantine == nil,
      pass.rootScope.tree == nil, !part.rootBatch.node.listsObjects
    else { return false }
    guard try !known.refuses(part, [], edits, isOnlyPart: isOnly, in: transaction) else {
      try restage()
      return false
    }
    mentionItems()
    known.passOver(part)
    known.mention(to: &pass.changeCount)
    pass.phases.end(.match)
    for phase in [SyncPhase.insert, .update, .link] { try pass.phase(phase, total: 0) {} }
    return true
  }

  /// Times that items are read after all before all of them are.
  private static let readingLimit = 3

  /// Reads again which items are known when another transaction wrote since, or when reading would
  /// have had to wait for one, and stages the part anew where that makes a difference.
  private mutating func refreshKnownItems() throws {
    guard let items = known else { return }
    let before = items.fingerprints
    if try items.isLost(in: transaction) {
      pass.reader.known = nil
      if items.matchedCount > 0 { try restage() }
      return
    }
    guard try items.isOutdated(in: transaction) else { return }
    try pass.loadKnownItems(from: transaction)
    let holds = known.map { $0.fingerprints === before } ?? (before.count == 0)
    if !holds { try restage() }
  }

  // MARK: - Items that are not stored

  /// How often a part is staged again without the items that cannot be stored. Once is the rule; it
  /// takes more when one that is left out was required by another.
  private static let roundLimit = 32

  /// - Parameter tracksItems: Whether it is noted from now on which item every object stands in.
  private mutating func restage(tracksItems: Bool = false) throws {
    version.tracksItems = version.tracksItems || tracksItems
    part = try pass.reader.restage(version)
    part.check()
  }

  /// The items to leave out; nil when the model lets all be stored.
  private func offenders(_ planner: LinkPlanner) throws -> [Int: SyncError]? {
    // References wait for later parts and pages of the transaction, not for those behind it.
    let isLast = pass.isAtEnd && request.place?.isLast != false
    let check = ItemCheck(planner, edits: edits) { [claims] place in
      !isLast && claims.isWaiting(place)
    }
    return try PartCheck(part: part, check: check, policy: request.itemPolicy).offenders()
  }

  /// Keeps the items that were left out, where the sync does that, and forgets kept ones whose
  /// object came.
  private func keepRejected(_ matches: Matches) throws {
    for item in part.refusals.rejected {
      try quarantine?.keep(item)
      try request.hooks.onRejected?(item, transaction)
    }
    try quarantine?.forgetSuperseded(by: matches)
  }
}
