import Foundation
import SyncStack
import TestSupport
import Testing

/// Annotations, primary keys and inheritance.
@Suite(.timeLimit(.minutes(30))) struct KeyBehaviourTests {
  /// The table of section 3.2: entity, local key, remote key, a key in JSON and as stored.
  static let table:
    [(entity: String, local: String, remote: String, json: String, stored: String)] = [
      ("User", "remoteID", "id", "7", "7"), ("SimpleID", "id", "id", #""a""#, "a"),
      ("Note", "uniqueID", "unique_id", "7", "7"), ("Tag", "randomId", "id", #""a""#, "a"),
      ("AlternativeID", "alternativeID", "alternative_id", #""a""#, "a"),
      ("Compatibility", "custom", "greeting", #""hello""#, "hello"),
      ("Contract", "contractID", "contract_id", "7", "7"),
      ("Lower", "id", "id", "7", "7"), ("Both", "id", "id", "7", "7"),
    ]

  @Test("local and remote key of each entity", arguments: table, SyncCall.allCases)
  func keys(
    _ row: (entity: String, local: String, remote: String, json: String, stored: String),
    _ call: SyncCall
  ) async throws {
    let stack = try DataStack.opened("PrimaryKey")
    #expect(try stack.model.requireEntity(named: row.entity).primaryKey?.name == row.local)
    for name in ["one", "two"] {
      let key = row.entity == "Both" ? "title" : "name"
      let json = #"[{"\#(row.remote)": \#(row.json), "\#(key)": "\#(name)"}]"#
      try await call.run(stack, json, row.entity, .all)
      #expect(try stack.shown(row.entity, "\(row.local) name") == ["\(row.stored) \(name)"])
    }
  }

  @Test("the key is found under every spelling that fills the attribute")
  func spellingsOfTheKey() throws {
    let stack = try DataStack.opened("PrimaryKey")
    for key in ["contract_id", "contractID"] {
      try stack.sync(
        dictionaries(#"[{"\#(key)": 7, "name": "\#(key)"}]"#), inEntityNamed: "Contract")
      #expect(try stack.shown("Contract", "contractID name") == ["7 \(key)"])
    }
    for json in [#"[{"meta": {"code": "x"}}]"#, #"[{"code": "x", "name": "n"}]"#] {
      try stack.sync(dictionaries(json), inEntityNamed: "Deep")
      #expect(try stack.count("Deep") == 1)
    }
  }

  @Test("an entity without key: a typed error, nothing stored")
  func noKey() throws {
    let stack = try DataStack.opened("PrimaryKey")
    #expect(try stack.model.requireEntity(named: "NoID").primaryKey == nil)
    let error = #expect(throws: SyncError.self) {
      try stack.sync(dictionaries(#"[{"name": "x"}]"#), inEntityNamed: "NoID")
    }
    #expect(error?.code == .noPrimaryKey && error?.entity == "NoID")
  }

  @Test("the current annotation wins over the legacy one; only YES and true switch on")
  func annotations() throws {
    let stack = try DataStack.opened("PrimaryKey")
    try stack.sync(
      dictionaries(#"[{"id": 1, "title": "a", "label": "b"}]"#), inEntityNamed: "Both")
    #expect(try stack.shown("Both", "id name code") == ["1 a -"])
  }

  static let cases = [
    BehaviourCase(
      "a to-one whose entity has no key is made once and filled again", "Notes",
      [
        .init("House", #"[{"id": 1, "location": {"name": "here"}}]"#),
        .init("House", #"[{"id": 1, "location": {"name": "there"}}]"#),
      ],
      .init("Location", "name", "there")),
    BehaviourCase(
      "a to-one without key value is made once and filled again", "Notes",
      [
        .init("User", #"[{"id": 1, "company": {"name": "a"}}]"#),
        .init("User", #"[{"id": 1, "company": {"name": "b"}}]"#),
      ],
      .init("Company", "remoteID name", "- b")),
    BehaviourCase(
      "a custom key with a scalar names the key of a to-one", "Notes",
      [
        .init("Place", #"[{"name": "Here"}]"#),
        .init("Author", #"[{"id": "a", "start": "Here"}]"#),
      ],
      .init("Author", "id start", "a Here")),
    BehaviourCase(
      "inherited properties are filled, the key of a subentity counts", "Families",
      [
        .init(
          "Racecar",
          #"[{"id": 1, "make": "M", "team": "T", "passengers": [{"id": 1}, {"id": 2}]}]"#)
      ],
      .init("Racecar", "id make team passengers", "1 M T {1,2}"),
      .init("Passenger", "id favourite", "1 -", "2 -"), .init("Car", "make", "M")),
    BehaviourCase(
      "fetch and count of a parent entity include its subentities", "Families",
      [
        .init("Circle", #"[{"id": 1, "radius": 2, "type": "c"}]"#),
        .init("Square", #"[{"id": 2, "side": 3, "type": "s"}]"#),
      ],
      .init("Shape", "id shapeType", "1 c", "2 s"), .init("Circle", "id radius", "1 2.0")),
  ]

  @Test("what a key decides", arguments: cases, SyncCall.allCases)
  func holds(_ test: BehaviourCase, _ call: SyncCall) async throws { try await test.check(call) }

  @Test("an unsorted fetch gives objects in the order of insertion")
  func insertionOrder() throws {
    let stack = try DataStack.opened("Families")
    let keys = [31, 2, 77, 5, 1]
    let items = keys.map { ["id": $0] as [String: Any] }
    try stack.sync(items, inEntityNamed: "Circle")
    let found = try stack.inMain { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: "Shape")).map {
        $0.value(forKey: "id") as? Int64
      }
    }
    #expect(found == keys.map(Int64.init))
  }

  @Test("nested objects of an abstract destination are an error that names it")
  func abstractDestination() throws {
    let stack = try DataStack.opened("Families")
    #expect(throws: (any Error).self) {
      try stack.sync(
        dictionaries(#"[{"id": 1, "shapes": [{"id": 5}]}]"#), inEntityNamed: "Drawing")
    }
    try stack.sync(dictionaries(#"[{"id": 5}]"#), inEntityNamed: "Circle")
    try stack.sync(dictionaries(#"[{"id": 1, "shapes_ids": [5]}]"#), inEntityNamed: "Drawing")
    #expect(try stack.shown("Drawing", "shapes") == ["{5}"])
    try stack.sync(
      dictionaries(#"[{"id": 1, "shapes": [{"id": 5, "type": "round"}]}]"#),
      inEntityNamed: "Drawing")
    #expect(try stack.shown("Circle", "shapeType drawing") == ["round 1"])
  }
}
