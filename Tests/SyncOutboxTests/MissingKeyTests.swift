import SyncStack
import TestSupport
import Testing

/// References to objects without a key, which no request can name: never left out in silence.
@Suite struct MissingKeyTests {
  private static let model: [EntityDraft] = [
    "Customer: id, name, orders ->> Order.customer",
    """
    Order: id, status, customer -> Customer.orders, lines ->> Line.order cascade, \
    tags ->> Tag.orders
    """,
    "Line: id, text, order -> Order.lines",
    "Tag: id, name, orders ->> Order.tags sync.nonExportable=YES",
  ]

  /// A shop whose server refuses the objects of an entity, which are discarded then.
  private func shop(givingUp entity: String) async throws -> DraftedShop {
    let shop = try DraftedShop(
      MissingKeyTests.model, sending: "Customer", "Order", "Line", "Tag")
    shop.server.answer { change in
      change.entity == entity ? .refused("no") : .accepted(["id": change.json["id"] ?? 9])
    }
    return shop
  }

  private func giveUp(_ shop: DraftedShop) async throws {
    try await shop.outbox.send()
    for item in try shop.outbox.refused { try shop.outbox.discard(item) }
    shop.server.forget()
  }

  @Test func aNewObjectBelowOneThatWasGivenUpIsRefused() async throws {
    let shop = try await shop(givingUp: "Order")
    try await shop.edit { context, _ in
      let line = try context.insert(entityNamed: "Line")
      line["order"] = try context.insert(entityNamed: "Order")
    }
    try await giveUp(shop)
    #expect(try await shop.outbox.send()["Line"].refused.count == 1)
    #expect(shop.server.sent.isEmpty)
    let item = try #require(try shop.outbox.refused.first)
    #expect("\(item)".contains("“order” leads to an object of “Order” without a key"))
    // Edited, the order is new again, and its line can name it.
    shop.server.answer(.accepted(["id": 9]))
    try await shop.edit { try $1("Order", "id == nil")["status"] = "again" }
    try shop.outbox.retry(item)
    try await shop.outbox.sendAll()
    #expect(shop.server.sent.map(\.entity) == ["Order", "Line"])
    #expect(shop.server.sent.last?.json["order_id"] == 9)
  }

  @Test func anEditedReferenceToItIsNotSentEmpty() async throws {
    let shop = try await shop(givingUp: "Customer")
    try await shop.sync([["id": 1, "customer": ["id": 1, "name": "Ann"]]], "Order")
    try await shop.edit { context, find in
      try find("Order", "id == 1")["customer"] = try context.insert(entityNamed: "Customer")
    }
    try await giveUp(shop)
    try await shop.outbox.send()
    #expect(shop.server.sent.isEmpty)
    #expect(try shop.outbox.pending.map(\.entity) == ["Order"])
  }

  /// Nothing is to be sent of the links of an object that was given up.
  @Test func aListLeavesAMemberOutThatWasGivenUp() async throws {
    let shop = try await shop(givingUp: "Tag")
    try await shop.sync([["id": 1, "tags": [["id": 5]]]], "Order")
    try await shop.edit { context, find in
      let order = try find("Order", "id == 1")
      let tag = try context.insert(entityNamed: "Tag")
      tag["orders"] = Set([order])
    }
    try await giveUp(shop)
    try await shop.edit { try $1("Order", "id == 1")["status"] = "b" }
    try await shop.outbox.sendAll()
    #expect(shop.server.sent.map(\.changedJSON) == [["status": "b"]])
  }

  /// - Parameter entity: The one that the other outbox sends.
  @Test(arguments: ["Order", "Tag"])
  func anObjectWaitsForOneThatAnotherOutboxMakes(_ entity: String) async throws {
    let shop = try DraftedShop(MissingKeyTests.model, sending: entity)
    let other = try Outbox(shop.stack, name: "other")
    let entities = ["Order", "Line", "Customer"].filter { $0 != entity }
    for name in entities {
      other.send(with: Conventional(name)) { [server = shop.server] in try server.answer(to: $0) }
    }
    shop.server.answer { _ in .accepted(["id": 9]) }
    try await shop.edit { context, _ in
      let order = try context.insert(entityNamed: "Order")
      if entity == "Order" {
        try context.insert(entityNamed: "Line")["order"] = order
      } else {
        order["tags"] = Set([try context.insert(entityNamed: "Tag")])
      }
    }
    #expect(try await other.send().waiting == 1)
    #expect(shop.server.sent.isEmpty)
    try await shop.outbox.send()
    #expect(try await other.send().accepted == 1)
    let json = try #require(shop.server.sent.last).json
    #expect(entity == "Order" ? json["order_id"] == 9 : json["tag_ids"] == [9])
  }

  /// Objects that several attributes tell apart have no key that a request could name.
  @Test func aDeletionOfWhichNothingIsKnownIsRefused() async throws {
    let shop = try DraftedShop(
      ["Rate sync.identifiers=currency,day: currency, day, value"], sending: "Rate")
    try await shop.sync([["currency": "EUR", "day": "1", "value": "1"]], "Rate")
    try await shop.edit { context, find in context.delete(try find("Rate", "day == '1'")) }
    #expect(try await shop.outbox.send().refused == 1)
    #expect(shop.server.sent.isEmpty)
  }
}
