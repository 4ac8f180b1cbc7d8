import Foundation
import SyncStack
import Testing

/// Commits are taken back in a store whose edits an outbox sends.
@Suite struct UndoneEditTests {
  private static let json = """
    [{"id": 1, "name": "Ann", "favourite_id": 10,
      "orders": [{"id": 10, "status": "a", "amount": 1.5, "labels": [{"id": 7}, {"id": 8}],
                  "lines": [{"id": 20, "text": "x"}]},
                 {"id": 11, "status": "z", "labels": [{"id": 8}]}]},
     {"id": 2, "name": "Bob"}]
    """

  private func shop() async throws -> Shop {
    let shop = try Shop(history: .values)
    try await shop.stack.sync(UndoneEditTests.json, inEntityNamed: "Customer")
    for entity in ["Customer", "Order", "Line", "Label"] {
      for (key, object) in try shop.stored(entity) {
        await shop.server.put(entity, key, object.objectValue)
      }
    }
    return shop
  }

  private func state(_ shop: Shop) throws -> [String: [Int64: JSONValue]] {
    try ["Customer", "Order", "Line", "Label"].reduce(into: [:]) { $0[$1] = try shop.stored($1) }
  }

  private func pending(_ shop: Shop) throws -> [String] {
    try shop.outbox.pending.map { item in
      "\(item.kind.rawValue) \(item.entity) \(item.key?.description ?? "-") \(item.properties)"
    }.sorted()
  }

  @discardableResult
  private func undo(_ shop: Shop, _ token: HistoryToken? = nil) async throws -> HistoryToken {
    let token = try token ?? shop.stack.latestHistoryToken()
    let report = try await shop.stack.undo(token, deletionGuard: .off)
    return try #require(report.token)
  }

  /// Every way to edit an object, by name.
  enum Edit: String, CaseIterable {
    case value, reference, list, order, deletion, deletionOfOwner, deletionOfMember, insertion

    func apply(in context: ManagedObjectContext) throws {
      let orders = try context.fetch(Fetch<Order>("id == 10"))
      let customers = try context.fetch(Fetch<Customer>())
      let labels = try context.fetch(Fetch<Label>("id == 7"))
      switch self {
      case .value: for order in orders { (order.status, order.amount) = ("mine", nil) }
      case .reference: for order in orders { order.customer = customers.first { $0.id == 2 } }
      case .list:
        for order in orders { order.labels = try Set(context.fetch(Fetch<Label>("id == 8"))) }
      case .order: for label in labels { label.orders = try Set(context.fetch(Fetch<Order>())) }
      case .deletion: for order in orders { context.delete(order) }
      case .deletionOfOwner:
        for customer in customers where customer.id == 1 { context.delete(customer) }
      case .deletionOfMember: for label in labels { context.delete(label) }
      case .insertion:
        let order = Order(context: context)
        (order.status, order.customer) = ("new", customers.first { $0.id == 2 })
        order.labels = Set(labels)
      }
    }
  }

  @Test(arguments: Edit.allCases, [false, true])
  func anUnsentEditEndsWithItsUndoAndBeginsAgainWhenThatIsUndone(
    _ edit: Edit, _ isDrained: Bool
  ) async throws {
    let shop = try await shop()
    let (before, server) = try (state(shop), await shop.server.objects)
    try await shop.edit { try edit.apply(in: $0) }
    let (after, edits) = try (state(shop), pending(shop))
    #expect(!edits.isEmpty)
    let commit = try shop.stack.latestHistoryToken()
    if isDrained { try await drain(shop) }
    let undo = try await undo(shop, commit)
    #expect(try state(shop) == before)
    let left = try pending(shop)
    #expect(left == [], "\(left)")
    #expect(try shop.stack.pendingChanges(for: "other").isEmpty)
    #expect(try await shop.outbox.send().accepted == 0)
    #expect(await shop.server.log.isEmpty)
    #expect(await shop.server.objects == server)
    try await self.undo(shop, undo)
    #expect(try state(shop) == after)
    let again = try pending(shop)
    #expect(again == edits, "\(again), not \(edits)")
    // A sync of the server's state leaves it alone again, and then it is sent.
    try await shop.stack.sync(UndoneEditTests.json, inEntityNamed: "Customer")
    #expect(try state(shop) == after)
    let report = try await shop.outbox.send()
    #expect(report.refused == 0 && report.waiting == 0)
    #expect(try shop.outbox.pending.isEmpty)
    let differences = try await shop.differences(from: shop.server.objects)
    #expect(differences == [], "\(differences)")
    #expect(try await shop.stack.checkConsistency().problems.isEmpty)
  }

  /// The outbox reads the history, and every change fails for the time being.
  private func drain(_ shop: Shop) async throws {
    for entity in ["Customer", "Order", "Line", "Label"] {
      await shop.server.answer(.refused("later"), to: entity)
    }
    // An edit that is refused is an entry; editing the object once more tries it again.
    let retry = shop.outbox.retry
    shop.outbox.retry = RetryPolicy(attempts: 1, delay: 0)
    try shop.stack.store.write { _ in }
    try shop.stack.store.write { try $0.drainHistory(intoOutbox: "api") }
    shop.outbox.retry = retry
    for entity in ["Customer", "Order", "Line", "Label"] {
      await shop.server.answer(nil, to: entity)
    }
  }

  @Test func undoingAnImportSendsNothingWhateverWasSentBefore() async throws {
    let shop = try await shop()
    try await shop.edit { for order in try $0.fetch(Fetch<Order>()) { order.amount = 5 } }
    #expect(try await shop.outbox.send().accepted == 2)
    try await shop.edit { for label in try $0.fetch(Fetch<Label>()) { label.name = "mine" } }
    let before = try state(shop)
    let sent = await shop.server.log.count
    try await shop.stack.sync(
      #"[{"id": 1, "name": "bad", "orders": [{"id": 12, "status": "bad"}]}, {"id": 3}]"#,
      inEntityNamed: "Customer")
    let bad = try state(shop)
    let edits = try pending(shop)
    let undo = try await undo(shop)
    #expect(try state(shop) == before)
    #expect(try pending(shop) == edits)
    try await self.undo(shop, undo)
    #expect(try state(shop) == bad)
    #expect(try pending(shop) == edits)
    try await self.undo(shop)
    #expect(try await shop.outbox.send().accepted == 2)
    #expect(await shop.server.log.dropFirst(sent).map(\.entity) == ["Label", "Label"])
    #expect(await shop.server.log.last?.changedJSON.objectValue?.keys.sorted() == ["name"])
  }

  @Test func theEditBeforeADeletionThatIsTakenBackIsStillToBeSent() async throws {
    let shop = try await shop()
    try await shop.edit {
      for order in try $0.fetch(Fetch<Order>("id == 10")) { order.status = "b" }
    }
    let edits = try pending(shop)
    try await shop.edit { try Edit.deletion.apply(in: $0) }
    try await undo(shop)
    #expect(try pending(shop) == edits)
    try await shop.outbox.send()
    #expect(await shop.server.objects["Order"]?[10]?["status"] == "b")
    #expect(await shop.server.log.map(\.kind) == [.update])
  }

  @Test(arguments: [false, true])
  func anObjectThatWasMadeAndDeletedHereIsSentAsNewWhenItComesBack(_ isDrained: Bool) async throws {
    let shop = try await shop()
    try await shop.edit { try Edit.insertion.apply(in: $0) }
    let edits = try pending(shop)
    if isDrained { try await drain(shop) }
    try await shop.edit {
      for order in try $0.fetch(Fetch<Order>("id == nil")) { $0.delete(order) }
    }
    if isDrained { try await drain(shop) }
    #expect(try pending(shop).filter { $0.contains("Order") } == [])
    try await undo(shop)
    #expect(try pending(shop) == edits)
    try await shop.outbox.send()
    #expect(await shop.server.objects["Order"]?.count == 3)
  }

  @Test func anOlderEditOfTheSamePropertyStaysToBeSent() async throws {
    let shop = try await shop()
    for status in ["b", "c"] {
      try await shop.edit {
        for order in try $0.fetch(Fetch<Order>("id == 10")) { order.status = status }
      }
    }
    let undo = try await undo(shop)
    #expect(try pending(shop) == ["update Order 10 [\"status\"]"])
    try await self.undo(shop, undo)
    try await shop.outbox.send()
    #expect(await shop.server.objects["Order"]?[10]?["status"] == "c")
  }

  @Test(arguments: Edit.allCases)
  func anEditUnderWayThatIsTakenBackEndsAsTheServerSays(_ edit: Edit) async throws {
    let shop = try await shop()
    await shop.server.whileUnderWay { [stack = shop.stack, server = shop.server] _ in
      await server.whileUnderWay(nil)
      try await stack.undo(stack.latestHistoryToken(), deletionGuard: .off)
    }
    try await shop.edit { try edit.apply(in: $0) }
    try await shop.outbox.send()
    try await shop.outbox.sendAll()
    #expect(try await shop.stack.checkConsistency().problems.isEmpty)
  }
}
