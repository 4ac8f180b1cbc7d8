import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncOutbox
import SyncStore
import TestSupport
import Testing

/// In which form an API gets what was edited.
@Suite struct FormTests {
  private let stack: DataStack
  private let outbox: Outbox
  private let server = Server()

  /// Answers everything alike.
  private final class Server: Sendable {
    let log = Locked<[OutboxChange]>([])
  }

  init() async throws {
    let model = try ManagedObjectModel(Customer.self, Order.self, Line.self, Label.self)
    stack = try DataStack(model: model, store: .inMemory, tracksChanges: true)
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
    outbox.send(Order.self, using: options) { [server] change in
      server.log.withLock { $0.append(change) }
      return answer
    }
    try await stack.performBackgroundTask { context in
      let order = try #require(try context.fetch(Fetch<Order>()).first)
      try edit(context, order)
      try context.save()
    }
    let report = try await outbox.send()
    #expect(report["Order"].waiting.isEmpty && report.unusedAnswers.isEmpty, "\(report)")
    return try #require(server.log.withLock { $0.last })
  }

  // MARK: - Some nested

  @Test(arguments: ["lines", "Order.lines"])
  func only_what_is_named_is_nested_and_the_rest_goes_by_key(name: String) async throws {
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

  @Test func a_relationship_to_be_nested_that_the_model_does_not_have_is_named() async throws {
    let error = await #expect(throws: ExportError.self) {
      try await send(using: ExportOptions(relationshipType: .keys, nesting: ["rows"])) {
        $1.status = "b"
      }
    }
    #expect(error?.code == .unknownRelationship && error?.property == "rows")
  }

  // MARK: - JSON:API

  @Test func a_new_object_is_a_resource_and_the_answer_a_document() async throws {
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

  @Test func an_update_has_what_changed_and_says_which_resource() async throws {
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
  func an_answer_is_a_document_or_a_resource_or_plain(json: String, amount: Double?) async throws {
    _ = try await send(using: .jsonAPI, .accepted(JSONValue(parsing: json))) { $1.status = "b" }
    let amounts = try await stack.performBackgroundTask {
      try $0.fetch(Fetch<Order>()).map(\.amount)
    }
    #expect(amounts == [amount])
  }
}
