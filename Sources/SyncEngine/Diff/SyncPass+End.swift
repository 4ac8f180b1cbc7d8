import SyncCore
import SyncStore

/// What is decided when the whole payload has been seen.
extension SyncPass {
  /// Settles what several parts said of the same relationships.
  private func settle(
    _ arrived: [ArrivedReferences.Place: [Int64]], in transaction: StoreTransaction
  ) throws {
    if let parent, case .list(let batch, let rule) = parent.way, claims.isRootSuspended {
      // What earlier parts made of the list counts no more.
      let list = request.plan.nodes[batch].relationships[rule].relationship
      claims.parts?.look(at: parent.parent.row, listing: Claims.Relationship(list))
    }
    guard let parts = claims.parts else { return }
    try LinkSettlement(
      claims: claims, parts: parts, model: request.plan.model, transaction: transaction,
      control: control, edits: edits, arrived: arrived
    ).settle()
  }

  /// What is to be found out about objects that stand in for stored ones.
  private func standIns(in transaction: StoreTransaction) -> StandInSettlement {
    StandInSettlement(
      claims: claims, model: request.plan.model, root: request.plan.rootNode.entity.rootIndex,
      transaction: transaction, control: control, edits: edits, report: report)
  }

  /// Decides which stand-ins of a session are stored objects, and nothing else.
  func moveStandIns(in transaction: StoreTransaction) throws {
    claims = request.session?.claims.copy() ?? claims
    claims.parts?.contested = [:]
    claims.parts?.relisted = [:]
    let standIns = standIns(in: transaction)
    let replaced = try standIns.settle()
    try settle([:], in: transaction)
    try standIns.release(replaced)
    try standIns.remove(replaced)
  }

  /// Deletes what nobody claimed.
  func end(in transaction: StoreTransaction) throws {
    noteAnnounced(.delete)
    let standIns = standIns(in: transaction)
    let replaced = try standIns.settle()
    var unresolved = claims.unresolved
    if claims.partCount > 1 || request.defersReferences || !replaced.isEmpty {
      var resolver = ReferenceResolver(
        claims: claims, transaction: transaction, control: control, edits: edits,
        replaced: replaced)
      unresolved = try resolver.resolve(unresolved)
      try settle(resolver.arrived, in: transaction)
    } else if case let late = unresolved.filter(\.mayMeanSubentity), !late.isEmpty {
      // New objects of a subentity are staged beside those of its superentity.
      var resolver = ReferenceResolver(
        claims: claims, transaction: transaction, control: control, edits: edits)
      unresolved = unresolved.filter { !$0.mayMeanSubentity } + (try resolver.resolve(late))
    }
    for (step, reference) in unresolved.enumerated() {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      try checkAwaited(reference, in: transaction)
      reference.note(in: report)
    }
    try releaseUnlisted(in: transaction)
    try orderChildren(in: transaction)
    let deleter = Deleter(
      claims: claims, entity: request.plan.rootNode.entity, scope: scope,
      operations: request.operations, edits: edits, limits: request.deletionGuard,
      transaction: transaction, control: control, report: report, knownRows: knownRows)
    if let parts = claims.parts, claims.partCount > 1 || !replaced.isEmpty {
      try deleter.releaseMentioned()
      try standIns.release(replaced)
      // Between two transactions the first change was already told.
      if request.session == nil, request.transaction == .whole {
        try ChangeNetting(
          parts: claims.parts ?? parts, model: request.plan.model, transaction: transaction,
          control: control
        ).net()
      }
    }
    try standIns.remove(replaced)
    try deleter.delete()
    if request.defersReferences { try deferred(in: transaction).save(unresolved) }
    try request.willEnd?(transaction)
    try keepFingerprints(in: transaction)
    clock.end(.delete)
    try begin(.save, total: 1)
  }

  /// A required relationship of a new object waited for an object that never came.
  func checkAwaited(
    _ reference: UnresolvedReference, in transaction: StoreTransaction
  ) throws {
    let slot = reference.relationship.slot
    guard claims.partCount > 1, !reference.relationship.isToMany,
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
