import SyncCore
import SyncStore

extension DataStack {
  /// Makes a context with a queue of its own. Its saves are merged into the others, theirs into it.
  public func newBackgroundContext() -> ManagedObjectContext {
    core.makeContext(ContextQueue(label: "a background context"), .init())
  }

  /// Makes a context with a queue of its own that does not take notice of the saves of others. Its
  /// own saves reach the others as usual.
  public func newNonMergingBackgroundContext() -> ManagedObjectContext {
    core.makeContext(ContextQueue(label: "a background context"), .init(isMerging: false))
  }

  /// Makes a context of the main queue over an empty store of its own, for objects that are never
  /// kept: saving discards them.
  public func newDisposableMainContext() -> ManagedObjectContext {
    do {
      let core = try StackCore(sharing: core, .init(.memory))
      return core.makeContext(.main, .init(name: "disposable", discardsOnSave: true))
    } catch {
      programmingError("There is no memory for a disposable context: \(error)")
    }
  }

  /// Runs the body in a new background context some time later.
  public func performInNewBackgroundContext(
    _ body: @escaping @Sendable (ManagedObjectContext) -> Void
  ) {
    let context = newBackgroundContext()
    context.perform { body(context) }
  }

  /// Runs the body in a new background context some time later.
  ///
  /// - Parameter completion: Called on the context's queue with the value or error of the body.
  public func performInNewBackgroundContext<Success: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> Success,
    completion: @escaping @Sendable (Result<Success, any Error>) -> Void
  ) {
    let context = newBackgroundContext()
    context.perform { completion(Result { try body(context) }) }
  }

  /// Runs the body in a new background context and returns its value.
  @discardableResult
  public func performInNewBackgroundContext<Result: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> Result
  ) async rethrows -> Result {
    let context = newBackgroundContext()
    return try await context.perform { try body(context) }
  }

  /// Runs the operation in a new background context some time later.
  public func performBackgroundTask(operation: @escaping @Sendable (ManagedObjectContext) -> Void) {
    performInNewBackgroundContext(operation)
  }

  /// Runs the operation in a new background context and returns its value.
  @discardableResult
  public func performBackgroundTask<Result: Sendable>(
    operation: @Sendable (ManagedObjectContext) throws -> Result
  ) async rethrows -> Result {
    try await performInNewBackgroundContext(operation)
  }

  /// Carries a fetch out in a context: the same as asking the context.
  ///
  /// - Throws: as `ManagedObjectContext.fetch(_:)`.
  public func execute<Object: ManagedObject>(
    _ request: Fetch<Object>, with context: ManagedObjectContext
  ) throws -> [Object] {
    try context.fetch(request)
  }
}
