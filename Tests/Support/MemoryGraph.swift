package import SyncCore

/// An object with values and relationships, without a store.
package final class MemoryObject: FilterSubject {
  package let entity: EntityDescription
  package let row: Int64
  package var values: [Value]
  package var references: [Int: MemoryObject] = [:]
  package var members: [Int: [MemoryObject]] = [:]

  init(entity: EntityDescription, row: Int64) {
    self.entity = entity
    self.row = row
    values = Array(repeating: .null, count: entity.properties.count)
  }

  package var id: ManagedObjectID { ManagedObjectID(entity: entity, row: row) }
  package var filterRow: Int64 { row }
  package func filterValue(at slot: Int) -> Value { values[slot] }
  package func filterReference(at slot: Int) -> Int64? { references[slot]?.row }
  package func filterObject(at slot: Int) -> (any FilterSubject)? { references[slot] }
  package func filterMembers(at slot: Int) -> [any FilterSubject] { members[slot] ?? [] }
}

/// Objects of a model, both sides of their relationships kept at once.
package final class MemoryGraph {
  package let model: ManagedObjectModel
  package private(set) var objects: [MemoryObject] = []
  private var nextRows: [Int: Int64] = [:]

  package init(model: ManagedObjectModel) { self.model = model }

  /// Adds an object with values by key.
  @discardableResult
  package func add(_ entityName: String, _ values: [String: Value] = [:]) throws -> MemoryObject {
    let entity = try model.requireEntity(named: entityName)
    let row = nextRows[entity.rootIndex, default: 1]
    nextRows[entity.rootIndex] = row + 1
    let object = MemoryObject(entity: entity, row: row)
    for (key, value) in values {
      guard let attribute = entity.attribute(named: key) else {
        throw ModelError(.unknownProperty, message: "\(entityName) has no attribute \(key)")
      }
      object.values[attribute.slot] = value
    }
    objects.append(object)
    return object
  }

  /// The objects of an entity and its subentities, oldest first.
  package func all(_ entity: EntityDescription, includesSubentities: Bool = true) -> [MemoryObject]
  {
    objects.filter {
      includesSubentities ? $0.entity.isKind(of: entity) : $0.entity == entity
    }
  }

  /// Connects two objects, and the other way round.
  package func connect(_ owner: MemoryObject, _ key: String, _ member: MemoryObject) {
    guard let relationship = owner.entity.relationship(named: key) else { return }
    let inverse = owner.entity.inverse(of: relationship)
    // The former destination of a to-one forgets its owner.
    if !relationship.isToMany, let old = owner.references[relationship.slot] {
      disconnect(old, inverse, owner)
    }
    if let inverse, !inverse.isToMany, let old = member.references[inverse.slot] {
      disconnect(old, relationship, member)
    }
    set(owner, relationship, member)
    if let inverse { set(member, inverse, owner) }
  }

  private func set(
    _ owner: MemoryObject, _ relationship: RelationshipDescription, _ member: MemoryObject
  ) {
    if !relationship.isToMany {
      owner.references[relationship.slot] = member
    } else if owner.members[relationship.slot]?.contains(where: { $0 === member }) != true {
      owner.members[relationship.slot, default: []].append(member)
    }
  }

  private func disconnect(
    _ owner: MemoryObject, _ relationship: RelationshipDescription?, _ member: MemoryObject
  ) {
    guard let relationship else { return }
    if relationship.isToMany {
      owner.members[relationship.slot]?.removeAll { $0 === member }
    } else {
      owner.references[relationship.slot] = nil
    }
  }
}
