import SyncCore

/// Live results follow their context: commits merged there, changes and saves.
extension LiveResults: ContextObserver {
  func contextDidChange(_ changes: ContextChanges, isSave: Bool) {
    switch changes.content {
    case .merged(let changes):
      merge(changes)
    case .local(_, let updated, _, let changes?) where isSave:
      // Edits were told when they were made; the store may have had its say since. Of edits that
      // it did not take the commit says nothing.
      let isAffected =
        watch.isAffected(by: changes, losesMembers: nil)
        || updated.contains { edited.contains(ObjectIdentifier($0)) }
      if isAffected { update { _ in false } }
    case .local(let inserted, let updated, let deleted, _):
      guard !isSave else { return }
      let isAffected =
        (inserted + deleted).contains(where: watch.isAffected(byExistenceOf:))
        || updated.contains {
          watch.isAffected(byValuesOf: $0) || edited.contains(ObjectIdentifier($0))
        }
      let touched = updated.filter { watch.isOwn($0.entity) }
      guard isAffected else { return tellUpdates(of: touched) }
      let updatedObjects = Set(touched.map(ObjectIdentifier.init))
      update { updatedObjects.contains(ObjectIdentifier($0)) }
    }
  }

  func contextDidGetRows() {
    update { _ in false }
  }

  func contextDidReset() {
    update { _ in false }
  }

  private func merge(_ changes: ChangeSet) {
    let root = plan.entity.rootIndex
    // An object that the commit deleted has left the context, but not this list. Objects before an
    // offset are in no list and move the others on.
    let losesMembers: (() -> Bool)? =
      plan.offset > 0 ? nil : { [list] in list.contains { $0.isLost } }
    guard !changes.isUnknown, !watch.isAffected(by: changes, losesMembers: losesMembers) else {
      var rows: Set<Int64> = []
      for change in changes.entities where change.entity.rootIndex == root {
        rows.formUnion(change.updated.map(\.row))
      }
      return update { rows.contains($0.rowNumber) }
    }
    // The list holds its objects, so the context knows them.
    var touched: [ManagedObject] = []
    for change in changes.entities where change.entity.rootIndex == root {
      touched += change.updated.compactMap {
        context.identities.object(root: root, row: context.current($0.row))
      }
    }
    tellUpdates(of: touched)
  }

  private func tellUpdates(of objects: [ManagedObject]) {
    guard !objects.isEmpty else { return }
    tellUpdates(at: objects.compactMap(place(of:)).sorted())
  }
}

extension ManagedObject {
  /// Whether the object is gone from the store or parent that its context reads from.
  fileprivate final var isLost: Bool { !flags.isDisjoint(with: [.gone, .lost]) }
}
