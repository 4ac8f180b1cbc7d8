import Foundation
import SyncStack
import TestSupport
import Testing

/// Answers with the key of another object: copies become one, and nothing that was entered here is
/// lost.
@Suite struct SameKeyTests {
  private let shop: Shop

  init() throws { shop = try Shop() }

  /// Each sends its own changes; one that waits in the other is no edit of the key.
  @Test func aKeyFromTheServerIsTakenOverBesideAnotherOutbox() async throws {
    let other = try Outbox(shop.stack, name: "other")
    other.send(Customer.self) { _ in .refused("no") }
    try await shop.edit { Order(context: $0).status = "new" }
    #expect(try await shop.outbox.send().accepted == 1)
    #expect(try shop.stored("Order").keys.sorted() == [100])
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "paid" }
    #expect(try await shop.outbox.send().accepted == 1)
    #expect(await shop.server.objects["Order"]?[100]?["status"] == "paid")
  }

  /// Two answers of one key are no copies of one object: edits here stay.
  @Test func anAnswerThatComesTwiceJoinsNothing() async throws {
    await shop.server.answer(.accepted(["id": 100]), to: "Order")
    try await shop.edit { context in
      Order(context: context).status = "one"
      Order(context: context).status = "two"
    }
    let report = try await shop.outbox.send()
    #expect(report["Order"].accepted.count == 1 && report["Order"].refused.count == 1)
    #expect(report["Order"].joined.isEmpty)
    guard case .refused(let reason)? = try shop.outbox.refused.first?.state else {
      Issue.record("Nothing was refused.")
      return
    }
    #expect(reason.contains("the key 100"))
    let stored = try await shop.stack.performBackgroundTask { context in
      Set(try context.fetch(Fetch<Order>()).map { $0.status ?? "" })
    }
    #expect(stored == ["one", "two"])
  }

  @Test(arguments: [false, true])
  func norDoesOneThatComesAgainInALaterRun(_ isRestarted: Bool) async throws {
    let folder = try TemporaryFolder()
    let store = DataStack.Location.sqlite(folder.file("shop.sqlite"))
    var shop = try Shop(store: store)
    await shop.server.answer(.accepted(["id": 100]), to: "Order")
    try await shop.edit { Order(context: $0).status = "one" }
    #expect(try await shop.outbox.send().accepted == 1)
    if isRestarted {
      try shop.stack.close()
      shop = try Shop(server: shop.server, store: store)
    }
    try await shop.edit { Order(context: $0).status = "two" }
    let report = try await shop.outbox.send()
    #expect(report.refused == 1 && report["Order"].joined.isEmpty)
    let stored = try await shop.edit { context in
      try context.fetch(Fetch<Order>()).map { "\($0.id ?? 0) \($0.status ?? "")" }.sorted()
    }
    #expect(stored == ["0 two", "100 one"])
  }

  @Test func whatWasDeletedHereMeanwhileDeletesNothingOfThatKey() async throws {
    await shop.server.answer(.accepted(["id": 100]), to: "Order")
    try await shop.edit { Order(context: $0).status = "one" }
    try await shop.outbox.send()
    try await shop.edit { Order(context: $0).status = "two" }
    await shop.server.whileUnderWay { [stack = shop.stack] _ in
      try await stack.edit { context in
        for order in try context.fetch(Fetch<Order>("status == 'two'")) { context.delete(order) }
      }
    }
    try await shop.outbox.send()
    #expect(await shop.server.log.map(\.kind) == [.insert, .insert])
    #expect(try shop.stored("Order")[100]?["status"] == "one")
  }

  /// The server finds an object of its own by the name instead of making one.
  @Test func anObjectOfTheServerThatItGivesForANewOneBecomesOneWithIt() async throws {
    try await shop.stack.sync(
      #"[{"id": 7, "name": "urgent", "orders": [{"id": 1}]}]"#, inEntityNamed: "Label")
    await shop.server.answer(.accepted(["id": 7, "name": "urgent"]), to: "Label")
    let id = try await shop.make(Label.self) { $0.name = "urgent" }
    #expect(try await shop.outbox.send()["Label"].joined == [id])
    let orders = try await shop.edit { context in
      try context.fetch(Fetch<Label>()).map { $0.orders.compactMap(\.id) }
    }
    #expect(orders == [[1]])
  }

  /// Loses the answer to a new order, has a sync bring the copy, and edits it and the order.
  private func sendTwice(
    _ shop: Shop,
    _ edit: @escaping @Sendable (_ order: Order, _ copy: Order, _ label: Label) -> Void
  ) async throws -> OutboxReport {
    try await shop.stack.sync(#"[{"id": 1}, {"id": 2}]"#, inEntityNamed: "Label")
    try await shop.edit { Order(context: $0).status = "new" }
    await shop.server.whileUnderWay { [stack = shop.stack, server = shop.server] _ in
      await server.whileUnderWay(nil)
      try await stack.sync(#"[{"id": 100, "status": "new"}]"#, inEntityNamed: "Order")
      try await stack.edit { context in
        let orders = try context.fetch(Fetch<Order>().sorted(by: "id"))
        try #require(orders.map(\.id) == [nil, 100])
        let label = try #require(try context.fetch(Fetch<Label>("id == 2")).first)
        edit(orders[0], orders[1], label)
      }
    }
    return try await shop.outbox.send()
  }

  @Test func whatWasEditedInACopyIsSentOfTheObject() async throws {
    let report = try await sendTwice(shop) { order, copy, label in
      copy.status = "edited"
      copy.labels = [label]
      order.amount = 5
    }
    #expect(report.refused == 0 && report["Order"].joined.count == 1, "\(report)")
    try await shop.outbox.send()
    let sent = await shop.server.log.filter { $0.entity == "Order" }
    #expect(sent.map(\.kind) == [.insert, .update])
    #expect(sent[1].changedJSON == ["status": "edited", "amount": 5, "label_ids": [2]])
    let there = await shop.server.objects["Order", default: [:]]
    #expect(there.keys.sorted() == [100])
    #expect(there[100]?["status"] == "edited" && there[100]?["amount"] == 5)
    #expect(try shop.stored("Order").keys.sorted() == [100])
    #expect(try shop.stored("Order")[100]?["status"] == "edited")
    let labels = try await shop.edit { context in
      try context.fetch(Fetch<Order>()).map { $0.labels.compactMap(\.id) }
    }
    #expect(labels == [[2]])
    #expect(try await shop.stack.checkConsistency().problems.isEmpty)
  }

  @Test func aPropertyThatWasEditedInBothKeepsThemTwo() async throws {
    let report = try await sendTwice(shop) { order, copy, _ in
      copy.status = "edited"
      order.status = "mine"
    }
    #expect(report.refused == 1 && report["Order"].joined.isEmpty, "\(report)")
    #expect(try shop.stored("Order")[100]?["status"] == "edited")
    try shop.outbox.revert(try shop.outbox.refused)
    try await shop.outbox.send()
    let there = await shop.server.objects["Order", default: [:]]
    #expect(there.mapValues { $0["status"] } == [100: "edited"])
    #expect(try shop.stored("Order").keys.sorted() == [100])
  }

  /// The server has made it already: the same is sent again, not another insertion.
  @Test func whatWasKeptApartFromItsCopyIsNotMadeTwice() async throws {
    _ = try await sendTwice(shop) { order, copy, _ in
      copy.status = "edited"
      order.status = "mine"
    }
    try await shop.outbox.send()
    try await shop.edit { try $0.fetch(Fetch<Order>("id == nil")).first?.amount = 5 }
    let report = try await shop.outbox.send()
    #expect(report.refused == 0 && report["Order"].joined.count == 1, "\(report)")
    let there = await shop.server.objects["Order", default: [:]]
    #expect(there.keys.sorted() == [100])
    #expect(there[100]?["status"] == "mine" && there[100]?["amount"] == 5)
    let sent = await shop.server.log.filter { $0.entity == "Order" }
    #expect(Set(sent.filter { $0.kind == .insert }.map(\.idempotencyKey)).count == 1)
    #expect(try shop.stored("Order").keys.sorted() == [100])
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func deletingOneOfAnObjectAndItsCopyLeavesTheOther() async throws {
    let report = try await sendTwice(shop) { order, _, _ in
      order.managedObjectContext?.delete(order)
    }
    #expect(report.refused == 0 && report.waiting == 0, "\(report)")
    try await shop.outbox.send()
    #expect(await shop.server.log.map(\.kind) == [.insert])
    #expect(await shop.server.objects["Order", default: [:]].keys.sorted() == [100])
    #expect(try shop.stored("Order").keys.sorted() == [100])
    #expect(try shop.outbox.pending.isEmpty)
  }

  /// The copy has the label that was sent; it was taken away here since.
  @Test func aLinkThatWentSinceIsNotBroughtBackByTheCopy() async throws {
    try await shop.stack.sync(#"[{"id": 1}]"#, inEntityNamed: "Label")
    try await shop.edit { context in
      let order = Order(context: context)
      order.status = "new"
      order.labels = Set(try context.fetch(Fetch<Label>()))
    }
    await shop.server.answer(.refused("no"), to: "Label")
    await shop.server.whileUnderWay { [stack = shop.stack, server = shop.server] change in
      guard change.entity == "Order" else { return }
      await server.whileUnderWay(nil)
      try await stack.edit { for order in try $0.fetch(Fetch<Order>()) { order.labels = [] } }
      try await stack.sync(
        #"[{"id": 100, "status": "new", "label_ids": [1]}]"#, inEntityNamed: "Order")
    }
    try await shop.outbox.send()
    #expect(try shop.stored("Order").mapValues { $0["label_ids"] } == [100: []])
  }

  /// There was nothing else that the deletion could have meant.
  @Test func deletingAnObjectBeforeItsCopyComesDeletesBoth() async throws {
    try await shop.edit { Order(context: $0).status = "new" }
    await shop.server.whileUnderWay { [stack = shop.stack, server = shop.server] _ in
      await server.whileUnderWay(nil)
      try await stack.edit { for order in try $0.fetch(Fetch<Order>()) { $0.delete(order) } }
      try await stack.sync(#"[{"id": 100, "status": "new"}]"#, inEntityNamed: "Order")
    }
    try await shop.outbox.send()
    #expect(await shop.server.log.map(\.kind) == [.insert, .delete])
    #expect(await shop.server.objects["Order", default: [:]].isEmpty)
    #expect(try shop.stored("Order").isEmpty)
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func anUpdateThatIsAnsweredWithAnotherObjectIsAcceptedWithoutIt() async throws {
    try await shop.stack.sync(
      #"[{"id": 1, "status": "a"}, {"id": 2, "status": "b"}]"#, inEntityNamed: "Order")
    await shop.server.answer(.accepted(["id": 2, "status": "theirs"]), to: "Order")
    try await shop.edit { context in
      for order in try context.fetch(Fetch<Order>("id == 1")) { order.status = "mine" }
    }
    let report = try await shop.outbox.send()
    #expect(report.accepted == 1 && report["Order"].joined.isEmpty)
    #expect(report.unusedAnswers.count == 1 && report.unusedAnswers[0].contains("the key 2"))
    #expect(try shop.stored("Order").mapValues { $0["status"] } == [1: "mine", 2: "b"])
  }

  /// The copy leaves its partner before it is deleted, so that no delete rule takes that along.
  @Test func thePartnerOfACopyStaysWithTheObject() async throws {
    let stack = try DataStack.tracking(Account.self, Profile.self)
    let outbox = try Outbox(stack, name: "api")
    outbox.send(Account.self) { _ in .accepted(["id": 7]) }
    try await stack.sync(
      #"[{"id": 7, "profile": {"id": 1, "text": "theirs"}}]"#, inEntityNamed: "Account")
    try await stack.edit { _ = Account(context: $0) }
    #expect(try await outbox.send()["Account"].joined.count == 1)
    let texts = try await stack.performBackgroundTask { context in
      try context.fetch(Fetch<Account>()).map { $0.profile?.text }
    }
    #expect(texts == ["theirs"])
    #expect(try await stack.checkConsistency().problems.isEmpty)
  }
}

private final class Account: ManagedObject {
  @PrimaryKey var id: Int64?
  @ToOne(inverse: "account", deleteRule: .cascade) var profile: Profile?
}

private final class Profile: ManagedObject {
  @PrimaryKey var id: Int64?
  @Attribute var text: String?
  @ToOne var account: Account?
}
