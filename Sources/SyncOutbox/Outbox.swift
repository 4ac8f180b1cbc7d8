import Dispatch
import Foundation
public import SyncCore
public import SyncEngine
public import SyncGraph
import SyncStore

/// Sends the edits made here to the API that the JSON came from.
///
/// ```swift
/// let outbox = try Outbox(stack, name: "api")                   // a stack with tracksChanges: true
/// outbox.send(Order.self) { change in
///   var request = URLRequest(url: orders.appending(path: change.id))
///   switch change.kind {
///   case .insert: request.httpMethod = "POST"; request.httpBody = change.json.data
///   case .update: request.httpMethod = "PATCH"; request.httpBody = change.changedJSON.data
///   case .delete: request.httpMethod = "DELETE"
///   }
///   request.setValue(change.idempotencyKey, forHTTPHeaderField: "Idempotency-Key")
///   let (data, response) = try await URLSession.shared.data(for: request)
///   return OutboxAnswer(data, response)
/// }
/// let report = try await outbox.send()                          // or: queue.addOperation(SendOperation(outbox))
/// ```
///
/// Every object is answered for by itself: one that is refused, or has to wait, holds back those
/// that need it, and nothing else. Nothing is forgotten when an answer is lost or the program ends:
/// a change that was sent without an answer is sent again, the same, under the same idempotency
/// key. The values of a sync are never sent back, and a sync leaves waiting edits alone, property
/// by property.
///
/// Its calls may come from any thread; runs follow each other. The changes to send are kept in the
/// store under its name. Entities without a handler wait until they have one.
///
/// ## At a glance
/// - Setting up: ``send(_:using:_:)``, ``send(with:using:_:)``, several in one request
///   ``send(_:upTo:using:_:)``, ``concurrency``, ``retry``, ``whenGone``, ``whenInConflict``
/// - Working: ``send()``, ``SendOperation``; by itself: ``start(pace:clock:)``, ``wake()``,
///   ``stop()``; of one object: ``outcome(of:)-(ManagedObject)``
/// - Watching: ``status``, ``statusUpdates``, ``pending``, ``refused``, and the notifications that
///   begin with `outbox`
/// - Refused changes: ``retry(_:)``, ``discard(_:)``, `revert(_:)`, ``revert(_:to:)``
public final class Outbox: Sendable {
  /// Sends one change, and says its outcome. An error means that nothing is known: the change is
  /// sent again.
  public typealias Handler = @Sendable (OutboxChange) async throws -> OutboxAnswer

  struct Settings {
    var concurrency = 4
    var retry = RetryPolicy()
    var whenGone = OutboxGonePolicy.refuse
    var whenInConflict = OutboxConflictPolicy.merge
    var destinations: [OutboxDestination] = []
    var last: Task<OutboxReport, any Error>?
    var running = 0

    /// Why the latest run ended early; nil when everything had its turn.
    var stopReason: String?
  }

  /// The name under which the store keeps the changes to send.
  public let name: String
  let stack: DataStack
  let settings = Locked(Settings())
  let updates = Broadcast<OutboxStatus>()

  /// Calls that await the outcome of an object look again when they are told.
  let answers = Broadcast<Void>()

  /// The driver that sends by itself, from ``start(pace:clock:)`` on.
  let driver = Locked<TimetableDriver?>(nil)

  /// Where the store is used, because its calls wait.
  private let work = DispatchQueue(label: "SyncStack.outbox")

  /// Opens an outbox, and makes it when there is none of that name: its first changes are those of
  /// the history.
  ///
  /// - Parameters:
  ///   - stack: A stack that tracks changes.
  ///   - name: Tells the outboxes of a store apart. Each sends the entities of its handlers.
  /// - Throws: `StoreError` with the code `unsupported` when the stack does not track changes.
  public init(_ stack: DataStack, name: String) throws {
    self.stack = stack
    self.name = name
    let store = try stack.store
    if try store.read({ try $0.outbox(name) }) == nil {
      try store.write { try $0.openOutbox(name) }
    }
  }

  deinit {
    driver.withLock { $0 }?.stop()
  }

  /// The names of the outboxes that a stack's store keeps something for.
  ///
  /// - Throws: `StoreError`.
  public static func names(in stack: DataStack) throws -> [String] {
    try stack.store.read { try $0.outboxes().map(\.name) }
  }

  /// Forgets an outbox that will not come back, with its unsent changes: syncs may overwrite those
  /// then, unless another outbox has to send them.
  ///
  /// - Throws: `StoreError`.
  public static func remove(_ name: String, from stack: DataStack) throws {
    let store = try stack.store
    try store.write { try $0.removeOutbox(name) }
    store.outboxEntities.withLock { $0[name] = nil }
  }

  /// How many changes are on their way at the same time. Default: 4.
  public var concurrency: Int {
    get { settings.withLock { $0.concurrency } }
    set { settings.withLock { $0.concurrency = max(newValue, 1) } }
  }

  /// How often and when a change is tried again in one run.
  public var retry: RetryPolicy {
    get { settings.withLock { $0.retry } }
    set { settings.withLock { $0.retry = newValue } }
  }

  /// The fate of an update whose object is gone. Default: ``OutboxGonePolicy/refuse``.
  public var whenGone: OutboxGonePolicy {
    get { settings.withLock { $0.whenGone } }
    set { settings.withLock { $0.whenGone = newValue } }
  }

  /// The fate of a change whose object has changed on the server. Default:
  /// ``OutboxConflictPolicy/merge``.
  public var whenInConflict: OutboxConflictPolicy {
    get { settings.withLock { $0.whenInConflict } }
    set { settings.withLock { $0.whenInConflict = newValue } }
  }

  // MARK: - Who sends

  /// Says how changes of objects of a class, and of those below it, are sent: their JSON is what an
  /// export by convention writes. A later call for the same entity takes the place of an earlier
  /// one.
  ///
  /// - Parameter options: How the JSON is written. By default relationships are the keys of what
  ///   they lead to.
  public func send<Object: ManagedObject>(
    _ type: Object.Type, using options: ExportOptions = ExportOptions(relationshipType: .keys),
    _ handler: @escaping Handler
  ) {
    send(with: Conventional(type.entityName), using: options, handler)
  }

  /// Says how changes of objects that a serializer describes are sent: their JSON is what an export
  /// through it writes, and it reads the answers.
  ///
  /// - Parameter source: A serializer, or ``Conventional`` with the name of an entity.
  public func send(
    with source: some PlanSource,
    using options: ExportOptions = ExportOptions(relationshipType: .keys),
    _ handler: @escaping Handler
  ) {
    send(with: source, upTo: 1, using: options) { changes in
      var answers: [OutboxAnswer] = []
      for change in changes { answers.append(try await handler(change)) }
      return answers
    }
  }

  func add(_ destination: OutboxDestination) {
    let destinations = settings.withLock { settings in
      settings.destinations.removeAll { $0.entityName == destination.entityName }
      settings.destinations.append(destination)
      return settings.destinations
    }
    noteEntities(destinations)
    // Changes that waited for a handler may be sent now.
    driver.withLock { $0 }?.send(.committed)
  }

  // MARK: - Working

  /// Sends the waiting changes, until all had their turn or the server does not answer any more.
  /// Runs follow each other.
  ///
  /// - Returns: The outcome. Changes that were refused, or that wait, are no error.
  /// - Throws: `CancellationError`; `ModelError` when the model has no entity of a handler;
  ///   ``MappingError`` and ``ExportError`` when a serializer does not fit it or has no way back;
  ///   `StoreError`.
  @discardableResult
  public func send() async throws -> OutboxReport {
    try await send(Progress(totalUnitCount: 0))
  }

  func send(_ progress: Progress) async throws -> OutboxReport {
    let task = settings.withLock { settings in
      let previous = settings.last
      settings.running += 1
      let task = Task { [self] in
        _ = await previous?.result
        defer { didEnd() }
        return try await run(progress)
      }
      settings.last = task
      return task
    }
    tell()
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func run(_ progress: Progress) async throws -> OutboxReport {
    try Task.checkCancellation()
    do {
      let report = try await OutboxRun(self, progress).run()
      settings.withLock { $0.stopReason = report.stopReason }
      return report
    } catch {
      if !(error is CancellationError) {
        settings.withLock { $0.stopReason = String(describing: error) }
      }
      throw error
    }
  }

  private func didEnd() {
    settings.withLock { settings in
      settings.running -= 1
      if settings.running == 0 { settings.last = nil }
    }
    tell()
  }

  // MARK: - The store

  /// Uses the store on a thread that may wait.
  func withStore<T: Sendable>(_ body: @escaping @Sendable (Store) throws -> T) async throws -> T {
    let store = try stack.store
    return try await work.result { try body(store) }
  }

  /// The author of the changes by answers, in the history and in change sets.
  public static let author = "SyncStack.outbox"

  var info: TransactionInfo {
    TransactionInfo(author: Outbox.author, contextName: name, source: .import)
  }
}

/// How changes of one entity are sent.
struct OutboxDestination: Sendable {
  let source: any PlanSource
  let options: ExportOptions

  /// How many changes go in one request, and the closure that sends them.
  let limit: Int
  let handler: Outbox.BulkHandler

  var entityName: String { source.mappingSource.entityName }

  /// Whether objects are nested in each other all the way down.
  var nestsAll: Bool { options.relationshipType == .array || options.relationshipType == .nested }

  /// The source that describes objects of an entity that may be below that of the source.
  func source(for entity: EntityDescription) -> any PlanSource {
    source is Conventional ? Conventional(entity.name) : source
  }

  /// Writes the JSON of its objects of an entity.
  ///
  /// - Throws: ``MappingError`` when the source does not fit the model.
  func export(of entity: EntityDescription, _ stack: DataStack) throws -> RowExport {
    try RowExport(source(for: entity), in: stack.model, options: options, plans: stack.mappingPlans)
  }
}
