import SyncStore
import TestSupport

/// The oracle's model and state, as a store has them.
extension DeleteOracle {
  func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Self.entities.map { entity in
        var properties: [PropertyDraft] = []
        for relation in relations {
          if relation.source == entity { properties.append(sourceProperty(relation)) }
          if relation.target == entity, relation.hasInverse {
            properties.append(targetProperty(relation))
          }
        }
        return EntityDraft(entity, properties)
      })
  }

  private func sourceProperty(_ relation: Relation) -> PropertyDraft {
    let inverse = relation.hasInverse ? relation.targetName : nil
    switch relation.kind {
    case .oneToOne, .oneWay:
      return .toOne(
        relation.sourceName, to: relation.target, inverse: inverse, deleteRule: relation.sourceRule)
    case .oneToMany, .manyToMany, .oneWayToMany:
      return .toMany(
        relation.sourceName, to: relation.target, inverse: inverse, deleteRule: relation.sourceRule)
    }
  }

  private func targetProperty(_ relation: Relation) -> PropertyDraft {
    if relation.kind == .manyToMany {
      return .toMany(
        relation.targetName, to: relation.source, inverse: relation.sourceName,
        deleteRule: relation.targetRule)
    }
    return .toOne(
      relation.targetName, to: relation.source, inverse: relation.sourceName,
      deleteRule: relation.targetRule)
  }

  func fill(_ store: Store) throws {
    try store.write { transaction in
      for entity in Self.entities {
        let sorted = objects.filter { $0.key.entity == entity }.sorted { $0.key < $1.key }
        try transaction.insert(entity, sorted.map { $0.value.mapValues { .int($0) } })
      }
      for relation in relations {
        let entity = try store.model.requireEntity(named: relation.source)
        guard let relationship = entity.relationship(named: relation.sourceName),
          let pairs = links[relation.index]
        else { continue }
        try transaction.addLinks(
          relationship, of: entity, pairs: pairs.map { ($0.source, $0.target) })
      }
    }
  }

  /// Objects with their to-one values, then pairs of links, as sorted lines.
  var state: [String] {
    var lines = objects.map { object, values in
      let fields = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      return "\(object) \(fields.joined(separator: " "))"
    }
    for (index, pairs) in links { lines += pairs.map { "link \(index) \($0.source) \($0.target)" } }
    return lines.sorted()
  }

  func state(of store: Store) throws -> [String] {
    try store.read { reader in
      var lines: [String] = []
      for entity in reader.model.entities {
        try reader.scan(entity, .all) { cursor in
          let fields = entity.relationships.filter { !$0.isToMany }.sorted { $0.name < $1.name }
            .compactMap { relationship in
              cursor.integer(relationship.slot).map { "\(relationship.name)=\($0)" }
            }
          lines.append("\(entity.name)/\(cursor.row) \(fields.joined(separator: " "))")
        }
      }
      for relation in relations where [.manyToMany, .oneWayToMany].contains(relation.kind) {
        let entity = try reader.model.requireEntity(named: relation.source)
        guard let relationship = entity.relationship(named: relation.sourceName) else { continue }
        let members = try reader.members(
          of: relationship, in: entity, owners: (1...8).map { Int64($0) })
        lines += members.map { "link \(relation.index) \($0.owner) \($0.row)" }
      }
      return lines.sorted()
    }
  }
}
