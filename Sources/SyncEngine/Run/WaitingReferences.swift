import SyncCore
import SyncStore

/// References of a payload to objects that were not there when their part was written.
struct WaitingReferences: PartPhase {
  let work: PartWork
  /// Whether references of one part of the sync may lead to objects of another one.
  let isInParts: Bool
  /// Whether objects may have come behind references to them.
  let mayArrive: Bool

  /// Links the references whose object came with a later part, and reports the others.
  ///
  /// - Returns: Those.
  func link(_ waiting: [UnresolvedReference]) throws -> [UnresolvedReference] {
    var unresolved = waiting
    // New objects of a subentity are staged beside those of its superentity.
    let late = mayArrive ? unresolved : unresolved.filter(\.mayMeanSubentity)
    if !late.isEmpty {
      var resolver = ReferenceResolver(transaction: transaction, control: control, edits: edits)
      let missing = try resolver.resolve(late)
      unresolved = mayArrive ? missing : unresolved.filter { !$0.mayMeanSubentity } + missing
    }
    for (step, reference) in unresolved.enumerated() {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      try checkAwaited(reference)
      reference.note(in: report)
    }
    return unresolved
  }

  /// Links references that a required relationship waits with, as far as pages of this transaction
  /// made them: they cannot wait for pages after its commit.
  ///
  /// - Throws: ``SyncError`` when an object did not come.
  func linkRequired() throws {
    let awaited = claims.new.references.values.joined()
      .filter { !$0.relationship.isToMany && !$0.relationship.isOptional }
      .sorted(on: \.number)
    guard !awaited.isEmpty else { return }
    var resolver = ReferenceResolver(transaction: transaction, control: control, edits: edits)
    let missing = try resolver.resolve(awaited)
    for reference in missing { try checkAwaited(reference) }
    let open = Set(missing.map(\.place))
    for reference in awaited where !open.contains(reference.place) { claims.drop(reference.place) }
  }

  /// A required relationship of a new object waited for an object that never came.
  private func checkAwaited(_ reference: UnresolvedReference) throws {
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
}
