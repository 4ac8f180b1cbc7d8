import Foundation
import SyncStack
import TestSupport
import Testing

/// The settings of a model beside names and types, in every way of saying which key fills which
/// property: one test per cell, and the page of the documentation that shows the same cells.
@Suite struct ModelOptionTests {
  /// How a mapping is said.
  enum Way: String, CaseIterable, Sendable {
    case conventions
    case file = "mapping file"
    case rule = "rule with a serializer"
    case serializer
    case mixed = "conventions below a serializer"
  }

  /// One option, and syncs that show whether it holds.
  struct Option: CustomTestStringConvertible, Sendable {
    let title: String
    let entities: [EntityDraft]
    /// Syncs of the first entity.
    let syncs: [Payload]
    /// The stored objects in the end.
    let expected: [String: [String]]
    var findings: [SyncReport.Finding.Kind] = []
    /// Ways in which something else says it.
    var others: [Way: String] = [:]

    var testDescription: String { title }

    func outcome(_ way: Way) -> String { others[way] ?? "holds" }
  }

  /// What is synced, with all operations unless it says which.
  struct Payload: ExpressibleByStringLiteral, Sendable {
    let json: String
    var operations = SyncOperations.all

    init(stringLiteral json: String) { self.json = json }

    static func only(_ operations: SyncOperations, _ json: String) -> Self {
      var payload = Self(stringLiteral: json)
      payload.operations = operations
      return payload
    }
  }

  private static let writing: SyncOperations = [
    .insert, .update, .insertRelationships, .updateRelationships, .deleteRelationships,
  ]

  /// Orders and their lines, with what is said of an order, of its list and of a line.
  private static func orders(
    _ order: String = "", lines: String = "", line: String = "",
    properties: String = "id, text, note", title: PropertyDraft = "title"
  ) -> [EntityDraft] {
    var order: EntityDraft = "Order \(order): id, lines ->> Line.order cascade \(lines)"
    order.properties.insert(title, at: 1)
    return [order, "Line \(line): \(properties), order -> Order.lines"]
  }

  static let options = [
    Option(
      title: "`sync.keyScope` = `owner`", entities: orders(lines: "sync.keyScope=owner"),
      syncs: [
        #"[{"id":1,"lines":[{"id":1,"text":"a"},{"id":2,"text":"b"}]},{"id":2,"lines":[{"id":1,"text":"a"}]}]"#,
        #"[{"id":1,"lines":[{"id":1,"text":"c"}]},{"id":2,"lines":[{"id":1,"text":"a"},{"id":2,"text":"b"}]}]"#,
      ],
      expected: ["Line": ["id=1 text=a order=2", "id=1 text=c order=1", "id=2 text=b order=2"]]),
    Option(
      title: "`sync.identifiers`, with `sync.keyScope`",
      entities: orders(
        lines: "sync.keyScope=owner", line: "sync.identifiers=text,note", properties: "text, note"),
      syncs: [
        #"[{"id":1,"lines":[{"text":"a","note":"x"},{"text":"a","note":"y"}]},{"id":2,"lines":[{"text":"a","note":"x"}]}]"#,
        #"[{"id":1,"lines":[{"text":"a","note":"y"}]},{"id":2,"lines":[{"text":"a","note":"x"},{"text":"b","note":"x"}]}]"#,
      ],
      expected: [
        "Line": ["text=a note=x order=2", "text=a note=y order=1", "text=b note=x order=2"]
      ]),
    Option(
      title: "`sync.stub` = `YES`",
      entities: [
        "Order: id, title, customer -> Customer.orders sync.stub=YES",
        "Customer: id, orders ->> Order.customer",
      ],
      syncs: [#"[{"id":1,"customer":5,"customer_id":5}]"#],
      expected: ["Customer": ["id=5 orders=[1]"]],
      others: [
        .rule: "the serializer reads keys or not", .serializer: "the serializer reads keys or not",
      ]),
    Option(
      title: "`sync.tombstoneKey`",
      entities: orders("sync.tombstoneKey=gone", line: "sync.tombstoneKey=gone"),
      syncs: [
        #"[{"id":1,"lines":[{"id":1},{"id":2}]},{"id":2}]"#,
        .only(writing, #"[{"id":1,"lines":[{"id":1,"gone":true},{"id":2}]},{"id":2,"gone":true}]"#),
      ],
      expected: ["Order": ["id=1 lines=[2]"], "Line": ["id=2 order=1"]]),
    Option(
      title: "`sync.typeKey`, `sync.type`",
      entities: [
        "Block: id, title, parts ->> Part.block cascade",
        "abstract Part sync.typeKey=type: id, block -> Block.parts",
        EntityDraft(
          "Picture", ["url"], superentity: "Part", userInfo: ["sync.type": "photo, image"]),
        "Divider < Part",
      ],
      syncs: [
        #"[{"id":1,"parts":[{"id":1,"type":"image","url":"u"},{"id":2,"type":"divider"},{"id":3,"type":"x"}]}]"#
      ],
      expected: ["Picture": ["id=1 block=1 url=u"], "Divider": ["id=2 block=1"]],
      findings: [.skippedItem]),
    Option(
      title: "`sync.typeKey` at the top",
      entities: [
        "abstract Part sync.typeKey=type: id, title", "Picture < Part: url",
        "Other < Part sync.type=*",
      ],
      syncs: [#"[{"id":1,"type":"picture","url":"u"},{"id":2,"type":"x","title":"t"}]"#],
      expected: ["Picture": ["id=1 url=u"], "Other": ["id=2 title=t"]]),
    Option(
      title: "`sync.keyedBy`", entities: orders(lines: "sync.keyedBy=text"),
      syncs: [#"[{"id":1,"lines":{"a":{"id":1},"b":{"id":2}}}]"#],
      expected: ["Line": ["id=1 text=a order=1", "id=2 text=b order=1"]]),
    Option(
      title: "`sync.keyedBy` at the top", entities: orders("sync.keyedBy=YES"),
      syncs: [#"{"1":{"title":"a"},"2":{"title":"b","lines":[{"id":7}]}}"#],
      expected: ["Order": ["id=1 title=a", "id=2 title=b lines=[7]"]]),
    Option(
      title: "`sync.tree` = `YES`",
      entities: [
        "Node sync.tree=YES: id, title, nodes ->> Node.parent cascade, parent -> Node.nodes"
      ],
      syncs: [
        #"[{"id":1,"nodes":[{"id":2,"nodes":[{"id":3}]}]},{"id":4,"nodes":[{"id":5}]}]"#,
        #"[{"id":1,"title":"a"}]"#,
      ],
      expected: ["Node": ["id=1 title=a nodes=[2]", "id=2 nodes=[3] parent=1", "id=3 parent=2"]],
      findings: [.suspendedDeletion]),
    Option(
      title: "`sync.whenMissing` = `clear` of an entity",
      entities: orders(
        line: "sync.whenMissing=clear",
        title: .attribute("title", .string, isOptional: false, defaultValue: "none")),
      syncs: [
        #"[{"id":1,"title":"t","lines":[{"id":1,"text":"a","note":"b"}]}]"#,
        #"[{"id":1,"lines":[{"id":1,"text":"c"}]}]"#,
      ],
      expected: ["Order": ["id=1 title=t lines=[1]"], "Line": ["id=1 text=c order=1"]]),
    Option(
      title: "`sync.whenMissing` = `clear` of an attribute, with a default",
      entities: orders(
        title: .attribute(
          "title", .string, isOptional: false, defaultValue: "none",
          userInfo: ["sync.whenMissing": "clear"])),
      syncs: [#"[{"id":1,"title":"t","lines":[{"id":2}]}]"#, #"[{"id":1}]"#],
      expected: ["Order": ["id=1 title=none lines=[2]"]]),
    Option(
      title: "`sync.whenMissing` = `clear` of a list",
      entities: orders(lines: "sync.whenMissing=clear"),
      syncs: [#"[{"id":1,"lines":[{"id":2}]}]"#, #"[{"id":1,"title":"t"}]"#],
      expected: ["Order": ["id=1 title=t"], "Line": ["id=2"]]),
    Option(
      title: "an ordered list", entities: orders(lines: "ordered"),
      syncs: [
        #"[{"id":1,"lines":[{"id":1},{"id":2},{"id":3}]}]"#,
        #"[{"id":1,"lines":[{"id":3},{"id":1},{"id":2}]}]"#,
      ],
      expected: ["Order": ["id=1 lines=[3,1,2]"]]),
    Option(
      title: "delete rule cascade, children without key",
      entities: orders(lines: "ordered", properties: "text, note"),
      syncs: [
        #"[{"id":1,"lines":[{"text":"a"},{"text":"b"}]}]"#,
        #"[{"id":1,"lines":[{"text":"b"},{"text":"b"}]}]"#,
      ],
      expected: ["Line": ["text=b order=1", "text=b order=1"]]),
    Option(
      title: "what a value may be",
      entities: orders(
        title: .attribute("title", .string, validation: ValidationRules(minimum: 1))),
      syncs: [#"[{"id":1,"title":"t"},{"id":2,"title":""}]"#],
      expected: ["Order": ["id=1 title=t"]], findings: [.skippedItem]),
    Option(
      title: "a required attribute", entities: orders(title: "title required"),
      syncs: [#"[{"id":1,"title":"t"},{"id":2}]"#],
      expected: ["Order": ["id=1 title=t"]], findings: [.skippedItem]),
    Option(
      title: "`operations` of the sync", entities: orders(),
      syncs: [
        #"[{"id":1,"title":"a","lines":[{"id":1,"text":"a"}]}]"#,
        .only(
          [.insert, .updateRelationships],
          #"[{"id":1,"title":"b","lines":[{"id":1,"text":"b"},{"id":2}]},{"id":2,"lines":[{"id":3}]}]"#
        ),
      ],
      expected: ["Order": ["id=1 title=a lines=[1]", "id=2"], "Line": ["id=1 text=a order=1"]],
      findings: [.unresolvedReference]),
  ]

  struct Cell: CustomTestStringConvertible, Sendable {
    let option: Option
    let way: Way

    var testDescription: String { "\(option.title), \(way.rawValue)" }
  }

  static var cells: [Cell] {
    options.flatMap { option in
      Way.allCases.filter { option.others[$0] == nil }.map { Cell(option: option, way: $0) }
    }
  }

  @Test(arguments: cells) func settingsOfAModelHoldInEveryWayOfSayingAMapping(_ cell: Cell) throws {
    let stack = try DataStack(model: ManagedObjectModel(cell.option.entities), store: .inMemory)
    let root = try stack.model.requireEntity(named: cell.option.entities[0].name)
    var findings: [SyncReport.Finding] = []
    try Self.write(cell.way, root, on: stack)
    for _ in 0..<2 {
      findings = []
      for sync in cell.option.syncs {
        let report = try stack.sync(
          sync.json, with: Self.source(cell.way, root), operations: sync.operations)
        findings += report.findings
      }
      for (entity, objects) in cell.option.expected.sorted(by: { $0.key < $1.key }) {
        #expect(try SyncBench(stack).objects(entity) == objects, "\(entity)")
      }
      #expect(findings.map(\.kind) == cell.option.findings, "\(findings)")
    }
  }

  @Test func aSettingWithoutMeaningIsSaidOnceOfTheEntityThatDeclaresIt() throws {
    let stack = try DataStack.inMemory([
      EntityDraft(
        "Content",
        [
          "id string sync.whenMissing=empty", "ref -> Content sync.stub=YES",
          "others ->> Content sync.keyScope=parent",
        ], isAbstract: true, userInfo: ["sync.typeKey": "type", "sync.identifiers": "id, no"]),
      "Article < Content", "Asset < Content",
    ])
    let report = try stack.sync(
      #"[{"id":"a1","type":"Article","ref_id":"x9"}]"#, inEntityNamed: "Content")
    let remarks = report.findings(of: .mappingRemark).filter { $0.entity == "Content" }
    #expect(remarks.map(\.property) == [nil, "id", "ref", "others"], "\(report.findings)")
    let unresolved = report.findings(of: .unresolvedReference)
    // To advise a setting that is set already is no advice.
    #expect(unresolved.count == 1 && !unresolved[0].message.contains("createsStubs"))
  }

  private static func source(_ way: Way, _ root: EntityDescription) -> any PlanSource {
    switch way {
    case .conventions, .file, .rule: Conventional(root.name)
    case .serializer: serializer(of: root, isMixed: false)
    case .mixed: serializer(of: root, isMixed: true)
    }
  }

  private static func write(_ way: Way, _ root: EntityDescription, on stack: DataStack) throws {
    switch way {
    case .conventions, .serializer, .mixed: break
    case .file: try stack.addMapping([root.name: ["title": ["raw": ["title"]]]])
    case .rule:
      try stack.mapping(forEntityNamed: root.name) { mapping in
        mapping["title"] = .raw("title")
        for relationship in root.relationships where isDescribed(relationship) {
          mapping[relationship.name] = rule(for: relationship, of: root, isMixed: false)
        }
      }
    }
  }

  /// A serializer with the rules of the conventions.
  private static func serializer(
    of entity: EntityDescription, isMixed: Bool
  ) -> EntitySerializer<ManagedObject> {
    var serializer = EntitySerializer(entityNamed: entity.name)
    serializer.identifiers =
      entity.userInfo["sync.identifiers"]?.split(separator: ",").map(String.init)
      ?? entity.primaryKey.map { [$0.name] } ?? []
    serializer.policy.mismatch = .keep
    serializer.policy.missingIdentity = .skip
    for kind in entity.familyEntities {
      for attribute in kind.attributes {
        serializer.mapping[attribute.name] = .raw([.key(attribute.name)])
      }
      for relationship in kind.relationships where isDescribed(relationship) {
        serializer.mapping[relationship.name] = rule(for: relationship, of: kind, isMixed: isMixed)
      }
    }
    return serializer
  }

  private static func isDescribed(_ relationship: RelationshipDescription) -> Bool {
    relationship.isToMany || relationship.name == "customer"
  }

  private static func rule(
    for relationship: RelationshipDescription, of entity: EntityDescription, isMixed: Bool
  ) -> Rule {
    let destination = entity.destination(of: relationship)
    let path = JSONPath([.key(relationship.name)])
    let source: @Sendable () -> any PlanSource = {
      isMixed ? Conventional(destination.name) : serializer(of: destination, isMixed: false)
    }
    return relationship.isToMany ? .toMany(path, source) : .toOne(path, source)
  }

  // MARK: - The page

  /// The table as the page shows it.
  static var table: [String] {
    let ways = Way.allCases
    return [
      "| | " + ways.map(\.rawValue).joined(separator: " | ") + " |",
      "|" + String(repeating: "---|", count: ways.count + 1),
    ]
      + options.map { option in
        "| \(option.title) | " + ways.map(option.outcome).joined(separator: " | ") + " |"
      }
  }
}
