import SyncStack
import Testing

/// Objects that the server has already, or has changed meanwhile.
@Suite struct ConflictTests {
  /// A document whose server wants to hear which version is meant.
  final class Page: ManagedObject {
    @PrimaryKey(remoteKey: "page_id") var id: Int64?
    @Attribute var title: String?
    @Attribute(isPreservedInHistory: true) var version: Int64?
  }

  // MARK: - Insertions

  /// The usual answer of a unique index when the first answer was lost.
  @Test(arguments: OutboxConflictPolicy.allCases)
  func aNewObjectTakesTheKeyThatAConflictSays(_ policy: OutboxConflictPolicy) async throws {
    let shop = try Shop()
    shop.outbox.whenInConflict = policy
    await shop.server.put("Customer", 5, ["id": 5, "name": "Ann"])
    shop.outbox.send(Customer.self) { [server = shop.server] change in
      change.kind == .insert
        ? .conflict(["id": 5, "name": "Ann"]) : try await server.answer(change)
    }
    try await shop.edit { context in
      let customer = Customer(context: context)
      customer.name = "Anna"
      Order(context: context).customer = customer
    }
    let report = try await shop.outbox.send()
    let log = await shop.server.log
    switch policy {
    case .merge:
      #expect(log.first { $0.entity == "Customer" }?.changedJSON["id"] == nil)
      #expect(await shop.server.objects["Customer"]?[5]?["name"] == "Anna")
    case .takeServer:
      #expect(try shop.stored("Customer")[5]?["name"] == "Ann")
    case .refuse:
      #expect(report.refused == 1 && report["Order"].waiting.count == 1)
      return
    }
    // An object that refers to it has the key that it has taken.
    #expect(log.first { $0.entity == "Order" }?.json["customer_id"] == 5)
    #expect(report.refused == 0 && report.waiting == 0, "\(report)")
    #expect(try shop.outbox.pending.isEmpty)
    #expect(try await shop.stack.checkConsistency().problems.isEmpty)
  }

  @Test func aNewObjectWithAKeyOfItsOwnTakesThatOfTheServer() async throws {
    let shop = try Shop()
    await shop.server.put("Customer", 5, ["id": 5, "name": "Ann"])
    shop.outbox.send(Customer.self) { [server = shop.server] change in
      change.kind == .insert
        ? .conflict(["id": 5, "name": "Ann"]) : try await server.answer(change)
    }
    try await shop.edit { context in
      let customer = Customer(context: context)
      (customer.id, customer.name) = (700, "Anna")
    }
    try await shop.outbox.send()
    #expect(try shop.stored("Customer").keys.sorted() == [5])
    #expect(await shop.server.objects["Customer"]?[5]?["name"] == "Anna")
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func whatIsSetInANewObjectGoesOnTopAndNothingElse() async throws {
    let shop = try Shop()
    await shop.server.put("Order", 7, ["id": 7, "status": "old", "amount": 5.0])
    shop.outbox.send(Order.self) { [server = shop.server] change in
      change.kind == .insert
        ? .conflict(["id": 7, "status": "old", "amount": 5.0]) : try await server.answer(change)
    }
    try await shop.edit { Order(context: $0).status = "new" }
    try await shop.outbox.send()
    let log = await shop.server.log
    #expect(log.count == 1 && log[0].changedJSON == ["status": "new"], "\(log)")
    #expect(try shop.stored("Order")[7]?["amount"] == 5.0)
    #expect(try shop.outbox.pending.isEmpty)
  }

  /// The server has the object that was sent without an answer; the label was taken away since.
  @Test func aLinkThatWentSinceANewObjectWasSentStaysAway() async throws {
    let shop = try Shop()
    await shop.server.put("Label", 1, ["id": 1])
    try await shop.stack.sync(shop.server.json("Label"), inEntityNamed: "Label")
    shop.outbox.send(
      with: Conventional("Order"), using: ExportOptions(relationshipType: .keys)
    ) { [server = shop.server, stack = shop.stack] change in
      guard change.kind == .insert else { return try await server.answer(change) }
      try await stack.edit { for order in try $0.fetch(Fetch<Order>()) { order.labels = [] } }
      await server.put("Order", 7, ["id": 7, "status": "new", "label_ids": [1]])
      return .conflict(["id": 7, "status": "new", "label_ids": [1]])
    }
    try await shop.edit { context in
      let order = Order(context: context)
      order.status = "new"
      order.labels = Set(try context.fetch(Fetch<Label>()))
    }
    try await shop.outbox.send()
    #expect(await shop.server.objects["Order"]?[7]?["label_ids"] == [])
    #expect(try shop.stored("Order")[7]?["label_ids"] == [])
    #expect(try shop.outbox.pending.isEmpty)
  }

  @Test func oneThatWasDeletedMeanwhileIsDeletedUnderThatKey() async throws {
    let shop = try Shop()
    await shop.server.put("Customer", 5, ["id": 5, "name": "Ann"])
    shop.outbox.send(Customer.self) { [server = shop.server, stack = shop.stack] change in
      guard change.kind == .insert else { return try await server.answer(change) }
      try await stack.edit { context in
        for customer in try context.fetch(Fetch<Customer>()) { context.delete(customer) }
      }
      return .conflict(["id": 5, "name": "Ann"])
    }
    try await shop.edit { Customer(context: $0).name = "Ann" }
    let report = try await shop.outbox.send()
    #expect(await shop.server.log.map(\.id) == ["5"])
    #expect(await shop.server.objects["Customer"]?.isEmpty == true)
    #expect(report.refused == 0)
    #expect(try shop.outbox.pending.isEmpty)
  }

  /// JSON of an unknown kind cannot be taken over, but for its key.
  @Test(arguments: [false, true])
  func theKeyOfJsonThatCannotBeUsedCounts(_ isConflict: Bool) async throws {
    let stack = try DataStack.tracking(Contact.self, Friend.self)
    let outbox = try Outbox(stack, name: "api")
    let log = Locked<[OutboxChange]>([])
    outbox.send(Contact.self) { change in
      log.withLock { $0.append(change) }
      guard change.kind == .insert else { return .accepted() }
      let json: JSONValue = ["id": 5, "kind": "Unicorn"]
      return isConflict ? .conflict(json) : .accepted(json)
    }
    try await stack.edit { Contact(context: $0).name = "Ann" }
    let report = try await outbox.send()
    #expect(report.accepted == 1 && report.refused == 0, "\(report)")
    let sent = log.withLock { $0 }
    #expect(sent.map(\.kind) == (isConflict ? [.insert, .update] : [.insert]))
    #expect(sent.dropFirst().allSatisfy { $0.id == "5" && $0.changedJSON["name"] == "Ann" })
    let keys = try await stack.performBackgroundTask { try $0.fetch(Fetch<Contact>()).map(\.id) }
    #expect(keys == [5])
    #expect(try outbox.pending.isEmpty)
  }

  class Contact: ManagedObject {
    override class var entityUserInfo: [String: String] { ["sync.typeKey": "kind"] }
    @PrimaryKey var id: Int64?
    @Attribute var name: String?
  }

  final class Friend: Contact {}

  // MARK: - Deletions

  /// A stack with one page of version 1, and the changes that were sent of it.
  private struct Desk: Sendable {
    final class Log: Sendable {
      let changes = Locked<[OutboxChange]>([])
    }

    let stack: DataStack
    let outbox: Outbox
    let log = Log()

    init(
      _ answer: @escaping @Sendable (OutboxChange, DataStack) async throws -> OutboxAnswer
    ) async throws {
      stack = try DataStack.tracking(Page.self)
      try await stack.sync(
        #"[{"page_id": 1, "title": "a", "version": 1}]"#, inEntityNamed: "Page")
      outbox = try Outbox(stack, name: "api")
      outbox.retry = RetryPolicy(attempts: 0, delay: 0)
      outbox.send(Page.self) { [log, stack] change in
        log.changes.withLock { $0.append(change) }
        return try await answer(change, stack)
      }
    }

    var sent: [OutboxChange] { log.changes.withLock { $0 } }
  }

  private static func edit(
    _ stack: DataStack, _ body: @escaping @Sendable (Page, ManagedObjectContext) throws -> Void
  ) async throws {
    try await stack.edit { for page in try $0.fetch(Fetch<Page>()) { try body(page, $0) } }
  }

  private static let newer: JSONValue = ["page_id": 1, "title": "b", "version": 2]

  @Test func aDeletionInConflictIsSentAgainWithTheNewVersion() async throws {
    let desk = try await Desk { change, _ in
      change.json["version"] == 2 ? .accepted() : .conflict(ConflictTests.newer)
    }
    try await ConflictTests.edit(desk.stack) { page, context in context.delete(page) }
    let report = try await desk.outbox.send()
    #expect(report.accepted == 1 && report.refused == 0, "\(report)")
    #expect(desk.sent.map(\.json) == [["page_id": 1, "version": 1], ConflictTests.newer])
    #expect(desk.sent.map(\.id) == ["1", "1"])
    #expect(Set(desk.sent.map(\.idempotencyKey)).count == 2)
    #expect(try desk.outbox.pending.isEmpty)
  }

  @Test func aDeletionThatIsRefusedGoesBackToTheVersionOfTheConflict() async throws {
    let desk = try await Desk { change, _ in
      change.json["version"] == 2 ? .refused("no") : .conflict(ConflictTests.newer)
    }
    try await ConflictTests.edit(desk.stack) { page, context in context.delete(page) }
    #expect(try await desk.outbox.send().refused == 1)
    try desk.outbox.revert(desk.outbox.refused)
    try await ConflictTests.edit(desk.stack) { page, _ in
      #expect(page.id == 1 && page.title == "b" && page.version == 2)
    }
  }

  @Test(arguments: [false, true])
  func aDeletionNamesTheVersionThatAnAnswerBeforeItSaid(_ isConflict: Bool) async throws {
    let desk = try await Desk { change, stack in
      guard change.kind == .update else { return .accepted() }
      try await ConflictTests.edit(stack) { page, context in context.delete(page) }
      return isConflict ? .conflict(ConflictTests.newer) : .accepted(ConflictTests.newer)
    }
    try await ConflictTests.edit(desk.stack) { page, _ in page.title = "b" }
    try await desk.outbox.send()
    #expect(desk.sent.map(\.kind) == [.update, .delete])
    #expect(desk.sent.last?.json["version"] == 2)
    #expect(try desk.outbox.pending.isEmpty)
  }
}
