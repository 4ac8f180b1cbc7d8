public import Foundation
public import SyncCore
public import SyncGraph
import SyncStore

/// Brings the stored objects of an entity in step with JSON.
///
/// ```swift
/// let sync = Sync(.file(url), inEntityNamed: "User", dataStack: stack)
/// sync.operations = [.insert, .update]
/// stack.syncQueue.addOperation(sync)
/// ```
///
/// An ordinary `Operation`: it takes dependencies, priorities and any queue, and starting it without a
/// queue works too. Two syncs of one stack never run at the same time, whichever queues they are on:
/// the later one waits, by priority and then order, without blocking the store, and leaves at once when
/// it is cancelled. Set it up before it starts; afterwards it only listens to `cancel()`.
///
/// Everything happens in one transaction. An error, a cancellation or a crash leaves the store exactly
/// as it was.
@dynamicMemberLookup
public final class Sync: Operation, @unchecked Sendable {
  // Mutable state: `prepared` until the operation starts, `state` ever after; each in its own lock.
  // What is set up is in Sync+Settings, waiting in Sync+Parking, the run in Sync+Request, the result in
  // Sync+Outcome.
  struct Preparation {
    var setup = SyncSetup()
    /// Who says how the items are read; nil is conventions.
    var source: (any PlanSource)?
    weak var delegate: (any SyncDelegate)?
    var stepObserver: (@Sendable (SyncStep) -> Void)?
  }

  struct State {
    var result: Result<SyncReport, any Error>?
    /// Whether a call is running the operation, or has.
    var isClaimed = false
    /// Set when the sync waits, or has waited, without a thread; then it says itself what it is doing.
    var parking: Parking?
    var handlers: [@Sendable (Result<SyncReport, any Error>) -> Void] = []
  }

  struct Parking {
    var place: (waitingRoom: WaitingRoom, seat: WaitingRoom.Seat)?
    var isFinished = false
  }

  /// The stack whose store is synced.
  public let dataStack: DataStack

  /// The entity of the items.
  public let entityName: String

  /// The context that the sync was asked for in; it has the changes when the sync has finished there.
  public let context: ManagedObjectContext?

  let work: SyncWork
  let prepared: Locked<Preparation>
  let state = Locked(State())
  let control = SyncControl()
  let follower = SyncProgress()
  let feed = ProgressFeed()
  let announcer: SyncAnnouncer

  /// Makes a sync of a payload.
  ///
  /// - Parameters:
  ///   - payload: The JSON: bytes, a file, a tree, dictionaries or encodable values.
  ///   - entityName: Entity of the items. An unknown one is reported when the sync runs.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  ///   - path: Leads to the list inside the document, as in `data.items`; see ``path``.
  public convenience init(
    _ payload: SyncPayload, inEntityNamed entityName: String, dataStack: DataStack,
    at path: JSONPath? = nil
  ) {
    self.init(.payload(payload), inEntityNamed: entityName, dataStack: dataStack)
    self.path = path
  }

  /// Makes a sync of a payload, set up for use.
  ///
  /// - Parameters:
  ///   - changes: The JSON: `Data`, the URL of a file, `JSONValue` or dictionaries.
  ///   - entityName: Entity of the items. An unknown one is reported when the sync runs.
  ///   - predicate: Limits the stored objects that may be deleted.
  ///   - parent: The object whose children the items are. It has to be saved.
  ///   - parentRelationship: The relationship between the two, by its name or description; needed only when
  ///     there are several.
  ///   - context: A context that has to have the changes; nil is all that merge.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  ///   - operations: What the sync may do.
  public convenience init(
    changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    context: ManagedObjectContext? = nil, dataStack: DataStack, operations: SyncOperations = .all
  ) {
    self.init(
      .payload(changes.syncPayload), inEntityNamed: entityName, dataStack: dataStack,
      context: context,
      SyncSetup(
        predicate, parent: parent?.objectID, parentRelationship?.relationshipName, operations))
  }

  /// Makes an operation of one kind of work.
  init(
    _ work: SyncWork, inEntityNamed entityName: String, dataStack: DataStack,
    context: ManagedObjectContext? = nil, source: (any PlanSource)? = nil,
    _ setup: SyncSetup = SyncSetup()
  ) {
    self.work = work
    self.entityName = entityName
    self.dataStack = dataStack
    self.context = context
    prepared = Locked(Preparation(setup: setup, source: source))
    announcer = SyncAnnouncer(stack: dataStack)
    super.init()
    if CurrentProgress.exists { _ = progress(joinsCurrent: true) }
  }

  // MARK: - Outcome

  /// How far the sync is, in 100 units over all phases; each phase is a child with units of its own.
  /// Cancelling it cancels the sync.
  public var progress: Progress { progress(joinsCurrent: false) }

  private func progress(joinsCurrent: Bool) -> Progress {
    follower.progress(joinsCurrent: joinsCurrent) { [weak self] in self?.cancel() }
  }

  /// How far the phase is that runs at the moment; nil before the first.
  package var latestStep: SyncStep? { follower.latestStep }

  /// How far the sync is, from now on: as each phase begins, about ten times a second inside one, and
  /// once at the end.
  ///
  /// ```swift
  /// for await update in sync.progressUpdates { print(update) }
  /// ```
  public var progressUpdates: AsyncStream<SyncProgressUpdate> { feed.makeStream() }

  /// What came of it; nil until the operation has finished. A cancelled sync has failed with a
  /// `CancellationError`.
  public var result: Result<SyncReport, any Error>? {
    state.withLock { $0.result }
  }

  /// Why it failed: the error of ``result``; nil until the operation has finished, and after a success.
  public var error: (any Error)? {
    if case .failure(let error)? = result { error } else { nil }
  }

  /// Stops the sync at its next checkpoint; the store stays as it was. Does nothing once it has
  /// finished.
  public override func cancel() {
    super.cancel()
    control.cancel()
    withdraw()
  }

  // MARK: - Running

  /// True: on a queue, a sync that has to wait for others returns from ``start()`` before it has
  /// finished, so that it keeps none of the system's threads while it waits. Started without a queue it
  /// has finished when ``start()`` returns.
  public override var isAsynchronous: Bool { true }

  public override var isExecuting: Bool {
    state.withLock { $0.parking.map { !$0.isFinished } } ?? super.isExecuting
  }

  public override var isFinished: Bool {
    let (hasResult, isFinished) = state.withLock { ($0.result != nil, $0.parking?.isFinished) }
    return hasResult && (isFinished ?? super.isFinished)
  }

  public override func start() {
    guard !isFinished else { return }
    // A cancelled operation finishes without running; its result is set all the same, and first.
    if isCancelled {
      finish(.failure(CancellationError()))
      leaveUnfinishedDependencies()
      return super.start()
    }
    startUncancelled()
    // Cancelled since, it has not run. It does not count as finished yet, because it has no result.
    if !isExecuting, result == nil {
      changing("isFinished") { finish(.failure(CancellationError())) }
    }
  }

  private func startUncancelled() {
    guard let queue = OperationQueue.current, let waitingRoom = try? store.waitingRoom else {
      return super.start()
    }
    if let seat = waitingRoom.enterAlone(priority: queuePriority.rawValue) {
      defer { waitingRoom.leave(seat) }
      return super.start()
    }
    // Inside another operation the queue is not ours, and the caller counts on the result.
    guard queue.operations.contains(self) else { return super.start() }
    park(in: waitingRoom)
  }

  public override func main() {
    guard state.withLock({ $0.result == nil }) else { return }
    announcer.begin(self)
    let result = Result { try run() }
    if let context, context.isCurrent { context.mergeCommits() }
    ManagedObjectContext.hasWaited()
    finish(result)
  }

  /// Waits until the sync has finished. On the main queue its contexts see the result when they are used next.
  public override func waitUntilFinished() {
    super.waitUntilFinished()
    ManagedObjectContext.hasWaited()
  }
}
