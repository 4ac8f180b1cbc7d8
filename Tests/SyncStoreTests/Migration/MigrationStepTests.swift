import Foundation
import SyncStore
import TestSupport
import Testing

/// One kind of change after the other: stored objects are there afterwards, under the same row
/// numbers, and the file is made like a new one.
@Suite struct MigrationStepTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let before: [EntityDraft]
    let after: [EntityDraft]
    var fill: @Sendable (Store) throws -> Void = { try MigrationStepTests.fillPeople($0) }
    let graph: [String]
    /// The steps of the plan.
    let steps: [String]
    var testDescription: String { name }
  }

  @Test(arguments: cases) func theDataSurvive(_ scenario: Case) throws {
    let scene = try MigrationScene()
    try scene.open(scenario.before) { try scenario.fill($0) }
    let old = try ManagedObjectModel(scenario.before)
    let new = try ManagedObjectModel(scenario.after)
    let plan = StoreMigration.plan(from: old, to: new)
    #expect(plan.steps.map(\.description) == scenario.steps)
    #expect(plan.isInferable)
    try scene.open(new) { store in
      #expect(try store.graph() == scenario.graph)
      try expectMadeLikeNew(store)
    }
    // Once migrated it opens as it is.
    try scene.open(new, scene.set { $0.migration = .refuse }) { store in
      let graph = try store.graph()
      #expect(graph == scenario.graph)
    }
  }

  // MARK: - Models

  static let id = PropertyDraft.attribute("id", .integer64)
  static let name = PropertyDraft.attribute("name", .string)

  /// Persons 1 and 2 (id, name), the second without a name.
  static func fillPeople(_ store: Store) throws {
    try store.write { try $0.insert("Person", [["id": 7, "name": "Ann"], ["id": 8]]) }
  }

  /// Owners 1 and 2, items 1 to 3, linked by the relationship: 1 with 3 and 1, 2 with 2.
  @Sendable static func fillItems(_ store: Store) throws {
    try store.write {
      try $0.insert("Owner", [["id": 1], ["id": 2]])
      try $0.insert("Item", [["id": 1], ["id": 2], ["id": 3]])
    }
    try store.link("Owner", "items", [(1, 3), (1, 1), (2, 2)])
  }

  static func person(_ properties: [PropertyDraft]) -> [EntityDraft] {
    [EntityDraft("Person", properties)]
  }

  static func items(_ owner: [PropertyDraft], _ item: [PropertyDraft]) -> [EntityDraft] {
    [EntityDraft("Owner", [id] + owner), EntityDraft("Item", [id] + item)]
  }

  static let oneToMany = items(
    [.toMany("items", to: "Item", inverse: "owner")],
    [.toOne("owner", to: "Owner", inverse: "items")])
  static let ordered = items(
    [.toMany("items", to: "Item", inverse: "owner", isOrdered: true)],
    [.toOne("owner", to: "Owner", inverse: "items")])
  static let required = items(
    [.toMany("items", to: "Item", inverse: "owner")],
    [.toOne("owner", to: "Owner", inverse: "items", isOptional: false)])
  static let manyToMany = items(
    [.toMany("items", to: "Item", inverse: "owners")],
    [.toMany("owners", to: "Owner", inverse: "items")])

  // MARK: - Cases

  static let cases = attributes + entities + inheritance + relationships

  static let attributes = [
    Case(
      name: "attribute added", before: person([id, name]),
      after: person([id, .attribute("age", .integer16), name]),
      graph: ["Person 1 v1 id=7 name=Ann", "Person 2 v1 id=8"],
      steps: ["“Person.age” is added"]),
    Case(
      name: "attribute added with a default", before: person([id, name]),
      after: person([
        id, name, .attribute("level", .decimal, isOptional: false, defaultValue: .decimal(1.5)),
      ]),
      graph: ["Person 1 v1 id=7 name=Ann level=1.5", "Person 2 v1 id=8 level=1.5"],
      steps: ["“Person.level” is added; objects get the default “1.5”"]),
    Case(
      name: "attribute removed", before: person([id, name]), after: person([id]),
      graph: ["Person 1 v1 id=7", "Person 2 v1 id=8"],
      steps: ["“Person.name” is removed, with its values"]),
    Case(
      name: "attribute renamed", before: person([id, name]),
      after: person([id, .attribute("title", .string, renamingIdentifier: "name")]),
      graph: ["Person 1 v1 id=7 title=Ann", "Person 2 v1 id=8"],
      steps: ["“Person.title” was “name”"]),
    Case(
      name: "attributes exchange their names",
      before: person([id, name, .attribute("nick", .string)]),
      after: person([
        id, .attribute("name", .string, renamingIdentifier: "nick"),
        .attribute("nick", .string, renamingIdentifier: "name"),
      ]),
      fill: { store in
        _ = try store.write { try $0.insert("Person", [["id": 1, "name": "n", "nick": "k"]]) }
      },
      graph: ["Person 1 v1 id=1 name=k nick=n"],
      steps: ["“Person.name” was “nick”", "“Person.nick” was “name”"]),
    Case(
      name: "attribute becomes required", before: person([id, name]),
      after: person([id, .attribute("name", .string, isOptional: false, defaultValue: "nobody")]),
      graph: ["Person 1 v1 id=7 name=Ann", "Person 2 v1 id=8 name=nobody"],
      steps: [
        "“Person.name” becomes required; objects without a value get the default “nobody”"
      ]),
    Case(
      name: "attribute becomes optional",
      before: person([.attribute("id", .integer64, isOptional: false), name]),
      after: person([id, name]), graph: ["Person 1 v1 id=7 name=Ann", "Person 2 v1 id=8"],
      steps: ["“Person.id” becomes optional"]),
    Case(
      name: "attribute gets another width",
      before: person([.attribute("id", .integer16), name]),
      after: person([.attribute("id", .integer64), name]),
      graph: ["Person 1 v1 id=7 name=Ann", "Person 2 v1 id=8"], steps: []),
    Case(
      name: "attribute gets another type", before: person([id, name]),
      after: person([.attribute("id", .string), name]),
      graph: ["Person 1 v1 id=7 name=Ann", "Person 2 v1 id=8"],
      steps: ["“Person.id” is Integer 64 in the store and String in the model"]),
    Case(
      name: "attribute becomes transient", before: person([id, name]),
      after: person([id, .attribute("name", .string, isTransient: true)]),
      graph: ["Person 1 v1 id=7", "Person 2 v1 id=8"],
      steps: ["“Person.name” is removed, with its values"]),
    Case(
      name: "another primary key, indexes and constraints", before: person([id, name]),
      after: [
        EntityDraft(
          "Person", ["id", "name key"], uniquenessConstraints: [["id"]],
          indexes: [
            .init(name: "both", elements: [.init(property: "name"), .init(property: "id")])
          ])
      ],
      graph: ["Person 1 v1 id=7 name=Ann", "Person 2 v1 id=8"],
      steps: [
        "“Person” has unique “id” (refused when objects repeat it)",
        "“Person” has the primary key “name”", "“Person” is indexed differently",
      ]),
  ]

  static let entities = [
    Case(
      name: "entity added", before: person([id, name]),
      after: person([id, name, .toOne("place", to: "Place")]) + [EntityDraft("Place", [name])],
      graph: ["Person 1 v1 id=7 name=Ann", "Person 2 v1 id=8"],
      steps: ["“Person.place” is added", "“Place” is added"]),
    Case(
      name: "entity removed, with what led to it", before: oneToMany,
      after: [EntityDraft("Item", [id])], fill: fillItems,
      graph: ["Item 1 v2 id=1", "Item 2 v2 id=2", "Item 3 v2 id=3"],
      steps: [
        "“Owner” is removed, with its objects", "“Item.owner” is removed, with its values",
      ]),
    Case(
      name: "entity renamed", before: oneToMany,
      after: [
        EntityDraft(
          "Thing", [id, .toOne("owner", to: "Owner", inverse: "items")],
          renamingIdentifier: "Item"),
        EntityDraft("Owner", [id, .toMany("items", to: "Thing", inverse: "owner")]),
      ], fill: fillItems,
      graph: [
        "Thing 1 v2 id=1 owner=1", "Thing 2 v2 id=2 owner=2", "Thing 3 v2 id=3 owner=1",
        "Owner 1 v1 id=1 items=[1, 3]", "Owner 2 v1 id=2 items=[2]",
      ], steps: ["“Thing” was “Item”"]),
    Case(
      name: "entities exchange their names", before: oneToMany,
      after: [
        EntityDraft(
          "Owner", [id, .toOne("owner", to: "Item", inverse: "items")], renamingIdentifier: "Item"),
        EntityDraft(
          "Item", [id, .toMany("items", to: "Owner", inverse: "owner")], renamingIdentifier: "Owner"
        ),
      ], fill: fillItems,
      graph: [
        "Owner 1 v2 id=1 owner=1", "Owner 2 v2 id=2 owner=2", "Owner 3 v2 id=3 owner=1",
        "Item 1 v1 id=1 items=[1, 3]", "Item 2 v1 id=2 items=[2]",
      ], steps: ["“Owner” was “Item”", "“Item” was “Owner”"]),
  ]

  static let animals = [
    EntityDraft("Animal", [id]), EntityDraft("Cat", [name], superentity: "Animal"),
    "Dog < Animal: breed",
    EntityDraft("Home", [id, .toMany("pets", to: "Animal", inverse: "home")]),
  ].map { draft in
    var draft = draft
    if draft.name == "Animal" {
      draft.properties.append(.toOne("home", to: "Home", inverse: "pets"))
    }
    return draft
  }

  @Sendable static func fillAnimals(_ store: Store) throws {
    try store.write {
      try $0.insert("Home", [["id": 1]])
      try $0.insert("Animal", [["id": 1, "home": 1]])
      try $0.insert("Cat", [["id": 2, "name": "Tom", "home": 1]])
      try $0.insert("Dog", [["id": 3, "breed": "Pug"]])
    }
  }

  static func animals(_ change: (inout [EntityDraft]) -> Void) -> [EntityDraft] {
    var result = animals
    change(&result)
    return result
  }

  static let inheritance = [
    Case(
      name: "subentity added", before: person([id, name]),
      after: person([id, name])
        + ["Boss < Person: rank integer16"],
      graph: ["Person 1 v1 id=7 name=Ann", "Person 2 v1 id=8"], steps: ["“Boss” is added"]),
    Case(
      name: "subentity removed", before: animals,
      after: animals { $0.removeAll { $0.name == "Cat" } }, fill: fillAnimals,
      graph: ["Animal 1 v1 id=1 home=1", "Dog 3 v1 id=3 breed=Pug", "Home 1 v1 id=1 pets=[1]"],
      steps: ["“Cat” is removed, with its objects"]),
    Case(
      name: "subentity renamed", before: animals,
      after: animals {
        $0[1].name = "Feline"
        $0[1].renamingIdentifier = "Cat"
      }, fill: fillAnimals,
      graph: [
        "Animal 1 v1 id=1 home=1", "Feline 2 v1 id=2 home=1 name=Tom", "Dog 3 v1 id=3 breed=Pug",
        "Home 1 v1 id=1 pets=[1, 2]",
      ], steps: ["“Feline” was “Cat”"]),
    Case(
      name: "a superentity is laid over an entity", before: person([id, name]),
      after: [
        EntityDraft("Being", [id], isAbstract: true),
        EntityDraft("Person", [name], superentity: "Being"),
      ],
      graph: ["Person 1 v1 id=7 name=Ann", "Person 2 v1 id=8"],
      steps: ["“Being” is added", "“Person” is now below “Being”"]),
    Case(
      name: "an entity leaves its superentity", before: animals,
      after: animals {
        $0[2].superentityName = nil
        $0[2].properties.insert(id, at: 0)
      }, fill: fillAnimals,
      graph: [
        "Animal 1 v1 id=1 home=1", "Cat 2 v1 id=2 home=1 name=Tom", "Dog 3 v1 id=3 breed=Pug",
        "Home 1 v1 id=1 pets=[1, 2]",
      ],
      steps: [
        "“Dog” no longer has a superentity", "“Dog.home” is removed, with its values",
      ]),
    Case(
      name: "an attribute moves up", before: animals,
      after: animals {
        $0[1].properties = []
        $0[0].properties.append(name)
      }, fill: fillAnimals,
      graph: [
        "Animal 1 v1 id=1 home=1", "Cat 2 v1 id=2 home=1 name=Tom", "Dog 3 v1 id=3 breed=Pug",
        "Home 1 v1 id=1 pets=[1, 2]",
      ], steps: ["“Animal.name” is added"]),
    Case(
      name: "a relationship moves down", before: animals,
      after: animals {
        $0[1].properties.append($0[0].properties.removeLast())
        $0[3].properties = [id, .toMany("pets", to: "Cat", inverse: "home")]
      },
      fill: { store in
        try fillAnimals(store)
        _ = try store.write { try $0.update("Animal", 1, ["home": nil]) }
      },
      graph: [
        "Animal 1 v2 id=1", "Cat 2 v1 id=2 name=Tom home=1", "Dog 3 v1 id=3 breed=Pug",
        "Home 1 v1 id=1 pets=[2]",
      ],
      steps: [
        "“Home.pets” now leads to “Cat” (refused when it leads to other objects)",
        "“Animal.home” is removed, with its values",
      ]),
    Case(
      name: "an entity without objects becomes abstract", before: animals,
      after: animals { $0[0].isAbstract = true },
      fill: { store in _ = try store.write { try $0.insert("Dog", [["id": 1]]) } },
      graph: ["Dog 1 v1 id=1"],
      steps: ["“Animal” becomes abstract (refused when there are objects of it)"]),
  ]

  static let relationships = [
    Case(
      name: "relationship added", before: items([], []), after: manyToMany,
      fill: { store in _ = try store.write { try $0.insert("Owner", [["id": 1]]) } },
      graph: ["Owner 1 v1 id=1"],
      steps: ["“Owner.items” is added", "“Item.owners” is added"]),
    Case(
      name: "relationship removed", before: manyToMany, after: items([], []), fill: fillItems,
      graph: [
        "Owner 1 v1 id=1", "Owner 2 v1 id=2", "Item 1 v1 id=1", "Item 2 v1 id=2", "Item 3 v1 id=3",
      ],
      steps: [
        "“Owner.items” is removed, with its values", "“Item.owners” is removed, with its values",
      ]),
    Case(
      name: "relationship becomes required", before: oneToMany, after: required, fill: fillItems,
      graph: [
        "Owner 1 v1 id=1 items=[1, 3]", "Owner 2 v1 id=2 items=[2]", "Item 1 v2 id=1 owner=1",
        "Item 2 v2 id=2 owner=2", "Item 3 v2 id=3 owner=1",
      ], steps: ["“Item.owner” becomes required (refused when an object has none)"]),
    Case(
      name: "relationship becomes optional", before: required, after: oneToMany, fill: fillItems,
      graph: [
        "Owner 1 v1 id=1 items=[1, 3]", "Owner 2 v1 id=2 items=[2]", "Item 1 v2 id=1 owner=1",
        "Item 2 v2 id=2 owner=2", "Item 3 v2 id=3 owner=1",
      ], steps: ["“Item.owner” becomes optional"]),
    Case(
      name: "links become a required relationship",
      before: items([.toMany("items", to: "Item")], []), after: required, fill: fillItems,
      graph: [
        "Owner 1 v1 id=1 items=[1, 3]", "Owner 2 v1 id=2 items=[2]", "Item 1 v1 id=1 owner=1",
        "Item 2 v1 id=2 owner=2", "Item 3 v1 id=3 owner=1",
      ],
      steps: [
        "“Owner.items” has the inverse “owner”",
        "“Item.owner” is added and required (refused when an object has none)",
      ]),
    Case(
      name: "both sides of a to-many renamed", before: oneToMany,
      after: items(
        [.toMany("things", to: "Item", inverse: "holder", renamingIdentifier: "items")],
        [.toOne("holder", to: "Owner", inverse: "things", renamingIdentifier: "owner")]),
      fill: fillItems,
      graph: [
        "Owner 1 v1 id=1 things=[1, 3]", "Owner 2 v1 id=2 things=[2]", "Item 1 v2 id=1 holder=1",
        "Item 2 v2 id=2 holder=2", "Item 3 v2 id=3 holder=1",
      ], steps: ["“Owner.things” was “items”", "“Item.holder” was “owner”"]),
    Case(
      name: "both sides of a link table renamed", before: manyToMany,
      after: items(
        [.toMany("things", to: "Item", inverse: "holders", renamingIdentifier: "items")],
        [.toMany("holders", to: "Owner", inverse: "things", renamingIdentifier: "owners")]),
      fill: fillItems,
      graph: [
        "Owner 1 v1 id=1 things=[1, 3]", "Owner 2 v1 id=2 things=[2]", "Item 1 v1 id=1 holders=[1]",
        "Item 2 v1 id=2 holders=[2]", "Item 3 v1 id=3 holders=[1]",
      ], steps: ["“Owner.things” was “items”", "“Item.holders” was “owners”"]),
    Case(
      name: "a link table from its other side", before: manyToMany,
      after: manyToMany.reversed(), fill: fillItems,
      graph: [
        "Item 1 v1 id=1 owners=[1]", "Item 2 v1 id=2 owners=[2]", "Item 3 v1 id=3 owners=[1]",
        "Owner 1 v1 id=1 items=[1, 3]", "Owner 2 v1 id=2 items=[2]",
      ], steps: []),
    Case(
      name: "to-many becomes ordered", before: oneToMany, after: ordered, fill: fillItems,
      graph: [
        "Owner 1 v1 id=1 items=[1, 3]", "Owner 2 v1 id=2 items=[2]", "Item 1 v2 id=1 owner=1",
        "Item 2 v2 id=2 owner=2", "Item 3 v2 id=3 owner=1",
      ], steps: ["“Owner.items” becomes ordered"]),
    Case(
      name: "to-many loses its order", before: ordered, after: oneToMany, fill: fillItems,
      graph: [
        "Owner 1 v1 id=1 items=[1, 3]", "Owner 2 v1 id=2 items=[2]", "Item 1 v2 id=1 owner=1",
        "Item 2 v2 id=2 owner=2", "Item 3 v2 id=3 owner=1",
      ], steps: ["“Owner.items” loses its order"]),
    Case(
      name: "ordered one-to-many becomes ordered many-to-many", before: ordered,
      after: items(
        [.toMany("items", to: "Item", inverse: "owners", isOrdered: true)],
        [.toMany("owners", to: "Owner", inverse: "items", renamingIdentifier: "owner")]),
      fill: fillItems,
      graph: [
        "Owner 1 v1 id=1 items=[3, 1]", "Owner 2 v1 id=2 items=[2]", "Item 1 v2 id=1 owners=[1]",
        "Item 2 v2 id=2 owners=[2]", "Item 3 v2 id=3 owners=[1]",
      ],
      steps: ["“Item.owners” was “owner”", "“Item.owners” becomes to-many"]),
    Case(
      name: "to-many becomes to-one where no object has several", before: manyToMany,
      after: items(
        [.toMany("items", to: "Item", inverse: "owner")],
        [.toOne("owner", to: "Owner", inverse: "items", renamingIdentifier: "owners")]),
      fill: fillItems,
      graph: [
        "Owner 1 v1 id=1 items=[1, 3]", "Owner 2 v1 id=2 items=[2]", "Item 1 v1 id=1 owner=1",
        "Item 2 v1 id=2 owner=2", "Item 3 v1 id=3 owner=1",
      ],
      steps: [
        "“Item.owner” was “owners”",
        "“Item.owner” becomes to-one (refused when an object has several)",
      ]),
    Case(
      name: "a to-one without inverse gets one",
      before: items([.toOne("item", to: "Item")], []),
      after: items(
        [.toOne("item", to: "Item", inverse: "owners")],
        [.toMany("owners", to: "Owner", inverse: "item", isOrdered: true)]),
      fill: { store in
        try store.write {
          try $0.insert("Item", [["id": 1]])
          try $0.insert("Owner", [["id": 1, "item": 1], ["id": 2], ["id": 3, "item": 1]])
        }
      },
      graph: [
        "Owner 1 v1 id=1 item=1", "Owner 2 v1 id=2", "Owner 3 v1 id=3 item=1",
        "Item 1 v1 id=1 owners=[1, 3]",
      ],
      steps: ["“Owner.item” has the inverse “owners”", "“Item.owners” is added"]),
    Case(
      name: "a to-many loses its inverse", before: oneToMany,
      after: items([.toMany("items", to: "Item")], []), fill: fillItems,
      graph: [
        "Owner 1 v1 id=1 items=[1, 3]", "Owner 2 v1 id=2 items=[2]", "Item 1 v2 id=1",
        "Item 2 v2 id=2", "Item 3 v2 id=3",
      ],
      steps: [
        "“Owner.items” no longer has an inverse", "“Item.owner” is removed, with its values",
      ]),
    Case(
      name: "one-to-one becomes one-to-many",
      before: items(
        [.toOne("item", to: "Item", inverse: "owner")],
        [.toOne("owner", to: "Owner", inverse: "item")]),
      after: items(
        [.toMany("items", to: "Item", inverse: "owner", renamingIdentifier: "item")],
        [.toOne("owner", to: "Owner", inverse: "items")]),
      fill: { store in
        try store.write {
          try $0.insert("Owner", [["id": 1, "item": 2]])
          try $0.insert("Item", [["id": 1], ["id": 2, "owner": 1]])
        }
      },
      graph: ["Owner 1 v1 id=1 items=[2]", "Item 1 v1 id=1", "Item 2 v1 id=2 owner=1"],
      steps: ["“Owner.items” was “item”", "“Owner.items” becomes to-many"]),
  ]
}
