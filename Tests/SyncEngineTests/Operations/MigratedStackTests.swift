import Foundation
import SyncStack
import TestSupport
import Testing

/// Contexts and syncs work on a migrated store as on any other.
@Suite(.timeLimit(.minutes(5))) struct MigratedStackTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ entities: [EntityDraft]) throws -> DataStack {
    try DataStack(model: ManagedObjectModel(entities), store: .sqlite(folder.file()))
  }

  private let before: [EntityDraft] = [
    "User: id, name, notes ->> Note.user cascade, company -> Company.users",
    "Note: id, user -> User.notes",
    "Company: id, users ->> User.company",
  ]

  /// Notes are ordered and have several users, users have an age, and stand behind companies.
  private let after: [EntityDraft] = [
    "Company: id, users ->> User.company",
    """
    User: age integer16, id string, fullName from name was name, notes ->> Note.users ordered,
    company -> Company.users
    """,
    "Note: id, users ->> User.notes was user",
  ]

  private let first: JSONValue = [
    ["id": 1, "name": "Ann", "notes": [["id": 11], ["id": 12]], "company": ["id": 5]],
    ["id": 2, "name": "Bob", "notes": [["id": 13]]],
  ]

  @Test func aSyncGoesOnWhereTheLastOneStopped() throws {
    let old = try open(before)
    try old.sync(first, inEntityNamed: "User")
    try old.close()
    let stack = try open(after)
    let report = try stack.sync(
      [
        ["id": "1", "name": "Ann", "age": 30, "notes": [["id": 12], ["id": 11], ["id": 14]]],
        ["id": "3", "name": "Zoe", "notes": [["id": 12]]],
      ] as JSONValue, inEntityNamed: "User")
    #expect(report.entities["User"]?.inserted == 1)
    #expect(report.entities["User"]?.deleted == 1)
    #expect(report.entities["Note"]?.inserted == 1)
    try stack.inBackground { context in
      let users = try context.fetch(Fetch<ManagedObject>(entityNamed: "User").sorted(by: "id"))
      #expect(users.map { $0["fullName"] as? String } == ["Ann", "Zoe"])
      #expect(users.map { $0["age"] as? Int64 } == [30, nil])
      let user = try #require(users.first)
      let notes = try #require(user["notes"] as? [ManagedObject])
      #expect(notes.map { $0["id"] as? Int64 } == [12, 11, 14])
      #expect((user["company"] as? ManagedObject)?["id"] as? Int64 == 5)
      context.delete(user)
      try context.save()
    }
    try stack.close()
  }

  /// The numbers in a kept session are those of the old model.
  @Test func aPageSessionOfTheOldModelIsNotGoneOnWith() async throws {
    let old = try open(before)
    try await old.sync(first, inEntityNamed: "User")
    let session = try SyncSession(entity: "User", dataStack: old, name: "pages")
    try await session.sync([["id": 1]] as JSONValue)
    try old.close()
    let stack = try open(after)
    let second = try SyncSession(entity: "User", dataStack: stack, name: "pages")
    await #expect(throws: SyncError.self) { try await second.finish() }
    try stack.close()
  }

  /// A session that began anew would delete the objects of the pages before the migration.
  @Test func aPageSessionOfARenamedEntityDoesNotBeginAnew() async throws {
    let old = try open(["Member: id"])
    try await SyncSession(entity: "Member", dataStack: old, name: "pages").sync(
      [["id": 1], ["id": 2]] as JSONValue)
    try old.close()
    let stack = try open(["Person was Member: id"])
    let second = try SyncSession(entity: "Person", dataStack: stack, name: "pages")
    await expectError("SyncError invalidRequest") {
      try await second.sync([["id": 3]] as JSONValue)
    }
    await #expect(throws: SyncError.self) { try await second.finish() }
    #expect(try stack.keys("Person") == [1, 2])
    try second.abandon()
    let third = try SyncSession(entity: "Person", dataStack: stack, name: "pages")
    try await third.sync([["id": 3]] as JSONValue)
    try await third.finish()
    #expect(try stack.keys("Person") == [3])
    try stack.close()
  }

  @Test func aDeferredReferenceIsFoundByItsName() throws {
    let old = try open(before)
    let sync = Sync(.json([["id": 1, "company_id": 7]]), inEntityNamed: "User", dataStack: old)
    sync.deferReferences = true
    old.syncQueue.addOperations([sync], waitUntilFinished: true)
    _ = try sync.result?.get()
    try old.close()
    let stack = try open(after)
    let second = Sync(.json([["id": 7]]), inEntityNamed: "Company", dataStack: stack)
    second.deferReferences = true
    stack.syncQueue.addOperations([second], waitUntilFinished: true)
    _ = try second.result?.get()
    try stack.inBackground { context in
      let users = try context.fetch(Fetch<ManagedObject>(entityNamed: "User"))
      #expect((users.first?["company"] as? ManagedObject)?["id"] as? Int64 == 7)
    }
    try stack.close()
  }

  @Test func migrationCanBeRefused() throws {
    try open(before).close()
    let model = try ManagedObjectModel(after)
    expectError("StoreError migrationNeeded") {
      try DataStack(model: model, store: .sqlite(folder.file()), migration: .refuse)
    }
    try DataStack(model: model, store: .sqlite(folder.file())).close()
  }
}
