public import SyncCore
import SyncStore

/// Requests over many rows that make no objects and are committed at once.
///
/// ```swift
/// try context.batchUpdate(Fetch<User>("age < 18"), ["status": "minor"])
/// try context.batchDelete(Fetch<Note>("user == nil"))
/// ```
///
/// Each is one transaction, like a save of its own: others merge it, live results and notifications
/// tell of it, and this context has merged it when the call returns. Unsaved changes stay as they
/// are: which rows are meant is decided by the store, and unsaved values stay on top of the new
/// rows. A child context runs them through the context at the root: they write to the store, not
/// into its parent. Types, those of the class too, required values and uniqueness are checked;
/// limits and patterns of the model and the hooks of classes are not.
extension ManagedObjectContext {
  /// Sets attributes of all objects that a fetch means. Rows that have the values already are left
  /// alone.
  ///
  /// - Returns: how many rows changed.
  /// - Throws: ``GraphError`` for a value that the attribute cannot hold, otherwise as
  ///   ``fetch(_:)`` and ``save()``.
  @discardableResult
  public func batchUpdate<Object: ManagedObject>(
    _ request: Fetch<Object>, _ values: [String: (any ValueConvertible)?]
  ) throws -> Int {
    enter()
    let plan = try plan(request)
    let wanted = try batchValues(values, of: plan.entity, core.attributeChecks(of: plan.entity))
    return try writeBatch { transaction in
      let rows = try transaction.fetch(plan)
      // Rows written together: objects of one entity in which the same values differ.
      let groups = Dictionary(grouping: rows.indices) { index in
        let row = rows[index]
        return [row.entity.index]
          + wanted.filter { row.values[$0.slot] != $0.value }.map(\.slot)
      }
      var count = 0
      for (key, group) in groups.sorted(on: { $0.value[0] }) where key.count > 1 {
        let values = wanted.filter { key.dropFirst().contains($0.slot) }
        try transaction.write(values, to: group.map { rows[$0].row }, of: rows[group[0]].entity)
        count += group.count
      }
      return count
    }
  }

  /// Deletes all objects that a fetch means, with those that their delete rules take along.
  ///
  /// - Returns: how many objects went, those included.
  /// - Throws: as ``fetch(_:)``; `StoreError` when a deny rule forbids it; ``GraphError`` with
  ///   ``GraphError/Code/validation`` when an object that stays would lose the object that a
  ///   required relationship leads to. Nothing is deleted then.
  @discardableResult
  public func batchDelete<Object: ManagedObject>(_ request: Fetch<Object>) throws -> Int {
    enter()
    let plan = try plan(request)
    return try writeBatch { transaction in
      let rows = try transaction.fetchIdentifiers(plan).map(\.row).sorted()
      guard !rows.isEmpty else { return 0 }
      let count = try transaction.delete(rows, of: plan.entity).count
      try RequiredReferences(transaction: transaction).check(withNew: false)
      return count
    }
  }

  /// Inserts an object of the class for each item, with the model's default values for attributes
  /// that an item lacks.
  ///
  /// - Returns: their identifiers, in the order of the items.
  /// - Throws: ``GraphError`` for an abstract entity, a value that an attribute cannot hold and a
  ///   required one that is missing, otherwise as ``save()``.
  @discardableResult
  public func batchInsert<Object: ManagedObject>(
    _ type: Object.Type, _ items: [[String: (any ValueConvertible)?]]
  ) throws -> [ManagedObjectID] {
    enter()
    return try batchInsert(try bind(type).shape, items)
  }

  /// Inserts an object of the entity for each item; see ``batchInsert(_:_:)``.
  @discardableResult
  public func batchInsert(
    entityNamed name: String, _ items: [[String: (any ValueConvertible)?]]
  ) throws -> [ManagedObjectID] {
    enter()
    return try batchInsert(bindings[try model.requireEntity(named: name).index].shape, items)
  }

  private func batchInsert(
    _ shape: EntityShape, _ items: [[String: (any ValueConvertible)?]]
  ) throws -> [ManagedObjectID] {
    let entity = shape.entity
    guard !entity.isAbstract else {
      throw GraphError(
        .unsupported, entity: entity.name,
        message: "\(entity.name) is abstract. Insert objects of one of its subentities.")
    }
    if let relationship = entity.relationships.first(where: { !$0.mayBeEmpty }) {
      throw GraphError(
        .unsupported, entity: entity.name, key: relationship.name,
        message:
          "\(entity.name).\(relationship.name) is required, and a batch sets attributes only. "
          + "Insert objects with insert(_:) instead.")
    }
    guard !items.isEmpty else { return [] }
    let checks = core.attributeChecks(of: entity)
    let arena = CellArena()
    let block = RowBlock(width: shape.kinds.count, capacity: items.count)
    for item in items {
      var values = shape.defaults
      for value in try batchValues(item, of: entity, checks) { values[value.slot] = value.value }
      let cells = block[block.append()]
      for property in entity.properties where property.isColumn {
        if let attribute = property.attribute, values[property.slot].isNull,
          !attribute.isOptional || checks[property.slot]?.needsValue == true
        {
          throw required(attribute, entity)
        }
        cells[property.slot] = arena.cell(values[property.slot], as: property.attribute?.type)
      }
    }
    let first = try writeBatch { transaction in
      let first = try transaction.reserveRows(items.count, in: entity.rootEntity)
      try transaction.prepareBulkInsert(entity, count: items.count)
      try transaction.insert(
        block, of: entity, indexes: Array(0..<Int32(items.count)),
        rows: (0..<Int64(items.count)).map { first + $0 })
      return first
    }
    return (0..<Int64(items.count)).map { ManagedObjectID(entity: entity, row: first + $0) }
  }

  // MARK: - Writing

  /// Runs a transaction and merges it here, as others merge it.
  private func writeBatch<Result>(_ body: (StoreTransaction) throws -> Result) throws -> Result {
    announceChanges()
    var root = self
    while let next = root.parent { root = next }
    let info = TransactionInfo(author: author, contextName: name, origin: root.origin)
    let result = try root.queue.sync(isReading: true) { try root.writeBatch(info, body) }
    // A child hears of it like of any commit.
    if parent != nil { mergeInbox() }
    return result
  }

  private func writeBatch<Result>(
    _ info: TransactionInfo, _ body: (StoreTransaction) throws -> Result
  ) throws -> Result {
    let (result, changes): (Result, ChangeSet)
    do {
      (result, changes) = try core.storeForWriting("A batch was written").write(info) {
        transaction in
        transaction.refusal = core.saveCheck
        return try body(transaction)
      }
    } catch let error as StoreError where error.code == .notUnique {
      throw GraphError(.notUnique, entity: error.entity, message: error.message)
    }
    guard !changes.isEmpty else { return result }
    // The context's own batch overtakes none of its edits.
    let known = overtaken
    queue.closed {
      merge(changes)
      tellChildren(changes)
      settle()
    }
    overtaken = known
    announce(.merged(changes))
    postOutgoing()
    return result
  }

  private func batchValues(
    _ values: [String: (any ValueConvertible)?], of entity: EntityDescription,
    _ checks: [Int: AttributeCheck]
  ) throws -> [(slot: Int, value: Value)] {
    try values.inKeyOrder.map { key, value in
      guard let attribute = entity.attribute(named: key), !attribute.isTransient else {
        let names = entity.attributes.filter { !$0.isTransient }.map(\.name)
        throw GraphError(
          .unsupported, entity: entity.name, key: key,
          message:
            "\(entity.name) has no stored attribute “\(key)”, which is what a batch can set. "
            + "It has \(names.joined(separator: ", ")).")
      }
      let stored = value?.storedValue ?? .null
      guard let coerced = attribute.type.coerced(stored) else {
        throw GraphError(
          .validation, entity: entity.name, key: key,
          message: "\(entity.name).\(key) is of type \(attribute.type.rawValue) and cannot hold "
            + "“\(stored)”. Give a value of that type.")
      }
      if coerced.isNoNumber {
        throw GraphError(
          .validation, entity: entity.name, key: key,
          message: "\(entity.name).\(key) cannot hold “\(coerced)”: a store has no such number. "
            + "Give a number, or nil.")
      }
      if let refusal = checks[attribute.slot]?.refusal(of: coerced) {
        throw GraphError(
          .validation, entity: entity.name, key: key,
          message: "\(entity.name).\(key) cannot hold that: \(refusal). Give a value of that type.")
      }
      if coerced.isNull, !attribute.isOptional { throw required(attribute, entity) }
      return (attribute.slot, coerced)
    }
  }

  private func required(
    _ attribute: AttributeDescription, _ entity: EntityDescription
  ) -> GraphError {
    GraphError(
      .validation, entity: entity.name, key: attribute.name,
      message: "\(entity.name).\(attribute.name) is required. Give it a value.")
  }
}
