import Foundation
import SyncCore
import SyncEngine
import SyncGraph

/// Stores the pages of an import, as often as it commits, and with them the places at which the
/// feeds go on.
///
/// ```
/// perPage ── page ─▶ commit, page ─▶ commit, …                       ─▶ deletions: commit perFeed
/// ── page ─▶ file, …, last page of the feed: commit of all   ─▶ deletions: commit once    ── page
/// ─▶ file, …                                         ─▶ pages and deletions: commit
/// ```
///
/// Confined to the run.
final class ImportStorage {
  private let session: SyncSession
  private let commits: ImportCommits
  /// Where the places are kept; nil in an import without a name.
  private let places: KeptPlaces?
  private let stack: DataStack
  private let feeds: [Feed]

  /// Pages have their turn with all syncs of the store, and not on the queue of the stack, on which
  /// the import itself may be.
  private let queue = OperationQueue()

  /// Pages that are put aside.
  private var aside: [Aside] = []
  private lazy var folder = FileManager.default.temporaryDirectory
    .appending(path: "syncstack-import-\(UUID().uuidString)")
  private var hasFolder = false
  private var fileCount = 0

  /// A page in a file.
  private struct Aside {
    let position: Int
    let feed: Feed
    let place: String?
    let payload: SyncPayload

    var page: SyncSession.Page {
      SyncSession.Page(
        payload, of: feed.name, at: feed.path, named: ImportStorage.name(feed, place))
    }
  }

  init(_ operation: Import, _ choice: Import.Choice) throws {
    stack = operation.dataStack
    feeds = operation.feeds
    places = operation.keptName.map(KeptPlaces.init)
    commits = choice.commits
    session = try SyncSession(
      lists: operation.feeds.map { feed in
        .list(
          with: feed.source, predicate: feed.filter,
          operations: feed.kind == .snapshot ? nil : SyncOperations.all.subtracting(.delete),
          deletes: feed.deletes, named: feed.name)
      },
      dataStack: operation.dataStack, name: choice.commits == .once ? nil : operation.keptName)
    session.settings = choice.settings
  }

  deinit {
    if hasFolder { try? FileManager.default.removeItem(at: folder) }
  }

  // MARK: - What is kept

  /// The queues of the feeds, as an earlier run has left them.
  func queues() throws -> [FeedQueue] {
    let metadata = try stack.metadata
    let stored = try session.storedPages()
    return feeds.map { feed in
      let prefix = ImportStorage.name(feed, "")
      let own = stored.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
      let state = places?.state(of: feed, in: metadata)
      return FeedQueue(feed, state?.kept, lists: state?.lists ?? [], stored: Set(own))
    }
  }

  /// The name of a page in the session.
  private static func name(_ feed: Feed, _ place: String?) -> String {
    "\(feed.name)/\(place ?? "")"
  }

  private func metadata(_ steps: [(Feed, FeedQueue.Step)]) -> StoreMetadata {
    var metadata = StoreMetadata()
    for (feed, step) in steps {
      if let places { metadata.merge(places.metadata(step, of: feed)) }
    }
    return metadata
  }

  // MARK: - Storing

  /// Stores the page at the front of a queue, or puts it aside.
  ///
  /// - Returns: The report of the commit; nil where there was none.
  func storeFront(of queue: inout FeedQueue, at position: Int) async throws -> SyncReport? {
    guard let (place, page) = queue.front else { return nil }
    let feed = queue.feed
    if commits == .perPage {
      let sync = session.page(
        page.payload, of: feed.name, named: ImportStorage.name(feed, place), at: feed.path)
      sync.metadata = metadata([(feed, queue.stepOfFront)])
      let report = try await run(sync, feed, place)
      queue.removeFront(isCommitted: true)
      queue.count(report.itemCount)
      return report
    }
    let payload = try putAside(page.payload, feed, place)
    queue.removeFront(isCommitted: false)
    aside.append(Aside(position: position, feed: feed, place: place, payload: payload))
    guard commits == .perFeed, queue.hasEnded else { return nil }
    let pages = aside.filter { $0.position == position }
    aside.removeAll { $0.position == position }
    let commit = session.commit(pages.map(\.page), metadata: metadata([(feed, queue.step)]))
    let report = try await run(commit, feed, nil, pages)
    queue.count(report.itemCount)
    return report
  }

  /// Stores the pages that are put aside, and decides the deletions.
  func finish(_ queues: inout [FeedQueue]) async throws -> SyncReport {
    let totals = queues.filter { $0.feed.kind == .snapshot }
      .compactMap { queue in queue.kept.total.map { (queue.feed.name, $0) } }
    let end = session.commit(
      aside.map(\.page), ends: true, expecting: Dictionary(totals) { first, _ in first },
      metadata: metadata(queues.map { ($0.feed, $0.lastStep) }))
    do {
      let report = try await run(end, nil, nil, aside)
      for (position, count) in report.commits.items { queues[position].count(count) }
      return report
    } catch let error as FeedError {
      // The pages that are stored would be refused again by each further run.
      if (error.underlying as? SyncError)?.code == .deletionRefused { try abandon() }
      throw error
    }
  }

  /// Forgets the pages of the run, and where its feeds were.
  ///
  /// The places go first: with them alone the next run would take feeds to be read of which the
  /// session knows nothing.
  func abandon(forgetsPlaces: Bool = false) throws {
    let metadata = metadata(
      try queues().map { ($0.feed, $0.stepBack(forgetsPlace: forgetsPlaces)) })
    let context = stack.newBackgroundContext()
    try context.performAndWait {
      context.metadata = metadata
      try context.save()
    }
    try session.abandon()
  }

  /// - Parameter pages: The pages in the commit, where it has several.
  private func run(
    _ sync: Sync, _ feed: Feed?, _ place: String?, _ pages: [Aside] = []
  ) async throws -> SyncReport {
    do {
      return try await sync.value(on: queue)
    } catch let error as CancellationError {
      throw error
    } catch {
      var (feed, place) = (feed, place)
      if error is JSONError,
        let page = pages.first(where: { $0.payload.isUnreadable(at: $0.feed.path) })
      {
        (feed, place) = (page.feed, page.place)
      }
      throw FeedError(
        error.isOfJSONText ? .unreadable : .notStored, feed: feed?.name, place: place,
        message: "\(error)", underlying: error)
    }
  }

  /// Moves a payload to a file, so that pages that wait for others take no memory.
  private func putAside(
    _ payload: SyncPayload, _ feed: Feed, _ place: String?
  ) throws -> SyncPayload {
    if !hasFolder {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      hasFolder = true
    }
    fileCount += 1
    do {
      return try payload.moved(to: folder.appending(path: "\(fileCount).json"))
    } catch let error as JSONError {
      throw FeedError(
        .unreadable, feed: feed.name, place: place, message: "\(error)", underlying: error)
    }
  }
}

extension Error {
  /// Whether it says that a text is no JSON, and not that something is missing in it.
  fileprivate var isOfJSONText: Bool {
    guard let error = self as? JSONError else { return false }
    return ![.pathNotFound, .notAList, .duplicateMember].contains(error.code)
  }
}
