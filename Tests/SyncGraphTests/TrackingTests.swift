import Foundation
import SyncCore
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// What is to be sent: each object once, until it was acknowledged.
@Suite struct TrackingTests {
  private let stack: DataStack
  private let context: ManagedObjectContext

  init() throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          .attribute("id", .integer64), .attribute("name", .string), .attribute("email", .string),
          .attribute(AttributeDraft("born", .date, preservesValueInHistory: true)),
          .toMany("notes", to: "Note", inverse: "user", deleteRule: .cascade),
        ]),
      EntityDraft(
        "Note", [.attribute("text", .string), .toOne("user", to: "User", inverse: "notes")]),
    ])
    stack = try DataStack(model: model, store: .inMemory, tracksChanges: true)
    context = stack.newBackgroundContext()
  }

  private func edit(_ body: () throws -> Void) throws {
    try context.performAndWait {
      try body()
      try context.save()
    }
  }

  private func user(_ id: Int64) throws -> ManagedObject {
    try #require(
      context.fetch(Fetch<ManagedObject>(entityNamed: "User", Filter("id == %@", id))).first)
  }

  private func insert(_ id: Int64) throws {
    try edit { try context.insert(entityNamed: "User")["id"] = id }
  }

  private func pending(_ consumer: String = "server") throws -> [String] {
    try stack.pendingChanges(for: consumer).changes.map(\.description)
  }

  private func acknowledge() throws {
    try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
  }

  /// What a sync does, as far as the history is concerned.
  private func importing(_ body: (StoreTransaction) throws -> Void) throws {
    _ = try stack.store.write(TransactionInfo(source: .import), body)
  }

  @Test func changesOfAnObjectAreFolded() throws {
    for id in 1...4 { try insert(Int64(id)) }
    try acknowledge()
    try insert(5)
    try edit { try user(5)["name"] = "five" }
    try insert(6)
    try edit { try context.delete(user(6)) }
    try edit { try user(1)["name"] = "a" }
    try edit { try user(1)["email"] = "b" }
    try edit { try user(2)["name"] = "a" }
    try edit { try context.delete(user(2)) }
    try edit { try context.delete(user(3)) }
    #expect(
      try pending() == [
        "insertion of User 5", "update of User 1: name, email", "deletion of User 2",
        "deletion of User 3",
      ])
    let changes = try stack.pendingChanges(for: "server")
    #expect(changes.insertions.map(\.key) == [5])
    #expect(changes.updates.map(\.properties) == [["name", "email"]])
    #expect(changes.deletions.map(\.key) == [2, 3])
    #expect(!changes.isEmpty)
  }

  @Test func aDeletionKeepsWhatTheModelPreserves() throws {
    let born = Date(timeIntervalSinceReferenceDate: 77)
    try edit {
      let user = try context.insert(entityNamed: "User")
      user["id"] = 1
      user["born"] = born
    }
    try acknowledge()
    try edit { try user(1)["name"] = "x" }
    try edit { try context.delete(user(1)) }
    let deletion = try #require(stack.pendingChanges(for: "server").deletions.first)
    #expect(deletion.preserved == ["id": 1, "born": .date(born)])
    #expect(deletion.properties.isEmpty)
  }

  @Test func membershipIsAChangeOfBothSides() throws {
    try insert(1)
    try acknowledge()
    try edit { try context.insert(entityNamed: "Note")["user"] = user(1) }
    #expect(try pending() == ["update of User 1: notes", "insertion of Note #1"])
  }

  @Test func whatSyncsDidIsNotToBeSent() throws {
    try insert(1)
    try insert(2)
    try acknowledge()
    try edit { try user(1)["name"] = "mine" }
    try edit { try user(2)["name"] = "mine" }
    try importing {
      try $0.insert("User", [["id": 9]])
      try $0.update("User", 1, ["email": "theirs"])
      try $0.delete([2], of: stack.model.requireEntity(named: "User"))
    }
    #expect(try pending() == ["update of User 1: name"])
  }

  @Test func whatWasAcknowledgedIsNotPendingAnyMore() throws {
    try insert(1)
    let first = try stack.pendingChanges(for: "server")
    try edit { try user(1)["name"] = "later" }
    try stack.acknowledge(through: first.token, for: "server")
    #expect(try pending() == ["update of User 1: name"])
    // An earlier token takes nothing back.
    try acknowledge()
    try stack.acknowledge(through: first.token, for: "server")
    #expect(try pending() == [])
    #expect(try stack.pendingChanges(for: "server", since: first.token).changes.count == 1)
    #expect(try pending("another") == ["insertion of User 1"])
  }

  @Test func aTokenFromElsewhereIsRefused() throws {
    #expect(throws: StoreError.self) {
      try stack.acknowledge(through: HistoryToken(number: 99), for: "server")
    }
  }

  @Test func whatAConsumerHasNotAcknowledgedIsNotPurged() throws {
    try insert(1)
    try stack.acknowledge(through: .start, for: "server")
    try stack.purgeHistory(before: .distantFuture)
    #expect(try pending() == ["insertion of User 1"])
    try acknowledge()
    try stack.purgeHistory(before: .distantFuture)
    // Who never read what was purged is told so, and not given the rest.
    #expect(throws: StoreError.self) { try pending("another") }
    #expect(try pending() == [])
    try stack.removeConsumer("server")
    #expect(throws: StoreError.self) { try pending() }
  }

  @Test func theHistoryTellsWhoDidWhat() throws {
    context.author = "me"
    try insert(1)
    try importing { try $0.update("User", 1, ["email": "theirs"]) }
    let history = try stack.history()
    #expect(history.map(\.author) == ["me", nil])
    #expect(history.map(\.source) == [.local, .import])
    #expect(history.map { $0.changes.map(\.properties) } == [[[]], [["email"]]])
    #expect(try stack.history(since: history[0].token).count == 1)
    #expect(try stack.latestHistoryToken() == history[1].token)
  }

  @Test func aStoreThatTracksNothingSaysHowToChangeThat() throws {
    let plain = try DataStack.social()
    #expect(try !plain.tracksChanges)
    #expect(try stack.tracksChanges)
    #expect(throws: StoreError.self) { try plain.pendingChanges(for: "server") }
    try stack.stopTrackingChanges()
    #expect(try !stack.tracksChanges)
  }
}
