import Foundation
import SyncStack
import Testing

@testable import SyncStackTool

/// A model that `model --from` draws passes `doctor` on the payload it was drawn from, and has no
/// key that is only guessed.
@Suite struct DraftShapeTests {
  private let bench: ToolBench

  init() throws { bench = try ToolBench() }

  /// Draws a model, and gives the paths of it and of its payload.
  private func draw(
    _ json: String, _ words: [String]
  ) async throws -> (payload: String, model: String, text: String) {
    let payload = try bench.file("answer.json", json)
    let result = await bench.run(["model", "--from", payload] + words)
    #expect(result.code == .done, "\(result.error)")
    return (payload, try bench.file("drawn.xml", result.output), result.output)
  }

  private func draw(
    _ shape: PayloadShapes.Shape
  ) async throws -> (payload: String, model: String, text: String) {
    try await draw(shape.json, ["--entity", shape.entity] + shape.at)
  }

  @Test(arguments: PayloadShapes.all)
  func aDraftPassesDoctor(_ shape: PayloadShapes.Shape) async throws {
    let drawn = try await draw(shape)
    let result = await bench.run(
      ["doctor", drawn.payload, "--model", drawn.model, "--entity", shape.entity] + shape.at)
    #expect(result.code == .done, "\(result.output)\n\(drawn.text)")
    #expect(result.output.contains("Everything maps"))
    // Without a key both say so.
    #expect(result.output.contains("No key:") == (shape.key == nil))
    #expect(drawn.text.contains("No key:") == (shape.key == nil))
  }

  @Test(arguments: PayloadShapes.all)
  func aMemberThatNamesAnObjectIsItsKeyOrThereIsNone(_ shape: PayloadShapes.Shape) async throws {
    let drawn = try await draw(shape)
    let model = try ManagedObjectModel(xml: Data(drawn.text.utf8))
    let key = try model.requireEntity(named: shape.entity).primaryKey
    let path = key.map { key in
      MappingRules.customKey(key.userInfo)?.description ?? Inflection.key(for: key.name)
    }
    #expect(path == shape.key)
  }

  @Test(arguments: PayloadShapes.all)
  func aDrawnModelImportsItsPayloadTwiceWithoutAChange(_ shape: PayloadShapes.Shape) async throws {
    let drawn = try await draw(shape)
    var words =
      [
        "import", drawn.payload, "--model", drawn.model, "--entity", shape.entity, "--store",
        bench.store,
      ] + shape.at
    guard shape.key != nil else {
      let refused = await bench.run(words)
      expect(refused, .failed, error: "--operations insert,relationships,alwaysInsert")
      words += ["--operations", "insert,relationships,alwaysInsert"]
      #expect(await bench.run(words).code == .done)
      return
    }
    #expect(await bench.run(words).code == .done)
    let again = await bench.run(words)
    #expect(again.output.contains("Nothing changed"), "\(again.output)")
  }

  /// Draws classes, and expects parts of them.
  private func expectClasses(
    _ json: String, _ entity: String, have parts: String..., lack others: String...
  ) async throws {
    let text = try await draw(json, ["--entity", entity, "--swift"]).text
    for part in parts { #expect(text.contains(part), "\(text)") }
    for part in others { #expect(!text.contains(part), "\(text)") }
  }

  private func relationships(_ shape: PayloadShapes.Shape) async throws -> [String: String] {
    let drawn = try await draw(shape)
    let model = try ManagedObjectModel(xml: Data(drawn.text.utf8))
    var result: [String: String] = [:]
    for entity in model.entities {
      for relationship in entity.relationships {
        result["\(entity.name).\(relationship.name)"] =
          (relationship.isToMany ? "many " : "one ") + relationship.destinationName + " / "
          + (relationship.inverseName ?? "")
      }
    }
    return result
  }

  @Test func aReferenceIsTheInverseOfTheListThatItsObjectsStandIn() async throws {
    let found = try await relationships(PayloadShapes.products)
    #expect(found["Product.images"] == "many Image / product")
    #expect(found["Image.product"] == "one Product / images")
    #expect(found["Product.image"] == "one Image / productsAsImage")
    #expect(found["Product.variants"] == "many Variant / product")
    #expect(found["Variant.image"] == "one Image / variantsAsImage")
  }

  @Test func aWrapperGivesMembersNoLongerNames() async throws {
    let pods = try await draw(PayloadShapes.pods).text
    #expect(
      pods.contains(#"<attribute name="creationTimestamp" optional="YES" attributeType="Date">"#))
    let features = try await draw(PayloadShapes.features).text
    #expect(features.contains(#"<attribute name="propertiesType""#), "“type” is another member")
    let hits = try await draw(PayloadShapes.hits).text
    #expect(hits.contains(#"<entry key="sync.remoteKey" value="_source.@timestamp"/>"#), "\(hits)")
  }

  @Test func aListInAPartThatSaysNothingElseHasTheNameOfThePart() async throws {
    let json =
      #"[{"id": 1, "tags": {"edges": [{"node": {"id": "a"}}]}, "images": {"nodes": [{"w": 1}]}}]"#
    try await expectClasses(
      json, "Page", have: #"remoteKey: "tags.edges") var tags: Set<Tag>"#,
      #"@Attribute(remoteKey: "images.nodes") var imagesNodes: JSONValue?"#)
  }

  @Test func datesOfNETAreDates() async throws {
    let text = try await draw(PayloadShapes.dotNet).text
    #expect(text.contains(#"name="orderDate" optional="YES" attributeType="Date""#), "\(text)")
  }

  @Test func theNameOfTheEntityBeforeIdIsItsKeyInSmallLettersToo() async throws {
    let json = #"[{"appid": 5, "name": "a"}, {"appid": 7, "name": "b"}]"#
    try await expectClasses(json, "App", have: "@PrimaryKey var appid: Int64")
  }

  @Test func aDraftWithoutKeySaysWhichMemberHasOne() async throws {
    let text = try await draw(PayloadShapes.feed).text
    #expect(text.contains("Each has a “post” with a key: - -at with [].post"), "\(text)")
    #expect(text.contains(#"<attribute name="postRecordType""#))
    let file = try bench.file("feed.json", PayloadShapes.feed.json)
    let wrong = await bench.run(["model", "--from", file, "--at", "feed.post"])
    expect(wrong, .failed, error: "Write [] before it for each element")
  }

  @Test func aListBesideASingleObjectIsFoundInEitherOrder() async throws {
    let json = #"""
      [{"id": 1, "image": {"id": 5, "product_id": 1}, "images": [{"id": 5, "product_id": 1}, {"id": 6, "product_id": 1}]},
       {"id": 2, "image": null, "images": []}]
      """#
    try await expectClasses(
      json, "Product", have: #"@ToMany(inverse: "product") var images: Set<Image>"#,
      #"@ToOne(inverse: "productsAsImage") var image: Image?"#)
  }

  @Test func aReferenceThatLeadsElsewhereIsNoInverse() async throws {
    let json = #"""
      [{"id": 1, "posts": [{"id": 5, "user_id": 1}, {"id": 6, "user_id": 2}]}, {"id": 2, "posts": []}]
      """#
    try await expectClasses(json, "User", have: #"@ToOne(inverse: "postsAsUser") var user: User?"#)
  }

  @Test func oneIdentifierOfTwoTypesIsTwoEntities() async throws {
    let json = #"""
      [{"id": 1, "owner": {"type": "user", "id": 9, "name": "A", "url": "a", "rank": 1},
        "target": {"type": "app", "id": 9, "name": "B", "url": "b", "rank": 2}}]
      """#
    try await expectClasses(json, "Event", have: "class Owner:", "class Target:")
    let resources = try await relationships(PayloadShapes.jsonAPI)
    #expect(resources["Article.author"] == "one Author / articles")
    #expect(resources["Article.comments"] == "many Comment / articles")
  }

  /// Objects of one key that differ would take each other's values.
  @Test(arguments: [
    #"[{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]"#,
    #"[{"code": "x", "n": 1}, {"code": "x", "n": 2}, {"code": "y", "n": 2}]"#,
  ])
  func aKeyThatStandsForDifferentObjectsIsNone(_ json: String) async throws {
    let drawn = try await draw(json, ["--entity", "Thing"])
    #expect(drawn.text.contains("is no key"), "\(drawn.text)")
    let result = await bench.run(
      "doctor", drawn.payload, "--model", drawn.model, "--entity", "Thing")
    expect(result, .done, output: "No key:")
  }

  @Test func nestedObjectsOfOneCodeThatDifferStayWithTheirOwner() async throws {
    let json = #"""
      [{"id": 1, "condition": {"code": 1000, "text": "Sunny"}}, {"id": 2, "condition": {"code": 1000, "text": "Clear"}}]
      """#
    try await expectClasses(
      json, "Hour", have: "var conditionText: String?", lack: "class Condition")
  }

  /// As of `{"Name": {"id": "title", "title": […]}}`, where `id` names the column.
  @Test(arguments: [
    (#"["a"]"#, #"["b"]"#), (#"[{"id": "s1"}]"#, "[]"), (#"{"id": "s1"}"#, "null"),
    (#"{"start": "2022-02-22"}"#, "null"),
  ])
  func aKeyThatIsTheSameEverywhereNamesNothing(_ one: String, _ other: String) async throws {
    let json = """
      [{"id": 1, "name": {"id": "title", "x": \(one)}}, {"id": 2, "name": {"id": "title", "x": \(other)}}]
      """
    try await expectClasses(json, "Page", lack: "class Name")
  }

  @Test func numbersAndTextsOfThemAreOneKey() async throws {
    let json = #"[{"id": 1, "n": 1}, {"id": "1b", "n": 2}, {"id": "1", "n": 3}]"#
    let text = try await draw(json, ["--entity", "Thing"]).text
    #expect(text.contains("is no key"), "\(text)")
  }

  @Test func aTreeIsOneEntity() async throws {
    let json = #"""
      {"id": 1, "name": "a", "children": [{"id": 2, "parent_id": 1, "children": [{"id": 3, "parent_id": 2}]}]}
      """#
    try await expectClasses(json, "Node", have: "var children: Set<Node>", lack: "class Child")
  }

  @Test func keysWithDotsStayInTheirObject() async throws {
    let json = #"[{"id": 1, "a.b": 2, "x": {"y.z": 3}}, {"id": 2, "a.b": 2, "x": {"y.z": 4}}]"#
    try await expectClasses(json, "Thing", have: "var x: JSONValue")
  }

  @Test func namesKeepTheWordsOfTheirKeys() async throws {
    let text = try await draw(PayloadShapes.tweets).text
    #expect(text.contains(#"attribute name="idStr""#))
    let deep = try await draw(
      #"{"id": 1, "start": {"dateTime": "2024-03-04T09:00:00Z"}, "cover": {"image_url": "a"}}"#,
      ["--entity", "Event", "--at", "$"]
    ).text
    #expect(deep.contains(#"attribute name="startDateTime""#), "\(deep)")
    #expect(deep.contains(#"attribute name="coverImageURL""#), "\(deep)")
  }

  @Test func theKeyThatIsCalledAfterItsObjectRefersToNoOther() async throws {
    let json = #"""
      {"id": 1, "cast": [{"id": 7, "cast_id": 3, "iCalUID": "x"}, {"id": 8, "cast_id": 4, "iCalUID": "y"}]}
      """#
    try await expectClasses(
      json, "Film", have: "@Attribute var castID: Int64?", lack: "looks like the key")
  }

  /// As null does, a sync takes them for no value.
  @Test func emptyTextsLeaveTheTypeThatOtherTextsHave() async throws {
    let json = #"[{"id": 1, "day": "", "word": ""}, {"id": 2, "day": "1999-03-30", "word": ""}]"#
    try await expectClasses(
      json, "Film", have: "@Attribute var day: Date?", "@Attribute var word: String?")
  }

  @Test func anItemThatIsNullSpeaksAgainstNoKey() async throws {
    let payload = try bench.file("things.json", #"[{"id": 1, "n": 1}, null, {"id": 2, "n": 2}]"#)
    let result = await bench.run("model", "--from", payload, "--entity", "Thing")
    expect(result, .done, error: "1 item null: a sync leaves")
    let model = try ManagedObjectModel(xml: Data(result.output.utf8))
    #expect(try model.requireEntity(named: "Thing").primaryKey?.name == "id")
  }

  // MARK: - Lists in objects

  @Test(arguments: [
    (#"{"ok": true, "data": {"orders": [{"id": 1}, {"id": 2}]}}"#, "data.orders", "Order"),
    (#"{"items": [{"id": 1}], "errors": [{"text": "x"}], "meta": {"page": 1}}"#, "items", "Item"),
    (
      #"{"data": [{"id": 1}], "included": [{"type": "a", "id": 1, "links": {}}]}"#, "data",
      "Answer"
    ),
    (#"{"count": 2, "rows": [{"name": "a"}, {"name": "a"}]}"#, "rows", "Answer"),
    (
      #"{"data": {"repos": {"edges": [{"cursor": "a", "node": {"id": 1}}], "pageInfo": {"endCursor": "a"}}}}"#,
      "data.repos.edges[].node", "Answer"
    ),
    (#"{"8863": {"id": 8863, "by": "a"}, "9224": {"id": 9224, "by": "b"}}"#, "*", "Answer"),
    (#"{"users": {"-NaX": {"name": "a"}, "-NbY": {"name": "b"}}}"#, "users.*", "User"),
  ])
  func theListInAnEnvelopeIsProposedAndTaken(_ json: String, _ path: String, _ entity: String)
    async throws
  {
    let payload = try bench.file("answer.json", json)
    let result = await bench.run("model", "--from", payload)
    #expect(result.code == .done, "\(result.error)")
    let word = path.contains("*") || path.contains("[") ? "'\(path)'" : path
    #expect(result.error.contains("give --at \(word) to doctor and import too"))
    #expect(result.output.contains(#"<entity name="\#(entity)""#), "\(result.output)")
    let model = try bench.file("drawn.xml", result.output)
    let doctor = await bench.run(
      "doctor", payload, "--model", model, "--entity", entity, "--at", path)
    #expect(doctor.code == .done, "\(doctor.output)")
    let whole = await bench.run("model", "--from", payload, "--at", "$", "--entity", "Answer")
    #expect(!whole.error.contains("to doctor and import too"))
  }

  /// Lists that may as well belong to the object are proposed alone.
  @Test func aListOfAnObjectStaysInIt() async throws {
    for json in [
      #"{"id": 1, "members": [{"id": 2}]}"#, PayloadShapes.weather.json,
    ] {
      let result = await bench.run("model", "--from", try bench.file("team.json", json))
      #expect(result.output.contains(#"<entity name="Team""#), "\(result.output)")
      #expect(!result.error.contains("to doctor and import too"))
    }
  }

  // MARK: - Samples

  /// A draft from a sample is mended until the rest fits as well.
  @Test func whatTheSampleDoesNotShowIsFound() async throws {
    var items = (0..<3_000).map { #"{"id": \#($0), "name": "n", "size": \#($0)}"# }
    items.append(#"{"id": 9000, "name": null, "size": "large", "extra": true}"#)
    let drawn = try await draw(
      "[" + items.joined(separator: ",") + "]", ["--entity", "Thing"])
    let model = try ManagedObjectModel(xml: Data(drawn.text.utf8))
    let thing = try model.requireEntity(named: "Thing")
    #expect(thing.attribute(named: "extra")?.type == .boolean)
    #expect(thing.attribute(named: "name")?.isOptional == true)
    let result = await bench.run(
      "doctor", drawn.payload, "--model", drawn.model, "--entity", "Thing")
    #expect(result.code == .done, "\(result.output)")
  }

  @Test func nothingIsWrittenWhenNoModelTakesThePayload() async throws {
    let file = try bench.file("things.json", #"[{"id": 1}, 7, {"id": 2}]"#)
    let result = await bench.run("model", "--from", file)
    #expect(result.code == .failed)
    #expect(result.output.isEmpty)
    #expect(result.error.contains("No model was drawn"))
  }
}
