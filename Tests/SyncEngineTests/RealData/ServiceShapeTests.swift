import SyncStack
import Testing

/// Children without keys and lists of kinds as well-known services send them.
@Suite struct ServiceShapeTests {
  /// Two payloads of one service, of which the second is a change of the first.
  struct Shape: CustomTestStringConvertible, Sendable {
    let name: String
    let entity: String
    let first: String
    let second: String
    let entities: @Sendable () -> [EntityDraft]
    var testDescription: String { name }

    func stack() throws -> DataStack {
      try DataStack(model: ManagedObjectModel(entities()), store: .inMemory)
    }
  }

  static let shapes: [Shape] = [
    Shape(
      name: "Slack", entity: "Message",
      first: #"""
        [{"ts": "1.1", "blocks": [
          {"type": "section", "text": {"type": "mrkdwn", "text": "Hi"}, "fields": [{"type": "plain_text", "text": "a"}]},
          {"type": "divider"}, {"type": "divider"},
          {"type": "actions", "elements": [{"type": "button", "text": "Go"}, {"type": "datepicker", "initial_date": "2026-01-01"}]}]}]
        """#,
      second: #"""
        [{"ts": "1.1", "blocks": [{"type": "divider"},
          {"type": "section", "text": {"type": "mrkdwn", "text": "Ho"}},
          {"type": "actions", "elements": [{"type": "button", "text": "Stop"}]}]}]
        """#
    ) {
      [
        EntityDraft(
          "Message",
          [
            .attribute("ts", .string, isPrimaryKey: true),
            .toMany(
              "blocks", to: "Block", inverse: "message", isOrdered: true, deleteRule: .cascade),
          ]),
        EntityDraft(
          "Block", [.toOne("message", to: "Message", inverse: "blocks")], isAbstract: true,
          userInfo: ["sync.typeKey": "type"]),
        EntityDraft(
          "Section",
          [
            .toOne("text", to: "TextObject", deleteRule: .cascade),
            .toMany("fields", to: "TextObject", inverse: "section", deleteRule: .cascade),
          ], superentity: "Block"),
        EntityDraft("Divider", superentity: "Block"),
        EntityDraft(
          "Actions",
          [.toMany("elements", to: "Element", inverse: "actions", deleteRule: .cascade)],
          superentity: "Block"),
        EntityDraft(
          "TextObject",
          [
            .attribute("type", .string), .attribute("text", .string),
            .toOne("section", to: "Section", inverse: "fields"),
          ]),
        EntityDraft(
          "Element", [.toOne("actions", to: "Actions", inverse: "elements")], isAbstract: true,
          userInfo: ["sync.typeKey": "type"]),
        EntityDraft("Button", [.attribute("text", .string)], superentity: "Element"),
        EntityDraft(
          "Datepicker", [.attribute("initialDate", .string)], superentity: "Element"),
      ]
    },
    Shape(
      name: "Reddit", entity: "Thing",
      first: #"""
        [{"kind": "t3", "data": {"id": "a", "title": "T"}}, {"kind": "t1", "data": {"id": "b", "body": "B"}}]
        """#,
      second: #"[{"kind": "t1", "data": {"id": "b", "body": "C"}}]"#
    ) {
      [
        EntityDraft(
          "Thing", [.attribute("id", .string, remoteKey: "data.id")], isAbstract: true,
          userInfo: ["sync.typeKey": "kind"]),
        EntityDraft(
          "Link", [.attribute("title", .string, remoteKey: "data.title")], superentity: "Thing",
          userInfo: ["sync.type": "t3"]),
        EntityDraft(
          "Comment", [.attribute("body", .string, remoteKey: "data.body")], superentity: "Thing",
          userInfo: ["sync.type": "t1"]),
      ]
    },
    Shape(
      name: "Orders", entity: "Order",
      first: #"""
        [{"id": 1, "line_items": [{"sku": "A", "qty": 1, "properties": [{"name": "n", "value": "v"}]}, {"sku": "A", "qty": 1}],
          "shipping_address": {"city": "X"}, "billing_address": {"city": "X"}},
         {"id": 2, "line_items": [{"sku": "A", "qty": 1}], "shipping_address": null}]
        """#,
      second: #"""
        [{"id": 1, "line_items": [{"sku": "A", "qty": 1, "properties": []}, {"sku": "B", "qty": 2}], "shipping_address": null,
          "billing_address": {"city": "Y"}}, {"id": 2, "line_items": []}]
        """#
    ) {
      [
        EntityDraft(
          "Order",
          [
            .attribute("id", .integer64),
            .toMany("lineItems", to: "LineItem", inverse: "order", deleteRule: .cascade),
            .toOne("shippingAddress", to: "Address", deleteRule: .cascade),
            .toOne("billingAddress", to: "Address", deleteRule: .cascade),
          ]),
        EntityDraft(
          "LineItem",
          [
            .attribute("sku", .string), .attribute("qty", .integer64),
            .toOne("order", to: "Order", inverse: "lineItems"),
            .toMany("properties", to: "Property", inverse: "line", deleteRule: .cascade),
          ]),
        EntityDraft(
          "Property",
          [
            .attribute("name", .string), .attribute("value", .string),
            .toOne("line", to: "LineItem", inverse: "properties"),
          ]),
        EntityDraft("Address", [.attribute("city", .string)]),
      ]
    },
    Shape(
      name: "GitHub events", entity: "Event",
      first: #"""
        [{"id": "1", "type": "PushEvent", "payload": {"ref": "r", "commits": [{"sha": "x", "message": "m"}]}},
         {"id": "2", "type": "ForkEvent", "payload": {"forkee": {"id": 5}}}]
        """#,
      second: #"[{"id": "1", "type": "PushEvent", "payload": {"ref": "s", "commits": []}}]"#
    ) {
      [
        EntityDraft(
          "Event", [.attribute("id", .string)], isAbstract: true,
          userInfo: ["sync.typeKey": "type"]),
        EntityDraft(
          "PushEvent",
          [
            .attribute("ref", .string, remoteKey: "payload.ref"),
            .toMany(
              "commits", to: "Commit", inverse: "event", deleteRule: .cascade,
              remoteKey: "payload.commits"),
          ], superentity: "Event"),
        EntityDraft(
          "ForkEvent", [.toOne("forkee", to: "Repository", remoteKey: "payload.forkee")],
          superentity: "Event"),
        EntityDraft(
          "Commit",
          [
            .attribute("sha", .string), .attribute("message", .string),
            .toOne("event", to: "PushEvent", inverse: "commits"),
          ]),
        EntityDraft("Repository", [.attribute("id", .integer64)]),
      ]
    },
  ]

  private func counts(_ stack: DataStack) throws -> [String: Int] {
    let context = stack.newBackgroundContext()
    return try context.performAndWait {
      var result: [String: Int] = [:]
      for entity in stack.model.entities {
        result[entity.name] = try context.count(Fetch<ManagedObject>(entityNamed: entity.name))
      }
      return result
    }
  }

  @Test(arguments: shapes)
  func theStoreIsAsThePayloadSaysHoweverItCame(_ shape: Shape) throws {
    let stack = try shape.stack()
    let report = try stack.sync(shape.first, inEntityNamed: shape.entity)
    #expect(report.findings.isEmpty)
    #expect(try stack.sync(shape.first, inEntityNamed: shape.entity).isUnchanged)
    try stack.sync(shape.second, inEntityNamed: shape.entity)
    #expect(try stack.sync(shape.second, inEntityNamed: shape.entity).isUnchanged)
    let fresh = try shape.stack()
    try fresh.sync(shape.second, inEntityNamed: shape.entity)
    #expect(try stack.export(shape.entity) == fresh.export(shape.entity))
    // An object that is only referred to is not deleted with its owner.
    var (left, right) = (try counts(stack), try counts(fresh))
    left["Repository"] = nil
    right["Repository"] = nil
    #expect(left == right)
  }

  @Test(arguments: shapes)
  func anExportChangesNothingWhenItComesBack(_ shape: Shape) throws {
    let stack = try shape.stack()
    try stack.sync(shape.first, inEntityNamed: shape.entity)
    let json = try stack.export(shape.entity)
    #expect(try stack.sync(json, inEntityNamed: shape.entity).isUnchanged)
    let fresh = try shape.stack()
    try fresh.sync(json, inEntityNamed: shape.entity)
    #expect(try fresh.export(shape.entity) == json)
  }

  @Test(arguments: shapes)
  func pagesAndBatchesHaveTheSameOutcome(_ shape: Shape) async throws {
    let stack = try shape.stack()
    try await stack.sync(shape.first, inEntityNamed: shape.entity)
    let sync = Sync(shape.second, inEntityNamed: shape.entity, dataStack: stack)
    sync.transaction = .perBatch(1)
    try await stack.sync(sync)
    let fresh = try shape.stack()
    try await fresh.sync(shape.second, inEntityNamed: shape.entity)
    #expect(try stack.export(shape.entity) == fresh.export(shape.entity))
  }
}
