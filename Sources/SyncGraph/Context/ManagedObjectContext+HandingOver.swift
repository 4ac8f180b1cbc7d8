import SyncCore
import SyncStore

/// The saves of a child context go out here.
extension ManagedObjectContext {
  /// Makes what is unsaved here unsaved changes of the parent. To be called inside of
  /// ``withSource(_:)``.
  ///
  /// - Returns: what was handed over.
  func handOver(
    to parent: ManagedObjectContext, _ result: inout SaveResult
  ) throws -> [ManagedObject] {
    let inserted = pending.inserted
    let deleted = pending.deleted
    var outcome = SaveOutcome()
    outcome.vanished = try lostObjects(parent)
    let gone = Set(outcome.vanished.map(ObjectIdentifier.init))
    let updated = pending.updated.filter { !gone.contains(ObjectIdentifier($0)) }
    let edits = HandedEdits(inserted, updated, deleted)
    let changes = parent.queue.sync { parent.receive(edits, from: self) }
    result.overruled += outcome.vanished.map { SaveConflict($0, $0.changed, $0.base, nil) }
    take(outcome, inserted, updated, deleted)
    let saved = inserted + updated + deleted
    merge(changes, except: saved)
    tellChildren(outcome, changes, saved)
    outgoing.append(
      saveNotification(.local(inserted: inserted, updated: updated, deleted: deleted, changes)))
    return saved
  }

  /// Lets edited objects go that were deleted in the parent, where the merge policy says so: before
  /// anything is validated or handed over, so that nothing that stays leads to them.
  func giveUpLost(_ result: inout SaveResult) {
    guard savingPolicy.letsStoreWin else { return }
    let lost = pending.updated.filter { $0.flags.contains(.lost) }
    guard !lost.isEmpty else { return }
    result.overruled += lost.map { SaveConflict($0, $0.changed, $0.base, nil) }
    for object in lost {
      bury(object)
      noteForChildren(object)
    }
    queue.closed { settle() }
  }

  /// The edited objects that are gone from the parent, for the save to give up.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/conflict`` unless the merge policy lets them
  ///   go.
  private func lostObjects(_ parent: ManagedObjectContext) throws -> [ManagedObject] {
    let updated = pending.updated
    let ids = updated.map(\.identifier)
    let deleted = parent.queue.sync { parent.deleted(among: ids) }
    let lost = updated.filter { $0.flags.contains(.lost) || deleted.contains($0.identifier) }
    guard !lost.isEmpty else { return [] }
    if savingPolicy.letsStoreWin { return lost }
    let conflicts = lost.map { SaveConflict($0, $0.changed, $0.base, nil) }
    let names = lost.prefix(10).map { "\($0.objectID)" }.joined(separator: ", ")
    throw GraphError(
      .conflict, entity: lost[0].entity.name, objects: lost.map(\.objectID), conflicts: conflicts,
      message: """
        \(lost.count) object\(lost.count == 1 ? " that was" : "s that were") edited here \
        \(lost.count == 1 ? "is" : "are") deleted in the parent context: \(names). Delete them here \
        too, roll back, or choose a merge policy that lets the store win.
        """)
  }
}
