import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// `uploadEverything()` says that this store is right.
@Suite(.timeLimit(.minutes(5))) struct RightHereTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 100, page: 5000))

  private func notes(_ count: Int, on client: Client) throws {
    try client.stack.store.write { transaction in
      _ = try transaction.insert(
        "Note", (0..<count).map { ["title": .string("\($0)"), "stars": .int(Int64($0))] })
    }
  }

  private func deleteNotes(_ count: Int, on client: Client) throws {
    let rows = try client.rows("Note").prefix(count).map(\.row)
    try client.stack.store.write {
      try $0.delete("Note", rows)
    }
  }

  private func expectRefusal(_ body: () async throws -> Void) async {
    await expectError(.deletionRefused) { try await body() }
  }

  @Test(arguments: [0.0, 3600])
  func whatIsHereIsRightWhateverOthersHaveDeleted(_ clock: Double) async throws {
    let (here, there) = (try Client(server), try Client(server, clock: clock))
    try notes(1200, on: there)
    try await settle([there, here], fresh: server)
    try deleteNotes(1100, on: there)
    try await there.engine.push()
    await expectRefusal { try await here.engine.sync() }
    #expect(try here.rows("Note").count == 1200)
    try await here.engine.uploadEverything()
    try await here.engine.sync()
    #expect(try here.rows("Note").count == 1200)
    try await settle([here, there], fresh: server)
    #expect(try there.rows("Note").count == 1200)
  }

  @Test func valuesAndPairsOfHereAreLaterThanThoseOfOthers() async throws {
    let model = try IdentityTests.tagged()
    let (here, there) = (
      try Client(server, model: model), try Client(server, model: model, clock: 3600)
    )
    let note = try here.insert("Note", ["id": "n1", "title": "here"])
    let tags = try ["t1", "t2"].map { try here.insert("Tag", ["id": .string($0)]) }
    try here.link("Note", note, "tags", [tags[0]])
    try await settle([here, there], fresh: server)
    let row = try #require(try there.rows("Note").first).row
    try there.update("Note", row, ["title": "there"])
    try there.link("Note", row, "tags", try there.rows("Tag").map(\.row))
    try there.link(
      "Note", row, "tags", [try #require(try there.rows("Tag").first).row], isAdded: false)
    try await there.engine.push()
    try await here.engine.uploadEverything()
    try await settle([here, there], fresh: server)
    #expect(try here.values("Note", "title") == ["here"])
    let name = try #require(try here.record("Note", note)?.name)
    let first = try #require(try here.record("Tag", tags[0])?.name)
    let pairs = try here.graph()[name]?["tags"]?.arrayValue ?? []
    #expect(pairs.contains(.string(first)))
  }

  @Test func deletionsInTheAnswersOfAPushGoThroughTheGuard() async throws {
    let transport = FaultyTransport(server)
    let (here, there) = (try Client(transport), try Client(server))
    try notes(1200, on: there)
    try await settle([there, here], fresh: server)
    try await here.drain()
    let rows = try here.rows("Note").map { $0.row }
    try here.stack.store.write { transaction in
      for row in rows { try transaction.update("Note", row, ["text": "edited"]) }
    }
    try await here.drain()
    // Deleted later, and not seen by a pull.
    try deleteNotes(1100, on: there)
    try await there.engine.push()
    await expectRefusal { try await here.engine.push() }
    let left = try here.rows("Note").count
    #expect(left >= 600)
    await expectRefusal { try await here.engine.push() }
    #expect(try here.rows("Note").count == left)
    here.engine.deletionGuard = .off
    try await settle([here, there], fresh: server)
    #expect(try here.rows("Note").count == 100)
  }

  @Test func nothingOfAPullIsStoredThatWouldDeleteTooMuchInTheEnd() async throws {
    let server = MemoryTransport(limits: CloudLimits(batch: 100, page: 100))
    let (here, there) = (try Client(server), try Client(server))
    try notes(1200, on: there)
    try await settle([there, here], fresh: server)
    try deleteNotes(1100, on: there)
    try await there.engine.push()
    for _ in 0..<2 { await expectRefusal { try await here.engine.sync() } }
    #expect(try here.rows("Note").count == 1200)
    try await here.engine.uploadEverything()
    try await settle([here, there], fresh: server)
    #expect(try there.rows("Note").count == 1200)
  }
}
