import SyncStack
import Testing

/// Two outboxes to two APIs, each with entities of its own.
@Suite struct TwoOutboxTests {
  /// A shop whose labels go elsewhere.
  private struct Two {
    let shop: Shop
    let orders: Outbox
    let labels: Outbox
    let server = FakeServer()

    init(_ store: DataStack.Location = .inMemory) throws {
      shop = try Shop(store: store)
      try Outbox.remove("api", from: shop.stack)
      orders = try Outbox(shop.stack, name: "orders")
      labels = try Outbox(shop.stack, name: "labels")
      for outbox in [orders, labels] { outbox.retry = RetryPolicy(attempts: 0, delay: 0) }
    }

    func addHandlers() {
      for name in ["Customer", "Order", "Line"] {
        orders.send(with: Conventional(name)) { [server] in try await server.answer($0) }
      }
      labels.send(Label.self) { [server] in try await server.answer($0) }
    }

    func editBoth(_ text: String) async throws {
      try await shop.edit { context in
        for order in try context.fetch(Fetch<Order>()) { order.status = text }
        for label in try context.fetch(Fetch<Label>()) { label.name = text }
      }
    }

    func sync(_ text: String) async throws {
      try await shop.stack.sync("[{\"id\": 1, \"status\": \"\(text)\"}]", inEntityNamed: "Order")
      try await shop.stack.sync("[{\"id\": 1, \"name\": \"\(text)\"}]", inEntityNamed: "Label")
      await server.put("Order", 1, ["id": 1, "status": .string(text)])
      await server.put("Label", 1, ["id": 1, "name": .string(text)])
    }

    func texts() throws -> [JSONValue?] {
      [try shop.stored("Order")[1]?["status"], try shop.stored("Label")[1]?["name"]]
    }
  }

  /// - Parameter isLate: Whether the handlers come after the edits, and after one of the two took
  ///   some of them in.
  @Test(arguments: [false, true])
  func oneNeitherWaitsForNorShieldsWhatTheOtherSends(_ isLate: Bool) async throws {
    let two = try Two()
    try await two.sync("old")
    if !isLate { two.addHandlers() }
    try await two.editBoth("new")
    if isLate {
      #expect(try await two.orders.send().waiting == 2)
      two.addHandlers()
    }
    let first = try await two.labels.send()
    #expect(first.accepted == 1 && first.waiting == 0 && first.unhandled.isEmpty, "\(first)")
    #expect(try two.labels.pending.isEmpty)
    #expect(try two.orders.pending.map(\.entity) == ["Order"])
    #expect(try two.orders.status.waiting == 1)
    // An edit that the one has sent is the sync's again, though the other one has not sent
    // anything.
    try await two.sync("theirs")
    #expect(try two.texts() == ["new", "theirs"])
    let second = try await two.orders.send()
    #expect(second.accepted == 1 && second.waiting == 0 && second.unhandled.isEmpty, "\(second)")
    try await two.sync("latest")
    #expect(try two.texts() == ["latest", "latest"])
  }

  @Test func anEditWhileItsOutboxSendsIsNoBusinessOfTheOther() async throws {
    let two = try Two()
    try await two.sync("old")
    two.addHandlers()
    try await two.editBoth("new")
    await two.server.whileUnderWay { [shop = two.shop] change in
      guard change.json["name"] == "new" else { return }
      try await shop.edit { for label in try $0.fetch(Fetch<Label>()) { label.name = "newer" } }
    }
    #expect(try await two.labels.send().waiting == 0)
    #expect(await two.server.objects["Label"]?[1]?["name"] == "newer")
    try await two.sync("theirs")
    #expect(try two.texts() == ["new", "theirs"])
    #expect(try await two.orders.send().waiting == 0)
  }

  @Test func whatNoOutboxSendsWaitsInBoth() async throws {
    let two = try Two()
    two.labels.send(Label.self) { _ in .accepted() }
    two.orders.send(Order.self) { _ in .accepted() }
    try await two.shop.edit { Customer(context: $0).name = "Ann" }
    #expect(try await two.labels.send().unhandled == ["Customer"])
    #expect(try await two.orders.send().unhandled == ["Customer"])
    two.orders.send(Customer.self) { _ in .accepted(["id": 5]) }
    #expect(try await two.orders.send().accepted == 1)
    #expect(try two.labels.pending.isEmpty)
  }

  @Test func bothSendWhatBothHaveAHandlerFor() async throws {
    let two = try Two()
    two.addHandlers()
    let log = Locked(0)
    two.orders.send(Label.self) { _ in
      log.withLock { $0 += 1 }
      return .accepted()
    }
    try await two.sync("old")
    try await two.editBoth("new")
    #expect(try await two.labels.send().accepted == 1)
    #expect(try await two.orders.send().accepted == 2)
    #expect(log.withLock { $0 } == 1)
  }
}
