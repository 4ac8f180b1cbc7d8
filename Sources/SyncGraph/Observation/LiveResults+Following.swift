import SyncCore

/// Live results follow their context: what was merged, changed and saved there.
extension LiveResults: ContextObserver {
  func contextDidChange(_ changes: ContextChanges, isSave: Bool) {
    switch changes.content {
    case .merged(let changes):
      merge(changes)
    case .local(_, _, _, let changes?) where isSave:
      // Edits were told when they were made; the store may have had its say since.
      if watch.isAffected(by: changes, isListed: nil) { update { _ in false } }
    case .local(let inserted, let updated, let deleted, _):
      guard !isSave else { return }
      let isAffected =
        (inserted + deleted).contains(where: watch.isAffected(byExistenceOf:))
        || updated.contains {
          watch.isAffected(byValuesOf: $0) || edited.contains(ObjectIdentifier($0))
        }
      let touched = updated.filter { watch.isOwn($0.entity) }
      finish(isAffected, touched)
    }
  }

  func contextDidReset() {
    update { _ in false }
  }

  private func merge(_ changes: ChangeSet) {
    let root = plan.entity.rootIndex
    // Most commits are about something else.
    let isAboutUs = changes.entities.contains { $0.entity.rootIndex == root }
    let rows = Dictionary(
      isAboutUs ? list.map { ($0.rowNumber, $0) } : [],
      uniquingKeysWith: { first, _ in first })
    // An object that was deleted by the commit has left the context, but not this list.
    let isListed: ((Int64) -> Bool)? = plan.offset > 0 ? nil : { rows[$0] != nil }
    var touched: [ManagedObject] = []
    for change in changes.entities where change.entity.rootIndex == root {
      touched += change.updated.compactMap { rows[$0.row] }
    }
    finish(watch.isAffected(by: changes, isListed: isListed), touched)
  }

  private func finish(_ isAffected: Bool, _ touched: [ManagedObject]) {
    guard !isAffected else {
      let touched = Set(touched.map(ObjectIdentifier.init))
      return update(touched.contains)
    }
    let places = touched.compactMap(place(of:)).sorted()
    tellUpdates(at: places)
  }
}
