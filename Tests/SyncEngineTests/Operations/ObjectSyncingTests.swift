import Foundation
import SyncStack
import TestSupport
import Testing

/// Single objects by key, on stack, context and class.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ObjectSyncingTests {
  /// Runs a body in a background context.
  private let stack: DataStack
  private let context: ManagedObjectContext

  init() throws { (stack, context) = try Self.make(TestModels.social()) }

  private static func make(_ model: ManagedObjectModel) throws -> (DataStack, ManagedObjectContext)
  {
    let stack = try DataStack(model: model, store: .inMemory)
    return (stack, stack.mainContext)
  }

  @Test(
    arguments: [6, Int64(6), "6", JSONValue.integer(6), 6.0, NSNumber(value: 6)] as [any Sendable])
  func keysMayBeNumbersOrTexts(_ id: any Sendable) throws {
    try context.sync(items([5, 6]), inEntityNamed: "User")
    #expect(try context.fetch(id, inEntityNamed: "User")?["id"] as? Int64 == 6)
  }

  @Test(arguments: [7, "none", "", 1.5, JSONValue.null] as [any Sendable])
  func nothingIsFoundUnderAnUnknownKey(_ id: any Sendable) throws {
    try context.sync(items([5, 6]), inEntityNamed: "User")
    #expect(try context.fetch(id, inEntityNamed: "User") == nil)
    #expect(try context.update(id, with: items([5]), inEntityNamed: "User") == nil)
    try context.delete(id, inEntityNamed: "User")
  }

  @Test func textKeysAreFoundByNumberToo() throws {
    let (_, context) = try Self.make(TestModels.relationships())
    try context.insertOrUpdate(["id": "12"] as JSONValue, inEntityNamed: "B")
    #expect(try context.fetch(12, inEntityNamed: "B") != nil)
    #expect(try context.fetch("12", inEntityNamed: "B") != nil)
  }

  @Test func resultsAreOfTheClassAskedFor() throws {
    let inserted: User = try context.insertOrUpdate(
      ["id": 6, "name": "Ann"] as JSONValue, inEntityNamed: "User")
    #expect(inserted.name == "Ann")
    let found: User? = try context.fetch(6, inEntityNamed: "User")
    #expect(found === inserted)
    let updated: User? = try context.update(
      6, with: ["name": "Bea"] as JSONValue, inEntityNamed: "User")
    #expect(updated === inserted)
    #expect(inserted.name == "Bea")
  }

  @Test func unsavedObjectsAreFound() throws {
    try context.insert(entityNamed: "User")["id"] = 3
    #expect(try context.fetch(3, inEntityNamed: "User")?.isInserted == true)
  }

  @Test func insertOrUpdateInsertsOnceAndFillsRelationships() throws {
    let item: [String: Any] = ["id": 6, "notes": [["id": 1], ["id": 2]], "company": ["id": 5]]
    let first = try context.insertOrUpdate(item, inEntityNamed: "User")
    #expect(first["id"] as? Int64 == 6)
    #expect((first["notes"] as? Set<ManagedObject>)?.count == 2)
    let again = try context.insertOrUpdate(
      ["id": 6, "notes": [["id": 2]]] as JSONValue, inEntityNamed: "User")
    #expect(again === first)
    #expect(try stack.keys("User") == [6])
    #expect(try stack.keys("Note") == [2])
    #expect(!context.hasChanges)
  }

  @Test func insertOrUpdateUpdatesAllObjectsOfTheKey() throws {
    for name in ["a", "b"] {
      let user = try context.insert(entityNamed: "User")
      user["id"] = 6
      user["name"] = name
    }
    let first = try context.insertOrUpdate(
      ["id": 6, "name": "same", "age": 4] as JSONValue, inEntityNamed: "User")
    #expect(try stack.values("User", "name") == ["same", "same"])
    #expect(try stack.values("User", "age") == [4, 4])
    #expect(first.objectID.row == 1)
  }

  @Test func whatWasUnsavedIsSavedWithIt() throws {
    try context.insert(entityNamed: "User")["id"] = 1
    try context.insertOrUpdate(["id": 2] as JSONValue, inEntityNamed: "User")
    #expect(try stack.keys("User") == [1, 2])
    try context.insert(entityNamed: "User")["id"] = 3
    try context.delete(1, inEntityNamed: "User")
    #expect(try stack.keys("User") == [2, 3])
  }

  @Test func insertOrUpdateNeedsAKey() throws {
    for item in [["name": "x"], ["id": nil], ["id": "no number"]] as [JSONValue] {
      expectError("SyncError missingKey") {
        try context.insertOrUpdate(item, inEntityNamed: "User")
      }
    }
    expectError("SyncError invalidItem") {
      try context.insertOrUpdate(items([1, 2]), inEntityNamed: "User")
    }
    let keys = try stack.keys("User")
    #expect(keys.isEmpty)
  }

  @Test func updateMayGiveANewKey() throws {
    try context.sync(
      [["id": 1, "name": "a", "notes": [["id": 1]]], ["id": 2]] as JSONValue, inEntityNamed: "User")
    let user = try context.update(
      1, with: ["id": 9, "name": "b", "notes": [["id": 1], ["id": 2]]] as JSONValue,
      inEntityNamed: "User")
    #expect(user?["id"] as? Int64 == 9)
    #expect(user?["name"] as? String == "b")
    #expect(try stack.keys("User") == [9, 2])
    #expect(try stack.keys("Note", "user.id == 9") == [1, 2])
  }

  @Test(arguments: [["name": "b"], ["name": "b", "id": nil]] as [JSONValue])
  func updateWithoutAKeyKeepsIt(_ item: JSONValue) throws {
    try context.sync(items([1, 2]), inEntityNamed: "User")
    try context.update("2", with: item, inEntityNamed: "User")
    #expect(try stack.keys("User") == [1, 2])
    #expect(try stack.values("User", "name") == [nil, "b"])
  }

  @Test func updateOfAnUnknownKeyChangesNothing() throws {
    try context.sync(items([1]), inEntityNamed: "User")
    let result = try context.update(
      5, with: ["id": 5, "name": "x"] as JSONValue, inEntityNamed: "User")
    #expect(result == nil)
    #expect(try stack.keys("User") == [1])
  }

  @Test func deleteTakesAllObjectsOfTheKeyAndFollowsTheRules() throws {
    for _ in 0..<2 { try context.insert(entityNamed: "User")["id"] = 6 }
    try context.save()
    try context.sync(
      [["id": 7, "notes": [["id": 1]]]] as JSONValue, inEntityNamed: "User",
      operations: [.insert, .insertRelationships])
    try context.delete(6, inEntityNamed: "User")
    #expect(try stack.keys("User") == [7])
    try context.delete(7, inEntityNamed: "User")
    #expect(try stack.keys("Note").isEmpty)
    try context.delete(7, inEntityNamed: "User")
  }

  @Test func subentitiesAreFoundAndUpdatedThroughTheirSuperentity() throws {
    let (stack, context) = try Self.make(TestModels.vehicles())
    try context.insertOrUpdate(["id": 3, "doors": 4] as JSONValue, inEntityNamed: "Car")
    #expect(try context.fetch(3, inEntityNamed: "Vehicle")?.entity.name == "Car")
    let car = try context.insertOrUpdate(
      ["id": 3, "name": "mini"] as JSONValue, inEntityNamed: "Vehicle")
    #expect(car["name"] as? String == "mini")
    #expect(try stack.keys("Vehicle") == [3])
  }

  @Test func entitiesWithoutKeyAndUnknownOnesAreErrors() throws {
    let model = try ManagedObjectModel(["Thing: name"])
    let (_, context) = try Self.make(model)
    expectError("SyncError noPrimaryKey") { try context.fetch(1, inEntityNamed: "Thing") }
    #expect(throws: ModelError.self) { try context.delete(1, inEntityNamed: "Nobody") }
    expectError("SyncError noPrimaryKey") { try context.sync(items([1]), inEntityNamed: "Thing") }
  }

  final class Rate: ManagedObject {
    @Attribute var currency: String?
    @Attribute var day: Int64?
    override class var entityUserInfo: [String: String] { ["sync.identifiers": "currency, day"] }
  }

  /// One of the values does not say which: all others that have it would be overwritten.
  @Test func objectsThatSeveralAttributesTellApartHaveNoKey() throws {
    let (stack, context) = try Self.make(ManagedObjectModel(Rate.self))
    let items: JSONValue = [["currency": "EUR", "day": 1], ["currency": "EUR", "day": 2]]
    try context.sync(items, inEntityNamed: "Rate")
    for call in [
      { _ = try context.fetch("EUR", inEntityNamed: "Rate") },
      { try context.delete("EUR", inEntityNamed: "Rate") },
      {
        try context.insertOrUpdate(
          ["currency": "EUR", "day": 3] as JSONValue, inEntityNamed: "Rate")
      },
    ] as [() throws -> Void] {
      expectError("SyncError noPrimaryKey") { try call() }
    }
    #expect(try stack.values("Rate", "day") == [1, 2])
  }

  @Test func valuesThatAreNoKeysAreErrors() throws {
    expectError("SyncError typeMismatch") { try context.fetch([1, 2], inEntityNamed: "User") }
  }

  @Test func usedOnAnotherQueueTheyThrow() throws {
    let context = stack.newBackgroundContext()
    for call in [
      { _ = try context.fetch(1, inEntityNamed: "User") },
      { _ = try Sync.fetch(1, inEntityNamed: "User", using: context) },
      { try context.delete(1, inEntityNamed: "User") },
      { try context.sync(items([1]), inEntityNamed: "User") },
    ] as [() throws -> Void] {
      expectError("SyncError invalidRequest") { try call() }
    }
  }

  @Test func aStackStandsForItsMainContext() throws {
    let user: User = try stack.insertOrUpdate(["id": 1] as JSONValue, inEntityNamed: "User")
    #expect(user.managedObjectContext === stack.viewContext)
    #expect(try stack.fetch("1", inEntityNamed: "User") === user)
    #expect(
      try Sync.update(
        1, with: ["name": "x"] as JSONValue, inEntityNamed: "User", using: stack.mainContext)
        === user)
    try stack.delete(1, inEntityNamed: "User")
    #expect(try stack.keys("User").isEmpty)
  }

  @Test func inTheBackgroundResultsAreKeys() async throws {
    #expect(try await stack.insertOrUpdate(["id": "7"] as JSONValue, inEntityNamed: "User") == 7)
    #expect(try await stack.update(7, with: ["id": 8] as JSONValue, inEntityNamed: "User") == 8)
    await expectError("SyncError objectNotFound") {
      try await stack.update(7, with: ["id": 8] as JSONValue, inEntityNamed: "User")
    }
    try await stack.delete(8, inEntityNamed: "User")
    #expect(try stack.keys("User").isEmpty)
  }

  @Test func completionsGetAResult() async throws {
    let inserted: SyncResult<Value> = await withCheckedContinuation { continuation in
      stack.insertOrUpdate(["id": 7] as JSONValue, inEntityNamed: "User") {
        continuation.resume(returning: $0)
      }
    }
    #expect(inserted.isSuccess)
    #expect(inserted.value == 7)
    #expect(inserted.error == nil)
    #expect("\(inserted)" == "SUCCESS")
    #expect(inserted.debugDescription == "SUCCESS: 7")
    let updated: SyncResult<Value> = await withCheckedContinuation { continuation in
      stack.update(7, with: ["age": 3] as JSONValue, inEntityNamed: "User") {
        continuation.resume(returning: $0)
      }
    }
    #expect(updated.value == 7)
    let failed: SyncResult<Value> = await withCheckedContinuation { continuation in
      stack.update(9, with: ["id": 9] as JSONValue, inEntityNamed: "User") {
        continuation.resume(returning: $0)
      }
    }
    #expect(failed.isFailure)
    #expect(failed.value == nil)
    #expect((failed.error as? SyncError)?.code == .objectNotFound)
    #expect("\(failed)" == "FAILURE")
    #expect(failed.debugDescription.hasPrefix("FAILURE: "))
    let error: (any Error)? = await withCheckedContinuation { continuation in
      stack.delete(7, inEntityNamed: "User") { continuation.resume(returning: $0) }
    }
    #expect(error == nil)
    #expect(try stack.keys("User").isEmpty)
  }

  // MARK: - Helpers

  @Test func fillSetsAttributesOnlyAndAsASyncWould() throws {
    let user = try context.insert(entityNamed: "User")
    let findings = try user.fill(
      with: [
        "id": "6", "name": "Ann", "is_active": 1, "age": "many", "notes": [["id": 1]],
        "created_at": "2014-01-01T00:00:00+00:00",
      ] as JSONValue)
    #expect(user["id"] as? Int64 == 6)
    #expect(user["isActive"] as? Bool == true)
    #expect(user["createdAt"] as? Date == Date(timeIntervalSince1970: 1_388_534_400))
    #expect((user["notes"] as? Set<ManagedObject>)?.isEmpty == true)
    #expect(user["age"] == nil)
    #expect(findings.map(\.kind) == [.refusedConversion])
    try user.hyp_fill(with: ["name": NSNull()])
    #expect(user["name"] == nil)
    #expect(user["id"] as? Int64 == 6)
  }

  @Test func fillOfEveryTypeGivesWhatASyncGives() throws {
    let item: JSONValue = [
      "id": 1, "integer16": 7, "integer32": "8", "integer64": 9, "decimal": 1.25, "double": 2.5,
      "float": 1, "string": 12, "boolean": "yes", "date": 1_388_534_400, "binary": ["a": 1],
      "uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "uri": "https://example.org",
    ]
    let (_, context) = try Self.make(TestModels.allTypes())
    let synced = try context.insertOrUpdate(item, inEntityNamed: "Everything")
    let filled = try context.insert(entityNamed: "Everything")
    try filled.fill(with: item)
    for attribute in synced.entity.attributes {
      #expect(
        filled.storedValue(forKey: attribute.name) == synced.storedValue(forKey: attribute.name),
        "\(attribute.name)")
    }
  }

  @Test func aDeletedObjectCannotBeFilled() throws {
    let user = try context.insertOrUpdate(["id": 1] as JSONValue, inEntityNamed: "User")
    try context.delete(1, inEntityNamed: "User")
    expectError("SyncError invalidRequest") { try user.fill(with: ["id": 2] as JSONValue) }
  }

  @Test func safeObjectLooksAtTheParentWhenThereIsNoKey() throws {
    try context.sync([["id": 1, "company": ["id": 5]]] as JSONValue, inEntityNamed: "User")
    let user = try context.fetch(1, inEntityNamed: "User")
    #expect(try context.safeObject("Company", localPrimaryKey: 5)?["id"] as? Int64 == 5)
    let linked = try context.safeObject(
      "Company", localPrimaryKey: nil, parent: user, parentRelationshipName: "company")
    #expect(linked?["id"] as? Int64 == 5)
    #expect(try context.safeObject("Company", localPrimaryKey: nil) == nil)
    #expect(throws: SyncError.self) {
      try context.safeObject(
        "Note", localPrimaryKey: nil, parent: user, parentRelationshipName: "notes")
    }
  }

  @Test func identifiersByKeyLeaveOutEmptyOnesAndDropDuplicates() throws {
    for key in [1, 2, 2, nil] as [Int64?] { try context.insert(entityNamed: "User")["id"] = key }
    try context.save()
    let all = try context.managedObjectIDs(in: "User", usingAsKey: "id", removesDuplicates: false)
    #expect(all.mapValues(\.row) == [1: 1, 2: 2])
    #expect(!context.hasChanges)
    #expect(
      try context.managedObjectIDs(in: "User", usingAsKey: "id", predicate: "id > 1").count == 1)
    try context.save()
    #expect(try stack.keys("User") == [1, 2, -1])
    #expect(throws: SyncError.self) {
      try context.managedObjectIDs(in: "User", usingAsKey: "notes")
    }
  }
}
