import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// A server that was taken back to a backup gets the lost records again.
@Suite(.timeLimit(.minutes(5))) struct BackupTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  /// Two machines, a backup, and edits of both since.
  private func edited(
    _ transports: [any CloudTransport]
  ) async throws -> (
    clients: [Client], graph: [String: [String: JSONValue]], MemoryTransport.Backup
  ) {
    let model = try IdentityTests.tagged()
    let all = try transports.map { try Client($0, model: model) }
    for index in 0..<60 {
      try all[0].insert("Note", ["id": .string("n\(index)"), "title": "before"])
      if index < 6 { try all[0].insert("Tag", ["id": .string("t\(index)")]) }
    }
    try await settle(all, fresh: server)
    let backup = server.backup()
    let (notes, tags) = (try all[0].rows("Note").map(\.row), try all[0].rows("Tag").map(\.row))
    for row in notes[10..<20] { try all[0].update("Note", row, ["title": "after"]) }
    try all[0].link("Note", notes[0], "tags", tags)
    for row in notes[20..<25] { try all[0].delete("Note", row) }
    for index in 0..<30 { try all[1].insert("Note", ["id": .string("m\(index)")]) }
    try await settle(all, fresh: server)
    return (all, try all[0].graph(), backup)
  }

  @Test(arguments: ["pull", "push", "others first", "interrupted"])
  func whatTheServerHasLostIsSentAgain(_ way: String) async throws {
    let transport = FaultyTransport(server)
    let (all, graph, backup) = try await edited([transport, server])
    server.restore(backup)
    let model = all[0].stack.model
    switch way {
    case "push":
      try all[0].insert("Note", ["id": "fresh"])
      try await all[0].engine.push()
    case "others first":
      // A machine that knows only the backup hides it by a later change.
      let third = try Client(server, model: model)
      try third.insert("Note", ["id": "third"])
      try await third.engine.sync()
    case "interrupted":
      let before = transport.pages
      transport.beforeEachCall { _ in
        if transport.pages > before + 2 { throw CloudError(.redirected, message: "Gone.") }
      }
      await #expect(throws: CloudError.self) { try await all[0].engine.pull() }
      transport.beforeEachCall { _ in }
      let third = try Client(server, model: model)
      try third.insert("Note", ["id": "third"])
      try await third.engine.sync()
      try all[0].insert("Note", ["id": "fresh"])
      try await all[0].engine.push()
    default: break
    }
    try await settle(all, fresh: server)
    let now = try all[0].graph()
    for (name, values) in graph { #expect(now[name] == values, "\(name)") }
    let more = ["pull": 0, "interrupted": 2][way] ?? 1
    #expect(now.count == graph.count + more)
  }

  @Test func whatOnlyOneMachineHadSentComesBackFromIt() async throws {
    let (all, _, _) = try await edited([server, server])
    let backup = server.backup()
    try all[1].insert("Note", ["id": "late"])
    try await all[1].engine.push()
    server.restore(backup)
    // The other one never saw it.
    try await sync(all[0], all[1])
    try await settle(all, fresh: server)
    let ids = try all[0].values("Note", "id")
    #expect(ids.contains("late"))
  }

  @Test(arguments: ["Note", "Note.tags", "deletion"], [true, false])
  func aRecordThatComesBackOlderThanItWasShowsIt(_ what: String, _ isPush: Bool) async throws {
    let (all, _, _) = try await edited([server, server])
    let (here, there) = (all[0], all[1])
    let backup = server.backup()
    let slot = try #require(there.stack.model.requireEntity(named: "Note").primaryKey).slot
    let note = try #require(try there.rows("Note").first { $0.values[slot] == "n0" }).row
    let tag = try #require(try there.rows("Tag").first).row
    try there.insert("Note", ["id": "late"])
    try await there.engine.push()
    // The newest record that this machine knows is one that the other one writes anew, without
    // knowing of it.
    switch what {
    case "Note.tags": try there.link("Note", note, "tags", [tag], isAdded: false)
    case "deletion": try there.delete("Note", note)
    default: try there.update("Note", note, ["title": "mine"])
    }
    try await there.engine.push()
    let zone = there.engine.zone
    let newest = try #require(server.records(in: zone).values.max { $0.time < $1.time })
    server.restore(backup)
    let old = try #require(server.records(in: zone)[newest.name])
    let other: JSONObject = ["f_later": "x", "t_later": "1000000000000-abcdefgh"]
    try await server.update(old.name, tag: old.tag, other, in: zone)
    try await here.engine.sync()
    if isPush {
      try there.insert("Note", ["id": "fresh"])
      if what == "Note" { try there.update("Note", note, ["title": "mine again"]) }
      try await there.engine.push()
    } else {
      try await there.engine.pull()
    }
    try await settle([there, here], fresh: server)
    #expect(try here.values("Note", "id").contains("late"))
  }

  @Test func aServerThatIsAsItWasIsNotReadAgain() async throws {
    let transport = FaultyTransport(server)
    let (all, _, _) = try await edited([transport, server])
    let pages = transport.pages
    try all[1].insert("Note", ["id": "late"])
    try await all[1].engine.sync()
    #expect(try await all[0].engine.pull().inserted == 1)
    #expect(transport.pages == pages + 1)
    // Nor is one from which another program has deleted the record that was seen last.
    let row = try #require(try all[0].rows("Note").last).row
    let name = try #require(try all[0].record("Note", row)?.name)
    server.delete(name, in: all[0].engine.zone)
    for _ in 0..<3 { for client in all { try await client.engine.sync() } }
    let ids = try all[0].values("Note", "id")
    #expect(!ids.contains("late"))
    let after = transport.pages
    try await all[0].engine.pull()
    #expect(transport.pages == after + 1)
    try await settle(all, fresh: server)
  }

  @Test func whatThisModelCannotReadIsSentAgainAsItCame() async throws {
    let backup: MemoryTransport.Backup
    let old = try ManagedObjectModel(["Item: id key"])
    let new = try ManagedObjectModel(["Item: id key, text", "Other: id key"])
    let (here, there) = (try Client(server, model: old), try Client(server, model: new))
    try await sync(here, there)
    backup = server.backup()
    try there.insert("Item", ["id": 1, "text": "kept"])
    try there.insert("Other", ["id": 2])
    try await sync(there, here)
    server.restore(backup)
    try await here.engine.sync()
    #expect(here.engine.status.waiting == 0)
    let fresh = try Client(server, model: new)
    try await fresh.engine.pull()
    #expect(try fresh.values("Item", "text") == ["kept"])
    #expect(try fresh.rows("Other").count == 1)
    try await settle([there], fresh: server)
  }
}
