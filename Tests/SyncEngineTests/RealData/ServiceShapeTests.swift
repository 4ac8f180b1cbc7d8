import SyncStack
import TestSupport
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
        "Message: ts key, blocks ->> Block.message ordered cascade",
        "abstract Block sync.typeKey=type: message -> Message.blocks",
        "Section < Block: text -> TextObject cascade, fields ->> TextObject.section cascade",
        "Divider < Block",
        "Actions < Block: elements ->> Element.actions cascade",
        "TextObject: type, text, section -> Section.fields",
        "abstract Element sync.typeKey=type: actions -> Actions.elements",
        "Button < Element: text",
        "Datepicker < Element: initialDate",
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
        "abstract Thing sync.typeKey=kind: id string from data.id",
        "Link < Thing sync.type=t3: title from data.title",
        "Comment < Thing sync.type=t1: body from data.body",
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
        """
        Order: id, lineItems ->> LineItem.order cascade, shippingAddress -> Address cascade,
        billingAddress -> Address cascade
        """,
        """
        LineItem: sku, qty integer64, order -> Order.lineItems, properties ->> Property.line cascade
        """,
        "Property: name, value, line -> LineItem.properties",
        "Address: city",
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
        "abstract Event sync.typeKey=type: id string",
        """
        PushEvent < Event: ref from payload.ref,
        commits ->> Commit.event cascade from payload.commits
        """,
        "ForkEvent < Event: forkee -> Repository from payload.forkee",
        "Commit: sha, message, event -> PushEvent.commits",
        "Repository: id",
      ]
    },
  ]

  private func counts(_ stack: DataStack) throws -> [String: Int] {
    return try stack.inBackground { context in
      var result: [String: Int] = [:]
      for entity in stack.model.entities {
        result[entity.name] = try context.count(Fetch<ManagedObject>(entityNamed: entity.name))
      }
      return result
    }
  }

  @Test(arguments: shapes) func theStoreIsAsThePayloadSaysHoweverItCame(_ shape: Shape) throws {
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

  @Test(arguments: shapes) func anExportChangesNothingWhenItComesBack(_ shape: Shape) throws {
    let stack = try shape.stack()
    try stack.sync(shape.first, inEntityNamed: shape.entity)
    let json = try stack.export(shape.entity)
    #expect(try stack.sync(json, inEntityNamed: shape.entity).isUnchanged)
    let fresh = try shape.stack()
    try fresh.sync(json, inEntityNamed: shape.entity)
    #expect(try fresh.export(shape.entity) == json)
  }

  @Test(arguments: shapes) func pagesAndBatchesHaveTheSameOutcome(_ shape: Shape) async throws {
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
