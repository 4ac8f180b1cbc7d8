import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// A store that a program opens with a later model: what an earlier one had to put aside is read,
/// after the edits that were made before.
@Suite(.timeLimit(.minutes(5))) struct FollowingModelTests {
  private let server = MemoryTransport()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func client(_ drafts: [EntityDraft], isStored: Bool = true) throws -> Client {
    try Client(
      server, model: ManagedObjectModel(drafts), file: isStored ? folder.file() : nil)
  }

  /// Edits the store without an engine.
  private func edit(
    _ drafts: [EntityDraft], _ body: (StoreTransaction) throws -> Void
  ) throws {
    var configuration = Store.Configuration(.file(folder.file()))
    configuration.keepsHistory = true
    let stack = try DataStack(
      model: try ManagedObjectModel(drafts), configuration: configuration, classes: [])
    try stack.store.write { try body($0) }
    try stack.close()
  }

  private func unique(_ properties: [PropertyDraft] = []) -> [EntityDraft] {
    [
      EntityDraft(
        "User", ["id key", "email", "nick"] + properties, uniquenessConstraints: [["email"]])
    ]
  }

  @Test func anEditBeforeTheEngineWasMadeIsLaterThanTheValueThatWasKept() async throws {
    let (old, new): ([EntityDraft], [EntityDraft]) = (["Note: id key"], ["Note: id key, text"])
    let there = try client(new, isStored: false)
    try there.insert("Note", ["id": 1, "text": "old"])
    try await there.engine.sync()
    var here = try client(old)
    try await here.engine.sync()
    try here.close()
    try edit(new) { try $0.update("Note", 1, ["text": "typed"]) }
    here = try client(new)
    try await settle([here, there], fresh: server)
    #expect(try there.values("Note", "text") == ["typed"])
    try here.close()
  }

  @Test func anEditBeforeTheUpdateIsLaterThanAVersionThatWasPutAside() async throws {
    let there = try client(unique(), isStored: false)
    let row = try there.insert("User", ["id": 2, "email": "y"])
    var here = try client(unique())
    try await sync(there, here)
    try there.update("User", row, ["email": "z", "nick": "there"])
    let taker = try here.insert("User", ["id": 3, "email": "z"])
    try await there.engine.sync()
    try await here.passStamps()
    try await here.engine.sync()
    let known = try #require(try here.rows("User").first).row
    try here.update("User", taker, ["email": "w"])
    try here.update("User", known, ["nick": "later"])
    try here.close()
    here = try client(unique(["city"]))
    try await sync(here, there, here)
    for client in [here, there] {
      #expect(try client.values("User", "nick") == ["later", .null])
      #expect(try client.values("User", "email") == ["z", "w"])
    }
    try here.close()
  }

  @Test func nothingIsJoinedToAnObjectThatWasDeletedBefore() async throws {
    let there = try client(
      [
        "Item: id key, subs ->> Sub.item cascade, tags ->> Tag.items",
        "Sub: id key, item -> Item.subs",
        "Tag: id key, items ->> Item.tags",
      ], isStored: false)
    try await there.sync(#"[{"id":1,"subs":[{"id":1}],"tags":[{"id":1}]}]"#, "Item")
    try await there.engine.sync()
    var here = try client(["Item: id key"])
    try await here.engine.sync()
    try here.delete("Item", 1)
    try here.close()
    here = try Client(server, model: there.stack.model, file: folder.file())
    #expect(try await here.stack.checkConsistency().isConsistent)
    try await settle([here, there], fresh: server)
    #expect(try there.rows("Item").isEmpty)
    try here.close()
  }

  @Test func aRecordThatIsStillInTheWayStaysAside() async throws {
    let there = try client(unique(), isStored: false)
    try there.insert("User", ["id": 1, "email": "x"])
    var here = try client(unique())
    let row = try here.insert("User", ["id": 2, "email": "x"])
    try await sync(there, here)
    let problems = here.engine.status.problems.map(\.reason)
    #expect(problems.count == 1)
    try here.close()
    here = try client(unique(["city"]))
    #expect(here.engine.status.problems.map(\.reason) == problems)
    #expect(try here.rows("User").count == 1)
    try here.update("User", row, ["email": "y"])
    try await sync(here, there, here)
    #expect(Set(try here.values("User", "email")) == ["x", "y"])
    try here.close()
  }

  @Test func aValueThatTheModelCouldNotTakeIsReadOnceItCan() async throws {
    let there = try client(["Note: id key, stars string"], isStored: false)
    let row = try there.insert("Note", ["id": 1, "stars": "five"])
    var here = try client(["Note: id key, stars integer64"])
    try await sync(there, here)
    #expect(try here.values("Note", "stars") == [.null])
    // The problem stays, whatever else changes.
    try there.update("Note", row, ["id": 1, "stars": "six"])
    try await sync(there, here)
    #expect(here.engine.status.problems.count == 1)
    try here.close()
    here = try client(["Note: id key, stars string"])
    #expect(try here.values("Note", "stars") == ["six"])
    try await settle([here, there], fresh: server)
    try here.close()
  }

  @Test(arguments: [true, false])
  func anEntityThatLeftTheModelHoldsNothingUpAndComesBackWithIt(_ isUnsent: Bool) async throws {
    let both: [EntityDraft] = ["Box: id key, name", "Item: id key, name"]
    let there = try client(both, isStored: false)
    var here = try client(both)
    let item = try here.insert("Item", ["id": 1, "name": "sent"])
    let box = try here.insert("Box", ["id": 1])
    try await settle([here, there], fresh: server)
    if isUnsent {
      try here.update("Item", item, ["name": "unsent"])
      try here.insert("Item", ["id": 2])
      try await here.drain()
    }
    try here.close()
    here = try client(["Box: id key, name"])
    try here.update("Box", box, ["name": "mine"])
    try await sync(here, there, here)
    #expect(here.engine.status.waiting == 0)
    // Sent, so it is the import's again.
    try await here.sync(#"[{"id":1,"name":"api"}]"#, "Box")
    #expect(try here.values("Box", "name") == ["api"])
    try here.close()
    here = try client(both)
    #expect(try await here.engine.bringBack("Item") == 1)
    try await settle([here, there], fresh: server)
    #expect(try here.values("Item", "name") == ["sent"])
    try here.close()
  }
}
