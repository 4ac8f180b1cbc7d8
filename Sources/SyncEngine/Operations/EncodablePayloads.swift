public import SyncCore
public import SyncGraph

// The calls that sync, for `Encodable` values as they are: one that encodes to an object, or a list of
// those. They are disfavoured because text, bytes, addresses of files and dictionaries are encodable
// too, and mean the JSON that they stand for.

extension DataStack {
  /// Brings the stored objects of an entity in step with values, on the stack's
  /// ``DataStack/syncQueue``.
  ///
  /// ```swift
  /// try await stack.sync(users, inEntityNamed: "User")   // struct User: Encodable
  /// ```
  ///
  /// - Throws: ``JSONError`` when they cannot be encoded; otherwise as the sync of other payloads.
  @_disfavoredOverload
  @discardableResult
  public func sync(
    _ values: some Encodable, inEntityNamed entityName: String, predicate: Filter? = nil,
    parent: ManagedObject? = nil, parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil
  ) async throws -> SyncReport {
    try await sync(
      SyncPayload.encodable(values), inEntityNamed: entityName, predicate: predicate,
      parent: parent, parentRelationship: parentRelationship, operations: operations, at: path)
  }

  /// Brings the stored objects of an entity in step with values, now, on the calling thread.
  ///
  /// - Throws: ``JSONError`` when they cannot be encoded; otherwise as the sync of other payloads.
  @_disfavoredOverload
  @discardableResult
  public func sync(
    _ values: some Encodable, inEntityNamed entityName: String, predicate: Filter? = nil,
    parent: ManagedObject? = nil, parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil
  ) throws -> SyncReport {
    try sync(
      SyncPayload.encodable(values), inEntityNamed: entityName, predicate: predicate,
      parent: parent, parentRelationship: parentRelationship, operations: operations, at: path)
  }

  /// Brings the stored objects of an entity in step with values, on the stack's
  /// ``DataStack/syncQueue``.
  ///
  /// - Parameter completion: Called on the main queue, with the error if there was one.
  /// - Returns: The operation, to be observed or cancelled.
  @_disfavoredOverload
  @discardableResult
  public func sync(
    _ values: some Encodable, inEntityNamed entityName: String, predicate: Filter? = nil,
    parent: ManagedObject? = nil, parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all, at path: JSONPath? = nil,
    completion: (@Sendable ((any Error)?) -> Void)?
  ) -> Sync {
    sync(
      SyncPayload.encodable(values), inEntityNamed: entityName, predicate: predicate,
      parent: parent, parentRelationship: parentRelationship, operations: operations, at: path,
      completion: completion)
  }
}

extension ManagedObjectContext {
  /// Brings the stored objects of an entity in step with values, on the context's queue, which the
  /// caller has to be on.
  ///
  /// - Throws: ``JSONError`` when they cannot be encoded; otherwise as the sync of other payloads.
  @_disfavoredOverload
  @discardableResult
  public func sync(
    _ values: some Encodable, inEntityNamed entityName: String, predicate: Filter? = nil,
    parent: ManagedObject? = nil, parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all
  ) throws -> SyncReport {
    try sync(
      SyncPayload.encodable(values), inEntityNamed: entityName, predicate: predicate,
      parent: parent, parentRelationship: parentRelationship, operations: operations)
  }

  /// Brings the stored objects of an entity in step with values, from any thread.
  ///
  /// - Throws: ``JSONError`` when they cannot be encoded; otherwise as the sync of other payloads.
  @_disfavoredOverload
  @discardableResult
  public func sync(
    _ values: some Encodable, inEntityNamed entityName: String, predicate: Filter? = nil,
    parent: ManagedObject? = nil, parentRelationship: (any RelationshipNameConvertible)? = nil,
    operations: SyncOperations = .all
  ) async throws -> SyncReport {
    try await sync(
      SyncPayload.encodable(values), inEntityNamed: entityName, predicate: predicate,
      parent: parent, parentRelationship: parentRelationship, operations: operations)
  }
}

extension SyncSession {
  /// Syncs a page of values on the stack's queue and waits for it.
  ///
  /// - Throws: ``JSONError`` when they cannot be encoded; otherwise as the sync of other pages.
  @_disfavoredOverload
  @discardableResult
  public func sync(
    _ values: some Encodable, named name: String? = nil, at path: JSONPath? = nil
  ) async throws -> SyncReport {
    try await sync(SyncPayload.encodable(values), named: name, at: path)
  }
}
