public import Foundation
import SyncCore
import SyncGraph

/// An operation whose work goes on after ``start()`` has returned: a request, a wait, anything
/// `async`.
///
/// ```swift
/// let download = AsynchronousOperation { try await client.download(url, to: file) }
/// let sync = Sync(.file(file), inEntityNamed: "User", dataStack: stack)
/// sync.addDependency(download)
/// network.addOperation(download)
/// stack.syncQueue.addOperation(sync)
/// ```
///
/// It keeps no thread while it waits, its ``result`` is there before it counts as finished, and it
/// tells its queue of every state by name, so that the queue goes on on systems without key-value
/// observing. In a task, await its ``value``; otherwise let an operation depend on it.
/// ``waitUntilFinished()`` inside a task keeps a thread from the work that is waited for, and
/// `OperationQueue.addBarrierBlock` is no way to wait in a queue that may be cancelled: outside
/// Apple's systems Foundation then never calls the block, and an operation that ends afterwards
/// reads memory that is no longer the barrier's, which ends the program.
///
/// A ``Sync`` is one, and so are the operations of an outbox and of remote sync. Work that is not
/// `async` goes into a subclass: override ``main()`` to begin it, call ``finish(with:)`` when it
/// has ended, and override ``stop()`` to be told of ``cancel()``.
///
/// ```
///  ┌─────────┐ start() ┌───────────┐ finish(with:) ┌───────────┐  handlers  ┌──────────┐
///  │ waiting ├────────▶│ executing ├──────────────▶│ finishing ├───────────▶│ finished │
///  └────┬────┘         └──┬─────▲──┘               └─────▲─────┘ were told  └──────────┘
///       │                 └─────┘                        │
///       │            cancel(): stop(), once              │
///       └────────────────────────────────────────────────┘
///          start() after cancel(): nothing runs
/// ```
///
/// While *waiting* there is no result, and `cancel()` only marks the operation; its dependencies no
/// longer matter, so its queue starts it, and it finishes. From *finishing* on there is a result,
/// which never changes: another call that finishes the operation comes too late, and so does
/// `cancel()`.
///
/// ## At a glance
/// - Outcome: ``value``, ``result``, ``whenFinished(_:)``
/// - For subclasses: ``main()``, ``stop()``, ``finish(with:)``
nonisolated open class AsynchronousOperation<Output: Sendable>: Operation, @unchecked Sendable {
  // Mutable state: everything is in `state`, which is not held during calls out.
  private enum Phase {
    case waiting
    case executing
    case finishing
    case finished
  }

  private struct State {
    var phase = Phase.waiting
    /// Whether `main` has returned, so that there is something to stop.
    var hasBegun = false
    var isToldToStop = false
    var result: Result<Output, any Error>?
    var handlers: [@Sendable (Result<Output, any Error>) -> Void] = []
    /// The work, until it begins, and then the task that does it.
    var body: (@Sendable () async throws -> Output)?
    var task: Task<Void, Never>?

    /// Keeps the result, and gives everything that is to be called, or let go of, without the lock.
    mutating func settle(_ result: Result<Output, any Error>) -> Ending {
      defer { (handlers, body, task) = ([], nil, nil) }
      phase = .finishing
      self.result = result
      return Ending(result: result, handlers: handlers, body: body)
    }
  }

  private struct Ending: Sendable {
    let result: Result<Output, any Error>
    let handlers: [@Sendable (Result<Output, any Error>) -> Void]
    /// Work that never began.
    let body: (@Sendable () async throws -> Output)?
  }

  private let state = Locked(State())

  /// Makes an operation without work, for subclasses, which override ``main()``.
  public override init() {
    super.init()
  }

  /// Makes an operation of a closure. ``cancel()`` cancels the task that runs it.
  public convenience init(_ body: @escaping @Sendable () async throws -> Output) {
    self.init()
    state.withLock { $0.body = body }
  }

  // MARK: - Outcome

  /// The result of the operation; nil until the work has ended. Once it was cancelled, every
  /// failure is a `CancellationError`; a success that could no longer be stopped stays one.
  public final var result: Result<Output, any Error>? {
    state.withLock { $0.result }
  }

  /// The value of the result, as soon as there is one. The operation is on a queue, or was started:
  /// reading its value starts nothing. Cancelling the task that waits cancels the operation.
  ///
  /// ```swift
  /// queue.addOperation(sync)
  /// let report = try await sync.value
  /// ```
  ///
  /// - Throws: The error of the work; `CancellationError` when the operation was cancelled.
  public final var value: Output {
    get async throws {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          whenFinished { continuation.resume(with: $0) }
        }
      } onCancel: {
        cancel()
      }
    }
  }

  /// Adds the operation to a queue, and waits for its value. In a task that is cancelled already
  /// the operation does not begin.
  ///
  /// - Throws: As ``value``.
  package final func value(on queue: OperationQueue) async throws -> Output {
    if Task.isCancelled { cancel() }
    queue.addOperation(self)
    return try await value
  }

  /// Calls a handler once with the result, on the thread that finishes the operation just before it
  /// counts as finished, or at once when there is a result.
  public final func whenFinished(
    _ handler: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) {
    let result = state.withLock { state in
      if state.result == nil { state.handlers.append(handler) }
      return state.result
    }
    if let result { handler(result) }
  }

  /// Waits until the operation has finished. On the main queue contexts see the commits when they
  /// are used next.
  open override func waitUntilFinished() {
    super.waitUntilFinished()
    ManagedObjectContext.hasWaited()
  }

  // MARK: - For subclasses

  /// Begins the work and returns. Override it in subclasses, without calling `super`, and call
  /// `finish(with:)` once the work has ended, inside or afterwards, on any thread.
  ///
  /// - Precondition: The operation was made with a closure, or its class overrides this method.
  open override func main() {
    let body = state.withLock { state in
      defer { state.body = nil }
      return state.body
    }
    guard let body else {
      programmingError(
        "An AsynchronousOperation has nothing to do. Make it with a closure, or override main().")
    }
    let task = Task(priority: qualityOfService.taskPriority) { [self] in
      do {
        finish(with: .success(try await body()))
      } catch {
        finish(with: .failure(error))
      }
    }
    state.withLock { state in
      if state.phase == .executing { state.task = task }
    }
  }

  /// Asks the work to end early. Called at most once, when the operation is cancelled while it
  /// runs, and never before ``main()`` has returned; work that takes long inside `main()` has to
  /// look at `isCancelled`. The work still has to call `finish(with:)`; it may be doing so at this
  /// moment.
  open func stop() {
    let task = state.withLock { $0.task }
    task?.cancel()
  }

  /// Called once there is a result, before the handlers are.
  func willFinish(_ result: Result<Output, any Error>) {}

  /// Called by each ``cancel()``, also while ``main()`` runs.
  func didCancel() {}

  /// Ends the operation. Does nothing when it has ended already, so that the later of the two, the
  /// work or its cancellation, need not know.
  ///
  /// - Returns: Whether it was this call that ended it.
  /// - Precondition: The operation was started.
  @discardableResult
  public final func finish(with result: Result<Output, any Error>) -> Bool {
    var result = result
    if case .failure = result, isCancelled { result = .failure(CancellationError()) }
    let ending = state.withLock { [result] state -> Ending? in
      require(
        state.phase != .waiting,
        "An operation was finished before it was started. Call cancel() instead.")
      return state.phase == .executing ? state.settle(result) : nil
    }
    guard let ending else { return false }
    end(ending)
    return true
  }

  // MARK: - Running

  /// True: the work goes on when ``start()`` has returned.
  public final override var isAsynchronous: Bool { true }

  public final override var isExecuting: Bool {
    state.withLock { $0.phase == .executing || $0.phase == .finishing }
  }

  public final override var isFinished: Bool {
    state.withLock { $0.phase == .finished }
  }

  /// Begins the work, or, when the operation was cancelled, finishes without. For queues, and for
  /// running it without one.
  ///
  /// - Precondition: It was not started elsewhere, unless it has finished.
  public final override func start() {
    let isCancelled = isCancelled
    guard !isFinished else { return }
    willChangeValue(forKey: "isExecuting")
    let ending = state.withLock { state -> Ending? in
      require(
        state.phase == .waiting,
        "An operation was started twice. Add it to one queue, or call start() once yourself.")
      if isCancelled { return state.settle(.failure(CancellationError())) }
      state.phase = .executing
      return nil
    }
    didChangeValue(forKey: "isExecuting")
    if let ending {
      leaveUnfinishedDependencies()
      return end(ending)
    }
    main()
    state.withLock { $0.hasBegun = true }
    // It may have been cancelled while there was nothing to stop.
    if self.isCancelled { stopOnce() }
  }

  /// Keeps the work from beginning, or asks it to end early. Does nothing once there is a result.
  public final override func cancel() {
    super.cancel()
    didCancel()
    stopOnce()
  }

  private func stopOnce() {
    let isDue = state.withLock { state in
      guard state.phase == .executing, state.hasBegun, !state.isToldToStop else { return false }
      state.isToldToStop = true
      return true
    }
    if isDue { stop() }
  }

  private func end(_ ending: Ending) {
    willFinish(ending.result)
    for handler in ending.handlers { handler(ending.result) }
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    state.withLock { $0.phase = .finished }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }
}

extension QualityOfService {
  /// The priority of a task that does the work of an operation of this quality; nil is the default.
  fileprivate var taskPriority: TaskPriority? {
    switch self {
    case .userInteractive, .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    default: nil
    }
  }
}
