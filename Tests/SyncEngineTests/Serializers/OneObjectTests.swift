import SyncStack
import TestSupport
import Testing

/// Single objects whose JSON has names of properties as keys.
@Suite struct OneObjectTests {
  private let bench: SerializerBench
  private let context: ManagedObjectContext

  init() throws {
    bench = try SerializerBench()
    context = bench.stack.newBackgroundContext()
  }

  @Test func insertAlwaysMakesANewObject() throws {
    let ids = try context.performAndWait {
      try [
        context.insert(entityNamed: "Batch", json: ["batchID": 1, "name": "a"]),
        context.insert(entityNamed: "Batch", json: ["batchID": 1, "name": nil]),
      ]
    }
    #expect(ids[0] != ids[1])
    #expect(try bench.objects("Batch", "batchID", "name") == ["1 a", "1 nil"])
  }

  @Test func insertOrUpdateFindsTheObjectAndDeletesNothing() throws {
    try bench.insert("Batch", [["batchID": 1, "name": "old"], ["batchID": 2, "name": "old"]])
    try context.performAndWait {
      let first = try context.insertOrUpdate(
        entityNamed: "Batch", json: ["batchID": 1, "name": "new"], identifiers: ["batchID"])
      let again = try context.insertOrUpdate(
        entityNamed: "Batch", json: ["batchID": 1, "name": "new"], identifiers: ["batchID"])
      #expect(first == again)
      try context.insertOrUpdate(
        entityNamed: "Batch", json: ["batchID": 3], identifiers: ["batchID"])
    }
    #expect(try bench.objects("Batch", "batchID", "name") == ["1 new", "2 old", "3 nil"])
  }

  @Test func membersThatTheJSONDoesNotNameStay() throws {
    let stack = try DataStack(
      model: ManagedObjectModel([
        "User: id, notes ->> Note.user cascade", "Note: id, user -> User.notes",
      ]), store: .inMemory)
    let context = stack.newBackgroundContext()
    try context.performAndWait {
      for notes: JSONValue in [[["id": 1], ["id": 2]], [["id": 3]]] {
        try context.insertOrUpdate(
          entityNamed: "User", json: ["id": 1, "notes": notes], identifiers: ["id"])
      }
    }
    #expect(try SyncBench(stack).objects("User") == ["id=1 notes=[1,2,3]"])
  }

  @Test func misuseIsAnErrorThatNamesThePlace() throws {
    try context.performAndWait {
      func code(_ json: JSONValue, _ identifiers: [String]) throws -> MappingError.Code? {
        try thrown(MappingError.self) {
          try context.insertOrUpdate(entityNamed: "Batch", json: json, identifiers: identifiers)
        }?.code
      }
      #expect(try code(["batchID": 1, "other": 2], ["batchID"]) == .unknownProperty)
      #expect(try code(["name": "a"], ["batchID"]) == .identifierNotMapped)
      #expect(try code(["batchID": 1], []) == .identifiersRequired)
      #expect(try code(["batchID": 1, "clicks": []], ["clicks"]) == .identifierIsRelationship)
      let list = try thrown(SyncError.self) {
        try context.insert(entityNamed: "Batch", json: [["batchID": 1]])
      }
      #expect(list?.code == .invalidItem && list?.entity == "Batch")
      let wrong = try thrown(SyncError.self) {
        try context.insert(entityNamed: "Batch", json: ["batchID": 1, "name": ["a"]])
      }
      #expect(wrong?.code == .typeMismatch && wrong?.property == "name")
    }
    #expect(try bench.objects("Batch", "batchID").isEmpty)
  }

  @Test(
    arguments: [
      ("Batch", ["clicks": [["clickID": 5]]], "clicks"), ("Batch", ["clicks": 5], "clicks"),
      ("Batch", ["clicks": ["clickID": 5]], "clicks"),
      ("Employee", ["department": [["name": "a"]]], "department"),
      ("Employee", ["department": "a"], "department"), ("Batch", ["clicks": []], nil),
      ("Batch", ["clicks": nil], nil), ("Employee", ["department": ["name": "a"]], nil),
    ] as [(String, JSONValue, String?)])
  func aKeyThatConventionsCannotReadBelowARelationshipIsAnError(
    entity: String, json: JSONValue, property: String?
  ) throws {
    let error = try thrown(SyncError.self) {
      _ = try context.performAndWait { try context.insert(entityNamed: entity, json: json) }
    }
    #expect(error?.code == property.map { _ in .typeMismatch } && error?.property == property)
    #expect(error?.path == property.map { "$[0].\($0)" })
    #expect(try bench.objects(entity, "name").isEmpty == (property != nil))
  }
}
