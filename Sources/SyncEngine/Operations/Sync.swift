public import Foundation
public import SyncCore
public import SyncGraph
import SyncStore
import Synchronization

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
///
/// ## Topics
/// - Set-up: ``filter``, ``operations``, ``path``, ``delegate``, ``isDryRun``, ``deletionGuard``,
///   ``onItemError``, ``transaction``,
///   ``deferReferences``, ``author``
/// - Outcome: ``result``, ``progress``, ``whenFinished(_:)``
public final class Sync: Operation, @unchecked Sendable {
  // Mutable state: `setup` until the operation starts, `state` ever after; each in its own lock.
  private struct Setup {
    var parent: ManagedObjectID?
    var parentRelationship: String?
    var filter: Filter?
    var operations: SyncOperations
    var path: String?
    var reading = JSONReadingOptions()
    var onItemError: ItemErrorPolicy?
    var deletionGuard = DeletionGuard.on
    var isDryRun = false
    var transaction = SyncTransaction.whole
    var deferReferences = false
    var author: String?
    weak var delegate: (any SyncDelegate)?
  }

  private struct State {
    var result: Result<SyncReport, any Error>?
    var handlers: [@Sendable (Result<SyncReport, any Error>) -> Void] = []
  }

  /// The stack whose store is synced.
  public let dataStack: DataStack

  /// The entity of the items.
  public let entityName: String

  private let payload: SyncPayload
  private let setup: Mutex<Setup>
  private let state = Mutex(State())
  private let control = SyncControl()
  private let follower = SyncProgress()
  private let announcer: SyncAnnouncer

  /// Makes a sync of a payload.
  ///
  /// - Parameters:
  ///   - payload: The JSON: bytes, a file, a tree, dictionaries or encodable values.
  ///   - entityName: Entity of the items. An unknown one is reported when the sync runs.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  ///   - path: Dotted path to the list inside the document, as in `data.items`.
  public init(
    _ payload: SyncPayload, inEntityNamed entityName: String, dataStack: DataStack,
    at path: String? = nil
  ) {
    self.payload = payload
    self.entityName = entityName
    self.dataStack = dataStack
    setup = Mutex(Setup(operations: .all, path: path))
    announcer = SyncAnnouncer(stack: dataStack)
    super.init()
    follower.progress.cancellationHandler = { [weak self] in self?.cancel() }
  }

  // MARK: - Set-up

  /// Limits the stored objects that take part: only those that meet it can be deleted. It never limits
  /// the payload. Default: every object of the entity.
  public var filter: Filter? {
    get { setup.withLock { $0.filter } }
    set { change { $0.filter = newValue } }
  }

  /// What the sync may do. Default: ``SyncOperations/all``.
  public var operations: SyncOperations {
    get { setup.withLock { $0.operations } }
    set { change { $0.operations = newValue } }
  }

  /// Dotted path to the list inside the document, as in `data.items`. Default: the document itself.
  public var path: String? {
    get { setup.withLock { $0.path } }
    set { change { $0.path = newValue } }
  }

  /// How strictly the JSON is read.
  public var reading: JSONReadingOptions {
    get { setup.withLock { $0.reading } }
    set { change { $0.reading = newValue } }
  }

  /// The object whose children the items are, by its identifier.
  public var parent: ManagedObjectID? {
    get { setup.withLock { $0.parent } }
    set { change { $0.parent = newValue } }
  }

  /// The relationship between ``parent`` and the items, by its name at either end. Needed only when
  /// there are several.
  public var parentRelationship: String? {
    get { setup.withLock { $0.parentRelationship } }
    set { change { $0.parentRelationship = newValue } }
  }

  /// What happens to an item that cannot be used. Nil, the default, leaves out and reports items
  /// without a readable key, and fails when a required attribute would be empty.
  public var onItemError: ItemErrorPolicy? {
    get { setup.withLock { $0.onItemError } }
    set { change { $0.onItemError = newValue } }
  }

  /// Whether deleting much is refused. Default: on.
  public var deletionGuard: DeletionGuard {
    get { setup.withLock { $0.deletionGuard } }
    set { change { $0.deletionGuard = newValue } }
  }

  /// Runs everything, reports everything and stores nothing. Default: false.
  public var isDryRun: Bool {
    get { setup.withLock { $0.isDryRun } }
    set { change { $0.isDryRun = newValue } }
  }

  /// How much is stored at once. Default: everything or nothing.
  public var transaction: SyncTransaction {
    get { setup.withLock { $0.transaction } }
    set { change { $0.transaction = newValue } }
  }

  /// Whether a key that no object has is remembered in the store and linked by a later sync, with this
  /// setting too, that brings the object. It is forgotten when the relationship is given again or set
  /// otherwise, and when its owner goes. Default: false; within one sync and one page session the order
  /// of arrival never matters.
  public var deferReferences: Bool {
    get { setup.withLock { $0.deferReferences } }
    set { change { $0.deferReferences = newValue } }
  }

  /// Who is said to have made the changes, in change sets and history.
  public var author: String? {
    get { setup.withLock { $0.author } }
    set { change { $0.author = newValue } }
  }

  /// Is asked about each new object. Not retained.
  public var delegate: (any SyncDelegate)? {
    get { setup.withLock { $0.delegate } }
    set { change { $0.delegate = newValue } }
  }

  private func change(_ body: (inout Setup) -> Void) {
    precondition(
      !isExecuting && !isFinished, "Set a sync up before it starts, or make a new one.")
    setup.withLock { body(&$0) }
  }

  // MARK: - Outcome

  /// How far the sync is, in 100 units over all phases; each phase is a child with units of its own.
  /// Cancelling it cancels the sync.
  public var progress: Progress { follower.progress }

  /// How far the phase is that runs at the moment; nil before the first.
  package var latestStep: SyncStep? { follower.latestStep }

  /// What came of it; nil until the operation has finished. A cancelled sync has failed with a
  /// `CancellationError`.
  public var result: Result<SyncReport, any Error>? {
    state.withLock { $0.result }
  }

  /// Calls a handler once with the result, on the thread of the sync just before the operation counts
  /// as finished, or at once when it has one.
  public func whenFinished(
    _ handler: @escaping @Sendable (Result<SyncReport, any Error>) -> Void
  ) {
    let result = state.withLock { state in
      if state.result == nil { state.handlers.append(handler) }
      return state.result
    }
    if let result { handler(result) }
  }

  /// Stops the sync at its next checkpoint; the store stays as it was. Does nothing once it has
  /// finished.
  public override func cancel() {
    super.cancel()
    control.cancel()
  }

  // MARK: - Running

  public override func start() {
    // A cancelled operation finishes without running; its result is set all the same, and first.
    if isCancelled { finish(.failure(CancellationError())) }
    super.start()
  }

  public override func main() {
    guard state.withLock({ $0.result == nil }) else { return }
    announcer.begin(self)
    finish(Result { try run() })
  }

  private func finish(_ result: Result<SyncReport, any Error>) {
    if case .success = result { follower.finish() }
    let handlers = state.withLock { state in
      state.result = result
      defer { state.handlers = [] }
      return state.handlers
    }
    announcer.end(result, of: self)
    for handler in handlers { handler(result) }
  }

  private func run() throws -> SyncReport {
    let request = try request()
    let store = try dataStack.store
    let ticket = Mutex<WriteGate.Ticket?>(nil)
    control.observe { [unowned self] step in
      follower.follow(step)
      announcer.announce(step, of: self)
    }
    defer {
      control.observe(nil)
      ticket.withLock { $0.map(store.gate.leave) }
    }
    // The payload is read before: two cores parse and write different syncs at the same time.
    return try SyncRun(request, store: store, control: control).run {
      let place = try store.gate.enter(priority: queuePriority.rawValue, control)
      ticket.withLock { $0 = place }
    }.report
  }

  private func request() throws -> SyncRequest {
    let setup = setup.withLock { $0 }
    guard let entity = dataStack.model.entity(named: entityName) else {
      throw ModelError.unknownEntity(entityName, known: dataStack.model.entities.map(\.name))
    }
    var request = SyncRequest(plan: dataStack.mappingPlans.plan(for: entity), payload: payload)
    request.path = setup.path
    request.reading = setup.reading
    request.operations = setup.operations
    request.filter = setup.filter
    request.parent = setup.parent
    request.parentRelationship = setup.parentRelationship
    request.onItemError = setup.onItemError
    request.deletionGuard = setup.deletionGuard
    request.isDryRun = setup.isDryRun
    request.transaction = setup.transaction
    request.defersReferences = setup.deferReferences
    request.author = setup.author
    request.name = name
    if let delegate = setup.delegate {
      request.willInsert = { [unowned self] item, entity, parent in
        try delegate.sync(self, willInsert: item, in: entity.name, parent: parent)
      }
    }
    return request
  }
}
