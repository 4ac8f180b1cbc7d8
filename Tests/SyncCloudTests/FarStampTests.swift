import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Stamps that are more than a day ahead of the server's clock.
@Suite(.timeLimit(.minutes(5))) struct FarStampTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))
  private static let far = "9999999999999-zzzzzzzz"

  private func poison(_ name: String, _ members: JSONObject, in zone: CloudZone) async throws {
    let tag = try #require(server.records(in: zone)[name]).tag
    try await server.update(name, tag: tag, members, in: zone)
  }

  @Test func aStampOfTheFarFutureUndoesNoLaterEdit() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let row = try here.insert("Note", ["title": "a", "text": "x"])
    try await settle([here, there], fresh: server)
    let other = try #require(try there.rows("Note").first).row
    let name = try #require(try here.record("Note", row)?.name)
    try await poison(
      name, ["f_title": "poison", "t_title": .string(Self.far), "t": .string(Self.far)],
      in: here.engine.zone)
    try await settle([here], fresh: server)
    #expect(try here.values("Note", "title") == ["poison"])
    // Later edits win, of this field and of others, on any machine.
    try there.update("Note", other, ["title": "later", "text": "y"])
    try await settle([there, here], fresh: server)
    try here.update("Note", row, ["title": "last"])
    try await settle([here, there], fresh: server)
    for client in [here, there] {
      #expect(try client.values("Note", "title") == ["last"])
      #expect(try client.values("Note", "text") == ["y"])
      let clock = try client.stack.store.read { try $0.remoteZone("private")?.clock ?? 0 }
      let tomorrow = Int64(Date().timeIntervalSince1970 * 1000) + 86_400_000
      #expect(clock < tomorrow)
    }
    let stamp = server.records(in: here.engine.zone)[name]?.content?["t_title"]?.stringValue
    #expect(try #require(stamp) < "9")
  }

  @Test(arguments: [true, false])
  func aDeletionOfTheFarFutureIsOutlivedByALaterEdit(_ isPair: Bool) async throws {
    let model = try IdentityTests.tagged()
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    let note = try here.insert("Note", ["id": "n1", "title": "a"])
    let tag = try here.insert("Tag", ["id": "t1"])
    try here.link("Note", note, "tags", [tag])
    try await settle([here, there], fresh: server)
    let zone = here.engine.zone
    let type: JSONValue = isPair ? "Note.tags" : "Note"
    let found = server.records(in: zone).values.first { $0.content?["type"] == type }
    let poisoned = try #require(found)
    let content: JSONObject = ["type": type, "d": .string(Self.far)]
    try await server.replace(poisoned.name, tag: poisoned.tag, content, in: zone)
    try await settle([here, there], fresh: server)
    if isPair {
      try here.link("Note", note, "tags", [tag])
    } else {
      #expect(try here.rows("Note").isEmpty)
      try there.insert("Note", ["id": "n1", "title": "again"])
    }
    try await settle([here, there], fresh: server)
    let title: Value = isPair ? "a" : "again"
    for client in [here, there] { #expect(try client.values("Note", "title") == [title]) }
    let graph = try there.graph()
    let tags = graph.values.compactMap { $0["tags"]?.arrayValue?.count }
    let count = isPair ? 1 : 0
    #expect(tags == [count])
  }

  @Test(arguments: [400.0 * 86_400, -400.0 * 86_400])
  func aMachineWhoseClockIsAYearWrongSettles(_ clock: Double) async throws {
    let (here, there) = (try Client(server), try Client(server, clock: clock))
    let row = try here.insert("Note", ["title": "a"])
    try await settle([here, there], fresh: server)
    let other = try #require(try there.rows("Note").first).row
    try there.update("Note", other, ["title": "b"])
    try there.insert("Note", ["title": "from there"])
    try await settle([there, here], fresh: server)
    #expect(try here.values("Note", "title").contains("b"))
    try here.update("Note", row, ["title": "c"])
    try await settle([here, there], fresh: server)
    try there.delete("Note", other)
    try await settle([there, here], fresh: server)
    #expect(try here.values("Note", "title") == ["from there"])
  }

  @Test(.server(.memory)) func aStampOfTheFarFutureUndoesNothingOnKinto() async throws {
    let transport = try await TestServer.transport(.memory)
    let (here, there) = (try Client(transport), try Client(transport))
    let row = try here.insert("Note", ["title": "a", "text": "x"])
    try await settle([here, there], fresh: transport)
    let name = try #require(try here.record("Note", row)).name
    let shown = try #require(try await transport.record(name, in: here.engine.zone))
    try await transport.update(
      name, tag: shown.tag,
      ["f_title": "poison", "t_title": .string(Self.far)], in: here.engine.zone)
    try await settle([here], fresh: transport)
    let other = try #require(try there.rows("Note").first).row
    try there.update("Note", other, ["title": "later"])
    try await settle([there, here], fresh: transport)
    #expect(try here.values("Note", "title") == ["later"])
    #expect(try await transport.record("none", in: here.engine.zone) == nil)
  }
}
