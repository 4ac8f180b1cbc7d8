import SyncStack
import Testing

/// A deletion waits for every change that still refers to the object on the server.
@Suite struct DeletionOrderTests {
  enum Failure: CaseIterable {
    case thrown, retry, later, refused

    func answer() throws -> OutboxAnswer {
      switch self {
      case .thrown: throw FakeDesk.Lost()
      case .retry: .retry()
      case .later: .retry(after: 3600)
      case .refused: .refused("no")
      }
    }
  }

  /// The object that the order is taken out of before that is deleted.
  enum Way: CaseIterable {
    case customer, tag, customerThatItHadBefore, order
  }

  private func prepare(_ shop: Strict.Shop) async throws {
    try await shop.prepare { context in
      let order = Strict.Order(context: context)
      order.customer = Strict.Customer(context: context)
      order.tags = [Strict.Tag(context: context)]
      Strict.Line(context: context).order = order
    }
  }

  private func delete(_ way: Way, _ shop: Strict.Shop) async throws {
    switch way {
    case .customer:
      try await shop.edit { for it in try $0.fetch(Fetch<Strict.Customer>()) { $0.delete(it) } }
    case .tag:
      try await shop.edit { for it in try $0.fetch(Fetch<Strict.Tag>()) { $0.delete(it) } }
    case .customerThatItHadBefore:
      try await shop.edit { context in
        let old = try context.fetch(Fetch<Strict.Customer>())
        let new = Strict.Customer(context: context)
        for order in try context.fetch(Fetch<Strict.Order>()) { order.customer = new }
        for customer in old { context.delete(customer) }
      }
    case .order:
      try await shop.edit { context in
        for it in try context.fetch(Fetch<Strict.Order>()) { context.delete(it) }
        for it in try context.fetch(Fetch<Strict.Customer>()) { context.delete(it) }
      }
    }
  }

  @Test(arguments: Way.allCases, [1, 4])
  func itComesAfterTheChangeThatRefers(_ way: Way, _ concurrency: Int) async throws {
    let shop = try Strict.Shop(concurrency: concurrency)
    try await prepare(shop)
    try await delete(way, shop)
    try await shop.outbox.sendAll()
    #expect(await shop.server.log.last?.hasPrefix("delete") == true)
  }

  @Test(arguments: Failure.allCases, Way.allCases)
  func itIsNotSentWhileThatChangeHasNotArrived(_ failure: Failure, _ way: Way) async throws {
    let shop = try Strict.Shop()
    try await prepare(shop)
    await shop.server.fail { $0.entity == "Order" ? try failure.answer() : nil }
    try await delete(way, shop)
    let deleted = way == .tag ? "Tag" : "Customer"
    for _ in 0..<2 {
      let report = try await shop.outbox.send()
      #expect(report[deleted].waiting.count == 1 && report[deleted].refused.isEmpty, "\(report)")
      #expect(await !shop.server.log.contains { $0.hasPrefix("delete \(deleted)") })
    }
    await shop.server.fail(nil)
    for item in try shop.outbox.pending where item.entity == "Order" { try shop.outbox.retry(item) }
    try await shop.outbox.sendAll()
    #expect(await shop.server.log.last?.hasPrefix("delete \(deleted)") == true)
  }

  /// The key of a deleted object leads nowhere here, but the server still has it.
  @Test(arguments: [Way.tag, .customer], [false, true])
  func aSyncInBetweenDoesNotHideWhatRefersToIt(_ way: Way, _ isDeletedToo: Bool) async throws {
    let shop = try Strict.Shop()
    try await prepare(shop)
    try await delete(way, shop)
    try await shop.edit { context in
      for order in try context.fetch(Fetch<Strict.Order>()) {
        order.tags.insert(Strict.Tag(context: context))
      }
    }
    let orders = await shop.server.objects["Order", default: [:]].values.map(JSONValue.object)
    try await shop.stack.sync(JSONValue.array(orders), inEntityNamed: "Order")
    if isDeletedToo { try await delete(.order, shop) }
    await shop.server.fail { $0.entity == "Order" ? .retry(after: 3600) : nil }
    let deleted = way == .tag ? "Tag" : "Customer"
    let report = try await shop.outbox.send()
    #expect(report[deleted].waiting.count >= 1 && report.refused == 0, "\(report)")
    await shop.server.fail(nil)
    for item in try shop.outbox.pending { try shop.outbox.retry(item) }
    try await shop.outbox.sendAll()
    #expect(await shop.server.log.last?.hasPrefix("delete") == true)
  }

  /// The answer to the insertion is lost, so that the server may refer to the object that was
  /// deleted since.
  @Test func anInsertionWithoutAnswerMayReferToIt() async throws {
    let shop = try Strict.Shop()
    try await shop.prepare { Strict.Customer(context: $0).name = "Ann" }
    await shop.server.fail { _ in throw FakeDesk.Lost() }
    try await shop.edit { context in
      Strict.Order(context: context).customer = try context.fetch(Fetch<Strict.Customer>()).first
    }
    try await shop.outbox.send()
    try await delete(.customer, shop)
    try await shop.outbox.send()
    await shop.server.fail(nil)
    await shop.server.forgetLog()
    try await shop.outbox.sendAll()
    #expect(await shop.server.log == ["insert Order ", "update Order 101", "delete Customer 100"])
  }

  @Test(arguments: [1, 4], [true, false])
  func ofSeveralThatAreDeletedTheOneThatRefersGoesFirst(
    _ concurrency: Int, _ isTagFirst: Bool
  ) async throws {
    let shop = try Strict.Shop(concurrency: concurrency)
    try await prepare(shop)
    try await shop.edit { context in
      let tags = try context.fetch(Fetch<Strict.Tag>())
      if isTagFirst { tags.forEach(context.delete) }
      for it in try context.fetch(Fetch<Strict.Customer>()) { context.delete(it) }
      for it in try context.fetch(Fetch<Strict.Order>()) { context.delete(it) }
      if !isTagFirst { tags.forEach(context.delete) }
    }
    try await shop.outbox.sendAll()
    let log = await shop.server.log
    #expect(log.prefix(2).map { $0.prefix(12) } == ["delete Line ", "delete Order"], "\(log)")
    #expect(log.count == 4)
  }

  @Test func manyThatReferAreLookedAtOnce() async throws {
    let shop = try Strict.Shop()
    try await shop.prepare { context in
      let customer = Strict.Customer(context: context)
      for _ in 0..<300 { Strict.Order(context: context).customer = customer }
    }
    try await shop.edit { context in
      for it in try context.fetch(Fetch<Strict.Order>()) { context.delete(it) }
      for it in try context.fetch(Fetch<Strict.Customer>()) { context.delete(it) }
    }
    let report = try await shop.outbox.send()
    #expect(report.accepted == 301, "\(report)")
    #expect(await shop.server.log.last == "delete Customer 100")
  }

  /// An object with the key of a deleted one is not made before that is gone: the two would become
  /// one, and the deletion would take it.
  @Test(arguments: Failure.allCases)
  func aKeyIsGivenAgainWhenItsObjectIsGone(_ failure: Failure) async throws {
    let shop = try Strict.Shop()
    try await shop.prepare { Strict.Tag(context: $0).name = "old" }
    await shop.server.fail { $0.kind == .delete ? try failure.answer() : nil }
    try await shop.edit { context in
      for tag in try context.fetch(Fetch<Strict.Tag>()) { context.delete(tag) }
      let tag = Strict.Tag(context: context)
      (tag.id, tag.name) = (100, "new")
    }
    for _ in 0..<2 { try await shop.outbox.send() }
    #expect(await !shop.server.log.contains { $0.hasPrefix("insert") })
    await shop.server.fail(nil)
    for item in try shop.outbox.pending { try shop.outbox.retry(item) }
    let report = try await shop.outbox.send()
    #expect(report.accepted == 2, "\(report)")
    #expect(await shop.server.objects["Tag"]?[100]?["name"] == "new")
  }
}
