import SyncCore
import SyncStore

/// Matching of one part, over again where items turn out to be unfit or are replaced.
extension SyncPass {
  /// Matches and writes the part that was staged, if there is one. Nothing of it is kept then.
  func process(in transaction: StoreTransaction) throws {
    guard let first = staged.take() else { return }
    if request.saysNothing {
      claims.state.silentPageCount += 1
    } else {
      claims.state.partCount += 1
    }
    try phases.begin(.match, total: first.rootBatch.occurrences.count)
    try noteMissingIndexes(first.batches, in: transaction)
    let (matcher, planner) = try decide(first, in: transaction)
    let matches = matcher.matches
    collected.add(matches, planner)
    let quarantining = Quarantining(request, transaction, report)
    for item in matches.part.refusals.rejected {
      try quarantining.keep(item)
      try request.hooks.onRejected?(item, transaction)
    }
    try quarantining.forgetSuperseded(by: matches)
    noteUnmatched(matches.rootBatch)
    try changeCount.mention(matches.batches, control)
    reader.known?.mention(to: &changeCount)
    try reader.known?.make(planner, control)
    if claims.state.partCount == 1, !reader.isAtEnd {
      try matcher.noteEmptyTables()
    }
    phases.end(.match)

    let writer = ChangeWriter(planner)
    try phases.begin(.insert, total: writer.total)
    try writer.insert()
    phases.end(.insert)
    try phases.begin(.update, total: writer.total)
    try writer.update()
    // Linking asks for keys alone, and makes lists of them.
    for batch in matches.part.batches { batch.dropValues() }
    phases.end(.update)
    try phases.begin(.link, total: writer.linkCount)
    planner.isPartOfList = !isOnlyPart || endsParentList
    try writer.link()
    noteObjects(of: matches)
    if !isOnlyPart {
      try PartClaims(claims: claims).list(planner)
      try control.checkpoint()
    }
    try noteGone(of: matches, in: transaction)
    if endsParentList, planner.suspendsParent { claims.state.isRootSuspended = true }
    try noteChildren(of: matches, in: transaction)
    matcher.noteKeys()
    phases.end(.link)
  }

  /// Matches and links a part, without the items that cannot be stored: they are found out before
  /// anything is written, and the part is staged once more without them.
  func decide(
    _ first: StagedPart, in transaction: StoreTransaction
  ) throws -> (Matcher, LinkPlanner) {
    let mayFail = !checks.allSatisfy(\.isEmpty)
    let before = claims.mark
    let withheld = edits?.withheld
    var part = try refreshKnownItems(first, in: transaction)
    var version = PartVersion(rejected: part.refusals.offenders)
    if request.hooks.willInsert != nil {
      version.replacements = ItemReplacements(bytes, parent: request.setup.parent)
    }
    if !version.rejected.isEmpty {
      version.tracksItems = true
      part = try reader.restage(version)
    }
    for _ in 0..<SyncPass.roundLimit {
      part.check()
      let matcher = try match(&part, &version, in: transaction)
      matcher.matches.check()
      try absorb(matcher.matches, in: transaction)
      try matcher.noteDeletingGroups()
      try matcher.noteChangedKinds()
      claims.state.firstNewRow = min(
        claims.state.firstNewRow,
        matcher.matches.firstNewRows[request.plan.rootNode.entity.rootIndex] ?? .max)
      let planner = LinkPlanner(
        matcher.matches, matcher.work, endsParentList: endsParentList, keptMember: keptMember)
      try planner.plan()
      planner.check()
      guard mayFail else { return (matcher, planner) }
      let check = itemCheck(planner)
      guard let failure = try check.firstFailure() else {
        if let stop = part.refusals.stop { throw stop.error }
        return (matcher, planner)
      }
      if request.itemPolicy == .fail {
        if version.tracksItems { throw try firstError(failure.error, check, part) }
      } else if version.tracksItems {
        let count = version.rejected.count
        version.rejected.merge(try check.offenders()) { first, _ in first }
        // No more items to leave out that would help: the error stays.
        guard version.rejected.count > count else { throw failure.error }
      }
      claims.restore(before)
      if let withheld { edits?.withheld = withheld }
      version.tracksItems = true
      part = try reader.restage(version)
    }
    throw SyncError(
      .requiredValueMissing, entity: request.plan.rootNode.entity.name,
      message: """
        Items of the payload require each other in so long a chain that leaving out those that cannot \
        be stored does not come to an end. Nothing was changed.
        """)
  }

  /// Reads which items are known, before the payload is read.
  func loadKnownItems(from store: StoreReader) throws {
    if try reader.known?.load(payloadBytes: bytes.count, from: store) == false {
      reader.known = nil
    }
  }

  /// Does so again when another transaction wrote since, or when reading would have had to wait for
  /// one.
  ///
  /// - Returns: The part as it is staged now.
  private func refreshKnownItems(
    _ first: StagedPart, in transaction: StoreTransaction
  ) throws -> StagedPart {
    guard let before = reader.known?.fingerprints,
      try reader.known?.isOutdated(in: transaction) == true
    else { return first }
    try loadKnownItems(from: transaction)
    let holds = reader.known.map { $0.fingerprints === before } ?? (before.count == 0)
    return holds ? first : try reader.restage()
  }

  /// Of several errors the one that comes first in the payload, whenever it was found.
  private func firstError(
    _ known: SyncError, _ check: ItemCheck, _ part: StagedPart
  ) throws -> SyncError {
    let first = try check.offenders().min { $0.key < $1.key }
    // Of the item that stopped the reading not everything was read.
    if let stop = part.refusals.stop, stop.item <= first?.key ?? .max { return stop.error }
    return first.map { $1.at(part.path.text(ofItem: $0)) } ?? known
  }

  /// Times that items are read after all before all of them are.
  private static let readingLimit = 3

  /// How often a part is staged again without the items that cannot be stored. Once is the rule; it
  /// takes more when one that is left out was required by another.
  static let roundLimit = 32

  func itemCheck(_ planner: LinkPlanner) -> ItemCheck {
    // References wait for later parts and pages of the transaction, not for those behind it.
    let isLast = reader.isAtEnd && request.place?.isLast != false
    return ItemCheck(planner, checks, edits: edits) { [claims] place in
      !isLast && claims.isWaiting(place)
    }
  }

  /// Matches a part, reads known items after all where others have to do with their rows, and
  /// offers new items for replacement.
  private func match(
    _ part: inout StagedPart, _ version: inout PartVersion, in transaction: StoreTransaction
  ) throws -> Matcher {
    var matcher = try matchOnce(&part, &version, in: transaction)
    var rounds = 0
    while let known = reader.known,
      try known.refuses(matcher.matches, edits, isOnlyPart: isOnlyPart, in: transaction)
    {
      rounds += 1
      if rounds == SyncPass.readingLimit { known.refusePart() }
      part = try reader.restage(version)
      matcher = try matchOnce(&part, &version, in: transaction)
    }
    guard let willInsert = request.hooks.willInsert, var offered = version.replacements else {
      return matcher
    }
    while try ItemOffer(willInsert: willInsert, matcher: matcher).rewrite(&offered) {
      version.replacements = offered
      part = try reader.restage(version)
      matcher = try matchOnce(&part, &version, in: transaction)
    }
    version.replacements = offered
    return matcher
  }

  private func matchOnce(
    _ part: inout StagedPart, _ version: inout PartVersion, in transaction: StoreTransaction
  ) throws -> Matcher {
    if let list = tree?.list, part.nestingRules.contains(list) {
      claims.state.nestsChildren = true
    }
    let matcher = matcher(part, in: transaction)
    try matcher.loadKeys()
    guard matcher.hasMixedKeys, !version.tracksItems else {
      try matcher.match { [claims] in
        // Of several objects of a key those in the scope come first.
        guard !scope.isWholeEntity else { return nil }
        return try claims.rootScope ?? scopeRows(in: transaction)
      }
      return matcher
    }
    version.tracksItems = true
    part = try reader.restage(version)
    return try matchOnce(&part, &version, in: transaction)
  }

  private func matcher(_ part: StagedPart, in transaction: StoreTransaction) -> Matcher {
    // A part of a payload is looked up, not scanned for: only the whole payload covers a table.
    Matcher(
      part,
      coversScope: scope.isWholeEntity && isWholeList && (reader.known?.matchedCount ?? 0) == 0,
      scannedRowsPerKey: request.tuning.scannedRowsPerKey, hasParts: !isOnlyPart,
      partWork(request.settings.operations, in: transaction))
  }

  /// The values that all phases work with.
  func partWork(_ operations: SyncOperations, in transaction: StoreTransaction) -> PartWork {
    PartWork(
      transaction: transaction, operations: operations,
      defersReferences: request.settings.deferReferences, claims: claims, edits: edits,
      report: report, control: control)
  }

  func absorb(_ matches: Matches, in transaction: StoreTransaction) throws {
    let part = matches.part
    claims.state.itemCount += part.items.count
    claims.state.usableItemCount += part.items.usable
    if part.unreadable.hasRootKey { claims.state.isRootSuspended = true }
    try PartClaims(claims: claims).mention(matches.batches, control)
    reader.known?.mention(to: claims, isOnlyPart: isOnlyPart)
    let root = matches.rootBatch
    if request.settings.operations.contains(.delete), root.node.policy.storedDuplicates == .keepOne
    {
      try Namesakes(root).sort(in: claims, transaction)
    }
    knownRows =
      isOnlyPart && root.stored.isComplete && root.staged.goneItems.isEmpty
      ? root.stored.rows : nil
  }
}
