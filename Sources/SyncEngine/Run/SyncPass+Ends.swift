import SyncCore
import SyncStore

/// The facts that the first part needs, and the decisions that need the last one.
extension SyncPass {
  // MARK: - The beginning

  /// Reads the facts about the store that have to be read before anything is written.
  func begin(in transaction: StoreTransaction) throws {
    try checkParent(in: transaction)
    try loadDeferred(in: transaction)
    try readScope(in: transaction)
  }

  /// Checks that the given parent is there.
  func checkParent(in transaction: StoreTransaction) throws {
    guard let parent = reader.parent else { return }
    try parent.check(in: transaction)
    claims.mention(parent.parent.row, parent.parent.entity)
  }

  /// Takes over references that earlier syncs left behind.
  func loadDeferred(in transaction: StoreTransaction) throws {
    guard request.settings.deferReferences else { return }
    for reference in try deferred(in: transaction).load() { claims.append(reference) }
  }

  /// Reads which objects are in scope. Has to happen before anything is written, because writing
  /// moves objects into and out of a scope: the scope decides which rows may be deleted, and in
  /// later parts which of several objects of a key comes first.
  func readScope(in transaction: StoreTransaction) throws {
    let mayHaveParts =
      isStreamed || request.place != nil || request.setup.transaction != .whole
    guard request.settings.operations.contains(.delete) || mayHaveParts else { return }
    claims.setScope(try rootScope.rows(in: transaction, control))
  }

  /// Reads which items are known, before the payload is read.
  func loadKnownItems(from store: StoreReader) throws {
    guard let known = reader.known, try !known.load(payloadBytes: bytes.count, from: store) else {
      return
    }
    // The items of a list leave their trace all the same.
    if request.place == nil { reader.known = nil }
  }

  // MARK: - The end

  /// Deletes objects that are gone, links references that waited for later parts, deletes rows that
  /// no part mentions, and keeps the facts that later syncs need.
  func end(in transaction: StoreTransaction) throws {
    try deleteGone(in: transaction)
    let unresolved = try linkWaiting(in: transaction)
    try delete(in: transaction, endsLists: true)
    try keep(unresolved, in: transaction)
  }

  /// Deletes the objects of which the latest item says that they are gone.
  func deleteGone(in transaction: StoreTransaction) throws {
    guard claims.hasGone else { return }
    try GoneObjects(work: partWork(in: transaction)).delete(request.plan.model)
  }

  /// Links the references whose object came with a later part.
  ///
  /// - Returns: The others.
  func linkWaiting(in transaction: StoreTransaction) throws -> [UnresolvedReference] {
    let unresolved = claims.unresolved
    return unresolved.isEmpty
      ? [] : try waitingReferences(in: transaction).link(unresolved)
  }

  /// Reports new objects that do not meet the groupers of their serializer.
  func noteObjectsOutsideGroups(in transaction: StoreTransaction) throws {
    try collected.newObjects.take()?.report(to: report, in: transaction)
  }

  /// Keeps the facts that later syncs and the program need.
  func keep(_ unresolved: [UnresolvedReference], in transaction: StoreTransaction) throws {
    if request.settings.deferReferences { try deferred(in: transaction).save(unresolved) }
    try request.hooks.willEnd?(transaction)
    try transaction.write(request.setup.metadata)
    try reader.known?.keep(edits, in: transaction, control)
    try phases.begin(.save, total: 1)
  }

  /// Deletes the objects in scope that no part mentions.
  ///
  /// - Parameter endsLists: Whether members that lists leave out go now: once, after all lists of
  ///   items.
  func delete(in transaction: StoreTransaction, endsLists: Bool) throws {
    var operations = request.settings.operations
    // An empty list says that there is nothing; null does not.
    if claims.state.partCount == 0, claims.state.hasBegun { operations.remove(.delete) }
    let work = partWork(operations, in: transaction)
    let children = children(work)
    try children?.releaseUnlisted()
    try children?.order()
    let deleter = Deleter(
      work: work, node: request.plan.rootNode, scope: scope,
      limits: request.settings.deletionGuard, knownRows: knownRows,
      endsLists: endsLists,
      spansTransactions: request.session != nil || request.setup.transaction != .whole,
      advising: { self.unusable.advising($0) })
    let unmentioned = try deleter.unmentioned()
    try phase(.delete, total: unmentioned.count) {
      try deleter.delete(unmentioned)
      if claims.state.hasNothingUsable { try unusable.check(claims, report) }
      try noteObjectsOutsideGroups(in: transaction)
    }
  }

  /// The references to objects that were not there when their part was written.
  func waitingReferences(in transaction: StoreTransaction) -> WaitingReferences {
    WaitingReferences(
      work: partWork(in: transaction), isInParts: isInParts,
      mayArrive: isInParts || request.session != nil || request.settings.deferReferences)
  }

  private func deferred(in transaction: StoreTransaction) -> DeferredReferences {
    DeferredReferences(transaction: transaction, model: request.plan.model, control: control)
  }
}
