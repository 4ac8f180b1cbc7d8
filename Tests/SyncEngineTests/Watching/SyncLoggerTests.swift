import Foundation
import SyncStack
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SyncLoggerTests {
  private let stack: DataStack
  private let lines = Log<String>()

  init() throws { stack = try DataStack.social() }

  private func change(_ stack: DataStack) throws {
    try stack.sync(
      [
        ["id": 6, "name": "a", "notes": [["id": 12], ["id": 13]]],
        ["id": 7],
      ] as JSONValue, inEntityNamed: "User")
    try stack.sync(
      [
        [
          "id": 6, "name": "b", "email": "b@example.org", "notes": [["id": 13], ["id": 301]],
        ], ["id": 7],
      ] as JSONValue, inEntityNamed: "User")
  }

  @Test func aLineForEachObjectThatChanged() throws {
    try stack.sync(
      [["id": 6, "name": "a", "notes": [["id": 12]]], ["id": 7]] as JSONValue,
      inEntityNamed: "User")
    let log = SyncLogger(stack) { lines.append($0) }
    try stack.sync(
      [["id": 6, "name": "b", "email": "x", "notes": [["id": 301]]], ["id": 7]] as JSONValue,
      inEntityNamed: "User")
    stack.drainNotifications()
    #expect(
      lines.all == ["User 6 updated: name, email, notes", "Note 301 inserted", "Note 12 deleted"])
    log.cancel()
  }

  @Test func objectsOfEntitiesWithoutPrimaryKeyAreNamedByTheirRows() throws {
    let model = try ManagedObjectModel(["Batch: batchID integer64"])
    let stack = try DataStack(model: model, store: .inMemory)
    let (text, json) = (
      SyncLogger(stack) { lines.append($0) },
      SyncLogger(stack, format: .ndjson) { lines.append($0) }
    )
    let serializer = EntitySerializer(entityNamed: "Batch").by("batchID", ["batchID": .int("id")])
    try stack.sync([["id": 70]] as JSONValue, with: serializer)
    stack.drainNotifications()
    #expect(
      Set(lines.all) == [
        "Batch #1 inserted", #"{"entity":"Batch","change":"inserted","row":1,"generation":1}"#,
      ])
    text.cancel()
    json.cancel()
  }

  @Test func linesOfJSONHaveAFixedOrder() throws {
    let log = SyncLogger(stack, format: .ndjson, kinds: [.updated, .deleted]) { lines.append($0) }
    try change(stack)
    stack.drainNotifications()
    #expect(
      lines.all == [
        #"{"entity":"User","change":"updated","row":1,"key":6,"properties":["name","email","notes"],"generation":2}"#,
        #"{"entity":"Note","change":"deleted","row":1,"key":12,"generation":2}"#,
      ])
    log.cancel()
  }

  @Test func aFormatOfOnesOwnMayLeaveChangesOut() throws {
    let log = SyncLogger(
      stack,
      format: .custom { change in
        change.properties.contains("email") ? "mail of \(change.key ?? nil)" : nil
      }
    ) { lines.append($0) }
    try change(stack)
    stack.drainNotifications()
    #expect(lines.all == ["mail of 6"])
    log.cancel()
  }

  @Test func entitiesAndKindsLimitTheLog() throws {
    let log = try SyncLogger(stack, entities: ["Note"], kinds: [.inserted]) { lines.append($0) }
    try change(stack)
    stack.drainNotifications()
    #expect(lines.all == ["Note 12 inserted", "Note 13 inserted", "Note 301 inserted"])
    log.cancel()
    #expect(throws: ModelError.self) { try SyncLogger(stack, entities: ["Nobody"]) { _ in } }
  }

  @Test func anEntityStandsForThoseBelowIt() throws {
    let stack = try DataStack(model: TestModels.vehicles(), store: .inMemory)
    let log = try SyncLogger(stack, entities: ["Vehicle"]) { lines.append($0) }
    try stack.sync(items([1]), inEntityNamed: "Car")
    try stack.sync(items([2]), inEntityNamed: "Person")
    stack.drainNotifications()
    #expect(lines.all == ["Car 1 inserted"])
    log.cancel()
  }

  @Test func loggingEndsWithTheLogger() throws {
    var log: SyncLogger? = SyncLogger(stack) { lines.append($0) }
    try stack.sync(items([1]), inEntityNamed: "User")
    stack.drainNotifications()
    #expect(log != nil)
    log = nil
    try stack.sync(items([1, 2]), inEntityNamed: "User")
    stack.drainNotifications()
    #expect(lines.all == ["User 1 inserted"])
  }

  @Test func aRunThatChangesNothingLogsNothing() throws {
    try change(stack)
    let log = SyncLogger(stack) { lines.append($0) }
    let payload: JSONValue = [
      ["id": 6, "name": "b", "notes": [["id": 13], ["id": 301]]], ["id": 7],
    ]
    try stack.sync(payload, inEntityNamed: "User")
    stack.drainNotifications()
    #expect(lines.all.isEmpty)
    log.cancel()
  }

  // MARK: - Sequences

  @Test func changesOfAClassAreThoseOfItsEntity() async throws {
    let changes = stack.changes(of: User.self)
    try await stack.sync([["id": 6, "notes": [["id": 1]]]] as JSONValue, inEntityNamed: "User")
    try await stack.sync([["id": 1, "text": "x"]] as JSONValue, inEntityNamed: "Note")
    try await stack.sync([["id": 6, "name": "x"]] as JSONValue, inEntityNamed: "User")
    var iterator = changes.makeAsyncIterator()
    let first = try #require(await iterator.next())
    #expect(first.entities.map(\.entity.name) == ["User"])
    #expect(first.counts.inserted == 1)
    let second = try #require(await iterator.next())
    #expect(second.updated.map { second.changedProperties(of: $0) } == [["name"]])
  }

  @Test func oneObjectCanBeWatched() async throws {
    try await stack.sync(items([5, 6]), inEntityNamed: "User")
    await stack.drainNotifications()
    let entity = try stack.model.requireEntity(named: "User")
    let id = ManagedObjectID(entity: entity, row: 2)
    let changes = stack.changes(of: id)
    try await stack.sync([["id": 5, "name": "x"], ["id": 6]] as JSONValue, inEntityNamed: "User")
    try await stack.sync(
      [["id": 5, "name": "y"], ["id": 6, "name": "z"]] as JSONValue, inEntityNamed: "User")
    try await stack.sync(items([5]), inEntityNamed: "User")
    var iterator = changes.makeAsyncIterator()
    let first = try #require(await iterator.next())
    #expect(first.updated == [id])
    #expect(first.changedProperties(of: id) == ["name"])
    let second = try #require(await iterator.next())
    #expect(second.deleted == [id])
    #expect(second.entities.first?.deletedKeys == [6])
  }
}
