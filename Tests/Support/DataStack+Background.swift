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

  /// Edits in a new background context, and saves.
  package func edit(_ body: (ManagedObjectContext) throws -> Void) throws {
    let context = newBackgroundContext()
    try context.edit { try body(context) }
  }
}

extension ManagedObjectContext {
  /// Edits on the queue of the context, and saves.
  package func edit(_ body: () throws -> Void) throws {
    try performAndWait {
      try body()
      try save()
    }
  }
}
