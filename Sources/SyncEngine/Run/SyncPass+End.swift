import SyncCore
import SyncStore

/// Decisions that need the whole payload.
extension SyncPass {
  /// Links references that waited for later parts, deletes rows that no part mentions, and keeps
  /// the facts that later syncs need.
  func end(in transaction: StoreTransaction) throws {
    let unresolved = try linkWaiting(in: transaction)
    try delete(in: transaction, endsLists: true)
    try keep(unresolved, in: transaction)
  }

  /// Links the references whose object came with a later part, and reports the others.
  ///
  /// - Returns: Those.
  func linkWaiting(in transaction: StoreTransaction) throws -> [UnresolvedReference] {
    var unresolved = claims.unresolved
    let mayArrive =
      isInParts || request.session != nil || request.settings.deferReferences
    // New objects of a subentity are staged beside those of its superentity.
    let late = mayArrive ? unresolved : unresolved.filter(\.mayMeanSubentity)
    if !late.isEmpty {
      var resolver = ReferenceResolver(transaction: transaction, control: control, edits: edits)
      let missing = try resolver.resolve(late)
      unresolved = mayArrive ? missing : unresolved.filter { !$0.mayMeanSubentity } + missing
    }
    for (step, reference) in unresolved.enumerated() {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      try checkAwaited(reference, in: transaction)
      reference.note(in: report)
    }
    return unresolved
  }

  /// Keeps the facts that later syncs and the program need.
  func keep(_ unresolved: [UnresolvedReference], in transaction: StoreTransaction) throws {
    if request.settings.deferReferences { try deferred(in: transaction).save(unresolved) }
    try request.hooks.willEnd?(transaction)
    try transaction.write(request.setup.metadata)
    try reader.known?.keep(in: transaction, control)
    try phases.begin(.save, total: 1)
  }

  /// Links references that a required relationship waits with, as far as pages of this transaction
  /// made them: they cannot wait for pages after its commit.
  ///
  /// - Throws: ``SyncError`` when an object did not come.
  func linkAwaited(in transaction: StoreTransaction) throws {
    let awaited = claims.new.references.values.joined()
      .filter { !$0.relationship.isToMany && !$0.relationship.isOptional }
      .sorted(on: \.number)
    guard !awaited.isEmpty else { return }
    var resolver = ReferenceResolver(transaction: transaction, control: control, edits: edits)
    let missing = try resolver.resolve(awaited)
    for reference in missing { try checkAwaited(reference, in: transaction) }
    let open = Set(missing.map(\.place))
    for reference in awaited where !open.contains(reference.place) { claims.drop(reference.place) }
  }

  /// Deletes the objects in scope that no part mentions.
  ///
  /// - Parameter endsLists: Whether members that lists leave out go now: once, after all lists of
  ///   items.
  func delete(in transaction: StoreTransaction, endsLists: Bool) throws {
    try releaseUnlisted(in: transaction)
    try orderChildren(in: transaction)
    var operations = request.settings.operations
    // An empty list says that there is nothing; null does not.
    if claims.state.partCount == 0, claims.state.hasBegun { operations.remove(.delete) }
    let deleter = Deleter(
      work: partWork(operations, in: transaction), node: request.plan.rootNode, scope: scope,
      limits: request.settings.deletionGuard, knownRows: knownRows,
      endsLists: endsLists, advising: { self.advising($0) })
    let unmentioned = try deleter.unmentioned()
    try phases.begin(.delete, total: unmentioned.count)
    try deleter.delete(unmentioned)
    try checkUse()
    try noteObjectsOutsideGroups(in: transaction)
    phases.end(.delete)
  }

  /// A required relationship of a new object waited for an object that never came.
  func checkAwaited(_ reference: UnresolvedReference, in transaction: StoreTransaction) throws {
    let slot = reference.relationship.slot
    guard isInParts, !reference.relationship.isToMany,
      !reference.relationship.isOptional
    else { return }
    var isEmpty = false
    try transaction.scan(reference.owner.entity, .rows([reference.owner.row])) { cursor in
      isEmpty = (cursor.integer(slot) ?? 0) == 0
    }
    guard isEmpty else { return }
    throw SyncError(
      .requiredValueMissing, entity: reference.owner.entity.name,
      property: reference.relationship.name, key: reference.ownerKey,
      message: """
        “\(reference.relationship.name)” of \(reference.owner.entity.name) \(reference.ownerKey) is \
        required, and \(reference.destination.name) \(reference.key), which it refers to, does not exist.
        """)
  }

  func deferred(in transaction: StoreTransaction) -> DeferredReferences {
    DeferredReferences(transaction: transaction, model: request.plan.model, control: control)
  }
}

/// Objects that the payload says are deleted.
extension SyncPass {
  /// Deletes the objects of a part that it says are gone, once it is written: values that it gives
  /// for them elsewhere count before.
  func deleteTombstones(of matches: Matches, in transaction: StoreTransaction) throws {
    for batch in matches.batches where !batch.staged.tombstones.isEmpty {
      claims.state.hasTombstones = true
      var rows = try storedRows(of: batch, matches, in: transaction)
      guard !rows.isEmpty else { continue }
      let keeper = edits.map { Keeper(edits: $0, transaction: transaction) }
      if let keeper { rows = try keeper.deletable(rows, of: batch.entity) }
      _ = try transaction.delete(rows, of: batch.entity) { [claims] row, entity in
        claims.isMentioned(row, entity) || keeper?.survives(row, entity) ?? false
      }
    }
  }

  /// The rows that tombstones are about.
  private func storedRows(
    of batch: MatchedBatch, _ matches: Matches, in transaction: StoreTransaction
  ) throws -> [Int64] {
    let slot = batch.node.identity[0]
    let members = try group(of: batch, in: transaction)
    var rows: [Int64] = []
    try transaction.scan(
      batch.entity, .keys(slot: slot, batch.staged.tombstones.keys(in: slot)), slots: nil
    ) { cursor in
      let owners = batch.staged.tombstones.owners { cursor.cell($0) }
      guard owners.contains(where: { isOwner($0, of: cursor, matches) }),
        members?.contains(cursor.row) != false
      else { return }
      rows.append(cursor.row)
    }
    return rows
  }

  /// Whether a row belongs to the owner in whose list a tombstone stands, where keys are unique
  /// among those only.
  private func isOwner(_ owner: Owner?, of cursor: RowCursor, _ matches: Matches) -> Bool {
    guard let owner else { return true }
    let owners = matches.batches[owner.batch]
    let rule = owners.node.relationships[owner.rule]
    guard rule.keyScopeIsOwner, let slot = rule.relationship.inverseSlot else { return true }
    return cursor.integer(slot) == owners.occurrences[owners.representative(owner.owner)].row
  }

  /// The rows that a mapping by hand knows about; nil is all.
  private func group(of batch: MatchedBatch, in transaction: StoreTransaction) throws -> Set<Int64>?
  {
    guard let group = batch.node.group, batch.node.policy.identityScope == .group else {
      return nil
    }
    var rows: Set<Int64> = []
    try transaction.scan(batch.entity, .filter(group), slots: []) { rows.insert($0.row) }
    return rows
  }
}
