import Foundation
import SyncStack
import TestSupport
import Testing

/// A refused change goes back to the server's last values.
@Suite struct RevertTests {
  private static let json = """
    [{"id": 1, "name": "Ann", "favourite_id": 10,
      "orders": [{"id": 10, "status": "a", "amount": 1.5, "labels": [{"id": 7}, {"id": 8}],
                  "lines": [{"id": 20, "text": "x"}]}]},
     {"id": 2, "name": "Bob"}]
    """

  /// A shop whose server has refused every edit.
  private func refused(
    store: DataStack.Location = .inMemory,
    _ edit: @escaping @Sendable (ManagedObjectContext) throws -> Void
  ) async throws -> Shop {
    let shop = try Shop(store: store)
    try await shop.stack.sync(RevertTests.json, inEntityNamed: "Customer")
    for entity in ["Customer", "Order", "Line", "Label"] {
      await shop.server.answer(.refused("no"), to: entity)
    }
    try await shop.edit(edit)
    try await shop.outbox.send()
    return shop
  }

  private func state(_ shop: Shop) throws -> [String: [Int64: JSONValue]] {
    try ["Customer", "Order", "Line", "Label"].reduce(into: [:]) { $0[$1] = try shop.stored($1) }
  }

  private func before() async throws -> [String: [Int64: JSONValue]] {
    try await state(refused { _ in })
  }

  private func revertAll(_ shop: Shop) throws {
    try shop.outbox.revert(shop.outbox.pending)
  }

  @Test func anUpdateTakesItsValuesAndReferencesBack() async throws {
    let shop = try await refused { context in
      let order = try #require(try context.fetch(Fetch<Order>()).first)
      order.status = "b"
      order.amount = nil
      order.customer = try context.fetch(Fetch<Customer>("id == 2")).first
      order.labels = []
      order.customer?.favourite = order
      try context.save()
      order.status = "c"
      order.labels = [Label(context: context)]
    }
    let changed = try state(shop)
    try revertAll(shop)
    #expect(try changed != state(shop))
    #expect(try await state(shop) == before())
    #expect(try shop.outbox.pending.isEmpty)
    #expect(try await shop.stack.checkConsistency().problems.isEmpty)
  }

  @Test(arguments: [false, true])
  func aDeletedObjectComesBackWithValuesAndReferences(_ isLabel: Bool) async throws {
    let shop = try await refused { context in
      if isLabel {
        for label in try context.fetch(Fetch<Label>("id == 7")) { context.delete(label) }
      } else {
        for order in try context.fetch(Fetch<Order>()) { context.delete(order) }
      }
    }
    try revertAll(shop)
    #expect(try await state(shop) == before())
    #expect(try shop.outbox.pending.isEmpty)
    #expect(try await shop.stack.checkConsistency().problems.isEmpty)
    // The object is the same as before, also for contexts, and can be edited and sent again.
    for entity in ["Order", "Label"] { await shop.server.answer(.accepted(), to: entity) }
    try await shop.edit { context in
      for order in try context.fetch(Fetch<Order>()) { order.status = "again" }
      for label in try context.fetch(Fetch<Label>("id == 7")) { context.delete(label) }
    }
    #expect(try await shop.outbox.send().accepted == 2)
    #expect(try shop.stored("Order")[10]?["status"] == "again")
    #expect(try shop.stored("Label").keys.sorted() == [8])
  }

  @Test func aContextThatSawTheDeletionFindsTheObjectAgain() async throws {
    let shop = try Shop()
    try await shop.stack.sync(RevertTests.json, inEntityNamed: "Customer")
    await shop.server.answer(.refused("no"), to: "Order")
    await shop.server.answer(.refused("no"), to: "Line")
    let context = shop.stack.newBackgroundContext()
    try await context.perform {
      let order = try #require(try context.fetch(Fetch<Order>()).first)
      _ = order.lines.count
      context.delete(order)
      try context.save()
    }
    try await shop.outbox.send()
    try revertAll(shop)
    try await context.perform {
      let order = try #require(try context.fetch(Fetch<Order>()).first)
      #expect(order.status == "a")
      #expect(order.lines.map(\.text) == ["x"])
      #expect(order.customer?.orders.contains(order) == true)
      order.status = "b"
      try context.save()
    }
    #expect(try shop.stored("Order")[10]?["status"] == "b")
  }

  @Test func whatTheServerSaidSinceCounts() async throws {
    let shop = try Shop()
    try await shop.stack.sync(#"[{"id": 1, "status": "a", "amount": 1}]"#, inEntityNamed: "Order")
    try await shop.edit { context in
      for order in try context.fetch(Fetch<Order>()) { (order.status, order.amount) = ("mine", 9) }
    }
    // A sync before the send, and a conflict after it.
    try await shop.stack.sync(#"[{"id": 1, "status": "b", "amount": 2}]"#, inEntityNamed: "Order")
    shop.outbox.retry = RetryPolicy(attempts: 1, delay: 0)
    await shop.server.answer(.conflict(["id": 1, "status": "c"]), to: "Order")
    try await shop.outbox.send()
    #expect(try shop.stored("Order")[1]?["status"] == "mine")
    let item = try #require(try shop.outbox.refused.first)
    try shop.outbox.revert(item)
    #expect(try shop.stored("Order")[1]?["status"] == "c")
    #expect(try shop.stored("Order")[1]?["amount"] == 2)
  }

  @Test func whatWasAcceptedIsWhatTheNextEditGoesBackTo() async throws {
    let shop = try Shop()
    await shop.server.put("Order", 1, ["id": 1, "status": "a"])
    try await shop.stack.sync(#"[{"id": 1, "status": "a"}]"#, inEntityNamed: "Order")
    await shop.server.whileUnderWay { [stack = shop.stack, server = shop.server] _ in
      try await stack.edit { for order in try $0.fetch(Fetch<Order>()) { order.status = "third" } }
      await server.whileUnderWay { _ in await server.answer(.refused("no"), to: "Order") }
    }
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "second" }
    let report = try await shop.outbox.send()
    #expect(report.accepted == 1 && report.refused == 1)
    try shop.outbox.revert(try #require(try shop.outbox.refused.first))
    #expect(try shop.stored("Order")[1]?["status"] == "second")
  }

  @Test func unknownValuesAreAskedFor() async throws {
    let stack = try DataStack.tracking(Customer.self, Order.self, Line.self, Label.self)
    try await stack.sync(#"[{"id": 1, "status": "a"}]"#, inEntityNamed: "Order")
    try await stack.edit { for order in try $0.fetch(Fetch<Order>()) { order.status = "b" } }
    let outbox = try Outbox(stack, name: "late")
    outbox.send(Order.self) { _ in .refused("no") }
    try await outbox.send()
    let item = try #require(try outbox.refused.first)
    let error = #expect(throws: SyncError.self) { try outbox.revert(item) }
    #expect(error?.message.contains("“status” of Order 1") == true)
    #expect(try outbox.refused == [item])
    try outbox.revert(item, to: ["id": 1, "status": "a"])
    #expect(try stack.export("Order").arrayValue?.first?["status"] == "a")
    #expect(try outbox.pending.isEmpty)
  }

  @Test func aDeletedObjectStaysAwayWhenItsKeyWasGivenAway() async throws {
    let stack = try DataStack.tracking(Slot.self)
    try await stack.sync(#"[{"id": 1, "place": "a"}]"#, inEntityNamed: "Slot")
    let outbox = try Outbox(stack, name: "api")
    outbox.send(Slot.self) { $0.kind == .delete ? .refused("no") : .accepted() }
    try await stack.edit { context in
      for slot in try context.fetch(Fetch<Slot>()) { context.delete(slot) }
      try context.save()
      let other = Slot(context: context)
      (other.id, other.place) = (2, "a")
    }
    try await outbox.send()
    let item = try #require(try outbox.refused.first)
    #expect(throws: StoreError.self) { try outbox.revert(item) }
    #expect(try outbox.refused == [item])
    #expect(try stack.export("Slot").arrayValue?.count == 1)
  }

  @Test func aStackWithoutOutboxKeepsNothingOfWhatWas() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("plain.sqlite")
    let stack = try DataStack.tracking(
      Customer.self, Order.self, Line.self, Label.self, in: .sqlite(url))
    try await stack.sync(RevertTests.json, inEntityNamed: "Customer")
    try await stack.edit { for order in try $0.fetch(Fetch<Order>()) { order.status = "b" } }
    func kept() throws -> Int {
      try stack.store.read { reader in
        try reader.dump()["_syncstack_history_changes"]?.count {
          $0.contains("status") && !$0.hasSuffix("-")
        } ?? 0
      }
    }
    #expect(try kept() == 0)
    _ = try Outbox(stack, name: "api")
    try await stack.edit { for order in try $0.fetch(Fetch<Order>()) { order.status = "c" } }
    #expect(try kept() == 1)
  }

  /// The delete rules of a new object do not take objects along that an edit has led to it.
  @Test func objectsOfTheServerOutliveANewOwner() async throws {
    let shop = try await refused { context in
      let order = try #require(try context.fetch(Fetch<Order>()).first)
      order.customer = Customer(context: context)
      order.status = "edited"
    }
    try shop.outbox.revert(shop.outbox.refused.filter { $0.kind == .insert })
    let order = try shop.stored("Order")[10]
    #expect(order?["customer_id"] == 1 && order?["status"] == "edited")
    #expect(try shop.stored("Customer").count == 2)
    #expect(try shop.outbox.pending.map(\.properties) == [["status"]])
    #expect(try await shop.stack.checkConsistency().problems.isEmpty)
  }
}

final class Slot: ManagedObject {
  @PrimaryKey var id: Int64?
  @Attribute(isUnique: true) var place: String?
}
