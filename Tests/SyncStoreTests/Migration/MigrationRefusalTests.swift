import Foundation
import SyncStore
import TestSupport
import Testing

/// A change that cannot be inferred is an error that names entity and property, and the file stays
/// as it is, byte for byte.
@Suite struct MigrationRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let before: [EntityDraft]
    let after: [EntityDraft]
    var fill: @Sendable (Store) throws -> Void = { try MigrationStepTests.fillPeople($0) }
    /// `reason Entity.property`
    let obstacles: [String]
    var isKnownFromModels = false
    var testDescription: String { name }
  }

  @Test(arguments: cases) func theFileStaysAsItIs(_ scenario: Case) throws {
    let scene = try MigrationScene()
    let old = try ManagedObjectModel(scenario.before)
    try scene.open(old) { try scenario.fill($0) }
    let new = try ManagedObjectModel(scenario.after)
    let error = try scene.refusal(new)
    #expect(error?.code == .incompatibleModel)
    let found = error?.obstacles.map { obstacle in
      "\(obstacle.reason) \(obstacle.entity)\(obstacle.property.map { ".\($0)" } ?? "")"
    }
    #expect(found == scenario.obstacles)
    for obstacle in error?.obstacles ?? [] {
      #expect(error?.message.contains(obstacle.description) == true)
      #expect(obstacle.description.contains(obstacle.property ?? obstacle.entity))
    }
    #expect(error?.message.contains(scene.url.path) == true)
    let plan = StoreMigration.plan(from: old, to: new)
    #expect(plan.isInferable != scenario.isKnownFromModels)
    // The old model opens it as before.
    try scene.open(old, scene.set { $0.migration = .refuse }) { _ in }
  }

  /// Without objects, most of this is no obstacle.
  @Test(
    arguments: cases.filter { !$0.isKnownFromModels && $0.obstacles != ["overlappingRows Being"] })
  func anEmptyStoreIsMigrated(_ scenario: Case) throws {
    let scene = try MigrationScene()
    try scene.open(scenario.before) { _ in }
    try scene.open(scenario.after) { try expectMadeLikeNew($0) }
  }

  private static let id = MigrationStepTests.id
  private static let name = MigrationStepTests.name
  private static func person(_ properties: [PropertyDraft]) -> [EntityDraft] {
    MigrationStepTests.person(properties)
  }

  static let cases = [
    Case(
      name: "text into numbers", before: person([id, name]),
      after: person([id, .attribute("name", .integer64)]), obstacles: ["noConversion Person.name"],
      isKnownFromModels: true),
    Case(
      name: "everything at once", before: person([id, name]),
      after: person([.attribute("id", .date), .toOne("name", to: "Person")]),
      obstacles: ["noConversion Person.id", "otherKind Person.name"], isKnownFromModels: true),
    Case(
      name: "a relationship into an attribute",
      before: person([id, .toOne("boss", to: "Person"), name]),
      after: person([id, .attribute("boss", .integer64), name]),
      obstacles: ["otherKind Person.boss"], isKnownFromModels: true),
    Case(
      name: "strangers become inverses",
      before: MigrationStepTests.items(
        [.toMany("items", to: "Item")], [.toOne("owner", to: "Owner")]),
      after: MigrationStepTests.oneToMany, fill: MigrationStepTests.fillItems,
      obstacles: ["otherInverse Owner.items", "otherInverse Item.owner"], isKnownFromModels: true),
    Case(
      name: "required without a default", before: person([id, name]),
      after: person([id, .attribute("name", .string, isOptional: false)]),
      obstacles: ["missingValues Person.name"]),
    Case(
      name: "added and required without a default", before: person([id, name]),
      after: person([id, name, .attribute("age", .integer16, isOptional: false)]),
      obstacles: ["missingValues Person.age"]),
    Case(
      name: "a required relationship without an object", before: MigrationStepTests.oneToMany,
      after: MigrationStepTests.required,
      fill: { store in
        try MigrationStepTests.fillItems(store)
        try store.write { try $0.insert("Item", [["id": 4]]) }
      }, obstacles: ["missingValues Item.owner"]),
    Case(
      name: "an added and required relationship", before: MigrationStepTests.items([], []),
      after: MigrationStepTests.required,
      fill: { store in try store.write { try $0.insert("Item", [["id": 1]]) } },
      obstacles: ["missingValues Item.owner"]),
    Case(
      name: "integers that no double holds", before: person([id, name]),
      after: person([.attribute("id", .double), name]),
      fill: { store in
        try store.write { try $0.insert("Person", [["id": 1], ["id": 9_007_199_254_740_993]]) }
      }, obstacles: ["inexactValues Person.id"]),
    Case(
      name: "dates finer than milliseconds", before: person([id, .attribute("born", .date)]),
      after: person([id, .attribute("born", .string)]),
      fill: { store in
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.000_1)
        try store.write { try $0.insert("Person", [["id": 1, "born": .date(date)]]) }
      }, obstacles: ["inexactValues Person.born"]),
    Case(
      name: "several members of what becomes a to-one", before: MigrationStepTests.manyToMany,
      after: MigrationStepTests.items(
        [.toOne("item", to: "Item", inverse: "owners", renamingIdentifier: "items")],
        [.toMany("owners", to: "Owner", inverse: "item")]), fill: MigrationStepTests.fillItems,
      obstacles: ["severalMembers Owner.item"]),
    Case(
      name: "objects of what becomes abstract", before: MigrationStepTests.animals,
      after: MigrationStepTests.animals { $0[0].isAbstract = true },
      fill: MigrationStepTests.fillAnimals, obstacles: ["abstractObjects Animal"]),
    Case(
      name: "links that no longer fit", before: MigrationStepTests.animals,
      after: MigrationStepTests.animals {
        $0[1].properties.append($0[0].properties.removeLast())
        $0[3].properties = [id, .toMany("pets", to: "Cat", inverse: "home")]
      }, fill: MigrationStepTests.fillAnimals, obstacles: ["strayLinks Cat.home"]),
    Case(
      name: "nothing of the store is left", before: person([id, name]),
      after: [EntityDraft("Human", [id, name])], obstacles: ["nothingKept Person"]),
    Case(
      name: "two entities with objects below one",
      before: [EntityDraft("Cat", [id]), EntityDraft("Dog", [id])],
      after: [
        EntityDraft("Being", [id], isAbstract: true), EntityDraft("Cat", superentity: "Being"),
        EntityDraft("Dog", superentity: "Being"),
      ],
      fill: { store in
        try store.write {
          try $0.insert("Cat", [["id": 1]])
          try $0.insert("Dog", [["id": 2]])
        }
      }, obstacles: ["overlappingRows Being"]),
  ]
}
