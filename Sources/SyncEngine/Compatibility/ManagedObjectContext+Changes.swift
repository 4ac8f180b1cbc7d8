public import SyncCore
public import SyncGraph

/// Syncs of a context by their older name. The parameters are those of `DataStack.sync`.
extension ManagedObjectContext {
  /// Brings the stored objects of an entity in step with JSON: another name of
  /// ``sync(_:inEntityNamed:predicate:parent:parentRelationship:operations:completion:)``.
  public func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, completion: (((any Error)?) -> Void)?
  ) {
    sync(
      changes, inEntityNamed: entityName, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations, completion: completion)
  }

  /// Brings the stored objects of an entity in step with JSON: another name of
  /// `sync(_:inEntityNamed:predicate:parent:parentRelationship:operations:)`.
  @discardableResult
  public func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all
  ) throws -> SyncReport {
    try sync(
      changes, inEntityNamed: entityName, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations)
  }

  /// Brings the stored objects of an entity in step with JSON, from any thread: another name of the
  /// asynchronous form of `sync`.
  @discardableResult
  public func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all
  ) async throws -> SyncReport {
    try await sync(
      changes, inEntityNamed: entityName, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations)
  }
}
