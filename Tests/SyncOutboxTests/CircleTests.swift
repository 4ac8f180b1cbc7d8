import SyncStack
import Testing

/// Objects that refer to each other in a circle.
@Suite struct CircleTests {
  @Test(arguments: [1, 4], [false, true])
  func itIsCutAtTheReferenceOfTheOwner(_ concurrency: Int, _ isLineFirst: Bool) async throws {
    let shop = try Strict.Shop(concurrency: concurrency)
    try await shop.edit { context in
      let early = isLineFirst ? Strict.Line(context: context) : nil
      let order = Strict.Order(context: context)
      let line = early ?? Strict.Line(context: context)
      (line.order, order.mainLine) = (order, line)
      Strict.Line(context: context).order = order
    }
    try await shop.outbox.sendAll()
    let order = try #require(await shop.server.objects["Order"]?.values.first)
    #expect(order["main_line_id"]?.integerValue != nil)
  }

  /// A member that is not deleted with its owner.
  @Test func aDefaultAddressIsSentAfterItsCustomer() async throws {
    let shop = try Strict.Shop()
    try await shop.edit { context in
      for _ in 0..<3 {
        let (address, customer) = (
          Strict.Address(context: context), Strict.Customer(context: context)
        )
        (address.customer, customer.mainAddress) = (customer, address)
        Strict.Order(context: context).customer = customer
      }
    }
    try await shop.outbox.sendAll()
    let customers = try #require(await shop.server.objects["Customer"])
    #expect(customers.values.allSatisfy { $0["main_address_id"]?.integerValue != nil })
    let orders = try #require(await shop.server.objects["Order"])
    #expect(orders.values.allSatisfy { $0["customer_id"]?.integerValue != nil })
  }

  @Test(arguments: [1, 4])
  func aCircleThatIsDeletedGoesFromWhatBelongsToTheOther(_ concurrency: Int) async throws {
    let shop = try Strict.Shop(concurrency: concurrency)
    try await shop.prepare { context in
      let (order, line) = (Strict.Order(context: context), Strict.Line(context: context))
      (line.order, order.mainLine) = (order, line)
    }
    try await shop.edit { for order in try $0.fetch(Fetch<Strict.Order>()) { $0.delete(order) } }
    try await shop.outbox.sendAll()
    #expect(await shop.server.log.map { $0.prefix(12) } == ["delete Line ", "delete Order"])
  }

  /// The model does not say which of the two the server can do without.
  @Test(arguments: ["Buyer", "Deal"])
  func whereADeletionOfACircleWasRefusedTheOtherGoesFirst(_ needed: String) async throws {
    let stack = try DataStack.tracking(Buyer.self, Deal.self, Item.self, Mark.self)
    let outbox = try Outbox(stack, name: "api")
    let deleted = Locked<[String]>([])
    for name in ["Buyer", "Deal"] {
      outbox.send(
        with: Conventional(name), using: ExportOptions(relationshipType: .keys)
      ) { change in
        deleted.withLock { deleted in
          guard change.kind == .delete else { return .accepted() }
          if name == needed, deleted.isEmpty { return .refused("The other refers to it.") }
          deleted.append(name)
          return .accepted()
        }
      }
    }
    try await stack.edit { context in
      let (buyer, deal) = (Buyer(context: context), Deal(context: context))
      (buyer.id, deal.id) = ("b", "d")
      (buyer.favourite, deal.buyer) = (deal, buyer)
    }
    try await outbox.send()
    try await stack.edit { context in
      for buyer in try context.fetch(Fetch<Buyer>()) { context.delete(buyer) }
      for deal in try context.fetch(Fetch<Deal>()) { context.delete(deal) }
    }
    for _ in 0..<2 {
      try await outbox.send()
      for item in try outbox.refused { try outbox.retry(item) }
    }
    #expect(deleted.withLock { $0.last } == needed)
    #expect(try outbox.pending.isEmpty)
  }

  /// The customer is deleted, another one gets its key, and the order refers to that.
  @Test func anObjectOfTheSameKeyTakesThePlaceOfAnother() async throws {
    let shop = try Strict.Shop()
    try await shop.prepare { Strict.Tag(context: $0).name = "old" }
    try await shop.prepare { context in
      Strict.Order(context: context).tags = Set(try context.fetch(Fetch<Strict.Tag>()))
    }
    try await shop.edit { context in
      for tag in try context.fetch(Fetch<Strict.Tag>()) { context.delete(tag) }
      let tag = Strict.Tag(context: context)
      (tag.id, tag.name) = (100, "new")
      for order in try context.fetch(Fetch<Strict.Order>()) { order.tags = [tag] }
    }
    _ = try await shop.outbox.send()
    // A server with foreign keys refuses that deletion; nothing goes astray, and the run ends.
    let waiting = try shop.outbox.pending.filter { item in
      if case .refused = item.state { false } else { true }
    }
    #expect(try shop.outbox.refused.map(\.kind) == [.delete])
    #expect(waiting.map(\.entity).sorted() == ["Order", "Tag"])
    #expect(await shop.server.objects["Tag"]?[100]?["name"] == "old")
  }

  /// The circle is cut, and the answer to the cut reference is lost.
  @Test func aCircleInAnOutageIsSentOnceThatIsOver() async throws {
    let shop = try Strict.Shop()
    let lost = Locked(2)
    await shop.server.fail { change in
      let isLost = lost.withLock { left in
        left -= 1
        return left >= 0
      }
      guard isLost else { return nil }
      throw FakeDesk.Lost()
    }
    try await shop.edit { context in
      let (order, line) = (Strict.Order(context: context), Strict.Line(context: context))
      (line.order, order.mainLine) = (order, line)
    }
    for _ in 0..<3 { try await shop.outbox.send() }
    #expect(try shop.outbox.pending.isEmpty)
    let order = try #require(await shop.server.objects["Order"]?.values.first)
    #expect(order["main_line_id"]?.integerValue != nil)
    #expect(await shop.server.objects["Line"]?.count == 1)
  }
}
