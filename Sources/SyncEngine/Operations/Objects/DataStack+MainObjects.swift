public import SyncGraph

/// Single objects by their primary key, in the main context: the forms that return objects. They are of the
/// main actor, so that elsewhere they do not compile instead of failing at run time; the `async` forms of the
/// same names work in the background and return primary keys.
extension DataStack {
  /// Updates all objects of the primary key that the JSON gives, or inserts one when there is none, in the
  /// main context, which is saved.
  ///
  /// - Returns: The first object of that key.
  /// - Throws: As ``ObjectSyncing``'s form.
  @MainActor @discardableResult
  public func insertOrUpdate<Object: ManagedObject>(
    _ changes: any SyncPayloadConvertible, inEntityNamed entityName: String
  ) throws -> Object {
    try mainContext.insertOrUpdate(changes, inEntityNamed: entityName)
  }

  /// Updates all objects of the primary key that the JSON gives, or inserts one when there is none, in the
  /// main context, which is saved.
  ///
  /// - Returns: The first object of that key.
  /// - Throws: As ``ObjectSyncing``'s form.
  @MainActor @discardableResult
  public func insertOrUpdate(
    _ changes: any SyncPayloadConvertible, inEntityNamed entityName: String
  ) throws -> ManagedObject {
    try mainContext.insertOrUpdate(changes, inEntityNamed: entityName)
  }

  /// Updates the objects of a primary key in the main context, which is saved.
  ///
  /// - Returns: The first object; nil, with nothing changed, when there is none.
  /// - Throws: As ``ObjectSyncing``'s form.
  @MainActor @discardableResult
  public func update<Object: ManagedObject>(
    _ id: Any, with changes: any SyncPayloadConvertible, inEntityNamed entityName: String
  ) throws -> Object? {
    try mainContext.update(id, with: changes, inEntityNamed: entityName)
  }

  /// Updates the objects of a primary key in the main context, which is saved.
  ///
  /// - Returns: The first object; nil, with nothing changed, when there is none.
  /// - Throws: As ``ObjectSyncing``'s form.
  @MainActor @discardableResult
  public func update(
    _ id: Any, with changes: any SyncPayloadConvertible, inEntityNamed entityName: String
  ) throws -> ManagedObject? {
    try mainContext.update(id, with: changes, inEntityNamed: entityName)
  }
}
