import Dispatch
public import SyncCore
public import SyncGraph

/// Single objects by their primary key, in the background. Objects do not leave their context, so
/// the results are primary keys.
extension DataStack {
  /// Updates all objects of the primary key that the JSON gives, or inserts one when there is none,
  /// in a new background context.
  ///
  /// - Returns: The primary key of the object.
  @discardableResult
  public func insertOrUpdate(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String
  ) async throws -> Value {
    try await performBackgroundTask(operation: storing(changes, entityName))
  }

  /// Updates all objects of the primary key that the JSON gives, or inserts one when there is none,
  /// in a new background context.
  ///
  /// - Parameter completion: Called on the main queue, with the primary key of the object.
  public func insertOrUpdate(
    _ changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    completion: @escaping @Sendable (SyncResult<Value>) -> Void
  ) {
    inBackground(completion, storing(changes, entityName))
  }

  /// Updates the objects of a primary key in a new background context.
  ///
  /// - Returns: The primary key afterwards.
  /// - Throws: ``SyncError`` with ``SyncError/Code/objectNotFound`` when there is no such object.
  @discardableResult
  public func update(
    _ id: Any, with changes: some SyncPayloadConvertible, inEntityNamed entityName: String
  ) async throws -> Value {
    try await performBackgroundTask(operation: updating(id, with: changes, entityName))
  }

  /// Updates the objects of a primary key in a new background context.
  ///
  /// - Parameter completion: Called on the main queue, with the primary key afterwards; it is a
  ///   failure when there is no such object.
  public func update(
    _ id: Any, with changes: some SyncPayloadConvertible, inEntityNamed entityName: String,
    completion: @escaping @Sendable (SyncResult<Value>) -> Void
  ) {
    inBackground(completion, updating(id, with: changes, entityName))
  }

  /// Deletes all objects of a primary key in a new background context.
  public func delete(_ id: Any, inEntityNamed entityName: String) async throws {
    try await performBackgroundTask(operation: deleting(id, entityName))
  }

  /// Deletes all objects of a primary key in a new background context.
  ///
  /// - Parameter completion: Called on the main queue, with the error if there was one.
  public func delete(
    _ id: Any, inEntityNamed entityName: String,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    inBackground({ completion($0.error) }, deleting(id, entityName))
  }

  private typealias Work<Result> = @Sendable (ManagedObjectContext) throws -> Result

  private func storing(
    _ changes: some SyncPayloadConvertible, _ entityName: String
  ) -> Work<Value> {
    let payload = changes.syncPayload
    return { try $0.insertOrUpdate(payload, inEntityNamed: entityName).primaryKey }
  }

  /// The update of objects that have to be there.
  private func updating(
    _ id: Any, with changes: some SyncPayloadConvertible, _ entityName: String
  ) -> Work<Value> {
    let payload = changes.syncPayload
    let given = key(id, entityName)
    return { context in
      let key = try given.get()
      guard let object = try context.update(key, with: payload, inEntityNamed: entityName) else {
        throw SyncError(
          .objectNotFound, entity: entityName, key: key.description,
          message: """
            There is no object of “\(entityName)” with the key \(key). Use insertOrUpdate to make one.
            """)
      }
      return object.primaryKey
    }
  }

  private func deleting(_ id: Any, _ entityName: String) -> Work<Void> {
    let given = key(id, entityName)
    return { try $0.delete(given.get(), inEntityNamed: entityName) }
  }

  /// A key in its stored form, which may cross threads.
  private func key(_ id: Any, _ entityName: String) -> SyncResult<Value> {
    SyncResult {
      let plan = mappingPlans.plan(for: try model.requireEntity(named: entityName))
      return try ObjectKey(plan).value(of: id) ?? .null
    }
  }

  private func inBackground<Result: Sendable>(
    _ completion: @escaping @Sendable (SyncResult<Result>) -> Void, _ work: @escaping Work<Result>
  ) {
    performInNewBackgroundContext { context in
      let result = SyncResult { try work(context) }
      DispatchQueue.main.async { completion(result) }
    }
  }
}

extension ManagedObject {
  /// The value of the primary key.
  fileprivate var primaryKey: Value {
    entity.primaryKey.map { storedValue(forKey: $0.name) } ?? .null
  }
}

/// Single objects by their primary key, in the main context: the forms that return objects. They
/// are of the main actor, so that elsewhere they do not compile instead of failing at run time; the
/// `async` forms of the same names work in the background and return primary keys.
extension DataStack {
  /// Updates all objects of the primary key that the JSON gives, or inserts one when there is none,
  /// in the main context, which is saved.
  ///
  /// - Returns: The first object of that key.
  /// - Throws: As ``ObjectSyncing``'s form.
  @MainActor @discardableResult
  public func insertOrUpdate<Object: ManagedObject>(
    _ changes: any SyncPayloadConvertible, inEntityNamed entityName: String
  ) throws -> Object {
    try mainContext.insertOrUpdate(changes, inEntityNamed: entityName)
  }

  /// Updates all objects of the primary key that the JSON gives, or inserts one when there is none,
  /// in the main context, which is saved.
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
