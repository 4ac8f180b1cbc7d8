import Foundation
import SyncStack

/// Reads a feed, page after page, into a store: one operation that is a chain of operations.
///
/// ```
/// .atOnce      download 1 ─▶ download 2 ─▶ … ─▶ download n ─▶ sync of all items
/// .pageByPage  download 1 ─▶ download 2 ─▶ … ─▶ download n
///                   └▶ page 1     └▶ page 2         └▶ page n ─▶ end of the session
/// ```
///
/// Every arrow is a dependency; the next page is on its way while the last one is written. Downloads run
/// on a queue of their own, syncs on another, so that nobody waits behind what is none of this.
///
/// The first operation that fails cancels all others, and so does ``cancel()``. When the import has
/// finished, nothing of it runs any more. Read at once, the store is then exactly as it was; page by
/// page, whole pages that came before stay, and nothing was deleted.
final class FeedImport: AsynchronousOperation<FeedReport>, @unchecked Sendable {
  enum Storing: Sendable {
    /// When all pages are there, in one transaction.
    case atOnce
    /// Each page as it comes; what no page mentioned is deleted at the end.
    case pageByPage
  }

  // Mutable state: all of it in `state`; everything else is constant.
  private struct State {
    var report = FeedReport()
    var addresses: Set<URL> = []
    var running: [Operation] = []
    var failure: (any Error)?
    /// Whether the last operation has stored its part, so that it is too late to fail.
    var isStored = false
  }

  private let first: URL
  private let stack: DataStack
  private let client: PageClient
  private let paging: Paging
  private let items: String?
  private let delegate: (any SyncDelegate)?
  private let session: SyncSession?
  private let folder: PageFolder
  private let downloads = OperationQueue()
  private let writes = OperationQueue()
  private let state = Guarded(State())

  /// - Parameters:
  ///   - first: Address of the first page.
  ///   - items: Dotted path to the list of items in each page; nil is the page itself.
  ///   - delegate: Is asked about each new object. Retained.
  /// - Throws: What the model says when it has no articles.
  init(
    _ first: URL, into stack: DataStack, client: PageClient = PageClient(),
    paging: Paging = .links(member: "next"), items: String? = "items", storing: Storing = .atOnce,
    delegate: (any SyncDelegate)? = nil
  ) throws {
    self.first = first
    self.stack = stack
    self.client = client
    self.paging = paging
    self.items = items
    self.delegate = delegate
    session =
      storing == .atOnce ? nil : try SyncSession(entity: Article.entityName, dataStack: stack)
    session?.delegate = delegate
    folder = PageFolder(items: items, collectsItems: storing == .atOnce)
    writes.maxConcurrentOperationCount = 1
    super.init()
  }

  override func main() {
    do {
      try folder.make()
      addPage(first, after: nil)
    } catch {
      finish(with: .failure(error))
    }
  }

  override func stop() {
    fail(CancellationError())
  }

  // MARK: - The chain

  /// Adds the download of a page and, page by page, the sync that depends on it.
  private func addPage(_ url: URL, after previous: Operation?) {
    let number = state.with { state in
      state.addresses.insert(url).inserted ? state.addresses.count : nil
    }
    guard let number else { return fail(FeedError.repeatedPage(url)) }
    let download = AsynchronousOperation { [client, paging, folder] in
      let response = try await client.page(at: url)
      return try folder.keep(response, number: number, paging: paging)
    }
    if let previous { download.addDependency(previous) }
    download.whenFinished { [self, unowned download] result in
      switch result {
      case .success(let page):
        state.with { $0.report.pages += 1 }
        // Who comes next is added while this one still counts as running.
        if let next = page.next { addPage(next, after: download) } else { addEnd(after: download) }
      case .failure(let error):
        fail(error)
      }
      ended(download)
    }
    if let session {
      let page = session.page(.file(folder.file(number)), at: items)
      page.addDependency(download)
      addSync(page)
    }
    begin(download, on: downloads)
  }

  /// Adds what stores everything, or what ends the session.
  private func addEnd(after last: Operation) {
    if let session { return addSync(session.finishOperation(), isLast: true) }
    let sync = Sync(.file(folder.allItems), inEntityNamed: Article.entityName, dataStack: stack)
    sync.reading.format = .lines
    sync.delegate = delegate
    sync.addDependency(last)
    addSync(sync, isLast: true)
  }

  private func addSync(_ sync: Sync, isLast: Bool = false) {
    sync.whenFinished { [self, unowned sync] result in
      switch result {
      case .success(let report):
        state.with { state in
          state.report.add(report)
          if isLast { state.isStored = true }
        }
      case .failure(let error):
        fail(error)
      }
      ended(sync)
    }
    begin(sync, on: writes)
  }

  // MARK: - Its operations

  private func begin(_ operation: Operation, on queue: OperationQueue) {
    let isLate = state.with { state in
      state.running.append(operation)
      return state.failure != nil
    }
    if isLate { operation.cancel() }
    queue.addOperation(operation)
  }

  /// Cancels everything that runs or waits; the first failure counts.
  private func fail(_ error: any Error) {
    let running = state.with { state -> [Operation] in
      guard state.failure == nil, !state.isStored else { return [] }
      state.failure = error
      return state.running
    }
    for operation in running { operation.cancel() }
  }

  private func ended(_ operation: Operation) {
    let (isLast, failure, report) = state.with { state in
      state.running.removeAll { $0 === operation }
      return (state.running.isEmpty, state.failure, state.report)
    }
    guard isLast else { return }
    folder.remove()
    guard let failure else {
      finish(with: .success(report))
      return
    }
    // Abandoning a session waits for its turn at the store, which nothing here has time for.
    DispatchQueue.global().async { [self] in
      try? session?.abandon()
      finish(with: .failure(failure))
    }
  }
}
