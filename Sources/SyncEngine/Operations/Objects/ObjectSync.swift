import SyncCore
import SyncGraph

/// Finds, inserts, updates and deletes objects of one entity by their primary key, in a context.
struct ObjectSync {
  let context: ManagedObjectContext
  let entity: EntityDescription
  let plan: MappingPlan

  /// - Throws: ``SyncError`` when the caller is not on the context's queue or the entity has no
  ///   primary key, ``ModelError`` when there is no such entity.
  init(
    _ context: ManagedObjectContext, _ entityName: String,
    learning type: ManagedObject.Type = ManagedObject.self
  ) throws {
    try context.requireCurrent()
    try context.learn(type)
    self.context = context
    entity = try context.model.requireEntity(named: entityName)
    plan = context.mappingPlans.plan(for: entity)
    guard !plan.rootNode.identity.isEmpty else { throw SyncError.noPrimaryKey(entityName) }
  }

  /// The objects of a key in the order of insertion, unsaved changes considered.
  func objects(_ id: Any, limit: Int? = nil) throws -> [ManagedObject] {
    let key = try ObjectKey(id, plan: plan)
    guard let value = key.value else { return [] }
    return try context.fetch(
      Fetch<ManagedObject>(entityNamed: entity.name, .compare([key.name], .equal, value))
        .limit(limit))
  }

  func insertOrUpdate(_ changes: SyncPayload) throws -> ManagedObject {
    try requireKeeping()
    let item = try changes.singleObject()
    let slot = plan.rootNode.identity[0]
    guard let key = try ItemValues(item, plan: plan)[slot], !key.isNull else {
      throw SyncError(
        .missingKey, entity: entity.name, property: plan.rootNode.identityName, path: "$",
        message: """
          The JSON has no readable \(plan.rootNode.identityText), so its object of “\(entity.name)” is \
          unknown.
          """)
    }
    try context.saveIfChanged()
    let known = try objects(key)
    var request = request(item)
    request.settings.operations.insert(.insert)
    if known.count > 1 { request.targets = known.map(\.objectID.row) }
    _ = try context.run(request)
    if let first = known.first { return first }
    guard let object = try objects(key, limit: 1).first else {
      throw SyncError(
        .objectNotFound, entity: entity.name, key: key.description,
        message: "\(entity.name) \(key) was deleted as soon as it had been stored.")
    }
    return object
  }

  func update(_ id: Any, with changes: SyncPayload) throws -> ManagedObject? {
    try requireKeeping()
    guard try !objects(id, limit: 1).isEmpty else { return nil }
    let item = try changes.singleObject()
    try context.saveIfChanged()
    let known = try objects(id)
    guard let first = known.first else { return nil }
    var request = request(item)
    request.targets = known.map(\.objectID.row)
    _ = try context.run(request)
    return first
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

  /// The relationships of the object are synced with everything allowed; other objects of the
  /// entity stay as they are.
  private func request(_ item: JSONValue) -> SyncRequest {
    var request = SyncRequest(plan: plan, payload: .json(item))
    request.settings.operations = SyncOperations.all.subtracting([.insert, .delete])
    // There is nothing but this one item to go on with.
    request.hooks.onRejected = { item, _ in throw item.reason }
    return request
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

/// A primary-key value as a program gives it, in the form in which the store keeps keys of an
/// entity.
struct ObjectKey {
  let name: String

  /// The stored form; nil when no object can have such a key.
  let value: Value?

  /// - Parameter id: a number, a text, a date or another value that the key attribute holds, or a
  ///   form of it that JSON may give: `"6"` for 6.
  /// - Throws: ``SyncError`` when the entity has no primary key, or the value is of a type that no
  ///   key has.
  init(_ id: Any, plan: MappingPlan) throws {
    let node = plan.rootNode
    guard let slot = node.identity.first, let rule = node.attributeRule(forSlot: slot) else {
      throw SyncError.noPrimaryKey(node.entity.name)
    }
    name = node.attributes[rule].name
    guard let given = try ObjectKey.stored(id, node) else {
      value = nil
      return
    }
    let arena = CellArena()
    // A transformer turns JSON into keys; the given value is a key already.
    let converter = ValueConverter(node.attributes[rule].type)
    guard case .cell(let cell) = converter.cell(for: given, arena: arena), !cell.isEmpty else {
      value = nil
      return
    }
    value = cell.value(as: node.attributes[rule].type)
  }

  private static func stored(_ id: Any, _ node: PlanNode) throws -> Value? {
    if let value = id as? Value { return value }
    if let value = id as? JSONValue { return Value(json: value) }
    // Boxed numbers and the like are told apart by the reader of JSON trees.
    if !(type(of: id) is AnyClass), !(id is any CodableValue),
      let value = id as? any ValueConvertible
    {
      return value.storedValue
    }
    switch try? JSONValue(id) {
    case .array?, .object?, nil:
      throw SyncError(
        .typeMismatch, entity: node.entity.name, property: node.identityName,
        message: """
          A value of the type \(type(of: id)) cannot be a key of “\(node.entity.name)”. Give a number, \
          a text, or a value of the key attribute's type.
          """)
    case let json?: return json.isNull ? nil : Value(json: json)
    }
  }
}
