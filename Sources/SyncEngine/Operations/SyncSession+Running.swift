import SyncCore
import SyncGraph
import SyncStore

/// What the operations of a session call.
extension SyncSession {
  func operation(_ work: SyncWork, at path: String?) -> Sync {
    let operation = Sync(work, inEntityNamed: entityName, dataStack: dataStack, at: path)
    operation.settings = settings
    return operation
  }

  /// Called inside the gate, before a page or the end looks at what the pages said.
  func prepare(_ store: Store) throws {
    let (isEnded, isRestored) = stage.withLock { ($0.isEnded, $0.isRestored) }
    guard !isEnded else {
      throw SyncError(
        .invalidRequest, entity: entityName,
        message: "The page session was finished or abandoned. Begin a new one.")
    }
    guard !isRestored else { return }
    try store.read { try state.restore(from: $0) }
    stage.withLock { stage in
      stage.isRestored = true
      if state.claims.partCount > 0 { stage.hasPages = true }
    }
  }

  /// Called inside the gate, after ``prepare(_:)``, before a page is worked off: until it is stored,
  /// nobody knows what it mentions, also when this process ends now.
  func begin(_ page: PageID, in store: Store) throws {
    guard name != nil, case .name(let page) = page else { return }
    try store.write { try state.begin(page: page, in: $0) }
  }

  /// Called inside the gate before the end decides about deletions.
  func prepareEnd(_ store: Store) throws {
    try prepare(store)
    let (failed, hasPages) = stage.withLock { ($0.failed, $0.hasPages) }
    let begun = try store.read { try state.pages(in: $0).begun }
    let missing = failed.union(begun.map { PageID.name($0) })
    guard missing.isEmpty else { throw missingPages(missing) }
    guard hasPages else {
      throw SyncError(
        .invalidRequest, entity: entityName,
        message: """
          The session had no page, so everything would be deleted. Nothing was. Sync at least one \
          page, an empty one if that is meant, or abandon the session.
          """)
    }
  }

  private func missingPages(_ pages: Set<PageID>) -> SyncError {
    let names = pages.compactMap { if case .name(let name) = $0 { name } else { nil } }.sorted()
    let list = names.isEmpty ? "" : " (\(names.prefix(5).joined(separator: ", ")))"
    return SyncError(
      .invalidRequest, entity: entityName,
      message: """
        \(pages.count) pages of the session were not stored\(list), so nobody knows what they mention, \
        and nothing was deleted. Run them again under the same names, or abandon the session.
        """)
  }

  /// Keeps that a page is missing that failed before it came to the store: its JSON was no JSON, for
  /// instance. One that was cancelled there was never begun; nobody waits for the store any more then.
  private func noteFailure(of page: PageID, _ result: Result<SyncReport, any Error>) {
    guard case .failure(let error) = result, !(error is CancellationError),
      !stage.withLock({ $0.isEnded }), let store = try? dataStack.store, !store.isOnWriterQueue
    else { return }
    try? begin(page, in: store)
  }

  /// Called as a page has its result.
  func didFinish(page: PageID, _ result: Result<SyncReport, any Error>) {
    noteFailure(of: page, result)
    stage.withLock { stage in
      switch result {
      case .success(let report):
        stage.hasPages = true
        stage.failed.remove(page)
        if case .name(let name) = page, !report.isDryRun { stage.storedPages.insert(name) }
      case .failure:
        stage.failed.insert(page)
      }
    }
  }

  /// Called as the end has been stored.
  func didEnd() {
    stage.withLock { $0.isEnded = true }
  }
}
