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
///
/// ## Topics
/// - Set-up: ``filter``, ``operations``, ``path``, ``delegate``, ``isDryRun``, ``deletionGuard``,
///   ``onItemError``, ``transaction``, ``deferReferences``, ``author``
/// - Outcome: ``result``, ``progress``, ``progressUpdates``, ``whenFinished(_:)``
/// - Without an operation: ``changes(_:inEntityNamed:predicate:parent:parentRelationship:dataStack:operations:)``
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
    var stepObserver: (@Sendable (SyncStep) -> Void)?
  }

  private struct State {
    var result: Result<SyncReport, any Error>?
    /// Set when the sync waits, or has waited, without a thread; then it says itself what it is doing.
    var parking: Parking?
    var handlers: [@Sendable (Result<SyncReport, any Error>) -> Void] = []
  }

  private struct Parking {
    var place: (antechamber: Antechamber, seat: Antechamber.Seat)?
    var isFinished = false
  }

  /// The stack whose store is synced.
  public let dataStack: DataStack

  /// The entity of the items.
  public let entityName: String

  /// The context that the sync was asked for in; it has the changes when the sync has finished there.
  public let context: ManagedObjectContext?

  private let work: SyncWork
  private let setup: Locked<Setup>
  private let state = Locked(State())
  private let control = SyncControl()
  private let follower = SyncProgress()
  private let feed = ProgressFeed()
  private let announcer: SyncAnnouncer

  /// Makes a sync of a payload.
  ///
  /// - Parameters:
  ///   - payload: The JSON: bytes, a file, a tree, dictionaries or encodable values.
  ///   - entityName: Entity of the items. An unknown one is reported when the sync runs.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  ///   - path: Dotted path to the list inside the document, as in `data.items`.
  public convenience init(
    _ payload: SyncPayload, inEntityNamed entityName: String, dataStack: DataStack,
    at path: String? = nil
  ) {
    self.init(.payload(payload), inEntityNamed: entityName, dataStack: dataStack, at: path)
  }

  /// Makes a sync of a payload, set up for use.
  ///
  /// - Parameters:
  ///   - changes: The JSON: `Data`, the URL of a file, `JSONValue` or dictionaries.
  ///   - entityName: Entity of the items. An unknown one is reported when the sync runs.
  ///   - predicate: Limits the stored objects that may be deleted.
  ///   - parent: The object whose children the items are. It has to be saved.
  ///   - parentRelationship: The relationship between the two; needed only when there are several.
  ///   - context: A context that has to have the changes; nil is all that merge.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  ///   - operations: What the sync may do.
  public convenience init(
    changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil, parentRelationship: String? = nil,
    context: ManagedObjectContext? = nil, dataStack: DataStack, operations: SyncOperations = .all
  ) {
    self.init(
      .payload(changes.syncPayload), inEntityNamed: entityName, dataStack: dataStack,
      context: context)
    filter = predicate
    self.parent = parent?.objectID
    self.parentRelationship = parentRelationship
    self.operations = operations
  }

  /// Makes an operation of one kind of work.
  init(
    _ work: SyncWork, inEntityNamed entityName: String, dataStack: DataStack,
    context: ManagedObjectContext? = nil, at path: String? = nil
  ) {
    self.work = work
    self.entityName = entityName
    self.dataStack = dataStack
    self.context = context
    setup = Locked(Setup(operations: .all, path: path))
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
  /// without a readable key. A required attribute that would be empty fails the sync in any case.
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

  /// Is told each step on the thread of the sync, so it has to be quick.
  package var stepObserver: (@Sendable (SyncStep) -> Void)? {
    get { setup.withLock { $0.stepObserver } }
    set { change { $0.stepObserver = newValue } }
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

  /// Calls a completion handler on the main queue, with the error if there was one.
  func deliver(to completion: @escaping @Sendable ((any Error)?) -> Void) {
    deliver { (result: SyncResult<SyncReport>) in completion(result.error) }
  }

  /// Calls a completion handler on the main queue.
  func deliver(to completion: @escaping @Sendable (SyncResult<SyncReport>) -> Void) {
    whenFinished { result in
      DispatchQueue.main.async {
        switch result {
        case .success(let report): completion(.success(report))
        case .failure(let error): completion(.failure(error))
        }
      }
    }
  }

  /// Runs on the calling thread, now.
  func runNow() throws -> SyncReport {
    start()
    guard let result else { throw CancellationError() }
    return try result.get()
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
    state.withLock { $0.parking?.isFinished } ?? super.isFinished
  }

  public override func start() {
    // A cancelled operation finishes without running; its result is set all the same, and first.
    if isCancelled {
      finish(.failure(CancellationError()))
      return super.start()
    }
    guard let queue = OperationQueue.current, let antechamber = try? store.antechamber else {
      return super.start()
    }
    if let seat = antechamber.enterAlone(priority: queuePriority.rawValue) {
      defer { antechamber.leave(seat) }
      return super.start()
    }
    // Inside another operation the queue is not ours, and the caller counts on the result.
    guard queue.operations.contains(self) else { return super.start() }
    park(in: antechamber)
  }

  /// Waits without a thread until it is admitted, and goes on on one of its own: the system has few
  /// (platform: the pool grows by one a second), and this one may still have to wait at the gate.
  private func park(in antechamber: Antechamber) {
    changing("isExecuting") { state.withLock { $0.parking = Parking() } }
    let seat = antechamber.enter(priority: queuePriority.rawValue) { [self] seat in
      let thread = Thread { [self] in
        main()
        antechamber.leave(seat)
        endParking()
      }
      thread.name = "SyncStack.sync"
      thread.qualityOfService = qualityOfService
      thread.start()
    }
    state.withLock { $0.parking?.place = (antechamber, seat) }
    // It may have been cancelled before there was a seat to give up.
    if isCancelled { withdraw() }
  }

  private func withdraw() {
    guard let place = state.withLock({ $0.parking?.place }),
      place.antechamber.withdraw(place.seat)
    else { return }
    DispatchQueue.global().async { [self] in
      finish(.failure(CancellationError()))
      endParking()
    }
  }

  private func endParking() {
    changing("isExecuting") {
      changing("isFinished") {
        state.withLock {
          $0.parking?.isFinished = true
          $0.parking?.place = nil
        }
      }
    }
  }

  /// Tells the queue that a state has changed.
  private func changing(_ key: String, _ body: () -> Void) {
    willChangeValue(forKey: key)
    body()
    didChangeValue(forKey: key)
  }

  public override func main() {
    guard state.withLock({ $0.result == nil }) else { return }
    announcer.begin(self)
    let result = Result { try run() }
    if let context, context.isCurrent { context.mergeCommits() }
    finish(result)
  }

  private func finish(_ result: Result<SyncReport, any Error>) {
    if case .success = result { follower.finish() }
    feed.finish(follower.progress)
    let handlers = state.withLock { state in
      state.result = result
      defer { state.handlers = [] }
      return state.handlers
    }
    switch (work, result) {
    case (.page(_, let session, let id), _): session.didFinish(page: id, result)
    case (.end(let session), .success) where !isDryRun: session.didEnd()
    default: break
    }
    announcer.end(result, of: self)
    for handler in handlers { handler(result) }
  }

  private var store: Store {
    get throws { try context?.store ?? dataStack.store }
  }

  private func run() throws -> SyncReport {
    let store = try store
    let stepObserver = stepObserver
    control.observe { [unowned self] step in
      follower.follow(step)
      feed.follow(step, follower.progress)
      announcer.announce(step, of: self)
      stepObserver?(step)
    }
    defer { control.observe(nil) }
    let runner = SyncRunner(store: store, control: control, priority: queuePriority.rawValue)
    switch work {
    case .payload(let payload):
      return try runner.run(request(payload))
    case .page(let payload, let session, _):
      var request = try request(payload)
      request.session = session.state
      return try runner.run { enter in
        try SyncRun(request, store: store, control: control).run {
          try enter()
          try session.prepare(store)
        }.report
      }
    case .end(let session):
      let request = try request(.json([]))
      return try runner.run { enter in
        try enter()
        try session.prepareEnd(store)
        return try SessionEnd(request, state: session.state, store: store, control: control).run()
      }
    }
  }

  private func request(_ payload: SyncPayload) throws -> SyncRequest {
    let setup = setup.withLock { $0 }
    let entity = try dataStack.model.requireEntity(named: entityName)
    var request = SyncRequest(plan: dataStack.mappingPlans.plan(for: entity), payload: payload)
    request.path = setup.path
    request.reading = setup.reading
    request.operations = setup.operations
    request.filter = setup.filter
    request.parent = setup.parent
    request.parentRelationship = setup.parentRelationship
    request.onItemError = setup.onItemError
    request.deletionGuard = setup.deletionGuard
    request.isDryRun = setup.isDryRun || context?.keepsNothing == true
    request.transaction = setup.transaction
    request.defersReferences = setup.deferReferences
    request.author = setup.author ?? context?.author
    request.name = name ?? context?.name
    if let delegate = setup.delegate {
      request.willInsert = { [unowned self] item, entity, parent in
        try delegate.sync(self, willInsert: item, in: entity.name, parent: parent)
      }
    }
    return request
  }
}

/// What a sync operation works off.
enum SyncWork: Sendable {
  case payload(SyncPayload)
  /// One of the payloads of a session.
  case page(SyncPayload, SyncSession, SyncSession.PageID)
  /// The deletions of a session.
  case end(SyncSession)
}
