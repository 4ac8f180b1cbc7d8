import Foundation
public import SyncCore
public import SyncGraph

/// Syncs into the store of a context, immediately and on the calling thread, which has to be the
/// context's queue.
///
/// A sync does not look at unsaved edits: they stay as they are and win over synced values until
/// they are saved or rolled back. When the call returns, the context has merged the result. In a
/// disposable context everything is done and nothing is kept. In a child context the sync writes to
/// the store as well, past the unsaved changes of its parents; these merge the result before the
/// child does.
///
/// The parameters are those of `DataStack.sync`.
extension ManagedObjectContext {
  /// Brings the stored objects that a serializer is about in step with JSON, now, on the calling
  /// thread.
  ///
  /// - Throws: ``MappingError``; ``SyncError``, among it ``SyncError/Code/invalidRequest`` when the
  ///   caller is not on the context's queue; ``JSONError``; errors of the store.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, with source: some PlanSource,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all
  ) throws -> SyncReport {
    try syncNow(
      changes.syncPayload, source,
      SyncSetup(
        predicate, parent: parent?.objectID, parentRelationship?.relationshipName, operations))
  }

  /// Brings the stored objects that a serializer is about in step with JSON, from any thread: the
  /// sync waits its turn like any other, and the context has merged the result when the call
  /// returns.
  ///
  /// Cancelling the task cancels the sync, and the store stays as it was.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, with source: some PlanSource,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all
  ) async throws -> SyncReport {
    let payload = changes.syncPayload
    let setup = SyncSetup(
      predicate, parent: parent?.objectID, parentRelationship?.relationshipName, operations)
    guard let stack else {
      return try await perform { try self.syncNow(payload, source, setup) }
    }
    let report = try await stack.sync(
      Sync(.payload(payload), with: source, context: self, dataStack: stack, setup))
    await perform { self.mergeCommits() }
    return report
  }

  /// Brings the stored objects that a serializer is about in step with JSON, on the stack's sync
  /// queue.
  ///
  /// - Parameter completion: Called once, on the main queue, with the report or the error. The
  ///   context sees the result when it is next used.
  public func sync(
    _ changes: some SyncPayloadConvertible, with source: some PlanSource,
    operations: SyncOperations = .all,
    completion: @escaping @Sendable (SyncResult<SyncReport>) -> Void
  ) {
    guard let stack else {
      return completion(
        .failure(
          SyncError(
            .invalidRequest, entity: source.mappingSource.entityName,
            message: """
              The context is disposable, or its stack is gone, so it has no queue to sync on. Use a form of the \
              call that throws.
              """)))
    }
    let sync = Sync(
      .payload(changes.syncPayload), with: source, context: self, dataStack: stack,
      SyncSetup(nil, parent: nil, nil, operations))
    sync.deliver(to: completion)
    stack.syncQueue.addOperation(sync)
  }

  // MARK: - By convention

  /// Brings the stored objects of an entity in step with JSON.
  ///
  /// - Throws: As the form for a serializer.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all
  ) throws -> SyncReport {
    try sync(
      changes, with: Conventional(entityName), predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations)
  }

  /// Brings the stored objects of an entity in step with JSON, from any thread, as the form for a
  /// serializer does.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all
  ) async throws -> SyncReport {
    try await sync(
      changes, with: Conventional(entityName), predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations)
  }

  /// Brings the stored objects of an entity in step with JSON.
  ///
  /// - Parameter completion: Called before the call returns, with the error if there was one.
  public func sync(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, completion: (((any Error)?) -> Void)?
  ) {
    let result = SyncResult {
      try sync(
        changes, inEntityNamed: entityName, predicate: predicate, parent: parent,
        parentRelationship: parentRelationship, operations: operations)
    }
    completion?(result.error)
  }

  func syncNow(
    _ payload: SyncPayload, _ source: any PlanSource, _ setup: SyncSetup
  ) throws -> SyncReport {
    try requireCurrent()
    if let stack {
      return try Sync(.payload(payload), with: source, context: self, dataStack: stack, setup)
        .runNow()
    }
    // A disposable context, or one that outlived its stack: announcements would have no stack to be
    // posted on.
    var request = SyncRequest(
      plan: try mappingPlans.plan(for: source, in: model), payload: payload, setup: setup)
    request.limitToPlan()
    return try run(request)
  }

  /// Runs a request in the context's store, on the calling thread, and merges the result.
  func run(_ request: SyncRequest) throws -> SyncReport {
    var request = request
    complete(&request)
    let control = SyncControl()
    let gate = try SyncGate(store, control)
    let report: SyncReport
    do {
      defer { gate.leave() }
      report = try SyncRun(request, store: store, control: control).run(enter: gate.enter).report
    }
    mergeCommits()
    return report
  }

  /// Fills in settings of the context that a request lacks.
  func complete(_ request: inout SyncRequest) {
    if keepsNothing { request.setup.isDryRun = true }
    request.settings.author = request.settings.author ?? author
    request.name = request.name ?? name
  }

  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidRequest`` when the caller is on another
  ///   queue.
  func requireCurrent() throws {
    guard !isCurrent else { return }
    throw SyncError(
      .invalidRequest,
      message: concurrency == .mainQueue
        ? """
        The context belongs to the main queue and was used on another one. Call it from the main actor \
        or the main queue, or use a background context.
        """
        : """
        The context belongs to a queue of its own and was used on another one. Call it inside \
        perform { } or performAndWait { }.
        """)
  }
}
