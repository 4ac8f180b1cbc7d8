import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncOutbox
import Testing

/// Answers that say less than the object, or something else.
@Suite struct StrangeAnswerTests {
  /// A shop with one new order, whose insertion is answered so.
  private func send(_ answer: OutboxAnswer) async throws -> (Shop, OutboxReport) {
    let shop = try Shop()
    await shop.server.answer(answer, to: "Order")
    try await shop.edit { Order(context: $0).status = "new" }
    return (shop, try await shop.outbox.send())
  }

  @Test func a_key_as_text_is_read_as_in_a_sync() async throws {
    let (shop, report) = try await send(.accepted(["id": "17", "amount": "2.5"]))
    #expect(report.accepted == 1 && report.unusedAnswers.isEmpty)
    #expect(try shop.stored("Order")[17]?["amount"] == 2.5)
  }

  @Test(
    arguments: [
      ["order": ["id": 17]], ["id": "gid://shop/Order/17"], ["ok": true],
    ] as [JSONValue])
  func an_answer_without_the_new_key_says_so_once(_ json: JSONValue) async throws {
    let shop = try Shop()
    await shop.server.answer(.accepted(json), to: "Order")
    try await shop.edit { context in
      for _ in 0..<3 { Order(context: context).status = "new" }
    }
    let report = try await shop.outbox.send()
    #expect(report.accepted == 3 && report.unusedAnswers.count == 1)
    #expect(report.unusedAnswers.first?.contains("its answers have no “id”") == true)
    // What is edited then is refused, and not sent to nobody.
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "edited" }
    #expect(try await shop.outbox.send().refused == 1)
    #expect(await shop.server.log.count == 3)
  }

  /// A body of a conflict is as often an error as the object.
  @Test(
    arguments: [
      ["status": 409, "error": "Conflict", "message": "The number is taken."],
      ["errors": [["detail": "The number is taken."]]],
    ] as [JSONValue])
  func an_error_is_not_the_version_of_the_server(_ json: JSONValue) async throws {
    let (shop, report) = try await send(.conflict(json))
    #expect(report.refused == 1)
    #expect(
      try shop.outbox.refused.first?.state
        == .refused("It is in conflict with what the server has: The number is taken."))
    #expect(await shop.server.log.count == 1)

    try await shop.stack.sync(#"[{"id": 1, "status": "a"}]"#, inEntityNamed: "Order")
    try await shop.edit { try $0.fetch(Fetch<Order>("id == 1")).first?.status = "mine" }
    #expect(try await shop.outbox.send().refused == 1)
    #expect(try shop.stored("Order")[1]?["status"] == "mine")
  }

  @Test func a_new_object_that_the_server_has_without_saying_which_is_refused() async throws {
    let (shop, report) = try await send(.conflict(["status": "theirs"]))
    #expect(report.refused == 1)
    let stored = try await shop.edit { try $0.fetch(Fetch<Order>()).map(\.status) }
    #expect(stored == ["new"])
  }

  @Test func part_of_an_object_is_taken_over_where_the_key_is_known() async throws {
    let shop = try Shop()
    try await shop.stack.sync(#"[{"id": 1, "status": "a"}]"#, inEntityNamed: "Order")
    await shop.server.answer(.accepted(["amount": 3]), to: "Order")
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "b" }
    let report = try await shop.outbox.send()
    #expect(report.accepted == 1 && report.unusedAnswers.isEmpty)
    #expect(try shop.stored("Order")[1]?["amount"] == 3.0)
  }
}
