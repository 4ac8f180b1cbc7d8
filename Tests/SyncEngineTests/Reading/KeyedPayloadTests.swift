import Foundation
import SyncStack
import Testing

/// Objects that come by their keys, and objects inside the elements of lists.
@Suite struct KeyedPayloadTests {
  private let bench: ShapeBench

  init() throws { bench = try ShapeBench() }

  @Test func theKeyFillsThePrimaryKey() throws {
    let json = #"{"users": {"ann": {"name": "Ann"}, "bob": {"name": "Bob"}}}"#
    let report = try bench.sync(json, at: "users.*")
    #expect(report.inserted == 2 && report.findings.isEmpty)
    #expect(try bench.people() == ["ann Ann", "bob Bob"])
    #expect(try bench.sync(json, at: "users.*").isUnchanged)
    try bench.sync(#"{"users": {"bob": {"name": "Robert"}}}"#, at: "users.*")
    #expect(try bench.people() == ["bob Robert"])
  }

  @Test func equalItemsUnderDifferentKeysAreDifferentObjects() throws {
    for _ in 0..<2 { try bench.sync(#"{"a": {"name": "X"}, "b": {"name": "X"}}"#, at: "*") }
    try bench.sync(#"{"c": {"name": "X"}, "b": {"name": "X"}}"#, at: "*")
    #expect(try bench.people() == ["b X", "c X"])
  }

  @Test func aKeyOfDigitsIsANumberWhereTheKeyIsOne() throws {
    let bench = try ShapeBench(keyType: .integer64)
    let report = try bench.sync(#"{"7": {"name": "A"}, "x": {"name": "B"}}"#, at: "*")
    #expect(try bench.people() == ["7 A"])
    #expect(report.findings(of: .refusedConversion).first?.path == "$.x.id")
  }

  @Test func whatTheItemSaysOfItselfCountsBeforeItsKey() throws {
    try bench.sync(#"{"0": {"id": "a", "name": "A"}, "2": {"id": null, "name": "B"}}"#, at: "*")
    #expect(try bench.people() == ["2 B", "a A"])
  }

  @Test func theEntitySaysThatItsObjectsAreKeyedAndByWhat() throws {
    let bench = try ShapeBench(person: ["sync.keyedBy": "handle"])
    try bench.sync(#"{"ann": {"id": "1", "name": "Ann"}, "bob": {"id": "2"}}"#)
    #expect(try bench.people("handle") == ["1 ann", "2 bob"])
    // One object, and a list, are read as ever.
    try bench.sync(#"[{"id": "3", "handle": "c"}]"#, [.insert])
    try bench.sync(#"{"id": "4", "handle": "d"}"#, [.insert])
    #expect(try bench.people("handle") == ["1 ann", "2 bob", "3 c", "4 d"])
  }

  @Test func whatIsNoObjectIsLeftOutAndNothingIsDeletedForIt() throws {
    try bench.sync(#"{"a": {"name": "A"}, "b": {"name": "B"}}"#, at: "*")
    let report = try bench.sync(#"{"a": null, "c": {"name": "C"}}"#, at: "*")
    #expect(report.findings(of: .skippedItem).map(\.path) == ["$.a"])
    #expect(try bench.people() == ["a A", "b B", "c C"])
  }

  @Test(arguments: [["sync.keyedBy": "id"], ["sync.keyedBy": "YES"]])
  func aToManyRelationshipTakesAnObjectOfObjects(annotation: [String: String]) throws {
    let bench = try ShapeBench(posts: annotation)
    let json = #"[{"id": "a", "posts": {"p1": {"title": "One"}, "p2": {"title": "Two"}}}]"#
    let report = try bench.sync(json)
    #expect(report.findings.isEmpty)
    #expect(try bench.posts() == ["p1 One a", "p2 Two a"])
    #expect(try bench.sync(json).isUnchanged)
    try bench.sync(#"[{"id": "a", "posts": {"p2": {"title": "Two"}, "p3": {}}}]"#)
    #expect(try bench.posts() == ["p2 Two a", "p3 - a"])
    try bench.sync(#"[{"id": "a", "posts": {}}]"#)
    #expect(try bench.posts().isEmpty)
  }

  @Test func aSetOfKeysRefersToObjects() throws {
    let bench = try ShapeBench(posts: ["sync.keyedBy": "id"])
    try bench.sync(#"[{"id": "p1"}, {"id": "p2"}, {"id": "p3"}]"#, entity: "Post")
    try bench.sync(#"[{"id": "a", "posts": {"p1": true, "p2": true, "p3": false}}]"#)
    #expect(try bench.posts() == ["p1 - a", "p2 - a", "p3 - -"])
  }

  @Test func anObjectInTheElementsOfAListIsReached() throws {
    let bench = try ShapeBench(remoteKey: "posts.edges[].node")
    let json = #"""
      {"data": {"users": {"edges": [
        {"node": {"id": "a", "posts": {"edges": [{"node": {"id": "p1", "title": "One"}}]}}, "cursor": "x"},
        {"node": {"id": "b", "posts": {"edges": []}}}
      ], "pageInfo": {"hasNextPage": false}}}}
      """#
    let report = try bench.sync(json, at: "data.users.edges[].node")
    #expect(report.findings.isEmpty)
    #expect(try bench.people("id") == ["a a", "b b"])
    #expect(try bench.posts() == ["p1 One a"])
    let exported = try bench.stack.export("Person", where: Filter("id == %@", "a"))
    #expect(exported[0]?.value(at: "posts.edges.0.node.title") == "One")
    #expect(
      try bench.stack.sync(exported, inEntityNamed: "Person", operations: [.update]).isUnchanged)
  }

  @Test func pathsOfFindingsAreThoseOfTheDocument() throws {
    let bench = try ShapeBench(remoteKey: "posts.edges[].node")
    let json = #"""
      {"c": [{"data": {"id": "a", "age": "x"}}, {"data": null},
        {"data": {"id": "b", "posts": {"edges": [{"node": {"id": "p"}}, {}, {"node": {"title": "?"}}]}}}]}
      """#
    let report = try bench.sync(json, at: "c[].data")
    #expect(
      report.findings.compactMap(\.path).sorted() == [
        "$.c[0].data.age", "$.c[1].data", "$.c[2].data.posts.edges[1].node",
        "$.c[2].data.posts.edges[2].node",
      ])
  }

  @Test(
    arguments: [
      (#"{"id": "a", "age": "x"}"#, "", "$.age"), (#"[{"id": "a", "age": "x"}]"#, "", "$[0].age"),
      (#"{"d": {"id": "a", "age": "x"}}"#, "d", "$.d.age"),
      ("{\"id\": \"a\"}\n{\"id\": \"b\", \"age\": \"x\"}", "", "$[1].age"),
      ("{\"id\": \"a\", \"age\": \"x\"}\n{\"id\": \"b\"}", "", "$[0].age"),
      (
        #"{"odata.value": [{"id": "a", "age": "x"}]}"#, ["odata.value"], #"$["odata.value"][0].age"#
      ),
    ] as [(String, JSONPath, String)])
  func oneObjectIsAtItsOwnPathNotAtTheFirstPlaceOfAList(json: String, path: JSONPath, place: String)
    throws
  {
    #expect(try ShapeBench().sync(json, at: path).findings.map(\.path) == [place])
  }

  @Test func aLargeKeyedFileIsStreamedAsASmallOneIsRead() throws {
    let members = (0..<6_000).map { #""k\#($0)": {"name": "N\#($0)"}"# }
    let json = "{\"u\": {" + members.joined(separator: ",") + "}}"
    let sync = Sync(
      .data(Data(json.utf8)), inEntityNamed: "Person", dataStack: bench.stack, at: "u.*")
    sync.transaction = .perBatch(500)
    #expect(try sync.run().inserted == 6_000)
    #expect(try bench.sync(json, at: "u.*").isUnchanged)
    #expect(try bench.people().contains("k5999 N5999"))
  }

  @Test func serializersReadThemToo() throws {
    let bench = try ShapeBench(keyType: .integer64)
    let posts = EntitySerializer(entityNamed: "Post").by(
      "id", ["id": .string("id"), "title": .string("t")])
    var people = EntitySerializer(entityNamed: "Person").by(
      "id", ["id": .int("id"), "age": .int([]), "posts": .toMany("posts.*") { posts }])
    var rates = people
    rates.mapping = ["id": .int("id"), "age": .int([])]
    try bench.stack.sync(#"{"rates": {"1": 10, "2": 20}}"#, with: rates, at: "rates.*")
    #expect(try bench.people("age") == ["1 10", "2 20"])
    people.mapping = ["id": .int("id"), "posts": .toMany("posts.*") { posts }]
    try bench.stack.sync(
      #"{"1": {"posts": {"x": {"t": "X"}}}}"#, with: people, operations: [.update], at: "*")
    #expect(try bench.posts().count == 0 || bench.posts() == ["x X 1"])
    try bench.stack.sync(#"{"1": {"posts": {"x": {"t": "X"}}}}"#, with: people, at: "*")
    #expect(try bench.posts() == ["x X 1"])
  }

  @Test func aRuleForOneValueDoesNotTakeEach() throws {
    let people = EntitySerializer(entityNamed: "Person").by("id", ["id": .string("ids[]")])
    #expect(throws: MappingError.self) { try bench.stack.sync("[]", with: people) }
  }
}
