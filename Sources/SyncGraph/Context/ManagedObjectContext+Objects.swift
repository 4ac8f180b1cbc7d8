public import SyncCore
import SyncStore

extension ManagedObjectContext {
  // MARK: - Inserting

  /// Makes a new object of the entity that the class stands for, with the model's default values.
  ///
  /// - Precondition: The model has that entity, it is not abstract, and the class fits it.
  public func insert<Object: ManagedObject>(_ type: Object.Type) -> Object {
    enter()
    let binding = insertableBinding(type)
    guard let object = insert(binding) as? Object else {
      programmingError("\(binding.type) stands for \(type.entityName), not \(type).")
    }
    return object
  }

  /// The class binding for new objects of a class.
  func insertableBinding(_ type: ManagedObject.Type) -> ClassBinding {
    do {
      return try bind(type)
    } catch {
      programmingError("\(error)")
    }
  }

  /// Makes a new object of an entity, with the model's default values.
  ///
  /// - Throws: ``ModelError`` when the model has no entity of that name, ``GraphError`` when it is
  ///   abstract.
  public func insert(entityNamed name: String) throws -> ManagedObject {
    enter()
    let entity = try model.requireEntity(named: name)
    guard !entity.isAbstract else {
      let subentities = entity.familyEntities.filter { !$0.isAbstract }.map(\.name)
      throw GraphError(
        .unsupported, entity: name,
        message: "\(name) is abstract. Insert one of \(subentities.joined(separator: ", ")).")
    }
    return insert(bindings[entity.index])
  }

  private func insert(_ binding: ClassBinding) -> ManagedObject {
    let object = WrapperConstruction.make(binding.type, newSeed(binding))
    insert(object, binding)
    return object
  }

  /// The seed of a new object.
  func newSeed(_ binding: ClassBinding) -> ObjectSeed {
    let entity = binding.shape.entity
    require(
      !entity.isAbstract, "\(entity.name) is abstract. Insert an object of one of its subentities.")
    return ObjectSeed(home: homes.home(binding, in: self), row: core.nextTemporaryRow())
  }

  /// Takes a new object in.
  func insert(_ object: ManagedObject, _ binding: ClassBinding) {
    object.row = .own(binding.shape.defaults)
    object.flags.insert(.new)
    identities.insert(object)
    pending.setInserted(object, true)
    noteChange(of: object)
    insertions += 1
    defer { insertions -= 1 }
    require(
      insertions <= 200,
      """
      awakeFromInsert() of \(binding.type) inserts objects whose awakeFromInsert() inserts objects, 200 \
      deep. Insert there only what does not do the same.
      """)
    object.awakeFromInsert()
  }

  // MARK: - Finding

  /// The object of an identifier, as a fault when it was not loaded yet. Reads nothing: whether
  /// there still is such an object shows when a value is read.
  ///
  /// - Precondition: The identifier is from this stack, and permanent unless the object was made in
  ///   this context or in one that it is a child of.
  public func object(with id: ManagedObjectID) -> ManagedObject {
    enter()
    require(
      id.entity.model === model, "\(id) is an identifier of another model. Use its own stack.")
    let row = current(id.row)
    if let known = identities.object(root: id.entity.rootIndex, row: row) { return known }
    require(
      isReadable(row),
      """
      \(id) is a temporary identifier that only its own context and the children of that know. Save \
      first, then hand the new objectID over.
      """)
    return object(id.entity, row)
  }

  /// The object of an identifier, read from the store unless it is loaded.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/notFound`` when there is none or it was
  ///   deleted.
  public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
    enter()
    let wanted = current(id.row)
    let known = identities.object(root: id.entity.rootIndex, row: wanted)
    if let known, !known.isFault, !known.isKnownDeleted { return known }
    if known?.isKnownDeleted != true, isReadable(wanted), id.entity.model === model,
      let row = try readRows(id.entity.rootEntity, [wanted]).first,
      let object = objects(of: [row]).first
    {
      return object
    }
    throw GraphError(
      .notFound, entity: id.entity.name, objects: [id],
      message: "There is no object \(id). It was deleted, or never saved.")
  }

  /// The object of an identifier as its class, read from the store unless it is loaded.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/notFound`` when there is none or it was
  ///   deleted, with ``GraphError/Code/classMismatch`` when it is of another class.
  public func existingObject<Object: ManagedObject>(
    with id: ManagedObjectID, as type: Object.Type
  ) throws -> Object {
    if type != ManagedObject.self { _ = try bind(type) }
    return try existingObject(with: id).typed(as: type)
  }

  // MARK: - Classes

  /// The class binding for a class that a program mentions.
  ///
  /// - Throws: ``GraphError`` when the class does not fit.
  func bind(_ type: ManagedObject.Type) throws -> ClassBinding {
    if let entity = model.entity(named: type.entityName), bindings[entity.index].type == type {
      return bindings[entity.index]
    }
    let binding = try core.classes.bind(type)
    bindings = core.classes.current
    return binding
  }

  /// Objects as the class that was asked for.
  ///
  /// - Complexity: O(*n*); casts once where objects of one class stand together, not each object.
  func typed<Object: ManagedObject>(_ objects: [ManagedObject]) throws -> [Object] {
    // All empty arrays share one count, which the thread sanitizer would see written below.
    if objects.isEmpty { return [] }
    var known: ManagedObject.Type?
    for object in objects where type(of: object) != known {
      _ = try object.typed(as: Object.self)
      known = type(of: object)
    }
    return [Object](unsafeUninitializedCapacity: objects.count) { buffer, count in
      for object in objects {
        // Of a class that was cast above.
        buffer.initializeElement(at: count, to: unsafeDowncast(object, to: Object.self))
        count += 1
      }
    }
  }

  // MARK: - Changes

  /// Takes notice of a change to an object: it counts as updated as long as it differs from the
  /// store.
  ///
  /// - Parameter slot: the slot that changed; nil when all did.
  func noteChange(of object: ManagedObject, _ slot: Int? = nil) {
    noteForChildren(object, slot)
    if !object.flags.contains(.inserted), !object.flags.contains(.deleted) {
      pending.setUpdated(object, !object.changed.isEmpty)
    }
    announce(object)
  }
}

extension ManagedObject {
  /// The object as the class that was asked for.
  package final func typed<Object: ManagedObject>(as type: Object.Type) throws -> Object {
    if let object = self as? Object { return object }
    throw GraphError(
      .classMismatch, entity: entity.name, objects: [objectID],
      message: """
        \(self) is not a \(type): it was loaded before that class was mentioned, or another \
        class stands for its entity. Name the classes when you make the stack: \
        DataStack(…, classes: [\(type).self]).
        """)
  }
}
