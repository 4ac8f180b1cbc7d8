import SyncStack

/// Graphs in lines of text, to compare them and to show how they differ.
extension OracleGraph {
  /// A line for each object that does not depend on the row numbers of new objects: objects that
  /// `before` had are told apart by row, others by entity, key and links.
  func lines(since before: OracleGraph) -> [String] {
    func name(_ id: OracleID) -> String {
      let row = before.objects[id].map { _ in "#\(id.row)" } ?? " new"
      return objects[id].map { "\($0.entity.name)\(row)(\($0.key))" } ?? "?"
    }
    return objects.map { id, object in
      let values = object.entity.properties.compactMap { property in
        // Where both sides are ordered, each appends to the other: an order that no payload gave.
        text(property, of: id, name) { $0.isOrdered && $0.kind == .oneToMany }
          .map { "\(property.name)=\($0)" }
      }
      return "\(name(id)) \(values.joined(separator: " "))"
    }.sorted()
  }

  /// The changes since an earlier graph, a line for each object: `+ User 3` with the key of a new
  /// one, `~ User #5 name notes` and `- User #6` with the rows of others.
  func changes(since before: OracleGraph) -> [String] {
    let gone = before.objects.filter { objects[$0.key] == nil }
    let changed = objects.compactMap { id, object -> String? in
      guard before.objects[id] != nil else { return "+ \(object.entity.name) \(object.key)" }
      let names = object.entity.properties.filter {
        text($0, of: id) != before.text($0, of: id)
      }.map(\.name)
      if names.isEmpty { return nil }
      return "~ \(object.entity.name) #\(id.row) \(names.joined(separator: " "))"
    }
    return (changed + gone.map { "- \($1.entity.name) #\($0.row)" }).sorted()
  }

  /// The value of a property, or the objects that it leads to; nil when there is none.
  private func text(
    _ property: PropertyDescription, of id: OracleID, _ name: (OracleID) -> String = { "\($0)" },
    isOrdered: (RelationshipDescription) -> Bool = \.isOrdered
  ) -> String? {
    switch property {
    case .attribute(let attribute):
      return objects[id]?.attributes[attribute.name].map { "\($0)" }
    case .relationship(let relationship):
      let members = members(OraclePlace(id, relationship)).map(name)
      if members.isEmpty { return nil }
      return "\(isOrdered(relationship) ? members : members.sorted())"
    }
  }

  /// Faults inside: repeated members, links that only one side knows, and links to nowhere.
  var inconsistencies: [String] {
    objects.flatMap { id, object in
      object.entity.relationships.compactMap { relationship in
        let place = OraclePlace(id, relationship)
        let (members, inverse) = (members(place), inverse(place))
        let isRight =
          Set(members).count == members.count
          && members.allSatisfy { other in
            objects[other] != nil
              && inverse.map { self.members(OraclePlace(other, $0)).contains(id) } ?? true
          }
        return isRight ? nil : "\(object.entity.name).\(relationship.name) of \(id): \(members)"
      }
    }.sorted()
  }
}

extension ChangeSet {
  /// The lines of ``OracleGraph/changes(since:)``.
  var lines: [String] {
    entities.flatMap { changes in
      let name = changes.entity.name
      let inserted = changes.inserted.enumerated().map { position, _ in
        "+ \(name) \(position < changes.insertedKeys.count ? changes.insertedKeys[position] : .null)"
      }
      let updated = changes.updated.map { row, slots in
        let names = slots.map { changes.entity.properties[$0].name }
        return "~ \(name) #\(row) \(names.joined(separator: " "))"
      }
      return inserted + updated + changes.deleted.map { "- \(name) #\($0)" }
    }.sorted()
  }
}

extension SyncReport {
  /// How many lines there are of each kind and entity, as `+ User`, by the counts.
  var lineCounts: [String: Int] {
    entities.reduce(into: [:]) { counts, entity in
      let (name, report) = entity
      counts["+ \(name)"] = report.inserted
      counts["~ \(name)"] = report.updated
      counts["- \(name)"] = report.deleted
    }.filter { $0.value > 0 }
  }
}
