import SyncStack
import TestSupport
import Testing

/// A new object that is given up stays here as one that the server does not have.
@Suite struct GivenUpTests {
  private let shop: Shop

  init() throws {
    shop = try Shop()
    shop.outbox.retry = RetryPolicy(attempts: 0, delay: 0)
  }

  private func giveUp() throws {
    for item in try shop.outbox.pending { try shop.outbox.discard(item) }
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test(arguments: [false, true])
  func aLaterEditSendsItAsNew(_ isRefused: Bool) async throws {
    try await shop.edit { Customer(context: $0).name = "Ann" }
    if isRefused {
      await shop.server.answer(.refused("no"), to: "Customer")
      try await shop.outbox.send()
    }
    try giveUp()
    #expect(try await shop.outbox.send().description == "Nothing to send")
    await shop.server.answer(nil, to: "Customer")
    try await shop.edit { try $0.fetch(Fetch<Customer>()).first?.name = "Bea" }
    #expect(try shop.outbox.pending.map(\.kind) == [.insert])
    #expect(try await shop.outbox.send().accepted == 1)
    let objects = await shop.server.objects
    #expect(objects["Customer"]?.values.map { $0["name"] } == ["Bea"])
    #expect(try shop.differences(from: objects).isEmpty)
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func soDoesAnObjectThatRefersToIt() async throws {
    try await shop.edit { Customer(context: $0).name = "Ann" }
    try giveUp()
    try await shop.edit { context in
      let order = Order(context: context)
      order.customer = try context.fetch(Fetch<Customer>()).first
    }
    #expect(try await shop.outbox.send().accepted == 2)
    #expect(try shop.differences(from: await shop.server.objects).isEmpty)
  }

  @Test func itIsDeletedWithoutAWordToTheServer() async throws {
    try await shop.edit { Customer(context: $0).name = "Ann" }
    try giveUp()
    try await shop.edit { for one in try $0.fetch(Fetch<Customer>()) { $0.delete(one) } }
    #expect(try shop.outbox.pending.isEmpty)
    #expect(try await shop.outbox.send().description == "Nothing to send")
  }

  @Test func aSyncMayDeleteIt() async throws {
    try await shop.edit { Customer(context: $0).id = 5 }
    try giveUp()
    try await shop.stack.sync([["id": 6]] as JSONValue, inEntityNamed: "Customer")
    #expect(try shop.stored("Customer").keys.sorted() == [6])
    #expect(try await shop.outbox.send().description == "Nothing to send")
  }

  /// An object that was sent without an answer may be there: it is sent again as it was before
  /// anything else.
  @Test func aLaterEditRepeatsWhatWasSentWithoutAnAnswer() async throws {
    try await shop.edit { Customer(context: $0).name = "Ann" }
    await shop.server.fail([.lostAnswer])
    try await shop.outbox.send()
    try giveUp()
    try await shop.edit { try $0.fetch(Fetch<Customer>()).first?.name = "Bea" }
    try await shop.outbox.send()
    let objects = await shop.server.objects
    #expect(objects["Customer"]?.values.map { $0["name"] } == ["Bea"])
    #expect(try shop.differences(from: objects).isEmpty)
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func itStaysGivenUpAcrossRestarts() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("given-up.sqlite")
    let first = try Shop(store: .sqlite(url))
    try await first.edit { Customer(context: $0).name = "Ann" }
    for item in try first.outbox.pending { try first.outbox.discard(item) }
    try first.stack.close()
    let second = try Shop(store: .sqlite(url))
    #expect(try second.outbox.pending.isEmpty)
    try await second.edit { try $0.fetch(Fetch<Customer>()).first?.name = "Bea" }
    #expect(try second.outbox.pending.map(\.kind) == [.insert])
    try second.stack.close()
  }

  @Test func itDoesNotTravelInsideItsOwner() async throws {
    let shop = try DraftedShop(
      ["Order: id, lines ->> Line.order cascade", "Line: id, text, order -> Order.lines"],
      sending: "Order", nesting: ["lines"])
    shop.server.answer(.refused("no"))
    try await shop.edit { context, _ in
      let order = try context.insert(entityNamed: "Order")
      for text in ["good", "bad"] {
        let line = try context.insert(entityNamed: "Line")
        line["text"] = text
        line["order"] = order
      }
    }
    try await shop.outbox.send()
    let bad = try await shop.stack.edit { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: "Line", "text == 'bad'")).first?.objectID
    }
    for item in try shop.outbox.refused {
      if item.objectID == bad { try shop.outbox.discard(item) } else { try shop.outbox.retry(item) }
    }
    shop.server.answer(.accepted(["id": 1, "lines": [["id": 2, "text": "good"]]]))
    try await shop.outbox.sendAll()
    let lines = shop.server.sent.last?.json["lines"]?.arrayValue ?? []
    #expect(lines.map { $0["text"] } == ["good"])
    #expect(try shop.values("Line", "id", "text").filter { $0.hasSuffix("good") } == ["2 good"])
  }
}
