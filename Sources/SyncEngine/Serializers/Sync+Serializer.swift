import Foundation
public import SyncCore
public import SyncGraph

extension Sync {
  /// Makes a sync of a payload whose mapping was written by hand. Everything that a ``Sync`` offers works as with
  /// conventional mapping. Items that come again are passed over where no closure says a part of the mapping: closures
  /// may answer differently the next time.
  ///
  /// - Parameters:
  ///   - payload: The JSON: bytes, a file, a tree, dictionaries or encodable values.
  ///   - source: A ``Serializer``, or ``Conventional`` mapping. What is wrong with it is reported when the sync runs.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  ///   - path: Leads to the list inside the document, as in `data.items`; see ``Sync/path``.
  public convenience init(
    _ payload: SyncPayload, with source: some PlanSource, dataStack: DataStack,
    at path: JSONPath? = nil
  ) {
    self.init(
      .payload(payload), inEntityNamed: source.mappingSource.entityName, dataStack: dataStack,
      at: path)
    self.source = source
  }

  /// Makes a sync, set up for use.
  convenience init(
    changes: some SyncPayloadConvertible, with source: any PlanSource, predicate: Filter?,
    parent: ManagedObject?, parentRelationship: (any RelationshipNameConvertible)?,
    context: ManagedObjectContext? = nil, dataStack: DataStack, operations: SyncOperations
  ) {
    self.init(
      changes: changes, inEntityNamed: source.mappingSource.entityName, predicate: predicate,
      parent: parent, parentRelationship: parentRelationship, context: context,
      dataStack: dataStack, operations: operations)
    self.source = source
  }
}

/// Syncs whose mapping was written by hand, in one call. The parameters are those of the calls for an entity; what the
/// serializer allows and what `operations` allow both have to allow it.
extension DataStack {
  /// Brings the stored objects that a serializer is about in step with JSON, on the stack's ``DataStack/syncQueue``.
  ///
  /// Afterwards every context sees the result when it is next used. Cancelling the task cancels the sync, and the store
  /// stays as it was.
  ///
  /// - Throws: `CancellationError`, ``MappingError`` when the serializer does not fit the model, ``SyncError``,
  ///   ``JSONError`` or what the store says.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, with source: some PlanSource,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil
  ) async throws -> SyncReport {
    let sync = Sync(
      changes: changes, with: source, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, dataStack: self, operations: operations)
    sync.path = path
    return try await self.sync(sync)
  }

  /// Brings the stored objects that a serializer is about in step with JSON, now, on the calling thread.
  ///
  /// - Throws: ``MappingError``, ``SyncError``, ``JSONError`` or what the store says.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, with source: some PlanSource,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil
  ) throws -> SyncReport {
    let sync = Sync(
      changes: changes, with: source, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, dataStack: self, operations: operations)
    sync.path = path
    return try sync.runNow()
  }

  /// Brings the stored objects that a serializer is about in step with JSON, on the stack's ``DataStack/syncQueue``.
  ///
  /// - Parameter completion: Called once, on the main queue, with the report or the error.
  /// - Returns: The operation, to be observed or cancelled.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, with source: some PlanSource,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil,
    completion: @escaping @Sendable (SyncResult<SyncReport>) -> Void
  ) -> Sync {
    let sync = Sync(
      changes: changes, with: source, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, dataStack: self, operations: operations)
    sync.path = path
    sync.deliver(to: completion)
    syncQueue.addOperation(sync)
    return sync
  }
}

/// Syncs into the store of a context, whose mapping was written by hand.
extension ManagedObjectContext {
  /// Brings the stored objects that a serializer is about in step with JSON, now, on the calling thread, which has to be
  /// the context's queue.
  ///
  /// - Throws: ``MappingError``; ``SyncError``, among it ``SyncError/Code/invalidRequest`` when the caller is not on the
  ///   context's queue; ``JSONError``; what the store says.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, with source: some PlanSource,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all
  ) throws -> SyncReport {
    try syncNow(
      changes.syncPayload, source, predicate, parent, parentRelationship, operations)
  }

  /// Brings the stored objects that a serializer is about in step with JSON, from any thread; the context has merged the
  /// result when the call returns.
  ///
  /// Cancelling the task cancels the sync, and the store stays as it was.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, with source: some PlanSource,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all
  ) async throws -> SyncReport {
    guard let stack else {
      let payload = changes.syncPayload
      return try await perform {
        try self.syncNow(payload, source, predicate, nil, parentRelationship, operations)
      }
    }
    let report = try await stack.sync(
      Sync(
        changes: changes, with: source, predicate: predicate, parent: parent,
        parentRelationship: parentRelationship, context: self, dataStack: stack,
        operations: operations))
    await perform { self.mergeCommits() }
    return report
  }

  /// Brings the stored objects that a serializer is about in step with JSON, on the stack's sync queue.
  ///
  /// - Parameter completion: Called once, on the main queue, with the report or the error. The context sees the result
  ///   when it is next used.
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
              The context is disposable, or its stack is gone, so nobody keeps a queue for it. Use a form of the \
              call that throws.
              """)))
    }
    let sync = Sync(
      changes: changes, with: source, predicate: nil, parent: nil, parentRelationship: nil,
      context: self, dataStack: stack, operations: operations)
    sync.deliver(to: completion)
    stack.syncQueue.addOperation(sync)
  }
}
