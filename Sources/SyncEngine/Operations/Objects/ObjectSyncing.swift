import SyncCore
public import SyncGraph

/// Where single objects are found, inserted, updated and deleted by their primary key: a context,
/// or a stack, which stands for its main context.
///
/// Keys may be given as numbers, texts or values of the key attribute's type: `6` and `"6"` are the
/// same key of a number attribute. Everything is called on the context's queue, and every call that
/// changes something saves the context: edits that were unsaved in it before, too. A child context
/// saves into its parent, so it can find and delete objects here; inserting and updating throws.
///
/// ```swift
/// let user: User? = try stack.fetch(6, inEntityNamed: "User")
/// try stack.insertOrUpdate(["id": 6, "name": "Ann"] as JSONValue, inEntityNamed: "User")
/// ```
public protocol ObjectSyncing {
  /// The context that the objects belong to.
  var objectContext: ManagedObjectContext { get }
}

extension ManagedObjectContext: ObjectSyncing {
  public var objectContext: ManagedObjectContext { self }
}

extension DataStack: ObjectSyncing {
  /// The main context.
  public var objectContext: ManagedObjectContext { mainContext }
}

extension ObjectSyncing {
  /// The first object of a primary key; nil when there is none.
  ///
  /// - Throws: ``SyncError`` when no attribute alone is the primary key or the caller is on the
  ///   wrong queue, ``ModelError`` when there is no such entity, ``GraphError`` when the object is
  ///   of another class.
  public func fetch<Object: ManagedObject>(
    _ id: Any, inEntityNamed entityName: String
  ) throws -> Object? {
    try ObjectSync(objectContext, entityName).fetch(id)
  }

  /// The first object of a primary key; nil when there is none.
  ///
  /// - Throws: as the generic form.
  public func fetch(_ id: Any, inEntityNamed entityName: String) throws -> ManagedObject? {
    try ObjectSync(objectContext, entityName).fetch(id)
  }

  /// Updates all objects of the primary key that the JSON gives, or inserts one when there is none.
  /// Relationships are synced, and the context is saved.
  ///
  /// - Parameter changes: One JSON object.
  /// - Returns: The first object of that key.
  /// - Throws: ``SyncError``, among it ``SyncError/Code/missingKey``; ``ModelError`` when there is
  ///   no such entity; errors of saving.
  @discardableResult
  public func insertOrUpdate<Object: ManagedObject>(
    _ changes: any SyncPayloadConvertible, inEntityNamed entityName: String
  ) throws -> Object {
    try ObjectSync(objectContext, entityName).insertOrUpdate(changes.syncPayload)
  }

  /// Updates all objects of the primary key that the JSON gives, or inserts one when there is none.
  ///
  /// - Returns: The first object of that key.
  /// - Throws: as the generic form.
  @discardableResult
  public func insertOrUpdate(
    _ changes: any SyncPayloadConvertible, inEntityNamed entityName: String
  ) throws -> ManagedObject {
    try ObjectSync(objectContext, entityName).insertOrUpdate(changes.syncPayload)
  }

  /// Updates the objects of a primary key. The JSON may give a new key, which they take.
  /// Relationships are synced, and the context is saved.
  ///
  /// - Parameter changes: One JSON object.
  /// - Returns: The first object; nil, with nothing changed, when there is none.
  /// - Throws: ``SyncError``, ``ModelError`` when there is no such entity, errors of saving.
  @discardableResult
  public func update<Object: ManagedObject>(
    _ id: Any, with changes: any SyncPayloadConvertible, inEntityNamed entityName: String
  ) throws -> Object? {
    try ObjectSync(objectContext, entityName).update(id, with: changes.syncPayload)
  }

  /// Updates the objects of a primary key. The JSON may give a new key, which they take.
  ///
  /// - Returns: The first object; nil, with nothing changed, when there is none.
  /// - Throws: as the generic form.
  @discardableResult
  public func update(
    _ id: Any, with changes: any SyncPayloadConvertible, inEntityNamed entityName: String
  ) throws -> ManagedObject? {
    try ObjectSync(objectContext, entityName).update(id, with: changes.syncPayload)
  }

  /// Deletes all objects of a primary key, by the model's delete rules, and saves the context. It
  /// is no error when there is none.
  ///
  /// - Throws: ``SyncError``, ``ModelError`` when there is no such entity, ``GraphError`` when a
  ///   delete rule forbids it; nothing is deleted then.
  public func delete(_ id: Any, inEntityNamed entityName: String) throws {
    try ObjectSync<ManagedObject>(objectContext, entityName).delete(id)
  }
}
