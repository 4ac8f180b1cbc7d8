import SyncCore
import SyncGraph

/// Finds, inserts, updates and deletes objects of one entity by their primary key, in a context.
struct ObjectSync<Object: ManagedObject> {
  let context: ManagedObjectContext
  let entity: EntityDescription
  let plan: MappingPlan
  let key: ObjectKey

  /// - Throws: ``SyncError`` when the caller is not on the context's queue or the entity has no
  ///   primary key, ``ModelError`` when there is no such entity.
  init(_ context: ManagedObjectContext, _ entityName: String) throws {
    try context.requireCurrent()
    try context.learn(Object.self)
    self.context = context
    entity = try context.model.requireEntity(named: entityName)
    plan = context.mappingPlans.plan(for: entity)
    key = try ObjectKey(plan)
  }

  func fetch(_ id: Any) throws -> Object? {
    try objects(id, limit: 1).first?.typed(as: Object.self)
  }

  func insertOrUpdate(_ changes: SyncPayload) throws -> Object {
    try requireKeeping()
    let item = try changes.singleObject()
    guard let key = try ItemValues(item, plan: plan).key?.value else {
      throw SyncError(
        .missingKey, entity: entity.name, property: plan.rootNode.identityName, path: "$",
        message: """
          The JSON has no readable \(plan.rootNode.identityText), so its object of “\(entity.name)” is \
          unknown.
          """)
    }
    try context.saveIfChanged()
    let known = try objects(key)
    try store(item, in: known.count > 1 ? known : [])
    guard let object = try known.first ?? objects(key, limit: 1).first else {
      throw SyncError(
        .objectNotFound, entity: entity.name, key: key.description,
        message: "\(entity.name) \(key) was deleted as soon as it had been stored.")
    }
    return try object.typed(as: Object.self)
  }

  func update(_ id: Any, with changes: SyncPayload) throws -> Object? {
    try requireKeeping()
    guard try !objects(id, limit: 1).isEmpty else { return nil }
    let item = try changes.singleObject()
    try context.saveIfChanged()
    let known = try objects(id)
    guard let first = known.first else { return nil }
    try store(item, in: known)
    return try first.typed(as: Object.self)
  }

  func delete(_ id: Any) throws {
    try context.saveIfChanged()
    let known = try objects(id)
    guard !known.isEmpty else { return }
    do {
      for object in known { context.delete(object) }
      try context.save()
    } catch {
      context.rollback()
      throw error
    }
  }

  /// The objects of a key in the order of insertion, unsaved changes considered.
  private func objects(_ id: Any, limit: Int? = nil) throws -> [ManagedObject] {
    guard let value = try key.value(of: id) else { return [] }
    return try context.fetch(
      Fetch<ManagedObject>(entityNamed: entity.name, .compare([key.name], .equal, value))
        .limit(limit))
  }

  private func store(_ item: JSONValue, in objects: [ManagedObject]) throws {
    _ = try context.run(
      SyncRequest(object: item, plan: plan, rows: objects.map(\.objectID.row)))
  }

  private func requireKeeping() throws {
    guard context.parent == nil else {
      throw SyncError(
        .invalidRequest, entity: entity.name,
        message: """
          A child context saves into its parent, not into the store, so an object cannot be stored \
          through it. Fetch or insert one and use fill(with:), or use a context without a parent.
          """)
    }
    guard context.keepsNothing else { return }
    throw SyncError(
      .invalidRequest, entity: entity.name,
      message: """
        A disposable context keeps nothing, so an object cannot be stored through it. Insert one and use \
        fill(with:), or use another context.
        """)
  }
}
