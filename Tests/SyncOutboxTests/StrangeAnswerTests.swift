import Foundation
import SyncStack
import TestSupport
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

  @Test func aKeyAsTextIsReadAsInASync() async throws {
    let (shop, report) = try await send(.accepted(["id": "17", "amount": "2.5"]))
    #expect(report.accepted == 1 && report.unusedAnswers.isEmpty)
    #expect(try shop.stored("Order")[17]?["amount"] == 2.5)
  }

  @Test(
    arguments: [
      ["order": ["id": 17]], ["id": "gid://shop/Order/17"], ["ok": true], nil, "orders",
    ] as [JSONValue?])
  func anAnswerWithoutTheNewKeySaysSoOnce(_ json: JSONValue?) async throws {
    let shop = try Shop()
    await shop.server.answer(.accepted(json), to: "Order")
    try await shop.edit { for _ in 0..<3 { Order(context: $0).status = "new" } }
    let report = try await shop.outbox.send()
    #expect(report.accepted == 3 && report.unusedAnswers.count == 1)
    #expect(report.unusedAnswers.first?.contains("its answers have no “id”") == true)
    // A later edit is refused, and not sent without a key.
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "edited" }
    #expect(try await shop.outbox.send().refused == 1)
    #expect(await shop.server.log.count == 3)
  }

  @Test(arguments: ["17", 17] as [JSONValue])
  func aKeyAloneIsThatOfANewObject(_ key: JSONValue) async throws {
    let (shop, report) = try await send(.accepted(key))
    #expect(report.accepted == 1 && report.unusedAnswers.isEmpty)
    #expect(try shop.stored("Order")[17]?["status"] == "new")
    // An object that has one keeps it.
    await shop.server.answer(.accepted("18"), to: "Order")
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "edited" }
    let update = try await shop.outbox.send()
    #expect(update.accepted == 1 && update.unusedAnswers.isEmpty)
    #expect(await shop.server.log.map(\.id) == ["", "17"])
    try await shop.edit { Order(context: $0).id = 5 }
    #expect(try await shop.outbox.send().accepted == 1)
    #expect(try shop.stored("Order").keys.sorted() == [5, 17])
  }

  /// A 404 to an insertion is about the address, not about an object that was there.
  @Test func anInsertionThatGoesNowhereIsRefusedAsThat() async throws {
    let (shop, report) = try await send(.gone)
    #expect(report.refused == 1)
    let item = try #require(try shop.outbox.refused.first)
    #expect("\(item)".contains("nothing at the address where it was to be made"))
    await shop.server.answer(nil, to: "Order")
    try shop.outbox.retry(item)
    #expect(try await shop.outbox.send().accepted == 1)
  }

  /// A body of a conflict is as often an error as the object.
  @Test(
    arguments: [
      ["status": 409, "error": "Conflict", "message": "The number is taken."],
      ["errors": [["detail": "The number is taken."]]],
    ] as [JSONValue])
  func anErrorIsNotTheVersionOfTheServer(_ json: JSONValue) async throws {
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

  @Test func aNewObjectThatTheServerHasWithoutSayingWhichIsRefused() async throws {
    let (shop, report) = try await send(.conflict(["status": "theirs"]))
    #expect(report.refused == 1)
    let stored = try await shop.edit { try $0.fetch(Fetch<Order>()).map(\.status) }
    #expect(stored == ["new"])
  }

  @Test func partOfAnObjectIsTakenOverWhereTheKeyIsKnown() async throws {
    let shop = try Shop()
    try await shop.stack.sync(#"[{"id": 1, "status": "a"}]"#, inEntityNamed: "Order")
    await shop.server.answer(.accepted(["amount": 3]), to: "Order")
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "b" }
    let report = try await shop.outbox.send()
    #expect(report.accepted == 1 && report.unusedAnswers.isEmpty)
    #expect(try shop.stored("Order")[1]?["amount"] == 3.0)
  }

  /// As a sync of that answer reads it.
  @Test func aNewObjectIsTheOneThatItsAnswerNestsInItsOwner() async throws {
    let shop = try Shop()
    try await shop.stack.sync(
      #"[{"id": 1, "lines": [{"id": 1, "text": "a"}]}]"#, inEntityNamed: "Order")
    let order: JSONValue = [
      "id": 1, "lines": [["id": 1, "text": "a"], ["id": 2, "text": "new"]],
    ]
    await shop.server.answer(.accepted(["id": 2, "text": "new", "order": order]), to: "Line")
    try await shop.edit { context in
      let line = Line(context: context)
      line.text = "new"
      line.order = try context.fetch(Fetch<Order>()).first
    }
    try await shop.outbox.sendAll()
    #expect(try shop.stored("Line").keys.sorted() == [1, 2])
    #expect(try shop.stack.export("Line").arrayValue?.count == 2)
  }

  struct Enveloped: Serializer {
    typealias Object = Order
    var identifiers: [String] { ["id"] }
    var validators: [Validator] { [{ $0["order"] ?? $0 }] }
    var mapping: Mapping { ["id": .int("id"), "amount": .number("amount")] }
  }

  /// - Parameter json: An answer whose key is in an envelope, or beside a value that does not fit.
  @Test(
    arguments: [
      ["order": ["id": 5, "amount": 2]], ["id": 5, "amount": "12,50 EUR"],
    ] as [JSONValue])
  func theKeyIsFoundAsASerializerReadsIt(_ json: JSONValue) async throws {
    let shop = try Shop()
    shop.outbox.send(with: Enveloped()) { _ in .accepted(json) }
    try await shop.stack.sync(#"[{"id": 5, "status": "theirs"}]"#, inEntityNamed: "Order")
    try await shop.edit { Order(context: $0).status = "mine" }
    #expect(try await shop.outbox.send()["Order"].joined.count == 1)
    #expect(try shop.stored("Order").mapValues { $0["status"] } == [5: "mine"])
    #expect(try shop.stack.export("Order").arrayValue?.count == 1)
  }

  @Test(
    arguments: [
      ("from lines.edges[].node", ["edges": [["node": ["id": 2, "text": "new"]]]]),
      ("sync.keyedBy=id", ["2": ["text": "new"]]),
    ] as [(String, JSONValue)])
  func keysOfLinesAreFoundAsASyncFindsThem(_ rule: String, _ lines: JSONValue) async throws {
    let order = EntityDraft(stringLiteral: "Order: id, lines ->> Line.order cascade \(rule)")
    let shop = try DraftedShop(
      [order, "Line: id, text, order -> Order.lines"], sending: "Order", nesting: ["lines"])
    shop.server.answer(.accepted(["id": 1, "lines": lines]))
    try await shop.edit { context, _ in
      let line = try context.insert(entityNamed: "Line")
      line["text"] = "new"
      line["order"] = try context.insert(entityNamed: "Order")
    }
    let made = try #require(try shop.outbox.pending.first { $0.entity == "Line" }).objectID
    try await shop.outbox.sendAll()
    #expect(try shop.values("Line", "id", "text") == ["2 new"])
    let stored = try await shop.stack.edit {
      try $0.fetch(Fetch<ManagedObject>(entityNamed: "Line")).map(\.objectID)
    }
    #expect(stored == [made])
  }
}
