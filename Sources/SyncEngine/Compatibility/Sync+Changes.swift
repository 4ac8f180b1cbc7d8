public import SyncCore
public import SyncGraph

/// Syncs in one call, in class form. The parameters are those of `DataStack.sync`.
extension Sync {
  // MARK: - On the stack's queue

  /// Brings the stored objects of an entity in step with JSON, on the stack's queue.
  ///
  /// - Parameter completion: Called on the main queue, with the error if there was one.
  /// - Returns: The operation, to be observed or cancelled.
  @discardableResult
  public static func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    dataStack: DataStack, operations: SyncOperations = .all,
    completion: (@Sendable ((any Error)?) -> Void)?
  ) -> Sync {
    dataStack.sync(
      changes, inEntityNamed: entityName, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations, completion: completion)
  }

  /// Brings the stored objects of an entity in step with JSON, on the stack's queue.
  @discardableResult
  public static func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    dataStack: DataStack, operations: SyncOperations = .all
  ) async throws -> SyncReport {
    try await dataStack.sync(
      changes, inEntityNamed: entityName, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations)
  }

  /// Brings the stored objects of an entity in step with JSON, now, on the calling thread.
  @discardableResult
  public static func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    dataStack: DataStack, operations: SyncOperations = .all
  ) throws -> SyncReport {
    try dataStack.sync(
      changes, inEntityNamed: entityName, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations)
  }

  // MARK: - With options as a number

  /// Brings the stored objects of an entity in step with JSON, on the stack's queue.
  ///
  /// - Parameter completion: Called on the main queue, with the error if there was one.
  /// - Returns: The operation, to be observed or cancelled.
  @discardableResult
  public static func compatibleChanges(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, dataStack: DataStack, operations: CompatibleOperationOptions,
    completion: (@Sendable ((any Error)?) -> Void)?
  ) -> Sync {
    dataStack.sync(
      changes, inEntityNamed: entityName, predicate: predicate,
      operations: operations.operations, completion: completion)
  }

  /// Brings the stored objects of an entity in step with JSON, on the stack's queue.
  @discardableResult
  public static func compatibleChanges(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, dataStack: DataStack, operations: CompatibleOperationOptions
  ) async throws -> SyncReport {
    try await dataStack.sync(
      changes, inEntityNamed: entityName, predicate: predicate,
      operations: operations.operations)
  }

  /// Brings the stored objects of an entity in step with JSON, now, on the calling thread.
  @discardableResult
  public static func compatibleChanges(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, dataStack: DataStack, operations: CompatibleOperationOptions
  ) throws -> SyncReport {
    try dataStack.sync(
      changes, inEntityNamed: entityName, predicate: predicate,
      operations: operations.operations)
  }

  // MARK: - By the name of the container

  /// Brings the stored objects of an entity in step with JSON, on the stack's queue: the stack
  /// takes the place of a persistent container.
  ///
  /// - Parameter completion: Called on the main queue, with the error if there was one.
  /// - Returns: The operation, to be observed or cancelled.
  @discardableResult
  public static func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, persistentContainer: DataStack, operations: SyncOperations = .all,
    completion: (@Sendable ((any Error)?) -> Void)?
  ) -> Sync {
    persistentContainer.sync(
      changes, inEntityNamed: entityName, predicate: predicate, operations: operations,
      completion: completion)
  }

  /// Brings the stored objects of an entity in step with JSON, on the stack's queue.
  @discardableResult
  public static func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, persistentContainer: DataStack, operations: SyncOperations = .all
  ) async throws -> SyncReport {
    try await persistentContainer.sync(
      changes, inEntityNamed: entityName, predicate: predicate, operations: operations)
  }

  /// Brings the stored objects of an entity in step with JSON, now, on the calling thread.
  @discardableResult
  public static func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, persistentContainer: DataStack, operations: SyncOperations = .all
  ) throws -> SyncReport {
    try persistentContainer.sync(
      changes, inEntityNamed: entityName, predicate: predicate, operations: operations)
  }

  // MARK: - In a context

  /// Brings the stored objects of an entity in step with JSON, immediately on the calling thread,
  /// which has to be the context's queue.
  ///
  /// - Parameter completion: Called before the call returns, with the error if there was one.
  public static func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    inContext context: ManagedObjectContext, operations: SyncOperations = .all,
    completion: (((any Error)?) -> Void)?
  ) {
    context.sync(
      changes, inEntityNamed: entityName, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations, completion: completion)
  }

  /// Brings the stored objects of an entity in step with JSON, immediately on the calling thread,
  /// which has to be the context's queue.
  @discardableResult
  public static func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    inContext context: ManagedObjectContext, operations: SyncOperations = .all
  ) throws -> SyncReport {
    try context.sync(
      changes, inEntityNamed: entityName, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations)
  }

  /// Brings the stored objects of an entity in step with JSON, from any thread; the context has
  /// merged the result when the call returns.
  @discardableResult
  public static func changes(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    predicate: Filter? = nil, parent: ManagedObject? = nil,
    parentRelationship: (any RelationshipNameConvertible)? = nil,
    inContext context: ManagedObjectContext, operations: SyncOperations = .all
  ) async throws -> SyncReport {
    try await context.sync(
      changes, inEntityNamed: entityName, predicate: predicate, parent: parent,
      parentRelationship: parentRelationship, operations: operations)
  }
}
