public import SyncGraph

/// Single objects by their primary key, in class form; see ``ObjectSyncing``.
extension Sync {
  /// The first object of a primary key; nil when there is none.
  public static func fetch<Object: ManagedObject>(
    _ id: Any, inEntityNamed entityName: String, using context: ManagedObjectContext
  ) throws -> Object? {
    try context.fetch(id, inEntityNamed: entityName)
  }

  /// The first object of a primary key; nil when there is none.
  public static func fetch(
    _ id: Any, inEntityNamed entityName: String, using context: ManagedObjectContext
  ) throws -> ManagedObject? {
    try context.fetch(id, inEntityNamed: entityName)
  }

  /// Updates all objects of the primary key that the JSON gives, or inserts one when there is none.
  @discardableResult
  public static func insertOrUpdate<Object: ManagedObject>(
    _ changes: any SyncPayloadConvertible, inEntityNamed entityName: String,
    using context: ManagedObjectContext
  ) throws -> Object {
    try context.insertOrUpdate(changes, inEntityNamed: entityName)
  }

  /// Updates all objects of the primary key that the JSON gives, or inserts one when there is none.
  @discardableResult
  public static func insertOrUpdate(
    _ changes: any SyncPayloadConvertible, inEntityNamed entityName: String,
    using context: ManagedObjectContext
  ) throws -> ManagedObject {
    try context.insertOrUpdate(changes, inEntityNamed: entityName)
  }

  /// Updates the objects of a primary key; nil, with nothing changed, when there is none.
  @discardableResult
  public static func update<Object: ManagedObject>(
    _ id: Any, with changes: any SyncPayloadConvertible, inEntityNamed entityName: String,
    using context: ManagedObjectContext
  ) throws -> Object? {
    try context.update(id, with: changes, inEntityNamed: entityName)
  }

  /// Updates the objects of a primary key; nil, with nothing changed, when there is none.
  @discardableResult
  public static func update(
    _ id: Any, with changes: any SyncPayloadConvertible, inEntityNamed entityName: String,
    using context: ManagedObjectContext
  ) throws -> ManagedObject? {
    try context.update(id, with: changes, inEntityNamed: entityName)
  }

  /// Deletes all objects of a primary key.
  public static func delete(
    _ id: Any, inEntityNamed entityName: String, using context: ManagedObjectContext
  ) throws {
    try context.delete(id, inEntityNamed: entityName)
  }
}
