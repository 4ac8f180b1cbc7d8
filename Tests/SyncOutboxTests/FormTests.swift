import SyncStack
import Testing

/// The form in which an API gets edits.
@Suite struct FormTests {
  private let stack: DataStack
  private let outbox: Outbox
  private let server = ToldServer()

  /// Answers everything alike.
  init() async throws {
    stack = try DataStack.tracking(Customer.self, Order.self, Line.self, Label.self)
    outbox = try Outbox(stack, name: "api")
    try await stack.sync(#"[{"id": 5}, {"id": 6}]"#, inEntityNamed: "Label")
    try await stack.sync(
      #"[{"id": 17, "status": "a", "customer": {"id": 1}, "label_ids": [5], "lines": [{"id": 3, "text": "a"}]}]"#,
      inEntityNamed: "Order")
  }

  private func send(
    using options: ExportOptions, _ answer: OutboxAnswer = .accepted(),
    _ edit: @escaping @Sendable (ManagedObjectContext, Order) throws -> Void
  ) async throws -> OutboxChange {
    server.answer(answer)
    outbox.send(Order.self, using: options) { [server] in try server.answer(to: $0) }
    try await stack.edit { context in
      let order = try #require(try context.fetch(Fetch<Order>()).first)
      try edit(context, order)
    }
    let report = try await outbox.send()
    #expect(report["Order"].waiting.isEmpty && report.unusedAnswers.isEmpty, "\(report)")
    return try #require(server.sent.last)
  }

  // MARK: - Some nested

  @Test(arguments: ["lines", "Order.lines"])
  func onlyWhatIsNamedIsNestedAndTheRestGoesByKey(name: String) async throws {
    let change = try await send(using: ExportOptions(relationshipType: .keys, nesting: [name])) {
      let line = Line(context: $0)
      (line.id, line.text, line.order) = (4, "b", $1)
    }
    let lines: JSONValue = [["id": 3, "text": "a"], ["id": 4, "text": "b"]]
    #expect(change.changedJSON == ["lines": lines])
    #expect(
      change.json == [
        "id": 17, "status": "a", "amount": .null, "customer_id": 1, "lines": lines,
        "label_ids": [5],
      ])
  }

  @Test func aRelationshipToBeNestedThatTheModelDoesNotHaveIsNamed() async throws {
    let error = await #expect(throws: ExportError.self) {
      try await send(using: ExportOptions(relationshipType: .keys, nesting: ["rows"])) {
        $1.status = "b"
      }
    }
    #expect(error?.code == .unknownRelationship && error?.property == "rows")
  }

  // MARK: - Members of lists

  @Test func whatCameIntoAListAndWhatWentIsToldByKeys() async throws {
    let keys = ExportOptions(relationshipType: .keys)
    let update = try await send(using: keys) { context, order in
      order.labels = try Set(context.fetch(Fetch<Label>("id == 6")))
    }
    #expect(update.added == ["labels": [6]] && update.removed == ["labels": [5]])
    let insertion = try await send(using: keys) { context, order in
      let other = Order(context: context)
      (other.id, other.labels) = (18, try Set(context.fetch(Fetch<Label>())))
    }
    #expect(insertion.added == ["labels": [5, 6]] && insertion.removed.isEmpty)
    let other = try await send(using: keys) { $1.status = "b" }
    #expect(other.added.isEmpty && other.removed.isEmpty)
  }

  @Test func aMemberThatWasDeletedIsToldByTheKeyThatItHad() async throws {
    let update = try await send(using: ExportOptions(relationshipType: .keys)) { context, order in
      for label in order.labels { context.delete(label) }
    }
    #expect(update.changedJSON == ["label_ids": []])
    #expect(update.added.isEmpty && update.removed == ["labels": [5]])
  }

  @Test func whatWasSentWithoutAnAnswerHasTheSameMembersAgain() async throws {
    outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    let keys = ExportOptions(relationshipType: .keys)
    func relabel(_ key: Int64, _ answer: OutboxAnswer) async throws {
      server.answer(answer)
      outbox.send(Order.self, using: keys) { [server] in try server.answer(to: $0) }
      try await stack.edit { context in
        let order = try #require(try context.fetch(Fetch<Order>()).first)
        order.labels = try Set(context.fetch(Fetch<Label>("id == %@", key)))
      }
      try await outbox.send()
    }
    try await relabel(6, .retry())
    try await relabel(5, .accepted())
    let log = server.sent
    #expect(log.map(\.added) == [["labels": [6]], ["labels": [6]], ["labels": [5]]])
    #expect(log.map(\.removed) == [["labels": [5]], ["labels": [5]], ["labels": [6]]])
  }

  // MARK: - JSON:API

  @Test func aNewObjectIsAResourceAndTheAnswerADocument() async throws {
    let change = try await send(
      using: .jsonAPI,
      .accepted(["data": ["type": "orders", "id": "18", "attributes": ["status": "taken"]]])
    ) { context, order in
      let other = Order(context: context)
      (other.status, other.customer, other.labels) = ("new", order.customer, order.labels)
    }
    #expect(
      change.json == [
        "data": [
          "type": "orders", "attributes": ["status": "new", "amount": .null],
          "relationships": [
            "customer": ["data": ["type": "customers", "id": "1"]],
            "labels": ["data": [["type": "labels", "id": "5"]]],
          ],
        ]
      ])
    let stored = try stack.export("Order", where: Filter("id == 18")).arrayValue?.first
    #expect(stored?["status"] == "taken" && stored?["customer"]?["id"] == 1)
  }

  @Test func anUpdateHasWhatChangedAndSaysWhichResource() async throws {
    let change = try await send(using: .jsonAPI) { context, order in
      order.status = "b"
      order.customer = nil
      order.labels = try Set(context.fetch(Fetch<Label>("id == 6")))
    }
    #expect(
      change.changedJSON == [
        "data": [
          "type": "orders", "id": "17", "attributes": ["status": "b"],
          "relationships": [
            "customer": ["data": .null], "labels": ["data": [["type": "labels", "id": "6"]]],
          ],
        ]
      ])
  }

  @Test(arguments: [
    (#"{"data": {"type": "orders", "id": "17", "attributes": {"amount": 3}}}"#, 3.0),
    (#"{"type": "orders", "id": "17", "attributes": {"amount": 3}}"#, 3.0),
    (#"{"id": 17, "amount": 3}"#, 3.0), (#"{"data": null}"#, nil), (#"{"meta": {}}"#, nil),
  ])
  func anAnswerIsADocumentOrAResourceOrPlain(json: String, amount: Double?) async throws {
    _ = try await send(using: .jsonAPI, .accepted(JSONValue(parsing: json))) { $1.status = "b" }
    let amounts = try await stack.performBackgroundTask {
      try $0.fetch(Fetch<Order>()).map(\.amount)
    }
    #expect(amounts == [amount])
  }
}
