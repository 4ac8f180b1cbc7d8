import Foundation
import SyncStack
import TestSupport
import Testing

/// The effect of each kind of value on each kind of property, when an object is inserted and when
/// it is updated: one test per cell, and the page of the documentation that shows the same cells.
@Suite struct TruthTableTests {
  private let bench: SyncBench

  init() throws {
    bench = try SyncBench([
      EntityDraft(
        "Item",
        [
          "id", "text", .attribute("kind", .string, defaultValue: "default"),
          .attribute("rank", .string, isOptional: false, defaultValue: "default"),
          "one -> Part.ones", "many ->> Part.item cascade",
          "list ->> Part.lister ordered cascade", "shared ->> Part.sharers",
        ]),
      "Named: id, title required",
      "Titled: id, must -> Part.titled required",
      """
      Part: id, ones ->> Item.one, titled ->> Titled.must, item -> Item.many, lister -> Item.list,
      sharers ->> Item.shared
      """,
    ])
  }

  /// One cell of the table.
  struct Cell: CustomTestStringConvertible, Sendable {
    let row: Row
    let column: String
    let json: String?
    /// The value of a new object afterwards, and of a stored one.
    let inserted: String
    let updated: String

    var testDescription: String { "\(row.title), \(column)" }
  }

  struct Row: Sendable {
    let title: String
    let entity: String
    let property: String
    let key: String
    /// JSON of the stored object and how it shows.
    let before: String
    /// Absent, null, empty, value, wrong type: the JSON, and the outcomes of insert and update.
    let cells: [(json: String?, inserted: String, updated: String)]
  }

  static let columns = ["absent", "null", "empty", "value", "wrong type"]

  static let rows = [
    Row(
      title: "attribute", entity: "Item", property: "text", key: "text", before: #""old""#,
      cells: [
        (nil, "none", "old"), ("null", "none", "none"), (#""""#, "empty", "empty"),
        (#""new""#, "new", "new"), ("[1]", "none, reported", "old, reported"),
      ]),
    Row(
      title: "attribute with default", entity: "Item", property: "kind", key: "kind",
      before: #""old""#,
      cells: [
        (nil, "default", "old"), ("null", "none", "none"), (#""""#, "empty", "empty"),
        (#""new""#, "new", "new"), ("[1]", "default, reported", "old, reported"),
      ]),
    Row(
      title: "required attribute", entity: "Named", property: "title", key: "title",
      before: #""old""#,
      cells: [
        (nil, "left out", "old"), ("null", "left out", "left out"), (#""""#, "empty", "empty"),
        (#""new""#, "new", "new"), ("[1]", "left out", "old, reported"),
      ]),
    Row(
      title: "required attribute with default", entity: "Item", property: "rank", key: "rank",
      before: #""old""#,
      cells: [
        (nil, "default", "old"), ("null", "default, reported", "default, reported"),
        (#""""#, "empty", "empty"), (#""new""#, "new", "new"),
        ("[1]", "default, reported", "old, reported"),
      ]),
    Row(
      title: "to-one, nested", entity: "Item", property: "one", key: "one", before: #"{"id": 1}"#,
      cells: [
        (nil, "none", "1"), ("null", "none", "none, 1 stays"), ("{}", "a new object", "1"),
        (#"{"id": 2}"#, "2", "2, 1 stays"), ("[2]", "none, reported", "1, reported"),
      ]),
    Row(
      title: "to-one, by identifier", entity: "Item", property: "one", key: "one_id", before: "1",
      cells: [
        (nil, "none", "1"), ("null", "none", "none, 1 stays"),
        (#""""#, "none, reported", "1, reported"), ("2", "2", "2, 1 stays"),
        (#"{"id": 2}"#, "none, reported", "1, reported"),
      ]),
    Row(
      title: "required to-one, nested", entity: "Titled", property: "must", key: "must",
      before: #"{"id": 1}"#,
      cells: [
        (nil, "left out", "1"), ("null", "left out", "left out"), ("{}", "a new object", "1"),
        (#"{"id": 2}"#, "2", "2, 1 stays"), ("[2]", "left out", "1, reported"),
      ]),
    Row(
      title: "required to-one, by identifier", entity: "Titled", property: "must", key: "must_id",
      before: "1",
      cells: [
        (nil, "left out", "1"), ("null", "left out", "left out"),
        (#""""#, "left out", "1, reported"), ("2", "2", "2, 1 stays"),
        (#"{"id": 2}"#, "left out", "1, reported"),
      ]),
    Row(
      title: "to-many, nested", entity: "Item", property: "many", key: "many",
      before: #"[{"id": 1}]"#,
      cells: [
        (nil, "none", "1"), ("null", "none", "none, 1 deleted"),
        ("[]", "none", "none, 1 deleted"), (#"[{"id": 2}]"#, "2", "2, 1 deleted"),
        ("5", "none, reported", "1, reported"),
      ]),
    Row(
      title: "to-many, by identifiers", entity: "Item", property: "many", key: "many_ids",
      before: "[1]",
      cells: [
        (nil, "none", "1"), ("null", "none", "none, 1 stays"), ("[]", "none", "none, 1 stays"),
        ("[2]", "2", "2, 1 stays"), (#"["x"]"#, "none, reported", "1, reported"),
      ]),
    Row(
      title: "ordered to-many, nested", entity: "Item", property: "list", key: "list",
      before: #"[{"id": 1}, {"id": 2}]"#,
      cells: [
        (nil, "none", "1 2"), ("null", "none", "none, 1 deleted"),
        ("[]", "none", "none, 1 deleted"), (#"[{"id": 2}, {"id": 1}]"#, "2 1", "2 1"),
        ("5", "none, reported", "1 2, reported"),
      ]),
    Row(
      title: "ordered to-many, by identifiers", entity: "Item", property: "list", key: "list_ids",
      before: "[1, 2]",
      cells: [
        (nil, "none", "1 2"), ("null", "none", "none, 1 stays"), ("[]", "none", "none, 1 stays"),
        ("[2, 1]", "2 1", "2 1"), (#"["x"]"#, "none, reported", "1 2, reported"),
      ]),
    Row(
      title: "many-to-many, nested", entity: "Item", property: "shared", key: "shared",
      before: #"[{"id": 1}]"#,
      cells: [
        (nil, "none", "1"), ("null", "none", "none, 1 stays"), ("[]", "none", "none, 1 stays"),
        (#"[{"id": 2}]"#, "2", "2, 1 stays"), ("5", "none, reported", "1, reported"),
      ]),
    Row(
      title: "many-to-many, by identifiers", entity: "Item", property: "shared", key: "shared_ids",
      before: "[1]",
      cells: [
        (nil, "none", "1"), ("null", "none", "none, 1 stays"), ("[]", "none", "none, 1 stays"),
        ("[2]", "2", "2, 1 stays"), (#"["x"]"#, "none, reported", "1, reported"),
      ]),
  ]

  static var cells: [Cell] {
    rows.flatMap { row in
      zip(columns, row.cells).map { column, cell in
        Cell(
          row: row, column: column, json: cell.json, inserted: cell.inserted, updated: cell.updated)
      }
    }
  }

  private func payload(_ cell: Cell) -> String {
    cell.json.map { #"[{"id": 1, "\#(cell.row.key)": \#($0)}]"# } ?? #"[{"id": 1}]"#
  }

  /// The outcome, in the words of the table.
  private func outcome(_ cell: Cell, _ bench: SyncBench, checks first: Bool) throws -> String {
    let report = try bench.sync(payload(cell), cell.row.entity)
    if report.count(of: .skippedItem) > 0 {
      expectError("SyncError requiredValueMissing") {
        try bench.sync(payload(cell), cell.row.entity) { $0.settings.onItemError = .fail }
      }
      return "left out"
    }
    let objects = try OracleGraph(bench.store).objects.values
    let object = try #require(objects.first { $0.entity.name == cell.row.entity })
    var text: String
    if case .relationship(let relationship)? = object.entity.property(named: cell.row.property) {
      let graph = try OracleGraph(bench.store)
      let keys = (object.links[relationship.name] ?? []).map { graph[$0].key }
      text = keys.isEmpty ? "none" : keys.map(\.description).joined(separator: " ")
      if text == "nil" { text = "a new object" }
      if first, !keys.contains(1) {
        text +=
          graph.objects.values.contains { $0.entity.name == "Part" && $0.key == 1 }
          ? ", 1 stays" : ", 1 deleted"
      }
    } else {
      let value = object.attributes[cell.row.property]?.description ?? "none"
      text = value.isEmpty ? "empty" : value
    }
    return report.findings.isEmpty ? text : text + ", reported"
  }

  @Test(arguments: cells) func insertingFollowsTheTable(_ cell: Cell) throws {
    try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "Part")
    #expect(try outcome(cell, bench, checks: false) == cell.inserted)
  }

  @Test(arguments: cells) func updatingFollowsTheTable(_ cell: Cell) throws {
    try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "Part")
    try bench.sync(#"[{"id": 1, "\#(cell.row.key)": \#(cell.row.before)}]"#, cell.row.entity)
    #expect(try outcome(cell, bench, checks: true) == cell.updated)
  }

  @Test(
    arguments: rows.filter { $0.title.hasSuffix("attribute") || $0.title.hasPrefix("attribute") },
    ["{}", #"{"first": "x"}"#])
  func anObjectUnderAnAttributeIsOfTheWrongType(_ row: Row, json: String) throws {
    let wrong = try #require(Self.cells.last { $0.row.title == row.title })
    let cell = Cell(
      row: row, column: "object", json: json, inserted: wrong.inserted, updated: wrong.updated)
    try insertingFollowsTheTable(cell)
    try updatingFollowsTheTable(cell)
  }

  @Test func anObjectThatARelationshipOrADottedKeyReadsIsNoWrongValueOfAnAttribute() throws {
    let bench = try SyncBench([
      "Item: id, place, city from place.city, maker, company -> Company.items from maker",
      "Company: id, items ->> Item.company",
    ])
    let report = try bench.sync(
      #"[{"id": 1, "place": {"city": "Vaduz"}, "maker": {"id": 2}}]"#, "Item")
    #expect(try bench.objects("Item") == ["id=1 city=Vaduz company=2"])
    #expect(report.findings.isEmpty)
  }

  // MARK: - The page

  /// The table as the page shows it.
  static func table(_ outcome: (Cell) -> String) -> [String] {
    var lines = [
      "| | " + columns.joined(separator: " | ") + " |",
      "|" + String(repeating: "---|", count: columns.count + 1),
    ]
    for row in rows {
      let outcomes = cells.filter { $0.row.title == row.title }.map(outcome)
      lines.append("| \(row.title) | " + outcomes.joined(separator: " | ") + " |")
    }
    return lines
  }

  /// The tables of the page: the lines below each heading that are rows of one.
  private func pageTables() throws -> [String: [String]] {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/SyncStack/Documentation.docc/TruthTable.md")
    let text = try String(contentsOf: page.standardized, encoding: .utf8)
    var tables: [String: [String]] = [:]
    var heading = ""
    for line in text.split(separator: "\n").map(String.init) {
      if line.hasPrefix("#") { heading = line }
      if line.hasPrefix("|") { tables[heading, default: []].append(line) }
    }
    return tables
  }

  @Test func theTablesOfTheDocumentationHoldTheseCellsAndNoOthers() throws {
    let tables = try pageTables()
    let expected = [
      "### A new object": Self.table(\.inserted), "### A stored object": Self.table(\.updated),
      "### What a model says, in every way of saying a mapping": ModelOptionTests.table,
    ]
    #expect(Set(tables.keys) == Set(expected.keys))
    for (heading, lines) in expected {
      // Shown as text, so that it can be pasted into the page.
      #expect(tables[heading] == lines, "\(heading):\n\(lines.joined(separator: "\n"))")
    }
  }
}
