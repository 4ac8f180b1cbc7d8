import SyncCore

/// The identity of an object in the oracle: table and row; new objects have negative rows.
struct OracleID: Hashable, Comparable {
  let root: Int
  let row: Int64

  var isNew: Bool { row < 0 }

  static func < (left: OracleID, right: OracleID) -> Bool {
    // New objects come after stored ones, in the order in which they were made.
    (left.root, left.isNew ? 1 : 0, abs(left.row))
      < (right.root, right.isNew ? 1 : 0, abs(right.row))
  }
}

/// One object of the oracle: attributes and relationships by name, nothing shared, nothing clever.
struct OracleObject {
  var entity: EntityDescription
  var attributes: [String: Value] = [:]
  var toOne: [String: OracleID] = [:]
  var toMany: [String: [OracleID]] = [:]

  var key: Value { entity.primaryKey.map { attributes[$0.name] ?? .null } ?? .null }
}

/// An object graph over dictionaries that keeps both sides of every relationship.
struct OracleGraph {
  var objects: [OracleID: OracleObject] = [:]
  private var made: Int64 = 0

  subscript(id: OracleID) -> OracleObject {
    get { objects[id]! }
    set { objects[id] = newValue }
  }

  /// Objects of an entity and its subentities in the order of insertion.
  func all(_ entity: EntityDescription) -> [OracleID] {
    objects.filter { $0.value.entity.isKind(of: entity) }.keys.sorted()
  }

  mutating func make(_ entity: EntityDescription) -> OracleID {
    made += 1
    let id = OracleID(root: entity.rootIndex, row: -made)
    var object = OracleObject(entity: entity)
    for attribute in entity.attributes where !attribute.defaultValue.isNull {
      object.attributes[attribute.name] = attribute.defaultValue
    }
    objects[id] = object
    return id
  }

  /// Makes a new object one of a subentity.
  mutating func specialise(_ id: OracleID, to entity: EntityDescription) {
    guard let known = objects[id]?.entity else { return }
    objects[id]?.entity = entity
    for attribute in entity.attributes
    where known.attributes.allSatisfy({ $0.name != attribute.name })
      && !attribute.defaultValue.isNull
    {
      objects[id]?.attributes[attribute.name] = attribute.defaultValue
    }
  }

  // MARK: - Relationships

  func members(_ relationship: RelationshipDescription, of id: OracleID) -> [OracleID] {
    if relationship.isToMany { return self[id].toMany[relationship.name] ?? [] }
    return self[id].toOne[relationship.name].map { [$0] } ?? []
  }

  /// Links two objects on both sides; to-one sides let go of their objects before.
  mutating func link(
    _ relationship: RelationshipDescription, of id: OracleID, to other: OracleID
  ) {
    guard !members(relationship, of: id).contains(other) else { return }
    let inverse = self[id].entity.inverse(of: relationship)
    if !relationship.isToMany, let old = self[id].toOne[relationship.name] {
      unlink(relationship, of: id, from: old)
    }
    if let inverse, !inverse.isToMany, let old = self[other].toOne[inverse.name] {
      unlink(inverse, of: other, from: old)
    }
    put(other, into: relationship, of: id)
    if let inverse, !members(inverse, of: other).contains(id) { put(id, into: inverse, of: other) }
  }

  mutating func unlink(
    _ relationship: RelationshipDescription, of id: OracleID, from other: OracleID
  ) {
    let inverse = self[id].entity.inverse(of: relationship)
    take(other, from: relationship, of: id)
    if let inverse, objects[other] != nil { take(id, from: inverse, of: other) }
  }

  private mutating func put(
    _ other: OracleID, into relationship: RelationshipDescription, of id: OracleID
  ) {
    if relationship.isToMany {
      self[id].toMany[relationship.name, default: []].append(other)
    } else {
      self[id].toOne[relationship.name] = other
    }
  }

  private mutating func take(
    _ other: OracleID, from relationship: RelationshipDescription, of id: OracleID
  ) {
    if relationship.isToMany {
      self[id].toMany[relationship.name]?.removeAll { $0 == other }
    } else if self[id].toOne[relationship.name] == other {
      self[id].toOne[relationship.name] = nil
    }
  }

  // MARK: - Deleting

  /// Deletes an object by the delete rules of the model. Objects that are protected are not reached
  /// by a cascade: they only forget the owner.
  mutating func delete(_ id: OracleID, protecting: Set<OracleID>) {
    guard let object = objects[id] else { return }
    var cascade: [OracleID] = []
    for relationship in object.entity.relationships {
      for other in members(relationship, of: id) {
        unlink(relationship, of: id, from: other)
        if relationship.deleteRule == .cascade, other != id, !protecting.contains(other) {
          cascade.append(other)
        }
      }
    }
    objects[id] = nil
    // Relationships without inverse may still lead here.
    for (source, holder) in objects where holder.refers(to: id) {
      for relationship in holder.entity.relationships {
        take(id, from: relationship, of: source)
      }
    }
    for other in cascade { delete(other, protecting: protecting) }
  }
}

extension OracleObject {
  func refers(to id: OracleID) -> Bool {
    toOne.values.contains(id) || toMany.values.contains { $0.contains(id) }
  }
}
