extension DataStack {
  /// Carries a fetch out in a context: the same as asking the context.
  ///
  /// - Throws: as `ManagedObjectContext.fetch(_:)`.
  public func execute<Object: ManagedObject>(
    _ request: Fetch<Object>, with context: ManagedObjectContext
  ) throws -> [Object] {
    try context.fetch(request)
  }
}
