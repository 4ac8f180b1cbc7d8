public import Foundation
public import SyncCore
public import SyncEngine
public import SyncGraph

/// How much of an import is stored at once.
public enum ImportCommits: String, Sendable, Hashable, CaseIterable {
  /// Everything, deletions and places included, or nothing. Pages are put aside in temporary files
  /// until the last one has come.
  case once
  /// The pages of a feed when its last one has come, and the deletions at the end.
  case perFeed
  /// Each page as it comes, and the deletions at the end.
  case perPage
}

/// Brings several lists of a server into a store: fetches their pages side by side, stores them,
/// and deletes at the end what none of them has.
///
/// ```swift
/// let nightly = Import(named: "nightly", into: stack) {
///   Feed("Team", at: "items") { place in
///     let (data, response) = try await URLSession.shared.data(from: api.teams(after: place))
///     return try FeedPage(data, response, next: "cursor")
///   }
///   Feed("Player", .changes, at: "items") { place in … }
/// }
/// queue.addOperation(nightly)
/// print(try await nightly.value)
/// ```
///
/// - Objects of all feeds may refer to each other, in any order and in circles.
/// - Deletions are decided once, when every feed has ended: an object that any page mentions stays.
/// - An import with a name is kept in the store until it has ended. One that was cancelled, failed
///   or killed goes on at the requests at which it was, and fetches no page again that is stored.
/// - At most ``maxConcurrentFetches`` requests are under way, and a few pages wait to be stored, so
///   memory does not grow with the lists.
///
/// One import of a name runs at a time. It may be on any queue; its pages take their turn with all
/// other syncs of the store.
///
/// ## At a glance
/// - Set-up: ``commits``, ``settings``, ``maxConcurrentFetches``, ``retry``, ``renewAccess``,
///   ``clock``
/// - Outcome: `value`, `result`, ``ImportReport``
/// - Watching: ``progress``, ``progressUpdates``
/// - Giving a kept run up: ``abandon(forgetsPlaces:)``
public final class Import: AsynchronousOperation<ImportReport>, @unchecked Sendable {
  // Mutable state: `chosen`, in its lock; the task and the listeners have their own.

  struct Choice {
    var commits: ImportCommits
    var settings = SyncSettings()
    var maxConcurrentFetches = 4
    var retry = RetryPolicy(longestDelay: 120)
    var renewAccess: (@Sendable () async throws -> Void)?
    var clock: any Clock<Duration> = ContinuousClock()
  }

  /// The stack whose store is filled.
  public let dataStack: DataStack

  /// The feeds, in the order in which they were written.
  public let feeds: [Feed]

  /// The name under which the store keeps it; nil is not at all.
  let keptName: String?

  private let chosen: Locked<Choice>
  private let task = Locked<Task<Void, Never>?>(nil)
  private let tracker = ImportTracker()

  /// Makes an import.
  ///
  /// - Parameters:
  ///   - name: A name keeps the import in the store until it has ended. Without one the default of
  ///     ``commits`` is ``ImportCommits/once``, with one it is ``ImportCommits/perPage``.
  ///   - feeds: The feeds. Feeds that do not fit each other are reported when the import runs.
  public init(named name: String? = nil, into dataStack: DataStack, feeds: [Feed]) {
    self.dataStack = dataStack
    self.feeds = feeds
    keptName = name
    chosen = Locked(Choice(commits: name == nil ? .once : .perPage))
    super.init()
    self.name = name.map { "Import “\($0)”" } ?? "Import"
  }

  /// Makes an import of the feeds that a closure lists.
  ///
  /// - Parameters: as for the form that takes an array.
  public convenience init(
    named name: String? = nil, into dataStack: DataStack, @FeedBuilder feeds: () -> [Feed]
  ) {
    self.init(named: name, into: dataStack, feeds: feeds())
  }

  // MARK: - Set-up

  /// How much is stored at once. Default: ``ImportCommits/perPage`` with a name,
  /// ``ImportCommits/once`` without.
  public var commits: ImportCommits {
    get { self[\.commits] }
    set { self[\.commits] = newValue }
  }

  /// The settings of all pages and of the deletions. Filter, operations and `deletes` are those of
  /// each feed. Default: those of a sync.
  public var settings: SyncSettings {
    get { self[\.settings] }
    set { self[\.settings] = newValue }
  }

  /// How many requests are under way at once, of all feeds; at least 1. Default: 4.
  public var maxConcurrentFetches: Int {
    get { self[\.maxConcurrentFetches] }
    set { self[\.maxConcurrentFetches] = max(newValue, 1) }
  }

  /// How often and when a request is made again. A server that wants a pause longer than
  /// `longestDelay` ends the import with ``FeedError/Code/busy``. Default: five times, with pauses
  /// from half a second to two minutes.
  public var retry: RetryPolicy {
    get { self[\.retry] }
    set { self[\.retry] = newValue }
  }

  /// Gets a new token, or signs in again, when a request finds that the access has expired
  /// (``FeedError/Code/signedOut``). It runs once for all requests that find that, each of which is
  /// made again once. Default: nil, which ends the import.
  public var renewAccess: (@Sendable () async throws -> Void)? {
    get { self[\.renewAccess] }
    set { self[\.renewAccess] = newValue }
  }

  /// The clock by which pauses are waited. Default: the continuous clock.
  public var clock: any Clock<Duration> {
    get { self[\.clock] }
    set { self[\.clock] = newValue }
  }

  private subscript<Setting: Sendable>(_ setting: WritableKeyPath<Choice, Setting>) -> Setting {
    get { chosen.withLock { $0 }[keyPath: setting] }
    set {
      require(!isExecuting && !isFinished, "Set an import up before it starts, or make a new one.")
      chosen.withLock { $0[keyPath: setting] = newValue }
    }
  }

  // MARK: - Watching

  /// Pages that are stored, of those that are known; complete when the import has succeeded.
  /// Cancelling it cancels the import.
  public var progress: Progress { tracker.progress { [weak self] in self?.cancel() } }

  /// How far the import is, each time that a page was stored, until it ends.
  public var progressUpdates: AsyncStream<ImportProgress> { tracker.makeStream() }

  // MARK: - Running

  /// Forgets the pages of an earlier run that were kept because it was stopped: the next run begins
  /// anew. Their objects stay. Does nothing without a name.
  ///
  /// - Parameter forgetsPlaces: Whether feeds of changes begin at their beginning, too, as after a
  ///   server that does not know the old place any more.
  /// - Throws: `StoreError` when the store cannot be written.
  public func abandon(forgetsPlaces: Bool = false) throws {
    try ImportStorage(self, chosen.withLock { $0 }).abandon(forgetsPlaces: forgetsPlaces)
  }

  public override func main() {
    let choice = chosen.withLock { $0 }
    let work = Task { [self] in
      do {
        let report = try await ImportRun(self, choice, tracker).run()
        tracker.finish(isComplete: true)
        finish(with: .success(report))
      } catch {
        tracker.finish(isComplete: false)
        finish(with: .failure(error))
      }
    }
    task.withLock { $0 = work }
  }

  public override func stop() {
    task.withLock { $0 }?.cancel()
  }
}

extension DataStack {
  /// Runs an import and waits for it. Cancelling the task cancels the import.
  ///
  /// - Throws: ``FeedError``, `CancellationError`, `ModelError`, ``SyncError`` or errors of the
  ///   store.
  @discardableResult
  public func run(_ operation: Import) async throws -> ImportReport {
    try await operation.value(on: OperationQueue())
  }
}
