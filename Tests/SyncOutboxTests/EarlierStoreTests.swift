import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStore

/// Stores of versions that knew nothing of outboxes.
@Suite struct EarlierStoreTests {
  private static let model = Result {
    try ManagedObjectModel(Customer.self, Order.self, Line.self, Label.self)
  }

  /// A store with an edit, as a version without outboxes left it.
  private func earlierStore(_ url: URL) async throws {
    let stack = try DataStack(
      model: EarlierStoreTests.model.get(), store: .sqlite(url), tracksChanges: true)
    try await stack.sync(
      #"[{"id": 1, "status": "a", "lines": [{"id": 5, "text": "x"}]}]"#, inEntityNamed: "Order")
    try await stack.edit { try $0.fetch(Fetch<Order>()).first?.status = "b" }
    try stack.close()
    let connection = try Connection(
      path: url.path, options: Connection.Options(mode: .writer, busyTimeout: 1),
      recorder: StatementRecorder())
    defer { connection.close() }
    try connection.execute("ALTER TABLE _syncstack_history_changes DROP COLUMN base")
  }

  @Test func aStoreFromBeforeOutboxesOpensAndGetsThem() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("earlier.sqlite")
    try await earlierStore(url)
    // Without an outbox it is written to as before.
    var stack = try DataStack(
      model: EarlierStoreTests.model.get(), store: .sqlite(url), tracksChanges: true)
    try await stack.edit { try $0.fetch(Fetch<Line>()).first?.text = "y" }
    #expect(try Outbox.names(in: stack).isEmpty)
    try stack.close()

    let shop = try Shop(store: .sqlite(url))
    stack = shop.stack
    #expect(try shop.outbox.pending.map(\.entity) == ["Order", "Line"])
    await shop.server.answer(.refused("no"), to: "Order")
    await shop.server.put("Line", 5, ["id": 5, "text": "x"])
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.amount = 3 }
    let report = try await shop.outbox.send()
    #expect(report["Line"].accepted.count == 1 && report["Order"].refused.count == 1)
    // The values before the one edit are known, those before the other are not.
    let item = try #require(try shop.outbox.refused.first)
    #expect(throws: SyncError.self) { try shop.outbox.revert(item) }
    try shop.outbox.revert(item, to: ["id": 1, "status": "a"])
    let order = try #require(try shop.stored("Order")[1])
    #expect(order["status"] == "a")
    #expect(order["amount"]?.isNull == true)
    #expect(try await stack.checkConsistency().problems.isEmpty)
  }
}
