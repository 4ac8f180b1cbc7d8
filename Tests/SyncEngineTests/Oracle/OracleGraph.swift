import SyncStack

/// The identity of an object in the oracle: table and row.
struct OracleID: Hashable, Comparable {
  let root: Int
  let row: Int64

  static func < (left: OracleID, right: OracleID) -> Bool {
    (left.root, left.row) < (right.root, right.row)
  }
}

/// An object in a relationship: as the owner of the relationship, or as a member of any owner's.
struct OraclePlace: Hashable {
  let object: OracleID
  let relationship: RelationshipDescription

  init(_ object: OracleID, _ relationship: RelationshipDescription) {
    (self.object, self.relationship) = (object, relationship)
  }

  static func == (left: OraclePlace, right: OraclePlace) -> Bool {
    left.object == right.object && left.relationship.name == right.relationship.name
      && left.relationship.declaringIndex == right.relationship.declaringIndex
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(object)
    hasher.combine(relationship.name)
  }
}

/// One object of the oracle: attributes and relationships by name, nothing shared, nothing clever.
struct OracleObject {
  var entity: EntityDescription
  var attributes: [String: Value] = [:]
  /// The objects that each relationship leads to, at most one where it is to-one.
  var links: [String: [OracleID]] = [:]

  var key: Value { entity.primaryKey.flatMap { attributes[$0.name] } ?? .null }

  /// The objects that the to-one relationships lead to.
  var owners: [String: [OracleID]] {
    links.filter { entity.relationship(named: $0.key)?.isToMany == false && !$0.value.isEmpty }
  }
}

/// An object graph over dictionaries that keeps both sides of every relationship.
struct OracleGraph {
  var objects: [OracleID: OracleObject] = [:]
  /// The last row of each table that was ever used.
  private var lastRows: [Int: Int64] = [:]

  init() {}

  /// Reads a whole store.
  init(_ store: Store) throws {
    try store.read { reader in
      for entity in store.model.entities where entity.superentity == nil {
        try reader.scan(entity, .all) { cursor in
          let row = try cursor.storedRow()
          var object = OracleObject(entity: row.entity)
          for attribute in row.entity.attributes where !row.values[attribute.slot].isNull {
            object.attributes[attribute.name] = row.values[attribute.slot]
          }
          objects[OracleID(root: entity.rootIndex, row: row.row)] = object
          lastRows[entity.rootIndex] = max(row.row, lastRows[entity.rootIndex] ?? 0)
        }
      }
      for entity in store.model.entities {
        let owners = objects.filter { $0.value.entity == entity }.keys.map(\.row)
        for relationship in entity.relationships {
          for member in try reader.members(of: relationship, in: entity, owners: owners) {
            let owner = OracleID(root: entity.rootIndex, row: member.owner)
            self[owner].links[relationship.name, default: []].append(
              OracleID(root: member.entity.rootIndex, row: member.row))
          }
        }
      }
    }
  }

  subscript(id: OracleID) -> OracleObject {
    get { objects[id]! }
    set { objects[id] = newValue }
  }

  /// Objects of an entity and its subentities, of one key or of any, in the order of insertion.
  func all(_ entity: EntityDescription, key: Value? = nil) -> [OracleID] {
    objects.filter { $0.value.entity.isKind(of: entity) && (key == nil || $0.value.key == key) }
      .keys.sorted()
  }

  mutating func make(_ entity: EntityDescription) -> OracleID {
    lastRows[entity.rootIndex, default: 0] += 1
    let id = OracleID(root: entity.rootIndex, row: lastRows[entity.rootIndex, default: 0])
    objects[id] = OracleObject(entity: entity)
    for attribute in entity.attributes where !attribute.defaultValue.isNull {
      self[id].attributes[attribute.name] = attribute.defaultValue
    }
    return id
  }

  // MARK: - Relationships

  /// The objects that a relationship leads to; none when the object is not there.
  func members(_ place: OraclePlace) -> [OracleID] {
    objects[place.object]?.links[place.relationship.name] ?? []
  }

  func destination(_ place: OraclePlace) -> EntityDescription {
    self[place.object].entity.destination(of: place.relationship)
  }

  func inverse(_ place: OraclePlace) -> RelationshipDescription? {
    self[place.object].entity.inverse(of: place.relationship)
  }

  /// Links two objects on both sides; to-one sides let go of their objects before.
  mutating func link(_ place: OraclePlace, to other: OracleID) {
    guard !members(place).contains(other) else { return }
    let back = inverse(place).map { OraclePlace(other, $0) }
    for place in [place, back].compactMap(\.self) where !place.relationship.isToMany {
      unlinkAll(place)
    }
    append(other, to: place)
    if let back, !members(back).contains(place.object) { append(place.object, to: back) }
  }

  private mutating func append(_ other: OracleID, to place: OraclePlace) {
    self[place.object].links[place.relationship.name, default: []].append(other)
  }

  mutating func unlink(_ place: OraclePlace, from other: OracleID) {
    objects[place.object]?.links[place.relationship.name]?.removeAll { $0 == other }
    if let inverse = inverse(place) {
      objects[other]?.links[inverse.name]?.removeAll { $0 == place.object }
    }
  }

  mutating func unlinkAll(_ place: OraclePlace) {
    for other in members(place) { unlink(place, from: other) }
  }

  /// Puts the members of an ordered relationship that are there into an order; the others follow.
  mutating func arrange(_ place: OraclePlace, as order: [OracleID]) {
    guard place.relationship.isOrdered else { return }
    let members = members(place)
    self[place.object].links[place.relationship.name] =
      order.filter(members.contains) + members.filter { !order.contains($0) }
  }

  /// Deletes an object by the delete rules of the model. Objects that are protected are not reached
  /// by a cascade: they only forget the owner.
  mutating func delete(_ id: OracleID, protecting: Set<OracleID>) {
    guard let object = objects[id] else { return }
    var cascade: [OracleID] = []
    for place in object.entity.relationships.map({ OraclePlace(id, $0) }) {
      if place.relationship.deleteRule == .cascade { cascade += members(place) }
      unlinkAll(place)
    }
    objects[id] = nil
    // Relationships without inverse may still lead here.
    for (source, holder) in objects {
      for name in holder.links.keys { objects[source]?.links[name]?.removeAll { $0 == id } }
    }
    for other in cascade where !protecting.contains(other) {
      delete(other, protecting: protecting)
    }
  }
}
