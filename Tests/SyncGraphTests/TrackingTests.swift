import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Changes to send: each object once, until it was acknowledged.
@Suite struct TrackingTests {
  private let stack: DataStack
  private let context: ManagedObjectContext

  init() throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          "id", "name", "email",
          .attribute(AttributeDescription("born", .date, preservesValueInHistory: true)),
          "notes ->> Note.user cascade",
        ]),
      "Note: text, user -> User.notes",
    ])
    stack = try DataStack(model: model, store: .inMemory, tracksChanges: true)
    context = stack.newBackgroundContext()
  }

  private func edit(_ body: () throws -> Void) throws { try context.edit(body) }

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

  /// A commit of a sync, as far as the history is concerned.
  private func importing(_ body: (StoreTransaction) throws -> Void) throws {
    _ = try stack.store.write(TransactionInfo(source: .import), body)
  }

  /// The list that loses a member is declared below the root of its table, or leads there.
  @Test(
    arguments: [
      ["Guest < Person: tags ->> Tag.guests", "Tag: id, guests ->> Guest.tags"],
      ["Guest < Person: tags ->> Tag", "Tag: id"],
    ], [true, false])
  func aListOfASubentityLosesADeletedMember(lines: [String], isBatch: Bool) throws {
    let model = try ManagedObjectModel(
      (["Person: id"] + lines).map(EntityDraft.init(stringLiteral:)))
    let stack = try DataStack(model: model, store: .inMemory, tracksChanges: true)
    try stack.inBackground { context in
      let tags = try [7, 8].map { try context.make("Tag", ["id": $0]) }
      let guest = try context.make("Guest", ["id": 1, "tags": Set(tags)])
      try context.save()
      try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
      if isBatch {
        try context.batchDelete(Fetch<ManagedObject>(entityNamed: "Tag", "id == 7"))
      } else {
        context.delete(tags[0])
        try context.save()
      }
      #expect(guest["tags"] as? Set<ManagedObject> == [tags[1]])
      let pending = try stack.pendingChanges(for: "server").changes.map(\.description)
      #expect(pending == ["update of Guest 1: tags", "deletion of Tag 7"])
    }
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
    try edit { try context.make("User", ["id": 1, "born": born]) }
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
    // A consumer that never read the purged commits is told so, and not given the rest.
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

  @Test func theHistoryIsReadByAuthor() throws {
    context.author = "me"
    try insert(1)
    context.author = "o'neil, \"x\""
    try insert(2)
    context.author = nil
    try insert(3)
    func authors(_ authors: HistoryAuthors) throws -> [String?] {
      try stack.history(authors: authors).map(\.author)
    }
    #expect(try authors(.all) == ["me", "o'neil, \"x\"", nil])
    #expect(try authors(.only(["me", "nobody"])) == ["me"])
    #expect(try authors(.only([])) == [])
    #expect(try authors(.except(["me"])) == ["o'neil, \"x\"", nil])
    #expect(try authors(.except(["o'neil, \"x\"", "me"])) == [nil])
    // A limit counts the commits that are meant.
    #expect(try stack.history(authors: .except(["me"]), limit: 1).map(\.token.number) == [2])
    #expect(try stack.history(since: HistoryToken(number: 1), authors: .only(["me"])).isEmpty)
  }

  @Test func theHistoryIsReadByDate() throws {
    let clock = Locked(Date(timeIntervalSince1970: 1_000))
    var configuration = Store.Configuration(.memory)
    configuration.keepsHistory = true
    configuration.now = { clock.withLock { $0 } }
    let stack = try DataStack(model: stack.model, configuration: configuration)
    for second in 1...3 {
      clock.withLock { $0 = Date(timeIntervalSince1970: 1_000 + Double(second)) }
      _ = try stack.store.write { try $0.insert("User", [["id": .int(Int64(second))]]) }
    }
    func since(_ seconds: Double) throws -> [Int64] {
      try stack.history(from: Date(timeIntervalSince1970: 1_000 + seconds)).map(\.token.number)
    }
    #expect(try since(0) == [1, 2, 3] && since(2) == [2, 3] && since(2.0001) == [3])
    #expect(try since(9) == [] && stack.history(from: .distantPast).count == 3)
    #expect(try stack.history(from: .distantFuture).isEmpty)
    let second = Date(timeIntervalSince1970: 1_002)
    #expect(try stack.history(since: HistoryToken(number: 2), from: second).count == 1)
    // Purged commits are never left out in silence.
    try stack.purgeHistory(before: second)
    #expect(try since(2) == [2, 3])
    #expect { try since(1) } throws: { ($0 as? StoreError)?.code == .historyExpired }
    #expect(throws: StoreError.self) { try stack.history() }
    try stack.purgeHistory(through: stack.latestHistoryToken())
    #expect(try since(4) == [])
    #expect(throws: StoreError.self) { try since(3) }
  }

  @Test func aPurgeUpToATokenNamesWhoStillNeedsSomeOfIt() throws {
    for id in 1...3 { try insert(Int64(id)) }
    let tokens = try stack.history().map(\.token)
    try stack.acknowledge(through: tokens[0], for: "server")
    try stack.acknowledge(through: tokens[1], for: "archive")
    #expect(try stack.historyConsumers() == ["server": tokens[0], "archive": tokens[1]])
    try stack.purgeHistory(through: tokens[0])
    #expect(try stack.history(since: tokens[0]).map(\.token) == Array(tokens[1...]))
    let error = #expect(throws: StoreError.self) { try stack.purgeHistory(through: tokens[1]) }
    #expect(error?.code == .historyInUse && error?.message.contains("“server”") == true)
    #expect(error?.message.contains("archive") == false)
    #expect(try pending("server") == ["insertion of User 2", "insertion of User 3"])
    // A token beyond the end means all there is.
    for name in ["server", "archive"] { try stack.acknowledge(through: tokens[2], for: name) }
    try stack.purgeHistory(through: HistoryToken(number: 99))
    #expect(try stack.history(since: tokens[2]).isEmpty && pending("server") == [])
    try insert(4)
    #expect(try pending("server") == ["insertion of User 4"])
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
