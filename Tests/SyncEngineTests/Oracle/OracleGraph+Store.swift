import SyncStack

extension OracleGraph {
  /// Reads a whole store.
  init(_ store: Store) throws {
    self.init()
    try store.read { reader in
      for entity in store.model.entities where entity.superentity == nil {
        try reader.scan(entity, .all) { cursor in
          let row = try cursor.storedRow()
          var object = OracleObject(entity: row.entity)
          for attribute in row.entity.attributes where !row.values[attribute.slot].isNull {
            object.attributes[attribute.name] = row.values[attribute.slot]
          }
          objects[OracleID(root: row.entity.rootIndex, row: row.row)] = object
        }
      }
      for entity in store.model.entities {
        let owners = objects.filter { $0.value.entity == entity }.keys.map(\.row)
        for relationship in entity.relationships {
          for member in try reader.members(of: relationship, in: entity, owners: owners) {
            let owner = OracleID(root: entity.rootIndex, row: member.owner)
            let id = OracleID(root: member.entity.rootIndex, row: member.row)
            if relationship.isToMany {
              self[owner].toMany[relationship.name, default: []].append(id)
            } else {
              self[owner].toOne[relationship.name] = id
            }
          }
        }
      }
    }
  }

  /// Faults inside: links that only one side knows, and links to nowhere.
  var inconsistencies: [String] {
    var result: [String] = []
    for (id, object) in objects {
      for relationship in object.entity.relationships {
        let members = members(relationship, of: id)
        if Set(members).count != members.count {
          result.append("\(object.entity.name).\(relationship.name) of \(id.row) repeats members")
        }
        for member in members {
          guard objects[member] != nil else {
            result.append("\(object.entity.name).\(relationship.name) of \(id.row) leads nowhere")
            continue
          }
          if let inverse = object.entity.inverse(of: relationship),
            !self.members(inverse, of: member).contains(id)
          {
            result.append(
              "\(object.entity.name).\(relationship.name) of \(id.row) is not known at "
                + "\(member.row)")
          }
        }
      }
    }
    return result.sorted()
  }

  /// The graph as lines that do not depend on the row numbers of new objects: objects that `before`
  /// had are told apart by row, others by entity, key and links.
  func lines(since before: OracleGraph) -> [String] {
    var names: [OracleID: String] = [:]
    for (id, object) in objects {
      names[id] =
        before.objects[id] != nil
        ? "\(object.entity.name)#\(id.row)(\(object.key))"
        : "new \(object.entity.name)(\(object.key))"
    }
    return objects.keys.map { line($0, names) }.sorted()
  }

  private func line(_ id: OracleID, _ names: [OracleID: String]) -> String {
    let object = self[id]
    var parts = [names[id] ?? "?"]
    for property in object.entity.properties {
      switch property {
      case .attribute(let attribute):
        if let value = object.attributes[attribute.name] {
          parts.append("\(attribute.name)=\(value)")
        }
      case .relationship(let relationship):
        let members = members(relationship, of: id).map { names[$0] ?? "?" }
        if members.isEmpty { continue }
        // Where both sides are ordered, each appends to the other: an order that no payload gave.
        let isOrdered = relationship.isOrdered && relationship.kind == .oneToMany
        let list = isOrdered ? members : members.sorted()
        parts.append("\(relationship.name)=[\(list.joined(separator: ","))]")
      }
    }
    return parts.joined(separator: " ")
  }

  /// The differences from an earlier graph: names of inserted objects by entity and key, the
  /// changed properties of each stored one, and the rows that are gone.
  func changes(since before: OracleGraph) -> OracleChanges {
    var changes = OracleChanges()
    for (id, object) in objects {
      guard let old = before.objects[id] else {
        changes.inserted.append("\(object.entity.name)(\(object.key))")
        continue
      }
      let slots = object.entity.properties.filter { property in
        switch property {
        case .attribute(let attribute):
          return object.attributes[attribute.name] != old.attributes[attribute.name]
        case .relationship(let relationship):
          let (now, then) = (members(relationship, of: id), before.members(relationship, of: id))
          return relationship.isOrdered ? now != then : Set(now) != Set(then)
        }
      }
      if !slots.isEmpty {
        changes.updated["\(object.entity.name)#\(id.row)"] = slots.map(\.name)
      }
    }
    for (id, object) in before.objects where objects[id] == nil {
      changes.deleted.append("\(object.entity.name)#\(id.row)")
    }
    changes.inserted.sort()
    changes.deleted.sort()
    return changes
  }
}

/// A change set in the oracle's terms.
struct OracleChanges: Equatable, CustomStringConvertible {
  var inserted: [String] = []
  var updated: [String: [String]] = [:]
  var deleted: [String] = []

  init() {}

  init(_ changes: ChangeSet) {
    for changes in changes.entities {
      let name = changes.entity.name
      for (position, _) in changes.inserted.enumerated() {
        let key = position < changes.insertedKeys.count ? changes.insertedKeys[position] : .null
        inserted.append("\(name)(\(key))")
      }
      for (row, slots) in changes.updated {
        updated["\(name)#\(row)"] = slots.map { changes.entity.properties[$0].name }
      }
      deleted += changes.deleted.map { "\(name)#\($0)" }
    }
    inserted.sort()
    deleted.sort()
  }

  /// How many objects of each entity were inserted, updated and deleted.
  var counts: [String: [Int]] {
    var result: [String: [Int]] = [:]
    func add(_ name: String, _ end: Character, _ position: Int) {
      let entity = String(name.prefix { $0 != end })
      result[entity, default: [0, 0, 0]][position] += 1
    }
    for name in inserted { add(name, "(", 0) }
    for name in updated.keys { add(name, "#", 1) }
    for name in deleted { add(name, "#", 2) }
    return result
  }

  var description: String {
    let updates = updated.sorted { $0.key < $1.key }
      .map { "\($0.key): \($0.value.joined(separator: " "))" }
    return "+\(inserted) ~\(updates) -\(deleted)"
  }
}
