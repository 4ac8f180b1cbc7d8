import Dispatch

extension ManagedObjectContext {
  /// Runs the body on the context's queue and returns its value.
  ///
  /// Results have to be `Sendable`, so objects cannot leave the context: return their values or
  /// identifiers.
  ///
  /// ```swift
  /// let names = try await work.perform { try work.fetch(Fetch<User>()).map(\.name) }
  /// ```
  @discardableResult
  public func perform<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) async rethrows -> Result {
    try await queue.runner.run { try entered(body) }
  }

  /// Runs the body on the context's queue some time later, after bodies that were handed over
  /// before.
  public func perform(_ body: @escaping @Sendable () -> Void) {
    queue.async { self.entered(body) }
  }

  /// Runs the body on the context's queue and waits for it. May be called from inside the queue,
  /// and from other contexts' queues that this one waits for. The body runs on the thread that
  /// waits, so it may belong to the main actor; that of a context of the main queue runs there.
  @discardableResult
  public func performAndWait<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result {
    try queue.sync { try entered(body) }
  }

  /// Runs the body between merging the commits of others and telling observers the changes.
  private func entered<Result>(_ body: () throws -> Result) rethrows -> Result {
    depth += 1
    defer { leave() }
    return try queue.inBlock {
      mergeAtBeginning()
      return try body()
    }
  }

  private func leave() {
    depth -= 1
    guard depth == 0 else { return }
    announceChanges()
    if identities.isSweepDue() { tidy() }
  }
}
