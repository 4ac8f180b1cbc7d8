import Foundation
import SyncCore
import SyncGraph
import SyncStore

/// The operations of a session, and the calls that they make.
extension SyncSession {
  /// Makes the operation of pages, of the end, or of both.
  func make(_ pages: [Page], ends: Bool = false) -> Sync {
    var pages = pages
    for index in pages.indices { pages[index].id = nextID(pages[index].name) }
    return operation(of: pages, ends: ends)
  }

  /// - Parameter pages: Pages that have their identifiers.
  func operation(of pages: [Page], ends: Bool) -> Sync {
    let choice = chosen.withLock { $0 }
    let list = lists.first { $0.name == pages.first?.list } ?? lists[0]
    let operation = Sync(
      .pages(pages, self, ends: ends), with: list.source, dataStack: dataStack)
    operation.settings = choice.settings
    operation.delegate = choice.delegate
    if pages.count == 1 { operation.path = pages[0].path }
    let earlier = stage.withLock { stage in
      defer {
        if !pages.isEmpty {
          stage.pages.removeAll { $0.page.map(\.isFinished) ?? true }
          stage.pages.append(WeakPage(page: operation))
        }
      }
      return ends ? stage.pages.compactMap(\.page) : []
    }
    if ends {
      operation.metadata = choice.metadata
      for page in earlier where !page.isFinished { operation.addDependency(page) }
    }
    return operation
  }

  /// The identifier of the next page that is made.
  func nextID(_ name: String?) -> PageID {
    if let name { return .name(name) }
    return stage.withLock { stage in
      stage.lastNumber += 1
      return .number(stage.lastNumber)
    }
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
      ids.formUnion(page.work.pages.map(\.id))
    }
    return Set(ids.compactMap(\.name))
  }

  /// Called inside the transaction of the end, before it decides about deletions.
  ///
  /// - Parameter pages: Pages that are stored in the same transaction.
  func checkPages(beside pages: [Page], in reader: StoreReader) throws {
    let failed = stage.withLock { $0.failed }
    let begun = try state.pages(in: reader).filter(\.isBegun)
    let missing = failed.union(begun.map { PageID.name($0.name) }).subtracting(pages.map(\.id))
    guard missing.isEmpty else { throw missingPages(missing) }
  }

  private func missingPages(_ pages: Set<PageID>) -> SyncError {
    let names = pages.compactMap(\.name).sorted()
    let count =
      pages.count == 1 ? "A page of the session was" : "\(pages.count) pages of the session were"
    let list = names.isEmpty ? "" : " (\(names.prefix(5).joined(separator: ", ")))"
    return SyncError(
      .invalidRequest, entity: lists.count == 1 ? entityName : nil,
      message: """
        \(count) not stored\(list), so the objects of \(pages.count == 1 ? "it" : "them") are unknown, and \
        nothing was deleted. Run the missing pages again, under the same names, or abandon the session.
        """)
  }

  /// Called inside the gate as pages have been stored.
  func didStore(_ pages: [Page], of operation: Sync) {
    guard !operation.isDryRun else { return }
    stage.withLock { stage in
      stage.pages.removeAll { $0.page.map { $0 === operation } ?? true }
      for page in pages {
        stage.failed.remove(page.id)
        if let name = page.id.name { stage.storedPages.insert(name) }
      }
    }
  }

  /// Called as an operation of the session has its result.
  func didFinish(
    _ operation: Sync, _ pages: [Page], ends: Bool, _ result: Result<SyncReport, any Error>
  ) {
    guard !operation.isDryRun else { return }
    switch result {
    case .success(let report):
      stage.withLock { stage in
        if ends { stage.isEnded = true }
        if !pages.isEmpty { stage.done.add(Set(pages.map(\.id)).count, pages: report.entities) }
      }
    case .failure(let error):
      guard !pages.isEmpty else { return }
      stage.withLock { $0.failed.formUnion(pages.map(\.id)) }
      noteFailure(error)
    }
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
    try SyncGate.inside(store, control) {
      if !always { stage.withLock { $0.isNoting = false } }
      try prepare(store, control)
      if try always || !store.read({ try state.pages(in: $0) }).isEmpty || state.hasPages {
        try begin(in: store)
      }
    }
  }
}
