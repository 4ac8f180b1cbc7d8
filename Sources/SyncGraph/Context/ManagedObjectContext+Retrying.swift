import SyncCore

extension ManagedObjectContext {
  /// Changes objects and saves them, again and again until no other save changed them in between:
  /// the safe way to read a value and write one that follows from it.
  ///
  /// ```swift
  /// try await work.perform {
  ///   try work.updateAndSave {
  ///     let counter = try work.existingObject(with: id, as: Counter.self)
  ///     counter.value += 1
  ///   }
  /// }
  /// ```
  ///
  /// The body may run several times. After a conflict its changes are rolled back and the commits
  /// of others are merged, so that it reads the newest values. The ``mergePolicy`` of the context
  /// has no say.
  ///
  /// - Parameter attempts: How often the body runs at most.
  /// - Returns: the value that the body returned the last time.
  /// - Throws: ``GraphError`` with ``GraphError/Code/conflict`` after the last attempt, errors of
  ///   the body, and otherwise as ``save()``. All changes of the body are rolled back then.
  /// - Precondition: The context has no unsaved changes, which would be rolled back too.
  @discardableResult
  public func updateAndSave<Result>(
    attempts: Int = 100, _ body: () throws -> Result
  ) throws -> Result {
    enter()
    require(
      pending.isEmpty,
      """
      updateAndSave { } rolls back what it could not save, and the context has unsaved changes of others \
      than its body. Save them first, or use a context of its own.
      """)
    let outer = imposedPolicy
    imposedPolicy = .error
    defer { imposedPolicy = outer }
    var left = attempts
    while true {
      do {
        let result = try body()
        try save()
        return result
      } catch {
        rollback()
        mergeCommits()
        left -= 1
        guard (error as? GraphError)?.code == .conflict, left > 0 else { throw error }
      }
    }
  }

  /// The merge policy of a save.
  var savingPolicy: MergePolicy { imposedPolicy ?? mergePolicy }
}
