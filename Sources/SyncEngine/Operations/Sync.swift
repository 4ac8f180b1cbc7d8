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
/// An ``AsynchronousOperation``: it takes dependencies, priorities and any queue, and on one it
/// keeps no thread while it has to wait for others. Started without a queue it has finished when
/// `start()` returns. Two syncs of one stack never run at the same time, whichever queues they are
/// on: the later one waits, by priority and then order, without blocking the store, and leaves at
/// once when it is cancelled. Set it up before it starts; afterwards it only listens to `cancel()`.
///
/// Everything happens in one transaction. An error, a cancellation or a crash leaves the store
/// exactly as it was.
@dynamicMemberLookup
public final class Sync: AsynchronousOperation<SyncReport>, @unchecked Sendable {
  // Mutable state: `prepared` until the operation starts, `state` ever after; each in its own lock.
  // Sync+Settings has the settings, Sync+Running the waiting, the run and the result.
  struct Preparation {
    var setup: SyncSetup
    /// The source of the mapping by which the items are read.
    var source: any PlanSource
    weak var delegate: (any SyncDelegate)?
    var stepObserver: (@Sendable (SyncStep) -> Void)?
  }

  struct State {
    /// Whether a call is running the operation, or has.
    var isClaimed = false
    /// Where the sync waits, or has waited, without a thread.
    var place: (waitingRoom: WaitingRoom, seat: WaitingRoom.Seat)?
  }

  /// The stack whose store is synced.
  public let dataStack: DataStack

  /// The entity of the items; of several lists that of the first.
  public let entityName: String

  /// The context that the sync was asked for in; it has the changes when the sync has finished
  /// there.
  public let context: ManagedObjectContext?

  let work: SyncWork
  let prepared: Locked<Preparation>
  let state = Locked(State())
  let control = SyncControl()
  let tracker = SyncProgress()

  /// Makes a sync of a payload.
  ///
  /// - Parameters:
  ///   - payload: The JSON, in any form that is a payload: bytes, text, the URL of a file, a tree,
  ///     dictionaries, `.encodable(…)`.
  ///   - entityName: Entity of the items. An unknown one is reported when the sync runs.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  ///   - path: Leads to the list inside the document, as in `data.items`; see ``path``.
  public convenience init(
    _ payload: some SyncPayloadConvertible, inEntityNamed entityName: String, dataStack: DataStack,
    at path: JSONPath? = nil
  ) {
    self.init(payload, with: Conventional(entityName), dataStack: dataStack, at: path)
  }

  /// Makes a sync of a payload whose mapping was written by hand. Everything that a ``Sync`` offers
  /// works as with conventional mapping. Items that come again are passed over where no closure
  /// says a part of the mapping: closures may answer differently the next time.
  ///
  /// - Parameters:
  ///   - payload: The JSON, in any form that is a payload.
  ///   - source: A ``Serializer``, or ``Conventional`` mapping. Errors in it are reported when the
  ///     sync runs.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  ///   - path: Leads to the list inside the document, as in `data.items`; see ``path``.
  public convenience init(
    _ payload: some SyncPayloadConvertible, with source: some PlanSource, dataStack: DataStack,
    at path: JSONPath? = nil
  ) {
    var setup = SyncSetup()
    setup.path = path
    self.init(.payload(payload.syncPayload), with: source, dataStack: dataStack, setup)
  }

  /// Makes a sync of several lists, which are stored together; see ``SyncList``.
  ///
  /// - Parameters:
  ///   - lists: The lists, in the order in which they are applied; one at least.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  public convenience init(lists: [SyncList], dataStack: DataStack) {
    self.init(
      .lists(lists), with: lists.first?.list.source ?? Conventional(""), dataStack: dataStack)
  }

  /// Makes a sync of a payload, set up for use.
  ///
  /// - Parameters:
  ///   - changes: The JSON: `Data`, the URL of a file, `JSONValue` or dictionaries.
  ///   - entityName: Entity of the items. An unknown one is reported when the sync runs.
  ///   - predicate: Limits the stored objects that may be deleted.
  ///   - parent: The object whose children the items are. It has to be saved.
  ///   - parentRelationship: The relationship between the two, by its name or description; needed
  ///     only when there are several.
  ///   - context: A context that has to have the changes; nil is all that merge.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  ///   - operations: The changes that the sync may make.
  public convenience init(
    changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    context: ManagedObjectContext? = nil, dataStack: DataStack, operations: SyncOperations = .all
  ) {
    self.init(
      .payload(changes.syncPayload), with: Conventional(entityName), context: context,
      dataStack: dataStack,
      SyncSetup(
        predicate, parent: parent?.objectID, parentRelationship?.relationshipName, operations))
  }

  /// Makes an operation of one kind of work.
  init(
    _ work: SyncWork, with source: any PlanSource, context: ManagedObjectContext? = nil,
    dataStack: DataStack, _ setup: SyncSetup = SyncSetup()
  ) {
    self.work = work
    entityName = source.mappingSource.entityName
    self.dataStack = dataStack
    self.context = context
    prepared = Locked(Preparation(setup: setup, source: source))
    super.init()
    if CurrentProgress.exists { _ = progress(joinsCurrent: true) }
  }

  // MARK: - Outcome

  /// How far the sync is, in 100 units over all phases; each phase is a child with units of its
  /// own. Cancelling it cancels the sync.
  public var progress: Progress { progress(joinsCurrent: false) }

  private func progress(joinsCurrent: Bool) -> Progress {
    tracker.progress(joinsCurrent: joinsCurrent) { [weak self] in self?.cancel() }
  }

  /// How far the phase is that runs at the moment; nil before the first.
  package var latestStep: SyncStep? { tracker.latestStep }

  /// How far the sync is, from now on: as each phase begins, about ten times a second inside one,
  /// and once at the end.
  ///
  /// ```swift
  /// for await update in sync.progressUpdates { print(update) }
  /// ```
  public var progressUpdates: AsyncStream<SyncProgressUpdate> { tracker.makeStream() }

  /// Why it failed: the error of ``AsynchronousOperation/result``; nil until the operation has
  /// finished, and after a success.
  public var error: (any Error)? {
    if case .failure(let error)? = result { error } else { nil }
  }

  // MARK: - Running

  /// Syncs now when the store is free, or when the sync is on no queue of its own; otherwise it
  /// waits without a thread.
  public override func main() {
    guard let queue = OperationQueue.current, let waitingRoom = try? store.waitingRoom else {
      return perform {}
    }
    if let seat = waitingRoom.enterAlone(priority: queuePriority.rawValue) {
      return perform { waitingRoom.leave(seat) }
    }
    // Inside another operation the queue is not ours, and the caller counts on the result.
    guard queue.operations.contains(self) else { return perform {} }
    wait(in: waitingRoom)
  }

  override func didCancel() {
    control.cancel()
    withdraw()
  }

  override func willFinish(_ result: Result<SyncReport, any Error>) {
    let isComplete = if case .success = result { true } else { false }
    tracker.finish(isComplete: isComplete)
    if case .pages(let pages, let session, let ends) = work {
      session.didFinish(self, pages, ends: ends, result)
    }
    announce(.init(result))
  }
}
