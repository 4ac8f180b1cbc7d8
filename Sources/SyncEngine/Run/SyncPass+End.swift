import SyncCore
import SyncStore

/// Decisions that need the whole payload.
extension SyncPass {
  /// Deletes objects that are gone, links references that waited for later parts, deletes rows that
  /// no part mentions, and keeps the facts that later syncs need.
  func end(in transaction: StoreTransaction) throws {
    try deleteGone(in: transaction)
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
    try reader.known?.keep(edits, in: transaction, control)
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
