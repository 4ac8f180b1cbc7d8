import Dispatch

extension ManagedObjectContext {
  /// Runs the body on the context's queue and returns what it returns.
  ///
  /// Results have to be `Sendable`, so objects cannot leave the context: return their values or
  /// identifiers.
  ///
  /// ```swift
  /// let names = try await work.perform { try work.fetch(Fetch<User>()).map(\.name) }
  /// ```
  public func perform<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
      queue.queue.async {
        continuation.resume(returning: self.entered(body))
      }
    }
    return try result.get()
  }

  /// Runs the body on the context's queue some time later, after what was handed over before.
  public func perform(_ body: @escaping @Sendable () -> Void) {
    queue.queue.async {
      _ = self.entered(body)
    }
  }

  /// Runs the body on the context's queue and waits for it. May be called from inside the queue, and
  /// from other contexts' queues that this one waits for.
  public func performAndWait<Result: Sendable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = queue.sync { entered(body) }
    return try result.get()
  }

  /// Runs the body between merging what others committed and telling observers what changed.
  private func entered<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) -> Swift.Result<Result, Failure> {
    depth += 1
    defer { leave() }
    if depth == 1 { mergeInbox() }
    return Swift.Result(catching: body)
  }

  private func leave() {
    depth -= 1
    if depth == 0 { processPendingChanges() }
  }
}
