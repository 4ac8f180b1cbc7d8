import Foundation
import SyncStore
import TestSupport
import Testing

/// A model and its data in plain form, by marks that stay when names change.
struct MigrationSketch {
  struct Attribute {
    let mark: Int
    var name: String
    var former: String?
    var type: AttributeType
    var isOptional = true
    var initial: Value = .null
    /// Whether its type or whether it is required changed since the last version.
    var isChanged = false
  }

  struct Entity {
    let mark: Int
    var name: String
    var former: String?
    var parent: Int?
    var isAbstract = false
    var attributes: [Attribute] = []
  }

  /// One side of a relationship.
  struct Side {
    var entity: Int
    /// Nil is no relationship on this side.
    var name: String?
    var former: String?
    var isToMany: Bool
    var isOrdered = false
  }

  struct Bond {
    let mark: Int
    var near: Side
    var far: Side
  }

  struct Link: Hashable {
    var near: Int64
    var far: Int64
  }

  var entities: [Entity] = []
  var bonds: [Bond] = []
  /// Values by entity mark, row and attribute mark.
  var objects: [Int: [Int64: [Int: Value]]] = [:]
  /// Links by mark of the bond.
  var links: [Int: Set<Link>] = [:]
  var lastMark = 0

  init(_ random: inout SeededGenerator) {
    for _ in 0..<3 { addEntity() }
    for _ in 0..<5 { addAttribute(&random) }
    for _ in 0..<3 { addBond(&random) }
  }

  mutating func mark() -> Int {
    lastMark += 1
    return lastMark
  }

  func index(_ mark: Int) -> Int { entities.firstIndex { $0.mark == mark } ?? 0 }

  /// An entity with all below it.
  func family(_ mark: Int) -> [Int] {
    [mark] + entities.filter { $0.parent == mark }.flatMap { family($0.mark) }
  }

  func rows(_ mark: Int) -> [Int64] {
    family(mark).flatMap { objects[$0].map { Array($0.keys) } ?? [] }.sorted()
  }

  // MARK: - Model

  func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities.map { entity in
        var draft = EntityDraft(
          entity.name,
          entity.attributes.map {
            .attribute(
              $0.name, $0.type, isOptional: $0.isOptional, defaultValue: $0.initial,
              renamingIdentifier: $0.former)
          }, superentity: entity.parent.map { entities[index($0)].name },
          isAbstract: entity.isAbstract, renamingIdentifier: entity.former)
        for bond in bonds {
          for (side, other) in [(bond.near, bond.far), (bond.far, bond.near)]
          where side.entity == entity.mark {
            guard let name = side.name else { continue }
            draft.properties.append(
              .relationship(
                RelationshipDescription(
                  name, to: entities[index(other.entity)].name, inverse: other.name,
                  isToMany: side.isToMany, isOrdered: side.isOrdered,
                  renamingIdentifier: side.former)))
          }
        }
        return draft
      })
  }

  mutating func forgetFormerNames() {
    for index in entities.indices {
      entities[index].former = nil
      for other in entities[index].attributes.indices {
        entities[index].attributes[other].former = nil
        entities[index].attributes[other].isChanged = false
      }
    }
    for index in bonds.indices {
      bonds[index].near.former = nil
      bonds[index].far.former = nil
    }
  }

  // MARK: - Data

  /// Attributes of an entity with inherited ones.
  private func attributes(_ mark: Int) -> [Attribute] {
    let entity = entities[index(mark)]
    return (entity.parent.map(attributes) ?? []) + entity.attributes
  }

  mutating func fill(_ store: Store, _ random: inout SeededGenerator) throws {
    for entity in entities where !entity.isAbstract {
      let taken = Set(rows(root(entity.mark)))
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        var values: [Int: Value] = [:]
        var named: [String: Value] = [:]
        for attribute in attributes(entity.mark) {
          var value = RandomGraph.value(attribute.type, &random, canBeNull: attribute.isOptional)
          if "\(value)" == "-0.0" { value = .double(0) }
          values[attribute.mark] = value
          named[attribute.name] = value
        }
        let object = named
        let (inserted, _) = try store.write { try $0.insert(entity.name, [object]) }
        #expect(!taken.contains(inserted[0]))
        objects[entity.mark, default: [:]][inserted[0]] = values
      }
    }
    for bond in bonds { try link(bond, store, &random) }
  }

  private func root(_ mark: Int) -> Int { entities[index(mark)].parent.map(root) ?? mark }

  private mutating func link(_ bond: Bond, _ store: Store, _ random: inout SeededGenerator) throws {
    let (nears, fars) = (rows(bond.near.entity), rows(bond.far.entity))
    guard !nears.isEmpty, !fars.isEmpty else { return }
    for _ in 0..<4 {
      let link = Link(near: random.pick(nears), far: random.pick(fars))
      let held = links[bond.mark] ?? []
      if held.contains(link) { continue }
      if !bond.near.isToMany, held.contains(where: { $0.near == link.near }) { continue }
      if !bond.far.isToMany, bond.far.name != nil, held.contains(where: { $0.far == link.far }) {
        continue
      }
      let (near, far) = (
        entities[index(bond.near.entity)].name, entities[index(bond.far.entity)].name
      )
      // A to-one is a column, whose owner is written; both are when both are to-one.
      if let name = bond.near.name, !bond.near.isToMany {
        try store.link(near, name, [(link.near, link.far)])
      }
      if let name = bond.far.name, !bond.far.isToMany {
        try store.link(far, name, [(link.far, link.near)])
      }
      if let name = bond.near.name, bond.near.isToMany, bond.far.isToMany || bond.far.name == nil {
        try store.link(near, name, [(link.near, link.far)])
      }
      links[bond.mark, default: []].insert(link)
    }
  }

  // MARK: - Expectations

  func expectHolds(_ store: Store) throws {
    for entity in entities where !entity.isAbstract {
      let description = try store.model.requireEntity(named: entity.name)
      let stored = try store.read { try $0.fetch(FetchPlan(entity: description)) }
        .filter { $0.entity == description }
      let expected = objects[entity.mark] ?? [:]
      #expect(stored.map(\.row) == expected.keys.sorted())
      for row in stored {
        for attribute in attributes(entity.mark) {
          let slot = try #require(description.attribute(named: attribute.name)?.slot)
          let value = expected[row.row]?[attribute.mark] ?? .null
          #expect(row.values[slot].archive == value.archive, "\(entity.name).\(attribute.name)")
        }
      }
    }
    for bond in bonds {
      let held = links[bond.mark] ?? []
      try expect(store, bond.near, held.map { ($0.near, $0.far) })
      try expect(store, bond.far, held.map { ($0.far, $0.near) })
    }
  }

  private func expect(_ store: Store, _ side: Side, _ pairs: [(Int64, Int64)]) throws {
    guard let name = side.name else { return }
    let entity = try store.model.requireEntity(named: entities[index(side.entity)].name)
    let relationship = try #require(entity.relationship(named: name))
    let members = try store.read {
      try $0.members(of: relationship, in: entity, owners: rows(side.entity))
    }
    let found = Set(members.map { Link(near: $0.owner, far: $0.row) })
    #expect(found == Set(pairs.map { Link(near: $0.0, far: $0.1) }), "\(entity.name).\(name)")
    #expect(found.count == members.count)
  }
}

/// Random changes of a random model over random data, several times over: the store holds the data
/// of a plain description, is made like a new one, and takes new objects.
@Suite struct MigrationPropertyTests {
  @Test(arguments: 0..<40) func theDataSurvive(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var sketch = MigrationSketch(&random)
    let scene = try MigrationScene()
    for _ in 0..<4 {
      let model = try sketch.model()
      try scene.open(model) { store in
        try expectMadeLikeNew(store)
        try sketch.expectHolds(store)
        try sketch.fill(store, &random)
        try sketch.expectHolds(store)
      }
      sketch.forgetFormerNames()
      for _ in 0..<Int.random(in: 1...4, using: &random) { sketch.change(&random) }
    }
  }
}
