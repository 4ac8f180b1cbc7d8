import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

/// The promises of a draft, and the points that it leaves open, so that it fits the next answer
/// too.
@Suite struct DraftPromiseTests {
  private let bench: ToolBench

  init() throws { bench = try ToolBench() }

  /// Draws a model of an answer.
  private func draw(
    _ json: String, _ entity: String
  ) async throws -> (model: ManagedObjectModel, text: String, said: String) {
    let file = try bench.file("first.json", json)
    let result = await bench.run("model", "--from", file, "--entity", entity)
    try #require(result.code == .done, "\(result.error)")
    _ = try bench.file("drawn.xml", result.output)
    return (try ManagedObjectModel(xml: Data(result.output.utf8)), result.output, result.error)
  }

  private func sync(
    _ json: String, _ entity: String, _ more: String...
  ) async throws -> String {
    let words = [
      "import", try bench.file("later.json", json), "--model",
      bench.folder.file("drawn.xml").path, "--entity", entity, "--store", bench.store,
    ]
    let result = await bench.run(words + more)
    #expect(result.code == .done, "\(result.error)")
    return result.output
  }

  private func export(_ entity: String) async throws -> JSONValue {
    let result = await bench.run("export", "--store", bench.store, "--entity", entity)
    return try JSONValue(parsing: result.output)
  }

  @Test func nothingButAKeyIsRequired() async throws {
    let first =
      #"[{"id": "51", "firstname": "Ann"}, {"id": "101", "firstname": "Bo"}, {"id": "151", "firstname": "Cy"}]"#
    _ = try await draw(first, "Contact")
    _ = try await sync(first, "Contact")
    let later =
      #"[{"id": "51", "firstname": "Ann"}, {"id": "101", "firstname": null}, {"id": "200", "firstname": null}]"#
    let report = try await sync(later, "Contact")
    #expect(!report.contains("!"), "\(report)")
    #expect(try await export("Contact").arrayValue?.count == 3)
  }

  @Test(arguments: [
    ("price", 20, "Double"), ("rate", 1, "Double"), ("total", 3, "Double"),
    ("score", 9, "Double"),
    ("weight", 2, "Double"), ("product_id", 7, "Integer 64"), ("comments", 4, "Integer 64"),
    ("comment_count", 4, "Integer 64"), ("commentCount", 4, "Integer 64"),
    ("year", 2024, "Integer 64"),
    ("num_pages", 4, "Integer 64"), ("position", 4, "Integer 64"),
    ("measure", 9_007_199_254_740_993, "Integer 64"), ("created_at", 1_700_000_000, "Date"),
  ])
  func wholeNumbersAreWholeWhereTheyCountOrName(_ key: String, _ value: Int, _ type: String)
    async throws
  {
    let json = #"[{"id": 1, "\#(key)": \#(value)}, {"id": 2, "\#(key)": \#(value)}]"#
    let (model, text, _) = try await draw(json, "Thing")
    let found = try model.requireEntity(named: "Thing").attributes.first { $0.name != "id" }
    #expect(found?.type.rawValue == type, "\(text)")
  }

  @Test func aFractionMayCome() async throws {
    _ = try await draw(#"[{"id": 1, "price": 20}]"#, "P")
    _ = try await sync(#"[{"id": 1, "price": 20}]"#, "P")
    _ = try await sync(#"[{"id": 1, "price": 19.99}]"#, "P")
    #expect(try await export("P")[0]?["price"] == 19.99)
  }

  @Test func aLabelMayBeOfSeveralIssues() async throws {
    let first = #"[{"id": 1, "labels": [{"id": "l1"}]}, {"id": 2, "labels": [{"id": "l2"}]}]"#
    let text = try await draw(first, "Issue").text
    #expect(text.contains("nothing shows that each has one owner"), "\(text)")
    _ = try await sync(first, "Issue")
    let later =
      #"[{"id": 1, "labels": [{"id": "l1"}]}, {"id": 2, "labels": [{"id": "l2"}, {"id": "l1"}]}]"#
    _ = try await sync(later, "Issue")
    #expect(try await export("Label").arrayValue?.count == 2)
  }

  /// Cascade is for objects that keys per owner prove to be the owner's alone.
  @Test(arguments: [
    (
      #"[{"id": 1, "cards": [{"id": 5, "customer": 1}]}, {"id": 2, "cards": [{"id": 6, "customer": 2}]}]"#,
      false, "nullify"
    ),
    (
      #"[{"id": 1, "cards": [{"id": 1, "n": "a"}]}, {"id": 2, "cards": [{"id": 1, "n": "b"}]}]"#,
      false, "cascade"
    ),
    (#"[{"id": 1, "cards": [{"id": 5}]}, {"id": 2, "cards": [{"id": 6}]}]"#, true, "nullify"),
  ])
  func theOwnersOfTheObjectsOfAListAreFound(_ json: String, isShared: Bool, rule: String)
    async throws
  {
    let (model, text, _) = try await draw(json, "Customer")
    let cards = try #require(
      try model.requireEntity(named: "Customer").relationships.first { $0.name == "cards" })
    #expect("\(cards.deleteRule)".lowercased() == rule, "\(text)")
    let back = try model.requireEntity(named: "Card").relationships.first {
      $0.name == cards.inverseName
    }
    #expect(back?.isToMany == isShared, "\(text)")
  }

  @Test(arguments: [
    ("tracks", "id", true), ("items", "id", true), ("lines", "id", true),
    ("line_items", "id", true),
    ("steps", "id", true), ("labels", "position", true), ("labels", "sort_order", true),
    ("labels", "name", false), ("members", "id", false),
  ])
  func listsWhoseOrderCountsAreOrdered(_ list: String, _ member: String, _ isOrdered: Bool)
    async throws
  {
    let json = #"[{"id": 1, "\#(list)": [{"id": 3, "\#(member)": 1}, {"id": 1, "\#(member)": 2}]}]"#
    let (model, text, _) = try await draw(json, "Thing")
    let found = try model.requireEntity(named: "Thing").relationships[0]
    #expect(found.isOrdered == isOrdered, "\(text)")
    #expect(text.contains("its order is not kept") != isOrdered)
  }

  @Test func anOrderThatChangesIsStored() async throws {
    let first = #"[{"id": 1, "tracks": [{"id": 30}, {"id": 10}, {"id": 20}]}]"#
    _ = try await draw(first, "Playlist")
    _ = try await sync(first, "Playlist")
    let later = #"[{"id": 1, "tracks": [{"id": 20}, {"id": 30}, {"id": 10}]}]"#
    _ = try await sync(later, "Playlist")
    #expect(try await export("Playlist") == JSONValue(parsing: later))
  }

  // MARK: - Deleted items

  @Test(arguments: [
    (#""@removed": {"reason": "changed"}"#, "@removed", true),
    (#""_deleted": true"#, "_deleted", true),
    (#""is_deleted": true"#, "is_deleted", false),
    (#""deleted_at": "2024-01-01T00:00:00Z""#, "deleted_at", false),
    (#""deletedAt": "2024-01-01T00:00:00Z""#, "deletedAt", false),
    (#""deleted": true"#, "deleted", false),
  ])
  func aMarkOfDeletionBecomesOneOrIsOffered(_ mark: String, _ key: String, _ isCertain: Bool)
    async throws
  {
    let json = #"[{"id": "u1", "name": "Ann"}, {"id": "u3", \#(mark)}]"#
    let (model, text, _) = try await draw(json, "User")
    let annotation = try model.requireEntity(named: "User").userInfo["sync.tombstoneKey"]
    #expect(annotation == (isCertain ? key : nil), "\(text)")
    #expect(
      text.contains(
        isCertain ? "says that its object is deleted" : "with sync.tombstoneKey = “\(key)”"))
    _ = try await sync(json, "User")
    #expect(try await export("User").arrayValue?.count == (isCertain ? 1 : 2))
    let doctor = await bench.run(
      "doctor", bench.folder.file("later.json").path, "--model",
      bench.folder.file("drawn.xml").path,
      "--entity", "User")
    #expect(
      (doctor.output.contains("“\(key)”") && doctor.output.contains("sync.tombstoneKey"))
        != isCertain, "\(doctor.output)")
  }

  // MARK: - Keys

  @Test func aKeyWithADotIsOneKey() async throws {
    let json = #"[{"@odata.etag": "W/1", "ID": 1}, {"@odata.etag": "W/2", "ID": 2}]"#
    _ = try await draw(json, "Product")
    _ = try await sync(json, "Product")
    #expect(try await export("Product")[0]?["@odata.etag"] == "W/1")
  }

  @Test(arguments: [
    (#"[{"steamid": "76561", "n": "R"}, {"steamid": "76562", "n": "R"}]"#, "steamid"),
    (
      #"[{"n": "A", "_links": {"self": {"href": "https://h/1"}}}, {"n": "A", "_links": {"self": {"href": "https://h/2"}}}]"#,
      "_links.self.href"
    ),
    (
      #"[{"attributes": {"OBJECTID": 1, "n": "a"}}, {"attributes": {"OBJECTID": 2, "n": "a"}}]"#,
      "attributes.OBJECTID"
    ),
    (
      #"[{"name": "projects/p/cities/LA", "x": 1}, {"name": "projects/p/cities/SF", "x": 1}]"#,
      "name"
    ),
    (#"[{"name": "Los Angeles", "x": 1}, {"name": "San Francisco", "x": 1}]"#, nil),
    (#"[{"paid": 1, "n": "a"}, {"paid": 2, "n": "a"}]"#, nil),
  ])
  func theMemberThatNamesAnObjectIsItsKey(_ json: String, _ expected: String?) async throws {
    let (model, text, _) = try await draw(json, "Thing")
    let key = try model.requireEntity(named: "Thing").primaryKey
    let path = key.map {
      MappingRules.customKey($0.userInfo)?.description ?? Inflection.key(for: $0.name)
    }
    #expect(path == expected, "\(text)")
  }

  @Test func nestedValuesThatDifferAreNamed() async throws {
    let json = #"[{"a": {"b": {"c": "x"}}, "n": 1}, {"a": {"b": {"c": "y"}}, "n": 1}]"#
    let text = try await draw(json, "Thing").text
    #expect(text.contains("Different in each of the 2 objects: “a.b.c”."), "\(text)")
  }

  /// One name stands twice in one text.
  @Test(arguments: [
    #"[{"id": 9, "mentions": [{"id": 1, "indices": [0, 4]}, {"id": 1, "indices": [7, 11]}]}]"#,
    #"[{"id": 8, "mentions": [{"id": 1, "indices": [0, 4]}]}, {"id": 9, "mentions": [{"id": 1, "indices": [7, 11]}]}]"#,
  ])
  func aKeyThatStandsForObjectsWithDifferentListsIsNone(_ json: String) async throws {
    let text = try await draw(json, "Tweet").text
    #expect(!text.contains(#"entity name="Mention""#), "\(text)")
  }

  @Test func parentAndChildrenAreTheEntityItself() async throws {
    let json =
      #"[{"id": "a1", "title": "One", "parent": null, "children": [{"id": "a2"}]}, {"id": "a2", "title": "Two", "parent": {"id": "a1"}, "children": []}]"#
    let (model, _, _) = try await draw(json, "Issue")
    #expect(model.entities.map(\.name) == ["Issue"])
    let issue = try model.requireEntity(named: "Issue")
    #expect(issue.relationships.map(\.inverseName) == ["children", "parent"])
    _ = try await sync(json, "Issue")
    #expect(try await sync(json, "Issue").contains("Nothing changed"))
  }

  // MARK: - Which list

  @Test(arguments: [
    (
      #"{"resourceType": "Bundle", "id": "b1", "link": [{"url": "u"}], "entry": [{"fullUrl": "u", "resource": {"resourceType": "Patient", "id": "p1"}}]}"#,
      "Patient", "'entry[].resource'"
    ),
    (
      #"{"@id": "/books", "@type": "hydra:Collection", "hydra:member": [{"@id": "/books/1"}, {"@id": "/books/2"}]}"#,
      "Book", "hydra:member"
    ),
    (
      #"{"@context": "c", "id": "o", "type": "OrderedCollectionPage", "orderedItems": [{"id": "x", "type": "Create"}]}"#,
      "Activity", "orderedItems"
    ),
    (
      #"{"users": [{"id": 1}, {"id": 2}], "topic_list": {"topics": [{"id": 10}, {"id": 11}, {"id": 12}]}}"#,
      "Topic", "topic_list.topics"
    ),
    (
      #"{"users": [{"id": 1}, {"id": 2}], "topic_list": {"topics": [{"id": 10}, {"id": 11}, {"id": 12}]}}"#,
      "Other", "topic_list.topics"
    ),
    (
      #"{"users": [{"id": 1}, {"id": 2}], "topic_list": {"topics": [{"id": 10}, {"id": 11}, {"id": 12}]}}"#,
      "User", "users"
    ),
    (
      #"{"entities": {"Q42": {"type": "item", "claims": {"P31": [{"id": "x"}]}}, "Q64": {"type": "item", "claims": {}}}}"#,
      "Entity", "'entities.*'"
    ),
    (
      #"{"?xml": {"@version": "1.0"}, "root": {"@id": "1", "station": [{"name": "12th"}, {"name": "16th"}]}}"#,
      "Station", "root.station"
    ),
    (#"{"data": [{"id": 1}], "included": [{"id": 1}, {"id": 2}]}"#, "Article", "data"),
    (#"{"a.b": [{"id": 1}]}"#, "Thing", #""['a.b']""#),
  ])
  func theListThatIsCalledLikeTheEntityIsTakenThenTheLongest(
    _ json: String, _ entity: String, _ path: String
  ) async throws {
    let said = try await draw(json, entity).said
    #expect(said.contains("give --at \(path) to doctor and import"), "\(said)")
    for other in ["users", "topic_list.topics"] where json.contains("topic_list") && other != path {
      #expect(said.contains("There are others at \(other)"), "\(said)")
    }
  }

  @Test func aTreeIsNoListOfItself() async throws {
    let json = #"{"id": 1, "name": "a", "categories": [{"id": 2, "name": "b", "categories": []}]}"#
    let (model, text, said) = try await draw(json, "Category")
    #expect(!said.contains("to doctor and import"), "\(said)")
    #expect(model.entities.count == 1, "\(text)")
  }

  @Test func manyObjectsByNameAreAList() async throws {
    let names = (0..<20).map { "plugin" + String(UnicodeScalar(UInt8(97 + $0))) }
    let members = names.map { #""\#($0)": {"version": 1, "title": "t"}"# }.joined(separator: ", ")
    let said = try await draw(#"{"plugins": {\#(members)}}"#, "Plugin").said
    #expect(said.contains("give --at 'plugins.*' to doctor"), "\(said)")
  }

  @Test func whatATableHasNoRoomForIsAShortMessage() async throws {
    let members = (0..<700).map { #""plugin\#($0)x": {"a\#($0)": 1, "b\#($0)": 2, "c\#($0)": 3}"# }
    let file = try bench.file(
      "all.json", #"{"id": 1, "plugins": {\#(members.joined(separator: ","))}}"#)
    let result = await bench.run("model", "--from", file, "--entity", "Registry", "--at", "$")
    expect(result, .failed, error: "--at 'plugins.*' takes these", "has room for 1,900")
    #expect(result.error.utf8.count < 1_000)
  }

  @Test func anAbstractEntityIsNotSaidToBeEmpty() async throws {
    _ = try bench.file(
      "drawn.xml",
      """
      <model><entity name="Block" isAbstract="YES"><attribute name="id" attributeType="Integer 64" optional="YES"/>
      <userInfo><entry key="sync.typeKey" value="kind"/></userInfo></entity>
      <entity name="Quote" parentEntity="Block"><attribute name="title" attributeType="String" optional="YES"/></entity></model>
      """)
    let report = try await sync(#"[{"kind": "Quote", "id": 4, "title": "q"}]"#, "Block")
    #expect(!report.contains("nothing fills"), "\(report)")
  }
}
