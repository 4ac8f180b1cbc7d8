import Foundation
public import SyncCore
public import SyncGraph

/// Syncs in one call. Each makes a ``Sync``; set one up yourself for everything that the calls do
/// not offer.
///
/// The parameters are the same everywhere:
/// - `changes`: a list of JSON objects: `Data`, text, the URL of a file, `JSONValue`, dictionaries,
///   `Encodable` values, or a payload, as in `.file(url)`
/// - `source`: a ``Serializer``; both it and `operations` have to allow a change
/// - `predicate`: limits the stored objects that may be deleted
/// - `parent`: the saved object whose children the items are; only its other children may be
///   deleted, beside a predicate those of them that meet it
/// - `parentRelationship`: the relationship between the two, by its description or its name at
///   either end, with or without inverse; needed only when there are several
/// - `path`: leads to the list inside the document, as in `data.items`; see ``Sync/path``
extension DataStack {
  /// Brings the stored objects that a serializer is about in step with JSON, on the stack's
  /// ``DataStack/syncQueue``.
  ///
  /// Afterwards every context sees the result when it is next used. Cancelling the task cancels the
  /// sync, and the store stays as it was.
  ///
  /// - Throws: `CancellationError`, ``MappingError`` when the serializer does not fit the model,
  ///   ``SyncError``, ``JSONError`` or errors of the store.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, with source: some PlanSource,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil
  ) async throws -> SyncReport {
    try await sync(
      Sync(
        .payload(changes.syncPayload), with: source, dataStack: self,
        SyncSetup(
          predicate, parent: parent?.objectID, parentRelationship?.relationshipName, operations,
          at: path)))
  }

  /// Brings the stored objects that a serializer is about in step with JSON, now, on the calling
  /// thread.
  ///
  /// It waits for syncs that run already, not for those that wait in queues, and never for the main
  /// queue, so it may be called from there.
  ///
  /// - Throws: ``MappingError``, ``SyncError``, ``JSONError`` or errors of the store.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, with source: some PlanSource,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil
  ) throws -> SyncReport {
    try Sync(
      .payload(changes.syncPayload), with: source, dataStack: self,
      SyncSetup(
        predicate, parent: parent?.objectID, parentRelationship?.relationshipName, operations,
        at: path)
    ).runNow()
  }

  /// Brings the stored objects that a serializer is about in step with JSON, on the stack's
  /// ``DataStack/syncQueue``.
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
      .payload(changes.syncPayload), with: source, dataStack: self,
      SyncSetup(
        predicate, parent: parent?.objectID, parentRelationship?.relationshipName, operations,
        at: path))
    sync.deliver(to: completion)
    syncQueue.addOperation(sync)
    return sync
  }

  /// Runs a sync on the stack's queue and waits for its result.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidRequest`` when the operation has run
  ///   already or is about to; errors of the sync.
  @discardableResult
  public func sync(_ sync: Sync) async throws -> SyncReport {
    try sync.claimRun(on: syncQueue)
    return try await sync.value(on: syncQueue)
  }

  // MARK: - By convention

  /// Brings the stored objects of an entity in step with JSON, on the stack's
  /// ``DataStack/syncQueue``, as the form for a serializer does.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil
  ) async throws -> SyncReport {
    try await sync(
      changes, with: Conventional(entityName), predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations, at: path)
  }

  /// Brings the stored objects of an entity in step with JSON, now, on the calling thread, as the
  /// form for a serializer does.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil
  ) throws -> SyncReport {
    try sync(
      changes, with: Conventional(entityName), predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations, at: path)
  }

  /// Brings the stored objects of an entity in step with JSON, on the stack's
  /// ``DataStack/syncQueue``.
  ///
  /// - Parameter completion: Called on the main queue, with the error if there was one.
  /// - Returns: The operation, to be observed or cancelled.
  @discardableResult
  public func sync(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil,
    completion: (@Sendable ((any Error)?) -> Void)?
  ) -> Sync {
    sync(
      changes, with: Conventional(entityName), predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations, at: path
    ) { completion?($0.error) }
  }
}

/// The types that calls that sync below a parent take as its relationship to the items: a name, or
/// the description.
public protocol RelationshipNameConvertible: Sendable {
  /// The name of the relationship, at either end.
  var relationshipName: String { get }
}

extension String: RelationshipNameConvertible {
  public var relationshipName: String { self }
}

extension RelationshipDescription: RelationshipNameConvertible {
  public var relationshipName: String { name }
}
