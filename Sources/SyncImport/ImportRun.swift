import SyncCore
import SyncEngine
import SyncGraph

/// One run of an import: requests side by side, storing one page after another.
///
/// ```
/// ask ─▶ fetch ┐
/// ask ─▶ fetch ├─▶ take in the page, ask for those that it leads to ─▶ store what is at a front
/// ask ─▶ fetch ┘
/// ```
///
/// The requests are child tasks, and end with the run. While a page is stored, those that were
/// asked for go on; as many pages as requests, and two more, wait at most.
///
/// Confined to the task of the import.
final class ImportRun {
  private let plan: ImportPlan
  private let fetcher: FeedFetcher
  private let storage: ImportStorage
  private let tracker: ImportTracker
  private let limit: Int
  private var queues: [FeedQueue]
  private var changes = SyncReport()

  /// A page as it comes.
  private struct Arrival: Sendable {
    let position: Int
    let place: String?
    let page: FeedPage
  }

  /// - Throws: ``FeedError/Code/invalidFeeds``, `ModelError`, ``SyncError``, errors of the store.
  init(_ operation: Import, _ choice: Import.Choice, _ tracker: ImportTracker) throws {
    plan = try ImportPlan(
      operation.feeds, operation.dataStack.model, isNamed: operation.keptName != nil)
    storage = try ImportStorage(operation, choice)
    queues = try storage.queues()
    fetcher = FeedFetcher(choice.retry, FeedAccess(choice.renewAccess), choice.clock)
    limit = choice.maxConcurrentFetches
    self.tracker = tracker
  }

  /// - Throws: ``FeedError``, `CancellationError`.
  func run() async throws -> ImportReport {
    tracker.follow(queues)
    try await withThrowingTaskGroup(of: Arrival.self) { group in
      var running = 0
      while true {
        while let (position, place) = nextRequest(running) {
          let (feed, fetcher) = (plan.feeds[position], fetcher)
          group.addTask {
            Arrival(
              position: position, place: place, page: try await fetcher.page(of: feed, at: place))
          }
          running += 1
        }
        if let position = queues.firstIndex(where: { $0.front != nil }) {
          try await storeFront(of: position)
        } else if let arrival = try await group.next() {
          running -= 1
          try queues[arrival.position].take(arrival.page, at: arrival.place)
        } else {
          break
        }
      }
    }
    changes.add(try await storage.finish(&queues))
    return report
  }

  /// The feed and the place of the request that is made next; nil where none may be made now. The
  /// feed that has the fewest requests under way comes first.
  private func nextRequest(_ running: Int) -> (position: Int, place: String?)? {
    let arrived = queues.reduce(0) { $0 + $1.arrivedCount }
    guard running < limit, running + arrived < limit + 2 else { return nil }
    let position = queues.indices
      .filter { queues[$0].hasKnown && plan.needs[$0].allSatisfy { queues[$0].hasEnded } }
      .min { queues[$0].askedCount < queues[$1].askedCount }
    guard let position, let place = queues[position].ask() else { return nil }
    return (position, place)
  }

  private func storeFront(of position: Int) async throws {
    if let report = try await storage.storeFront(of: &queues[position], at: position) {
      changes.add(report)
    }
    tracker.follow(queues)
  }

  private var report: ImportReport {
    ImportReport(
      feeds: queues.map { queue in
        ImportReport.FeedReport(
          name: queue.feed.name, pages: queue.kept.pages - queue.pagesBefore,
          pagesBefore: queue.pagesBefore, items: queue.items)
      },
      changes: changes)
  }
}
