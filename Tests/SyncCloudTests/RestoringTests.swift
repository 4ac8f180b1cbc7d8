import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Values that lost are set once more while their objects are there.
@Suite(.timeLimit(.minutes(5))) struct RestoringTests {
  private let server = MemoryTransport(account: "ann")

  private func row(_ id: Int64, _ client: Client, _ entity: String = "Note") throws -> Int64 {
    try #require(try client.rows(entity).first { $0.values[0] == .int(id) }).row
  }

  /// Two machines that have led note 1 to another note each; the value of the first one has lost.
  private func clients() async throws -> [Client] {
    let model = try ManagedObjectModel(["Note: id key, up -> Note.downs, downs ->> Note.up"])
    let all = [try Client(server, model: model), try Client(server, model: model)]
    try await all[0].sync(#"[{"id":1},{"id":2},{"id":3}]"#, "Note")
    try await settle(all, fresh: server)
    for (client, target) in zip(all, [2, 3] as [Int64]) {
      try client.update("Note", row(1, client), ["up": .int(row(target, client))])
      try await client.passStamps()
    }
    try await settle([all[1], all[0]], fresh: server)
    #expect(try all[0].engine.conflicts.count == 1)
    return all
  }

  @Test(arguments: [1, 2])
  func aConflictOfAnObjectOrTargetThatWasDeletedSinceStays(_ gone: Int64) async throws {
    let all = try await clients()
    let conflict = try #require(try all[0].engine.conflicts.first)
    try all[0].delete("Note", row(gone, all[0]))
    await expectError(.notFound) { try all[0].engine.restore(conflict) }
    #expect(try all[0].engine.conflicts.count == 1)
    #expect(try await all[0].stack.checkConsistency().isConsistent)
    try await settle(all, fresh: server)
  }

  @Test func aTargetInAnotherZoneIsFound() async throws {
    let model = try ManagedObjectModel([
      "List: id key, items ->> Item.list cascade",
      "Item cloud.parent=list: id key, list -> List.items, label -> Label.items",
      "Label: id key, items ->> Item.label",
    ])
    let all = [try Client(server, model: model), try Client(server, model: model)]
    try await all[0].sync(#"[{"id":1,"items":[{"id":1}]}]"#, "List")
    try await all[0].sync(#"[{"id":1},{"id":2}]"#, "Label")
    try await all[0].engine.sync()
    try await all[0].engine.share(
      try #require(try all[0].rows("List").first).id, with: [.init("bob", .readWrite)])
    try await sync(all, rounds: 2)
    for (client, label) in zip(all, [1, 2] as [Int64]) {
      try client.update(
        "Item", row(1, client, "Item"), ["label": .int(row(label, client, "Label"))])
      try await client.passStamps()
    }
    try await settle([all[1], all[0]], fresh: server)
    let conflict = try #require(try all[0].engine.conflicts.first)
    try all[0].engine.restore(conflict)
    try await settle(all, fresh: server)
    for client in all {
      #expect(try client.values("Item", "label") == [.int(row(1, client, "Label"))])
    }
  }
}
