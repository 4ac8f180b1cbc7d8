import SyncCore
import SyncStore

/// What earlier syncs have left, and what is left for later ones.
extension SyncPass {
  /// Whether ``readPrints(from:)`` is wanted before the payload is read.
  var wantsPrints: Bool { printKey != nil }

  /// Reads what earlier syncs have left.
  func readPrints(from store: StoreReader) throws {
    guard let printKey else { return }
    reader.prints = try PrintSet.load(
      printKey, of: request.plan, payloadBytes: bytes.count, from: store)
    if reader.prints == nil { self.printKey = nil }
  }

  /// Leaves reading the prints to the transaction, because it would have to wait for another one.
  func postponePrints() {
    reader.prints = PrintSet(id: nil, generation: -1, seed: UInt64.random(in: 0 ... .max))
  }

  /// Reads the prints again when somebody wrote after they were read.
  ///
  /// - Returns: What is staged now.
  func refreshPrints(_ first: Stager, in transaction: StoreTransaction) throws -> Stager {
    guard let before = reader.prints, try transaction.generation() != before.generation else {
      return first
    }
    try readPrints(from: transaction)
    guard before.count == 0, reader.prints?.count ?? 0 == 0 else { return try reader.restage(nil) }
    // There is nothing to compare with; what was noted of the items holds.
    reader.prints = reader.prints.map {
      PrintSet(id: $0.id, generation: $0.generation, seed: before.seed)
    }
    return first
  }

  /// Keeps what a later sync need not read.
  func keepPrints(in transaction: StoreTransaction) throws {
    guard let printKey, let prints = reader.prints, let last, !request.isDryRun else { return }
    var maker = PrintMaker(
      trace: last.trace, planner: last.planner, plan: request.plan, shapes: prints.shapes)
    let conflicts = PrintConflicts(
      batches: last.planner.batches, set: prints, trace: last.trace, plan: request.plan)
    let isDisputed =
      edits != nil || last.trace.isIncomplete || last.planner.movesPartners
      || PrintConflicts.speaksFromBothEnds(
        last.planner.batches, set: prints, plan: request.plan)
    if !isDisputed { maker.make() }
    try PrintKeeper(key: printKey, set: prints, plan: request.plan, transaction: transaction)
      .keep(maker, concerned: prints.count > 0 ? conflicts.concerned() : [:])
  }

  /// Whether items that count as unchanged have to be read after all, because of those that were read.
  func refusesItems(
    _ prints: PrintSet, _ stager: Stager, in transaction: StoreTransaction
  ) throws -> Bool {
    guard let trace = stager.trace else { return false }
    if prints.matchedCount > 0, try needsAllItems(stager, in: transaction) {
      prints.refuseAll()
      return true
    }
    return PrintConflicts(
      batches: stager.batches, set: prints, trace: trace, plan: request.plan
    ).refuse()
  }

  /// What is left alone because it was edited here is reported each time; an item in quarantine is
  /// forgotten when a good one of its key is read.
  private func needsAllItems(_ stager: Stager, in transaction: StoreTransaction) throws -> Bool {
    if stager.hasUncountedKeys || edits != nil { return true }
    guard try transaction.hasQuarantine else { return false }
    return try !transaction.quarantine(of: request.plan.rootNode.entity.name).isEmpty
  }

  /// Times that items are read after all before all of them are.
  static let readingLimit = 3

  /// Notes what items say that were not read.
  func absorb(_ prints: PrintSet) {
    claims.mention(prints, plan: request.plan)
    guard let rule = treeRule else { return }
    for (shape, count) in zip(prints.shapes, prints.shapeCounts())
    where count > 0
      && shape.mentions.contains(
        .init(node: request.plan.root, rule: rule, isAtTop: true))
    {
      claims.rootItemsNameParent = true
    }
  }
}
