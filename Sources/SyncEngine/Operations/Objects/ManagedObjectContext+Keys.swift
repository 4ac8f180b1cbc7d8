public import SyncCore
public import SyncGraph
import SyncStore

extension ManagedObjectContext {
  /// The first object of a primary key; without a key, the object that a parent's to-one
  /// relationship leads to.
  ///
  /// - Parameters:
  ///   - localPrimaryKey: The key; nil looks at the parent.
  ///   - parentRelationshipName: A to-one relationship of the parent.
  /// - Throws: ``SyncError``, ``ModelError`` when there is no such entity.
  public func safeObject(
    _ entityName: String, localPrimaryKey: Any?, parent: ManagedObject? = nil,
    parentRelationshipName: String? = nil
  ) throws -> ManagedObject? {
    if let localPrimaryKey { return try fetch(localPrimaryKey, inEntityNamed: entityName) }
    let entity = try model.requireEntity(named: entityName)
    guard let parent, let name = parentRelationshipName else { return nil }
    try requireCurrent()
    guard let relationship = parent.entity.property(named: name)?.relationship,
      !relationship.isToMany
    else {
      throw SyncError(
        .unknownProperty, entity: parent.entity.name, property: name,
        message: "“\(parent.entity.name)” has no to-one relationship “\(name)”.")
    }
    let object = parent.value(forKey: name) as? ManagedObject
    return object?.entity.isKind(of: entity) == true ? object : nil
  }

  /// The identifiers of the saved objects of an entity by the value of an attribute. Objects
  /// without a value are left out.
  ///
  /// - Parameters:
  ///   - attributeName: The attribute, usually the primary key.
  ///   - predicate: Which objects are meant; nil is all.
  ///   - removesDuplicates: Whether of several objects of one value all but the first are deleted
  ///     in the context, to be saved with its other changes.
  /// - Throws: ``SyncError`` when there is no such attribute or the caller is on the wrong queue,
  ///   ``ModelError`` when there is no such entity, ``FilterError``, errors of the store.
  /// - Complexity: O(*n*) in the objects that are meant.
  public func managedObjectIDs(
    in entityName: String, usingAsKey attributeName: String, predicate: Filter? = nil,
    removesDuplicates: Bool = true
  ) throws -> [Value: ManagedObjectID] {
    try requireCurrent()
    let entity = try model.requireEntity(named: entityName)
    guard let attribute = entity.property(named: attributeName)?.attribute, !attribute.isTransient
    else {
      let names = entity.attributes.map(\.name).joined(separator: ", ")
      throw SyncError(
        .unknownProperty, entity: entityName, property: attributeName,
        message: "“\(entityName)” has no stored attribute “\(attributeName)”. It has \(names).")
    }
    var result: [Value: ManagedObjectID] = [:]
    var duplicates: [ManagedObjectID] = []
    let selection = predicate.map { RowSelection.filter($0) } ?? .all
    try store.read { reader in
      try reader.scan(entity, selection, slots: [attribute.slot]) { cursor in
        let value = cursor.value(attribute.slot)
        guard !value.isNull else { return }
        let id = ManagedObjectID(entity: cursor.entity, row: cursor.row)
        if result[value] == nil { result[value] = id } else { duplicates.append(id) }
      }
    }
    if removesDuplicates {
      for id in duplicates { delete(object(with: id)) }
    }
    return result
  }
}
