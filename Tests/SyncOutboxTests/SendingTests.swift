import Foundation
import SyncStack
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The changes that are sent, their order, and their outcomes.
@Suite struct SendingTests {
  private let shop: Shop

  init() throws { shop = try Shop() }

  @Test func editsOfOneObjectAreOneChange() async throws {
    let id = try await shop.edit { context in
      let order = Order(context: context)
      order.status = "new"
      try context.save()
      order.status = "paid"
      return order.objectID
    }
    let report = try await shop.outbox.send()
    #expect(report["Order"].accepted == [id])
    #expect(await shop.server.log.map(\.kind) == [.insert])
    #expect(await shop.server.log.first?.json["status"] == "paid")
    #expect(try shop.outbox.pending.isEmpty)
    try await shop.edit { context in
      let order = try #require(try context.fetch(Fetch<Order>()).first)
      #expect(order.id == 100)
      order.amount = 3
      try context.save()
      order.status = "sent"
    }
    try await shop.outbox.send()
    let update = try #require(await shop.server.log.last)
    #expect(update.kind == .update)
    #expect(update.id == "100")
    #expect(update.properties == ["status", "amount"])
    #expect(update.changedJSON == ["status": "sent", "amount": 3.0])
    #expect(try await shop.outbox.send().description == "Nothing to send")
  }

  @Test func whatWasMadeAndDeletedHereIsNeverSent() async throws {
    try await shop.edit { context in
      let order = Order(context: context)
      try context.save()
      context.delete(order)
    }
    #expect(try await shop.outbox.send().description == "Nothing to send")
    #expect(await shop.server.log.isEmpty)
  }

  @Test func whatASyncBroughtIsNeverSentBack() async throws {
    try await shop.stack.sync(#"[{"id": 1, "status": "new"}]"#, inEntityNamed: "Order")
    #expect(try shop.outbox.pending.isEmpty)
    try await shop.outbox.send()
    #expect(await shop.server.log.isEmpty)
  }

  enum Blog {
    final class Post: ManagedObject {
      @PrimaryKey var id: Int64
      @ToMany(inverse: "posts") var tags: Set<Tag>
      @Attribute(userInfo: ["sync.nonExportable": "YES"]) var createdAt: Date?
    }

    final class Tag: ManagedObject {
      @PrimaryKey var id: Int64
      @ToMany(inverse: "tags", userInfo: ["sync.nonExportable": "YES"]) var posts: Set<Post>
    }
  }

  @Test func whatTheApiDoesNotHaveIsNotSentAndNorIsAChangeOfNothingElse()
    async throws
  {
    let stack = try DataStack.tracking(Blog.Post.self, Blog.Tag.self)
    try await stack.sync(#"[{"id": 1, "tags": [{"id": 7}, {"id": 8}]}]"#, inEntityNamed: "Post")
    let outbox = try Outbox(stack, name: "api")
    let sent = Locked<[JSONValue]>([])
    outbox.send(Blog.Post.self) { change in
      sent.withLock { $0.append(change.json) }
      return .accepted()
    }
    outbox.send(Blog.Tag.self) { _ in .refused("there are no posts in tags") }
    try await stack.performInNewBackgroundContext { context in
      for post in try context.fetch(Fetch<Blog.Post>()) {
        post.tags = post.tags.filter { $0.id == 7 }
        post.createdAt = Date(timeIntervalSince1970: 0)
      }
      try context.save()
    }
    #expect(try await outbox.send().refused == 0)
    #expect(sent.withLock { $0 } == [["id": 1, "tag_ids": [7]]])
    #expect(try outbox.pending.isEmpty)
  }

  @Test func newObjectsAreSentBeforeThoseThatReferToThem() async throws {
    try await shop.edit { context in
      let line = Line(context: context)
      let order = Order(context: context)
      let customer = Customer(context: context)
      line.order = order
      order.customer = customer
    }
    try await shop.outbox.send()
    let log = await shop.server.log
    #expect(log.map(\.entity) == ["Customer", "Order", "Line"])
    #expect(log[1].json["customer_id"] == 100)
    #expect(log[2].json["order_id"] == 101)
    #expect(log[0].json == ["name": nil, "favourite_id": nil])
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func aReferenceInACircleIsSentLaterAsAnUpdate() async throws {
    try await shop.edit { context in
      let customer = Customer(context: context)
      let order = Order(context: context)
      order.customer = customer
      customer.favourite = order
    }
    let report = try await shop.outbox.send()
    #expect(report.waiting == 0)
    let customer = try #require(await shop.server.objects["Customer"]?.values.first)
    let order = try #require(await shop.server.objects["Order"]?.values.first)
    #expect(customer["favourite_id"] == order["id"])
    #expect(order["customer_id"] == customer["id"])
    #expect(await shop.server.log.count == 3)
  }

  @Test func deletionsGoFromTheLeavesUpAndAfterUpdatesOfWhatRefers() async throws {
    try await shop.stack.sync(
      #"[{"id": 1, "orders": [{"id": 2, "lines": [{"id": 3}, {"id": 4}]}]}, {"id": 9}]"#,
      inEntityNamed: "Customer")
    try await shop.edit { context in
      let customers = try context.fetch(Fetch<Customer>().sorted(by: "id"))
      let line = try #require(try context.fetch(Fetch<Line>("id == 4")).first)
      let order = Order(context: context)
      order.customer = customers[1]
      line.order = order
      context.delete(customers[0])
    }
    try await shop.outbox.send()
    let log = await shop.server.log.map { "\($0.kind.rawValue) \($0.entity) \($0.id)" }
    #expect(
      log == [
        "insert Order ", "delete Line 3", "update Line 4", "delete Order 2", "delete Customer 1",
      ])
    #expect(await shop.server.log.last?.json == ["id": 1])
  }

  @Test func oneThatIsRefusedHoldsBackThoseThatNeedItAndNothingElse() async throws {
    await shop.server.answer(.refused("too late"), to: "Order")
    try await shop.edit { context in
      let order = Order(context: context)
      order.status = "new"
      Line(context: context).order = order
      Label(context: context).name = "urgent"
    }
    let report = try await shop.outbox.send()
    #expect(report["Label"].accepted.count == 1)
    #expect(report["Order"].refused.count == 1)
    #expect(report["Line"].waiting.count == 1)
    #expect(await shop.server.log.map(\.entity).contains("Line") == false)
    let refused = try #require(try shop.outbox.refused.first)
    #expect(refused.state == .refused("too late"))
    #expect(try shop.outbox.status.waiting == 1)

    // A refused change is not sent by itself.
    await shop.server.answer(nil, to: "Order")
    #expect(try await shop.outbox.send().accepted == 0)
    // Editing the object tries again.
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "newer" }
    #expect(try await shop.outbox.send().accepted == 2)
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func aRefusedChangeIsRetriedDiscardedOrReverted() async throws {
    try await shop.stack.sync(
      #"[{"id": 1, "status": "a"}, {"id": 2, "status": "a"}, {"id": 3, "status": "a"}]"#,
      inEntityNamed: "Order")
    await shop.server.answer(.refused("no"), to: "Order")
    try await shop.edit { context in
      for order in try context.fetch(Fetch<Order>()) { order.status = "b" }
      Order(context: context).status = "new"
    }
    try await shop.outbox.send()
    let refused = try shop.outbox.refused
    #expect(refused.count == 4)
    try shop.outbox.retry(try #require(refused.first { $0.key == 1 }))
    try shop.outbox.discard(try #require(refused.first { $0.key == 2 }))
    try shop.outbox.revert(
      try #require(refused.first { $0.key == 3 }), to: ["id": 3, "status": "a"])
    try shop.outbox.revert(try #require(refused.first { $0.key == nil }))
    #expect(try shop.outbox.pending.map(\.key) == [1])
    let states = try shop.stored("Order").mapValues { $0["status"] }
    #expect(states == [1: "b", 2: "b", 3: "a"])
    // An edit that was given up is overwritten by the next sync, one that waits is not.
    try await shop.stack.sync(
      #"[{"id": 1, "status": "a"}, {"id": 2, "status": "a"}, {"id": 3, "status": "a"}]"#,
      inEntityNamed: "Order")
    #expect(try shop.stored("Order").mapValues { $0["status"] } == [1: "b", 2: "a", 3: "a"])
  }

  @Test(arguments: FakeDesk.Fault.allCases)
  func nothingIsDoneTwiceWhenTheServerKnowsIdempotencyKeys(_ fault: FakeDesk.Fault) async throws {
    await shop.server.fail([fault, fault])
    try await shop.edit { context in
      Order(context: context).status = "new"
      Customer(context: context).name = "Ann"
    }
    let report = try await shop.outbox.send()
    #expect(report.accepted == 2)
    #expect(await shop.server.objects["Order"]?.count == 1)
    #expect(await shop.server.objects["Customer"]?.count == 1)
    #expect(try shop.stored("Order").keys.first ?? -1 >= 100)
  }

  @Test func aChangeWithoutAnswerIsSentAgainAsItWas() async throws {
    shop.outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    await shop.server.fail([.lostAnswer])
    try await shop.edit { Order(context: $0).status = "new" }
    #expect(try await shop.outbox.send().waiting == 1)
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "edited" }
    let again = try Outbox(shop.stack, name: "api")
    again.send(with: Conventional("Order")) { [server = shop.server] in try await server.answer($0)
    }
    #expect(try again.pending.first?.state == .unanswered(until: nil))
    let report = try await again.send()
    let log = await shop.server.log
    #expect(log.map(\.kind) == [.insert, .insert, .update])
    #expect(log[0].idempotencyKey == log[1].idempotencyKey)
    #expect(log[0].json == log[1].json)
    #expect(report["Order"].accepted.count == 2)
    #expect(await shop.server.objects["Order"]?[100]?["status"] == "edited")
  }

  @Test func anEditWhileItsObjectIsUnderWayIsSentAfterIt() async throws {
    await shop.server.whileUnderWay { [stack = shop.stack] change in
      guard change.kind == .insert else { return }
      try await stack.edit { try $0.fetch(Fetch<Order>()).first?.status = "edited" }
    }
    try await shop.edit { Order(context: $0).status = "new" }
    try await shop.outbox.send()
    #expect(await shop.server.log.map(\.kind) == [.insert, .update])
    #expect(try shop.stored("Order")[100]?["status"] == "edited")
    #expect(await shop.server.objects["Order"]?[100]?["status"] == "edited")
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func whatIsDeletedBeforeItsTurnIsNeverSent() async throws {
    shop.outbox.concurrency = 2
    shop.outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    try await shop.edit { for number in 0..<40 { Order(context: $0).amount = Double(number) } }
    // Changes are made ready by 32. The last of the second portion is deleted after the last answer
    // was stored, and before that portion is made ready: one request does the deletion, and the
    // lost answer of another has the run go on.
    let deleted = AsyncStream<Void>.makeStream()
    let second = AsyncStream<Void>.makeStream()
    await shop.server.whileUnderWay { [stack = shop.stack] change in
      switch change.json["amount"]?.doubleValue ?? 0 {
      case 28:
        try await stack.edit { context in
          for order in try context.fetch(Fetch<Order>("amount == 39")) { context.delete(order) }
        }
        deleted.continuation.finish()
        for await _ in second.stream {}
      case 29:
        for await _ in deleted.stream {}
        throw FakeDesk.Lost()
      case 32...: second.continuation.finish()
      default: break
      }
    }
    #expect(try await shop.outbox.send().accepted == 38)
    await shop.server.whileUnderWay(nil)
    #expect(try await shop.outbox.send().accepted == 1)
    #expect(await shop.server.log.allSatisfy { $0.kind == .insert && $0.json["amount"] != 39.0 })
    #expect(try shop.outbox.pending.map(\.description) == [])
  }

  @Test func anUpdateWithoutAnswerIsSentAgainTheSameAfterItsObjectWasDeleted()
    async throws
  {
    try await shop.edit { Order(context: $0).status = "new" }
    try await shop.outbox.send()
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "edited" }
    await shop.server.fail([.lostAnswer])
    shop.outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    try await shop.outbox.send()
    try await shop.edit { try $0.fetch(Fetch<Order>()).first.map($0.delete) }
    try await shop.outbox.send()
    let log = await shop.server.log.dropFirst()
    #expect(log.map(\.kind) == [.update, .update, .delete])
    #expect(log.map(\.id) == ["100", "100", "100"])
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func whatWasDeletedHereWhileItWasMadeThereIsDeletedThere() async throws {
    await shop.server.whileUnderWay { [stack = shop.stack] change in
      guard change.kind == .insert else { return }
      try await stack.edit { for order in try $0.fetch(Fetch<Order>()) { $0.delete(order) } }
    }
    try await shop.edit { Order(context: $0).status = "new" }
    try await shop.outbox.send()
    #expect(await shop.server.log.map(\.kind) == [.insert, .delete])
    #expect(await shop.server.objects["Order"]?.isEmpty == true)
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func aCopyThatASyncBroughtBecomesOneWithTheObject() async throws {
    let id = try await shop.make(Order.self) { $0.status = "new" }
    await shop.server.answer(.accepted(["id": 100]), to: "Order")
    await shop.server.whileUnderWay { [stack = shop.stack] change in
      guard change.kind == .insert, change.entity == "Order" else { return }
      try await stack.sync(
        #"[{"id": 100, "status": "new", "customer": {"id": 5}, "labels": [{"id": 7}], "lines": [{"id": 8}]}]"#,
        inEntityNamed: "Order")
    }
    let report = try await shop.outbox.send()
    #expect(report["Order"].joined == [id])
    try await shop.stack.performBackgroundTask { context in
      let orders = try context.fetch(Fetch<Order>())
      #expect(orders.map(\.objectID) == [id])
      let order = try #require(orders.first)
      #expect(order.id == 100)
      #expect(order.customer?.id == 5)
      #expect(order.labels.map(\.id) == [7])
      #expect(order.lines.map(\.id) == [8])
    }
    #expect(try await shop.stack.checkConsistency().problems.isEmpty)
    #expect(try shop.outbox.pending.isEmpty)
  }

  /// Merging is no other try: the change that is sent on top is another one.
  @Test(arguments: [0, 1])
  func aConflictIsMergedAndSentOnceMoreWhateverTheRetries(_ attempts: Int) async throws {
    shop.outbox.retry = RetryPolicy(attempts: attempts, delay: 0)
    try await shop.stack.sync(#"[{"id": 1, "status": "a", "amount": 1}]"#, inEntityNamed: "Order")
    await shop.server.put("Order", 1, ["id": 1, "status": "theirs", "amount": 2])
    await shop.server.answer(.conflict(["id": 1, "status": "theirs", "amount": 2]), to: "Order")
    await shop.server.whileUnderWay { [server = shop.server] _ in
      if await server.log.count == 2 { await server.answer(nil, to: "Order") }
    }
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "mine" }
    let report = try await shop.outbox.send()
    #expect(report.accepted == 1 && report.refused == 0, "\(report)")
    #expect(await shop.server.objects["Order"]?[1] == ["id": 1, "status": "mine", "amount": 2])
    #expect(try shop.stored("Order")[1]?["amount"] == 2.0)
    #expect(Set(await shop.server.log.map(\.idempotencyKey)).count == 2)
  }

  @Test func whatIsInConflictAgainAndAgainIsRefused() async throws {
    shop.outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    try await shop.stack.sync(#"[{"id": 1, "status": "a"}]"#, inEntityNamed: "Order")
    await shop.server.answer(.conflict(["id": 1, "status": "theirs"]), to: "Order")
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "mine" }
    #expect(try await shop.outbox.send().refused == 1)
    #expect(await shop.server.log.count == 2)
    #expect(try shop.stored("Order")[1]?["status"] == "mine")
  }

  @Test(arguments: [OutboxGonePolicy.refuse, .deleteHere, .insertAgain])
  func anUpdateOfWhatIsGoneFollowsThePolicy(_ policy: OutboxGonePolicy) async throws {
    shop.outbox.whenGone = policy
    try await shop.stack.sync(#"[{"id": 1, "status": "a"}]"#, inEntityNamed: "Order")
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "mine" }
    let report = try await shop.outbox.send()
    switch policy {
    case .refuse:
      #expect(report.refused == 1)
      #expect(try shop.stored("Order").count == 1)
    case .deleteHere:
      #expect(report.refused == 0)
      #expect(try shop.stored("Order").isEmpty)
    case .insertAgain:
      #expect(report.accepted == 1)
      #expect(await shop.server.objects["Order"]?[1]?["status"] == "mine")
    }
  }

  @Test func aDeletionOnItsWayIsNotBroughtBackByAnOlderPage() async throws {
    try await shop.stack.sync(#"[{"id": 1}, {"id": 2}]"#, inEntityNamed: "Order")
    await shop.server.put("Order", 1, ["id": 1])
    await shop.server.whileUnderWay { [stack = shop.stack] _ in
      try await stack.sync(#"[{"id": 1}, {"id": 2}]"#, inEntityNamed: "Order")
    }
    try await shop.edit { context in
      for order in try context.fetch(Fetch<Order>("id == 1")) { context.delete(order) }
    }
    try await shop.outbox.send()
    #expect(try shop.stored("Order").keys.sorted() == [2])
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test(arguments: [nil, OutboxAnswer.retry(after: 3600, reason: "Status 429.")])
  func aRunEndsWhenTheServerDoesNotAnswerOrWantsToBeLeftAlone(
    _ answer: OutboxAnswer?
  ) async throws {
    if answer == nil {
      shop.outbox.retry = RetryPolicy(attempts: 0, delay: 0)
      await shop.server.fail(Array(repeating: .unreachable, count: 1000))
    }
    await shop.server.answer(answer, to: "Order")
    try await shop.edit { for _ in 0..<100 { Order(context: $0).status = "new" } }
    let report = try await shop.outbox.send()
    #expect(report.waiting == 100 && report.stopReason != nil)
    if answer != nil { #expect(report.stopReason == "Status 429.") }
    #expect(await shop.server.log.count <= 8)
  }

  @Test func whatTheServerWantsToHaveLaterIsNotSentBefore() async throws {
    await shop.server.answer(.retry(after: 3600), to: "Order")
    try await shop.edit { Order(context: $0).status = "new" }
    #expect(try await shop.outbox.send().waiting == 1)
    await shop.server.answer(nil, to: "Order")
    #expect(try await shop.outbox.send()["Order"].sent == 0)
    guard case .unanswered(let date?) = try shop.outbox.pending.first?.state else {
      Issue.record("It has no date.")
      return
    }
    #expect(date.timeIntervalSinceNow > 3000)
  }

  @Test func anInsertionComesAfterTheDeletionOfItsKey() async throws {
    await shop.server.put("Label", 1, ["id": 1, "name": "old"])
    try await shop.stack.sync(#"[{"id": 1, "name": "old"}]"#, inEntityNamed: "Label")
    try await shop.edit { context in
      for label in try context.fetch(Fetch<Label>()) { context.delete(label) }
      let label = Label(context: context)
      label.id = 1
      label.name = "new"
    }
    try await shop.outbox.send()
    #expect(await shop.server.log.map(\.kind) == [.delete, .insert])
    #expect(await shop.server.objects["Label"]?[1]?["name"] == "new")
  }

  @Test func entitiesWithoutAHandlerWaitForOne() async throws {
    let other = try Outbox(shop.stack, name: "other")
    try await shop.edit { Order(context: $0).status = "new" }
    #expect(try await other.send().waiting == 1)
    other.send(Order.self) { _ in .accepted() }
    #expect(try await other.send().accepted == 1)
    // The one has sent it, the other not yet: a sync still leaves it alone.
    #expect(try shop.outbox.pending.count == 1)
  }

  @Test func runsOfOneOutboxFollowEachOtherAndCanBeCancelled() async throws {
    try await shop.edit { for _ in 0..<20 { Order(context: $0).status = "new" } }
    async let first = shop.outbox.send()
    async let second = shop.outbox.send()
    let counts = try await (first.accepted, second.accepted)
    #expect(counts.0 + counts.1 == 20)
    #expect(await shop.server.objects["Order"]?.count == 20)

    try await shop.edit { Order(context: $0).status = "late" }
    let (started, send) = AsyncStream.makeStream(of: Void.self)
    await shop.server.whileUnderWay { _ in
      send.yield()
      try await Task.sleep(for: .seconds(600))
    }
    let operation = SendOperation(shop.outbox)
    let queue = OperationQueue()
    queue.addOperation(operation)
    for await _ in started { break }
    operation.cancel()
    let result = await withCheckedContinuation { continuation in
      operation.whenFinished { continuation.resume(returning: $0) }
    }
    #expect(throws: CancellationError.self) { try result.get() }
    await shop.server.whileUnderWay(nil)
    #expect(try await shop.outbox.send().accepted == 1)
    #expect(await shop.server.objects["Order"]?.count == 21)
  }

  @Test func aKeyThatTheServerChangesIsTakenOverAndNoEdit() async throws {
    try await shop.stack.sync(
      #"[{"id": 1, "status": "a", "lines": [{"id": 5}]}]"#, inEntityNamed: "Order")
    await shop.server.answer(.accepted(["id": 900, "status": "b"]), to: "Order")
    try await shop.edit { try $0.fetch(Fetch<Order>()).first?.status = "b" }
    try await shop.outbox.send()
    #expect(try shop.stored("Order").keys.sorted() == [900])
    #expect(try shop.outbox.pending.isEmpty)
    try await shop.edit { context in
      try context.fetch(Fetch<Order>()).first?.status = "c"
      try context.fetch(Fetch<Line>()).first?.text = "x"
    }
    try await shop.outbox.send()
    let log = await shop.server.log.suffix(2)
    #expect(log.first { $0.entity == "Order" }?.id == "900")
    #expect(log.first { $0.entity == "Line" }?.json["order_id"] == 900)
  }

  @Test func aPageForPeopleIsNoAnswer() async throws {
    let pages = Locked(2)
    shop.outbox.send(Order.self) { [server = shop.server] change in
      let isPage = pages.withLock { left in
        left -= 1
        return left >= 0
      }
      guard isPage else { return try await server.answer(change) }
      let url = try #require(URL(string: "http://127.0.0.1/orders"))
      let response = try #require(
        HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: "1.1",
          headerFields: ["Content-Type": "text/html"]))
      return OutboxAnswer(Data("<html>Sign in</html>".utf8), response)
    }
    try await shop.edit { Order(context: $0).status = "new" }
    let report = try await shop.outbox.send()
    #expect(report["Order"].sent == 3 && report.accepted == 1)
    #expect(await shop.server.objects["Order"]?.count == 1)
  }
}
