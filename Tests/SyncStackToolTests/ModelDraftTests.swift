import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

/// Models that are drawn from answers of servers take those answers.
@Suite struct ModelDraftTests {
  private let bench: ToolBench

  init() throws { bench = try ToolBench() }

  private func draw(
    _ payload: DraftPayloads.Payload, _ more: String...
  ) async throws -> String {
    let file = try bench.file(payload.file, payload.json)
    let result = await bench.run(["model", "--from", file] + payload.options + more)
    #expect(result.code == .done, "\(result.error)")
    return result.output
  }

  @Test(arguments: DraftPayloads.all)
  func everyPayloadMapsWhole(_ payload: DraftPayloads.Payload) async throws {
    let text = try await draw(payload)
    let model = try bench.file("drawn.xml", text)
    let result = await bench.run(
      [
        "doctor", bench.folder.file(payload.file).path, "--model", model, "--entity",
        payload.entity,
      ]
        + payload.path)
    #expect(result.code == .done, "\(result.output)\n\(text)")
    #expect(result.output.contains("Everything maps"))
    #expect(!text.contains("Not everything maps"))
  }

  @Test(arguments: DraftPayloads.all)
  func aDraftCanBeImportedTwiceWithoutAChange(_ payload: DraftPayloads.Payload) async throws {
    let model = try bench.file("drawn.xml", try await draw(payload))
    let words =
      [
        "import", bench.folder.file(payload.file).path, "--model", model, "--entity",
        payload.entity, "--store", bench.store,
      ] + payload.path
    let first = await bench.run(words)
    #expect(first.code == .done, "\(first.error)")
    let again = await bench.run(words)
    #expect(again.output.contains("Nothing changed"), "\(again.output)")
  }

  private func drafted(
    _ payload: DraftPayloads.Payload
  ) async throws -> (model: ManagedObjectModel, text: String) {
    let text = try await draw(payload)
    return (try ManagedObjectModel(xml: Data(text.utf8)), text)
  }

  /// Type of an attribute with its optionality and key, or the destination of a relationship.
  private func property(_ path: String, of model: ManagedObjectModel) throws -> String {
    let parts = path.split(separator: ".").map(String.init)
    let entity = try model.requireEntity(named: parts[0])
    switch try #require(entity.property(named: parts[1]), "\(path)") {
    case .attribute(let attribute):
      let key = MappingRules.customKey(attribute.userInfo).map { " from \($0)" } ?? ""
      return attribute.type.rawValue + (attribute.isOptional ? "?" : "") + key
    case .relationship(let relationship):
      let key = MappingRules.customKey(relationship.userInfo).map { " from \($0)" } ?? ""
      return (relationship.isToMany ? "many " : "one ") + relationship.destinationName
        + " / " + (relationship.inverseName ?? "") + key
    }
  }

  private func check(
    _ payload: DraftPayloads.Payload, _ expected: [(String, String)]
  ) async throws -> String {
    let (model, text) = try await drafted(payload)
    for (path, description) in expected {
      #expect(try property(path, of: model) == description, "\(path)")
    }
    return text
  }

  @Test
  func ofIssuesPeopleAtSeveralPlacesAreOneEntityAndLabelsBelongToSeveralIssues() async throws {
    let text = try await check(
      DraftPayloads.issues,
      [
        ("Issue.id", "Integer 64"), ("Issue.title", "String?"), ("Issue.body", "String?"),
        ("Issue.createdAt", "Date?"), ("Issue.closedAt", "Date?"), ("Issue.locked", "Boolean?"),
        ("Issue.url", "URI?"), ("Issue.labelsURL", "String?"), ("Issue.performedViaApp", "Binary?"),
        ("Issue.user", "one User / issues"), ("Issue.assignee", "one User / issuesAsAssignee"),
        ("Issue.assignees", "many User / issuesAsAssignees"),
        ("Issue.labels", "many Label / issues"), ("Issue.milestone", "one Milestone / issues"),
        ("Milestone.creator", "one User / milestones"), ("Milestone.dueOn", "Date?"),
        ("Issue.reactions", "Binary?"), ("Label.labelDescription", "String?"),
        ("Issue.pullRequestURL", "URI? from pull_request.url"),
      ])
    #expect(text.contains("<!-- null everywhere, so the type is a guess -->"))
    #expect(text.contains("<!-- several owners list the same objects; its order is not kept"))
    #expect(
      text.contains(
        "What stands at Issue.user, Issue.assignee, Issue.assignees, Milestone.creator."))
  }

  @Test func ofCustomersListsInObjectsKeysOrObjectsAndTimesInSecondsAreDrawn() async throws {
    _ = try await check(
      DraftPayloads.customers,
      [
        ("Customer.id", "String"), ("Customer.created", "Date?"), ("Customer.metadata", "Binary?"),
        ("Customer.addressCity", "String? from address.city"),
        ("Customer.preferredLocales", "Binary?"),
        ("Customer.sources", "many Card / customer from sources.data"),
        ("Card.customer", "one Customer / sources from customer"),
        ("Customer.latestInvoice", "one Invoice / customersAsLatestInvoice from latest_invoice"),
        ("Invoice.customer", "one Customer / invoices from customer"),
      ])
  }

  @Test func ofOrdersObjectsWithoutKeysBecomeAttributesOrJSONAsItStands() async throws {
    _ = try await check(
      DraftPayloads.orders,
      [
        ("Order.orderId", "UUID"), ("Order.placedAt", "Date?"), ("Order.total", "Double?"),
        ("Order.shippingCarrierName", "String? from shipping.carrier.name"),
        ("Order.shippingCarrierTracking", "one Tracking / orders from shipping.carrier.tracking"),
        ("Order.attributes", "Binary?"),
        ("Order.shippingCost", "Double? from shipping.cost"), ("Order.tags", "Binary?"),
        ("Order.matrix", "Binary?"), ("Order.lines", "Binary?"), ("Order.notes", "Binary?"),
        ("Order.customer", "one Customer / orders"), ("Customer.addresses", "Binary?"),
      ])
  }

  @Test func numbersOfSeveralKindsAndTakenNamesAreDrawn() async throws {
    _ = try await check(
      DraftPayloads.mixed,
      [
        ("Thing.count", "Integer 64?"), ("Thing.ratio", "Double?"), ("Thing.text", "Double?"),
        ("Thing.big", "Decimal?"), ("Thing.thingAny", "Binary? from any"),
        ("Thing.thingDescription", "String?"),
        ("Thing.thingClass", "String? from class"), ("Thing.value2fa", "Boolean? from 2fa"),
        ("Thing.url", "String? from URL"), ("Thing.url2", "String? from url"),
        ("Thing.firstName", "String? from first-name"), ("Thing.none", "String?"),
      ])
  }

  @Test func relationshipsByKeyTreesAndKeysThatCountPerOwnerAreDrawn() async throws {
    _ = try await check(
      DraftPayloads.project,
      [
        ("TaskItem.member", "one Member / taskItems"),
        ("TaskItem.categories", "many Category / taskItems"),
        ("Project.members", "many Member / projects"), ("Project.ownerID", "Integer 64?"),
      ])
    _ = try await check(
      DraftPayloads.comments,
      [
        ("Comment.replies", "many Comment / comment"), ("Comment.author", "one Author / comments"),
        ("Comment.postID", "Integer 64?"),
      ])
    let text = try await check(
      DraftPayloads.invoices, [("Invoice.positions", "many Position / invoice")])
    #expect(text.contains(#"<entry key="sync.keyScope" value="owner"/>"#))
    _ = try await check(
      DraftPayloads.countries,
      [("Country.cca3", "String"), ("Country.nameCommon", "String? from name.common")])
  }

  @Test func severalPayloadsAreOneSample() async throws {
    let files = try [
      bench.file("users.json", #"[{"id": 1, "name": "a"}]"#),
      bench.file("more.json", #"[{"id": 2, "name": null, "age": 3}, {"id": 3, "name": "c"}]"#),
    ]
    let result = await bench.run("model", "--from", files[0], files[1])
    let model = try ManagedObjectModel(xml: Data(result.output.utf8))
    #expect(try property("User.name", of: model) == "String?")
    #expect(try property("User.age", of: model) == "Integer 64?")
    #expect(result.output.contains("From 3 objects."))
  }

  @Test func classesSayTheSameAsTheDocumentInTheirOwnForm() async throws {
    let text = try await draw(DraftPayloads.issues, "--swift")
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "DrawnClasses.swift")
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
    let classes = try ManagedObjectModel(Issue.self, User.self, Label.self, Milestone.self)
    let document = try await drafted(DraftPayloads.issues).model
    for entity in document.entities {
      let other = try classes.requireEntity(named: entity.name)
      #expect(entity.properties.map(\.name).sorted() == other.properties.map(\.name).sorted())
    }
    let stack = try DataStack(model: classes, store: .inMemory)
    let report = try await stack.sync(DraftPayloads.issues.json, inEntityNamed: "Issue")
    #expect(report.findings.isEmpty && report["Issue"].unusedKeys.isEmpty)
    let context = stack.newBackgroundContext()
    let people = try await context.perform {
      try context.fetch(Fetch<Issue>().sorted(by: "id")).map { $0.user?.login ?? "" }
    }
    #expect(people == ["ada", "bob", "ada"])
  }

  @Test(arguments: [
    (["model"], "MODEL is missing"), (["model", "a", "b"], "one word too many"),
    (["model", "a", "--swift"], "--swift goes with --from"),
    (["model", "--from", "a", "--mapping"], "--from excludes"),
    (["model", "--from", "-", "-"], "can be read once"),
    (["model", "--from", "a", "--entity", "1"], "cannot be the name of an entity"),
  ])
  func optionsThatMakeNoSenseAreNamed(_ words: [String], _ message: String) async throws {
    let result = try await ToolBench().run(words)
    #expect(result.code == .usage)
    #expect(result.error.contains(message), "\(result.error)")
  }

  @Test(arguments: ["[]", "[1, 2]", "{", "nothing"])
  func aPayloadWithoutObjectsGivesNoModel(_ json: String) async throws {
    let result = await bench.run("model", "--from", try bench.file("things.json", json))
    #expect(result.code == .failed)
    #expect(result.output.isEmpty)
    #expect(!result.error.isEmpty)
  }

  /// A remark where a key looks like one of another object, none where it is a second name of the
  /// object itself.
  @Test func keysThatMayLeadElsewhereAreRemarkedOn() async throws {
    let file = try bench.file(
      "issues.json",
      """
      [{"id": 1, "node_id": "I_1", "team_id": 4, "label_ids": [7, 8], "sizes": [1]},
       {"id": 2, "node_id": "I_2", "team_id": 5, "label_ids": [8], "sizes": []}]
      """)
    let text = await bench.run("model", "--from", file, "--swift").output
    #expect(text.contains("// teamID: looks like the key of another object: a relationship “team”"))
    #expect(
      text.contains(
        "// labelIds: looks like keys of other objects, kept as JSON: a relationship “labels”"))
    #expect(text.contains("// sizes: a list of plain values"))
    #expect(!text.contains("// nodeID"), "\(text)")
  }
}
