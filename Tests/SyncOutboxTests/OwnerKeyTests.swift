import SyncStack
import TestSupport
import Testing

/// Lines whose keys are unique in their order only: an answer means the line of its own order.
@Suite struct OwnerKeyTests {
  private func shop(nesting: Bool = false) async throws -> DraftedShop {
    let shop = try DraftedShop(
      [
        "Order: id, status, lines ->> Line.order cascade sync.keyScope=owner",
        "Line: id, text, order -> Order.lines",
      ], sending: "Order", nesting: nesting ? ["lines"] : [])
    if !nesting {
      shop.outbox.send(with: Conventional("Line")) { [server = shop.server] in
        try server.answer(to: $0)
      }
    }
    try await shop.sync(
      [
        ["id": 1, "lines": [["id": 1, "text": "one"]]],
        ["id": 2, "lines": [["id": 7, "text": "seven"]]],
      ], "Order")
    return shop
  }

  private func addLine(_ shop: DraftedShop, _ text: String) async throws {
    try await shop.edit { context, find in
      let line = try context.insert(entityNamed: "Line")
      line["text"] = text
      line["order"] = try find("Order", "id == 2")
    }
  }

  @Test func aNewLineTakesAKeyThatALineOfAnotherOrderHas() async throws {
    let shop = try await shop()
    shop.server.answer(.accepted(["id": 1, "text": "mine", "order_id": 2]))
    try await addLine(shop, "mine")
    #expect(try await shop.outbox.sendAll()["Line"].joined.isEmpty)
    #expect(
      try shop.values("Line", "id", "text", "order_id") == ["1 mine 2", "1 one 1", "7 seven 2"])
  }

  @Test func theCopyOfALineStandsInItsOwnOrder() async throws {
    let shop = try await shop()
    shop.server.answer(.accepted(["id": 7, "text": "mine", "order_id": 2]))
    try await addLine(shop, "mine")
    #expect(try await shop.outbox.sendAll()["Line"].joined.count == 1)
    #expect(try shop.values("Line", "id", "text", "order_id") == ["1 one 1", "7 mine 2"])
  }

  @Test func theAnswerToAnUpdateIsTakenOver() async throws {
    let shop = try await shop()
    try await shop.sync([["id": 2, "lines": [["id": 1, "text": "eins"]]]], "Order")
    shop.server.answer(.accepted(["id": 1, "text": "theirs", "order_id": 2]))
    try await shop.edit { try $1("Line", "text == 'eins'")["text"] = "edited" }
    #expect(try await shop.outbox.sendAll().unusedAnswers.isEmpty)
    #expect(try shop.values("Line", "id", "text", "order_id").contains("1 theirs 2"))
  }

  @Test func aNestedLineTakesItsKeyFromTheListOfItsOrder() async throws {
    let shop = try await shop(nesting: true)
    shop.server.answer(
      .accepted([
        "id": 2, "lines": [["id": 7, "text": "seven"], ["id": 1, "text": "one"]],
      ]))
    try await addLine(shop, "one")
    try await shop.outbox.sendAll()
    #expect(
      try shop.values("Line", "id", "text", "order_id") == ["1 one 1", "1 one 2", "7 seven 2"])
  }
}
