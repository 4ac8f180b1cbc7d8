import Foundation
import SyncStack
import Testing

/// The announcements of outcomes, and of changes that cannot be sent.
@Suite struct AnnouncementTests {
  @Test func aLogTellsWhatWasSentAndWhatWasRefused() async throws {
    let shop = try Shop()
    try await shop.stack.sync(
      #"[{"id": 17, "status": "a"}, {"id": 18, "status": "a"}]"#, inEntityNamed: "Order")
    await shop.server.put("Order", 17, ["id": 17, "status": "a"])
    await shop.server.put("Order", 18, ["id": 18, "status": "a"])
    await shop.server.answer(.refused("too late"), to: "Label")
    let lines = Locked<[String]>([])
    let json = Locked<[String]>([])
    let kinds: Set<LoggedChange.Kind> = [.sent, .refused]
    let log = SyncLogger(shop.stack, kinds: kinds) { line in lines.withLock { $0.append(line) } }
    let other = try SyncLogger(
      shop.stack, format: .ndjson, entities: ["Order"], kinds: kinds,
      { line in json.withLock { $0.append(line) } })
    try await shop.edit { context in
      try context.fetch(Fetch<Order>("id == 17")).first?.status = "b"
      for order in try context.fetch(Fetch<Order>("id == 18")) { context.delete(order) }
      Customer(context: context).name = "Ann"
      Label(context: context).name = "x"
    }
    shop.outbox.concurrency = 1
    try await shop.outbox.send()
    await shop.stack.drainNotifications()
    withExtendedLifetime((log, other)) {}
    #expect(
      lines.withLock { $0.sorted() } == [
        "Customer 100 sent: inserted", "Label #1 refused: inserted (too late)",
        "Order 17 sent: updated status", "Order 18 sent: deleted",
      ])
    #expect(
      json.withLock { $0.sorted() } == [
        #"{"entity":"Order","change":"sent","row":1,"key":17,"sent":"updated","properties":["status"],"author":"SyncStack.outbox"}"#,
        #"{"entity":"Order","change":"sent","row":2,"key":18,"sent":"deleted","author":"SyncStack.outbox"}"#,
      ])
  }

  @Test func whatCannotBeSentForLackOfAKeyIsAnnounced() async throws {
    let shop = try Shop()
    // A server that does not say which key it gave.
    await shop.server.answer(.accepted(), to: "Order")
    try await shop.edit { Order(context: $0).status = "new" }
    #expect(try await shop.outbox.send().accepted == 1)
    let reasons = Locked<[String?]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: .outboxDidRefuse, object: shop.stack, queue: nil
    ) { note in
      reasons.withLock { $0.append(note.outboxReason) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "edited" }
    let report = try await shop.outbox.send()
    await shop.stack.drainNotifications()
    #expect(report["Order"].refused.count == 1)
    guard case .refused(let reason) = try shop.outbox.pending.first?.state else {
      Issue.record("It was not refused.")
      return
    }
    #expect(reason.contains("no key"))
    #expect(reasons.withLock { $0 } == [reason])
  }

  @Test func whatNoHandlerSendsIsAnnounced() async throws {
    let shop = try Shop()
    let other = try Outbox(shop.stack, name: "other")
    // Changes of the other one would be no business of this one.
    try Outbox.remove("api", from: shop.stack)
    try await shop.edit { context in
      Order(context: context).status = "new"
      Label(context: context).name = "x"
    }
    // One that only looks has nothing to complain of.
    #expect(try other.pending.allSatisfy { $0.obstacle == nil })
    other.send(Order.self) { _ in .accepted() }
    let items = try other.pending
    #expect(items.filter { $0.obstacle != nil }.map(\.entity) == ["Label"])
    #expect(items.last?.description.contains("outbox.send(Label.self)") == true)
    let report = try await other.send()
    #expect(report.unhandled == ["Label"])
    #expect(report["Label"].waiting.count == 1)
    #expect(report.description.contains("Label: no handler sends it."))
  }

  @Test func whatTheServerRefusedToMakeIsForgottenWithItsObject() async throws {
    let shop = try Shop()
    await shop.server.answer(.refused("no"), to: "Order")
    await shop.server.whileUnderWay { [stack = shop.stack] _ in
      try await stack.edit { for order in try $0.fetch(Fetch<Order>()) { $0.delete(order) } }
    }
    try await shop.edit { Order(context: $0).status = "new" }
    #expect(try await shop.outbox.send().refused == 1)
    #expect(try shop.outbox.pending.isEmpty)
  }
}
