package import SyncGraph

extension DataStack {
  /// Runs a body in a new background context, on its queue.
  @discardableResult
  package func inBackground<Result: Sendable>(
    _ body: (ManagedObjectContext) throws -> Result
  ) rethrows -> Result {
    let context = newBackgroundContext()
    return try context.performAndWait { try body(context) }
  }
}
