import Foundation
import SyncStack
import TestSupport
import Testing

/// The shop under other names: the records of an outbox go with them.
@Suite struct RenamedModelTests {
  final class Buyer: ManagedObject {
    override class var renamedFrom: String? { "Customer" }
    @PrimaryKey var id: Int64?
    @Attribute var name: String?
    @ToMany(inverse: "buyer", renamedFrom: "orders") var purchases: Set<Purchase>
  }

  final class Purchase: ManagedObject {
    override class var renamedFrom: String? { "Order" }
    @PrimaryKey var id: Int64?
    @Attribute(renamedFrom: "status") var state: String?
    @Attribute var amount: String?
    @ToOne(renamedFrom: "customer") var buyer: Buyer?
    @ToMany(inverse: "purchases", renamedFrom: "labels") var tags: Set<Tag>
  }

  final class Tag: ManagedObject {
    override class var renamedFrom: String? { "Label" }
    @PrimaryKey var id: Int64?
    @Attribute var name: String?
    @ToMany(inverse: "tags", renamedFrom: "orders") var purchases: Set<Purchase>
  }

  /// Orders that were edited and deleted, each refused or without an answer, and a store that is
  /// closed.
  private func leaveEdits(_ url: URL, _ answer: OutboxAnswer) async throws {
    let shop = try Shop(store: .sqlite(url))
    try await shop.stack.sync(
      """
      [{"id": 1, "name": "Ann", "orders": [{"id": 10, "status": "a", "amount": 1.5, "labels": [{"id": 7}]},
        {"id": 11, "status": "a"}]}, {"id": 2, "name": "Bob"}]
      """, inEntityNamed: "Customer")
    await shop.server.answer(answer, to: "Order")
    try await shop.edit { context in
      for order in try context.fetch(Fetch<Order>("id == 10")) {
        (order.status, order.amount, order.labels) = ("b", 9, [])
        order.customer = try context.fetch(Fetch<Customer>("id == 2")).first
      }
      for order in try context.fetch(Fetch<Order>("id == 11")) { context.delete(order) }
    }
    try await shop.outbox.send()
    #expect(try shop.outbox.pending.map(\.entity) == ["Order", "Order", "Label"])
    try shop.stack.close()
  }

  @Test(arguments: [OutboxAnswer.refused("no"), .retry(after: 3600)])
  func whatTheServerLastSaidIsKnownUnderTheNewNames(_ answer: OutboxAnswer) async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("shop.sqlite")
    try await leaveEdits(url, answer)
    let stack = try DataStack.tracking(Buyer.self, Purchase.self, Tag.self, in: .sqlite(url))
    let outbox = try Outbox(stack, name: "api")
    let items = try outbox.pending
    #expect(items.map(\.entity) == ["Purchase", "Purchase", "Tag"])
    #expect(Set(items[0].properties) == ["state", "amount", "buyer", "tags"])
    #expect(items.map(\.key) == [10, 11, 7])
    try outbox.revert(items)
    let options = ExportOptions(relationshipType: .keys)
    #expect(
      try stack.export("Purchase", using: options) == [
        ["id": 10, "state": "a", "amount": "1.5", "buyer_id": 1, "tag_ids": [7]],
        ["id": 11, "state": "a", "amount": nil, "buyer_id": 1, "tag_ids": []],
      ])
    #expect(try await stack.checkConsistency().problems.isEmpty)
  }

  @Test func aRefusedEditIsSentUnderTheNewNames() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("shop.sqlite")
    try await leaveEdits(url, .refused("no"))
    let stack = try DataStack.tracking(Buyer.self, Purchase.self, Tag.self, in: .sqlite(url))
    let outbox = try Outbox(stack, name: "api")
    let sent = Locked<[Value: JSONValue]>([:])
    outbox.send(Purchase.self) { change in
      if let key = change.key { sent.withLock { $0[key] = change.changedJSON } }
      return .accepted()
    }
    for item in try outbox.refused { try outbox.retry(item) }
    #expect(try await outbox.send().accepted == 2)
    #expect(
      sent.withLock { $0 } == [
        10: ["state": "b", "amount": "9.0", "buyer_id": 2, "tag_ids": []], 11: ["id": 11],
      ])
  }

  enum Before {
    final class Gauge: ManagedObject {
      @PrimaryKey var id: Int64?
      @Attribute var level: Double?
      @Attribute var isOpen: Bool?
      @Attribute var readAt: Date?
    }
  }

  enum After {
    final class Gauge: ManagedObject {
      @PrimaryKey var id: Int64?
      @Attribute var level: String?
      @Attribute var isOpen: String?
      @Attribute var readAt: String?
    }
  }

  @Test func whatTheServerLastSaidTakesANewType() async throws {
    let folder = try TemporaryFolder()
    let store = DataStack.Location.sqlite(folder.file("gauges.sqlite"))
    var stack = try DataStack.tracking(Before.Gauge.self, in: store)
    try await stack.sync(
      #"[{"id": 1, "level": 1.5, "is_open": true, "read_at": "2026-11-25T08:00:00Z"}]"#,
      inEntityNamed: "Gauge")
    var outbox = try Outbox(stack, name: "api")
    outbox.send(Before.Gauge.self) { _ in .refused("no") }
    try await stack.edit { context in
      for gauge in try context.fetch(Fetch<Before.Gauge>()) {
        (gauge.level, gauge.isOpen, gauge.readAt) = (2, false, nil)
      }
    }
    #expect(try await outbox.send().refused == 1)
    try stack.close()
    stack = try DataStack.tracking(After.Gauge.self, in: store)
    outbox = try Outbox(stack, name: "api")
    try outbox.revert(outbox.refused)
    #expect(
      try stack.export("Gauge") == [
        ["id": 1, "level": "1.5", "is_open": "true", "read_at": "2026-11-25T08:00:00Z"]
      ])
    #expect(try await stack.checkConsistency().problems.isEmpty)
  }
}
