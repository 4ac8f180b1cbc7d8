import SyncCore
import SyncStore

/// What is decided when the whole payload has been seen.
extension SyncPass {
  /// Deletes what nobody claimed.
  func end(in transaction: StoreTransaction) throws {
    var unresolved = claims.unresolved
    let mayArrive =
      claims.state.partCount > 1 || request.session != nil || request.settings.deferReferences
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
    try releaseUnlisted(in: transaction)
    try orderChildren(in: transaction)
    let root = request.plan.rootNode
    var operations = request.settings.operations
    // An empty list says that there is nothing; null does not.
    if claims.state.partCount == 0, claims.state.hasBegun { operations.remove(.delete) }
    let deleter = Deleter(
      claims: claims, entity: root.entity, scope: scope,
      operations: operations, edits: edits, limits: request.settings.deletionGuard,
      transaction: transaction, control: control, report: report,
      deletesKeyless: root.deletesKeyless,
      skipsUnidentified: root.skipsUnidentified, knownRows: knownRows, advice: { self.listAdvice })
    try deleter.delete()
    try checkUse()
    try noteObjectsOutsideGroups(in: transaction)
    if request.settings.deferReferences { try deferred(in: transaction).save(unresolved) }
    try request.hooks.willEnd?(transaction)
    try reader.known?.keep(in: transaction, control)
    phases.end(.delete)
    try phases.begin(.save, total: 1)
  }

  /// A required relationship of a new object waited for an object that never came.
  func checkAwaited(_ reference: UnresolvedReference, in transaction: StoreTransaction) throws {
    let slot = reference.relationship.slot
    guard claims.state.partCount > 1, !reference.relationship.isToMany,
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
