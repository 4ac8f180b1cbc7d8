import Foundation
import SyncCore
import SyncGraph
import SyncStore

/// The calls that the operations of a session make.
extension SyncSession {
  func operation(_ work: SyncWork, at path: JSONPath? = nil) -> Sync {
    let choice = chosen.withLock { $0 }
    let operation = Sync(work, with: source, dataStack: dataStack)
    operation.settings = choice.settings
    operation.delegate = choice.delegate
    if case .end = work { operation.metadata = choice.metadata }
    operation.path = path
    return operation
  }

  /// Called inside the gate, before a page or the end reads the claims of the pages.
  func prepare(_ store: Store, _ control: SyncControl) throws {
    guard !stage.withLock({ $0.isEnded }) else {
      throw SyncError(
        .invalidRequest, entity: entityName,
        message: "The page session was finished or abandoned. Begin a new one.")
    }
  }

  /// Called inside the gate, after ``prepare(_:)``, before a page is worked off: until they are
  /// stored, the objects that it and the other pages mention are unknown, also when this process
  /// ends now.
  func begin(in store: Store) throws {
    guard name != nil, case let pages = openPages, !pages.isEmpty else { return }
    let marks = Dictionary(uniqueKeysWithValues: pages.map { ($0, String?.none) })
    try store.write { try state.begin(marks, in: $0) }
  }

  /// Names of pages that were made, or have failed, and are not stored.
  private var openPages: Set<String> {
    let (pages, failed) = stage.withLock { ($0.pages.compactMap(\.page), $0.failed) }
    var ids = failed
    for page in pages where !page.isFinished && !page.isDryRun {
      if case .page(_, _, let id) = page.work { ids.insert(id) }
    }
    return Set(ids.compactMap(\.name))
  }

  /// Called inside the transaction of the end, before it decides about deletions.
  func checkPages(_ hasPages: Bool, in reader: StoreReader) throws {
    let failed = stage.withLock { $0.failed }
    let begun = try state.pages(in: reader).filter(\.isBegun)
    let missing = failed.union(begun.map { PageID.name($0.name) })
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
    let names = pages.compactMap(\.name).sorted()
    let count =
      pages.count == 1 ? "A page of the session was" : "\(pages.count) pages of the session were"
    let list = names.isEmpty ? "" : " (\(names.prefix(5).joined(separator: ", ")))"
    return SyncError(
      .invalidRequest, entity: entityName,
      message: """
        \(count) not stored\(list), so the objects of \(pages.count == 1 ? "it" : "them") are unknown, and \
        nothing was deleted. Run the missing pages again, under the same names, or abandon the session.
        """)
  }

  /// Called inside the gate as a page has been stored.
  func didStore(_ page: Sync, _ id: PageID) {
    guard !page.isDryRun else { return }
    stage.withLock { stage in
      stage.failed.remove(id)
      stage.pages.removeAll { $0.page.map { $0 === page } ?? true }
      if let name = id.name { stage.storedPages.insert(name) }
    }
  }

  /// Called as a page has its result.
  func didFinish(_ page: Sync, _ id: PageID, _ result: Result<SyncReport, any Error>) {
    if case .success(let report) = result, !page.isDryRun {
      stage.withLock { $0.done.addPage(report.entities) }
    }
    guard case .failure(let error) = result, !page.isDryRun else { return }
    stage.withLock { _ = $0.failed.insert(id) }
    noteFailure(error)
  }

  /// Keeps that a page is missing that failed before it came to the store: its JSON was no JSON,
  /// for instance. For a page that was cancelled there a thread of its own waits for the store,
  /// because its caller does not.
  private func noteFailure(_ error: any Error) {
    guard name != nil, !stage.withLock({ $0.isEnded }), let store = try? dataStack.store else {
      return
    }
    guard error is CancellationError || store.waitsForCaller || store.isOnWriterQueue else {
      try? noteMissingPages(store, always: true)
      return
    }
    let isFirst = stage.withLock { stage in
      defer { stage.isNoting = true }
      return !stage.isNoting
    }
    if isFirst { Thread.detachNewThread { try? self.noteMissingPages(store, always: false) } }
  }

  /// Waits for the store, like a page, and keeps there which pages are missing: while another page
  /// is inside, it is open whether that one will be stored.
  ///
  /// - Parameter always: False is where a page was stored: without one a cancelled page loses
  ///   nothing, because a session begun anew cannot be finished without pages.
  private func noteMissingPages(_ store: Store, always: Bool) throws {
    let control = SyncControl()
    try SyncRunner(store: store, control: control).run { enter in
      try enter()
      if !always { stage.withLock { $0.isNoting = false } }
      try prepare(store, control)
      if try always || !store.read({ try state.pages(in: $0) }).isEmpty || state.hasPages {
        try begin(in: store)
      }
    }
  }

  /// Called as the end has been stored.
  func didEnd() {
    stage.withLock { $0.isEnded = true }
  }
}
