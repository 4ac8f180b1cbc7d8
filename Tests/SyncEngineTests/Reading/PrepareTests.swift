import Foundation
import SyncStack
import Testing

/// A hook that rewrites the payload once, and rules that ask no item.
@Suite struct PrepareTests {
  private let bench: ShapeBench

  init() throws { bench = try ShapeBench() }

  private func sync(
    _ json: String, at path: JSONPath? = nil, into bench: ShapeBench,
    _ prepare: @escaping @Sendable (JSONValue) throws -> JSONValue
  ) throws -> SyncReport {
    return try Sync(
      .data(Data(json.utf8)), inEntityNamed: "Person", dataStack: bench.stack, at: path
    ).run { $0.prepare = prepare }
  }

  @Test func itIsGivenWhatStandsAtThePathAndItsResultIsReadInItsPlace() throws {
    let json = #"{"d": {"items": [{"id": "a", "age": 1}, {"id": "b", "age": "x"}], "unit": "y"}}"#
    let report = try sync(json, at: "d.items", into: bench) { list in
      .array(
        (list.arrayValue ?? []).map { item in
          var item = item
          item["name"] = .string("N" + (item["id"]?.stringValue ?? ""))
          return item
        })
    }
    #expect(try bench.people() == ["a Na", "b Nb"])
    #expect(report.findings.map(\.path) == ["$.d.items[1].age"])
  }

  @Test func anItemThatItLeavesAsItIsHasThePathThatItHad() throws {
    let json = #"{"new": [{"id": "a"}], "old": {"x": {"id": "b", "age": "x"}}}"#
    let report = try sync(json, into: bench) { document in
      .array([document["old"]?["x"], document["new"]?[0]].compactMap(\.self))
    }
    #expect(report.findings.map(\.path) == ["$.old.x.age"])
    #expect(try bench.people("id") == ["a a", "b b"])
  }

  @Test func aListOfDeletedKeysBecomesTombstones() throws {
    let bench = try ShapeBench(person: ["sync.tombstoneKey": "gone"])
    try bench.sync(#"[{"id": "a"}, {"id": "b"}, {"id": "c"}]"#)
    let json = #"{"items": [{"id": "d"}], "deleted": ["a", "c"]}"#
    let change = Sync(.data(Data(json.utf8)), inEntityNamed: "Person", dataStack: bench.stack)
    change.operations = [.insert, .update]
    change.prepare = { document in
      let deleted = document["deleted"]?.arrayValue ?? []
      return .array(
        (document["items"]?.arrayValue ?? []) + deleted.map { ["id": $0, "gone": true] })
    }
    #expect(try change.run().deleted == 2)
    #expect(try bench.people("id") == ["b b", "d d"])
  }

  @Test func elementsAndMembersAreLookedForInWhatItMakes() throws {
    let report = try sync(#"{"u": {"a": {"age": "x"}}}"#, at: "u.*", into: bench) { users in
      var users = users
      users["b"] = ["name": "B"]
      return users
    }
    #expect(try bench.people("id") == ["a a", "b b"])
    #expect(report.findings.map(\.path) == ["$.u.a.age"])
  }

  @Test func whatItThrowsFailsTheSync() throws {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try sync("[]", into: bench) { _ in throw Refused() }
    }
    #expect(throws: JSONError.self) { try sync("{}", at: "data", into: bench) { $0 } }
  }

  // MARK: - Constants

  @Test func aConstantFillsEveryObjectAndMayIdentifyIt() throws {
    let bench = try ShapeBench(keyType: .integer64)
    func serializer(_ handle: String) -> EntitySerializer<ManagedObject> {
      var people = EntitySerializer<ManagedObject>(entityNamed: "Person")
      people.identifiers = ["handle", "id"]
      people.mapping = ["handle": .constant(handle), "id": .int("id"), "name": .string("name")]
      people.groupers = [Filter("handle == %@", handle)]
      return people
    }
    try bench.stack.sync(
      #"[{"id": 1, "name": "A", "handle": "x"}, {"id": 2}]"#, with: serializer("crm"))
    try bench.stack.sync(#"[{"id": 1, "name": "B"}]"#, with: serializer("shop"))
    #expect(try bench.people("handle").sorted() == ["1 crm", "1 shop", "2 crm"])
    let again = try bench.stack.sync(
      #"[{"id": 1, "name": "A"}, {"id": 2}]"#, with: serializer("crm"))
    #expect(again.isUnchanged)
    let json = try bench.stack.export(with: serializer("crm"))
    #expect(
      json == [["id": 1, "name": "A"], ["id": 2, "name": nil]] as JSONValue
        || json[0]?["handle"] == nil)
    #expect(try bench.stack.sync(json, with: serializer("crm")).isUnchanged)
  }

  @Test func aConstantThatTheAttributeCannotHoldIsAMistakeInTheMapping() throws {
    let people = EntitySerializer(entityNamed: "Person").by(
      "id", ["id": .string("id"), "age": .constant("many")])
    let error = #expect(throws: MappingError.self) { try bench.stack.sync("[]", with: people) }
    #expect(error?.code == .unsuitableRule && error?.property == "age")
  }

  @Test func aConstantWorksBelowConventionsAndInAFile() throws {
    let rule = try Rule(json: ["constant": "api"])
    try bench.stack.mapping(forEntityNamed: "Person") { $0["handle"] = rule }
    try bench.sync(#"[{"id": "a", "handle": "other"}]"#)
    #expect(try bench.people("handle") == ["a api"])
  }

  // MARK: - Missing objects

  @Test func aNestedObjectThatMayNotBeMadeIsReportedWhereItStands() throws {
    var posts = EntitySerializer(entityNamed: "Post").by("id", ["id": .string("id")])
    posts.insertMissing = false
    let nested = posts
    let people = EntitySerializer(entityNamed: "Person").by(
      "id", ["id": .string("id"), "posts": .toMany("books") { nested }])
    try bench.sync(#"[{"id": "1"}, {"id": "2"}]"#, entity: "Post")
    let report = try bench.stack.sync(
      #"[{"id": "a", "books": [{"id": "1"}, {"id": "2"}, {"id": "99"}]}]"#, with: people)
    let finding = try #require(report.findings(of: .unresolvedReference).first)
    #expect(finding.path == "$[0].books[2]" && finding.entity == "Post" && finding.key == "99")
  }

  @Test func anItemThatMatchesNothingIsCountedAndReported() throws {
    try bench.sync(#"[{"id": "a"}]"#)
    var people = EntitySerializer(entityNamed: "Person").by(
      "id", ["id": .string("id"), "name": .string("name")])
    people.insertMissing = false
    let report = try bench.stack.sync(
      #"[{"id": "a", "name": "A"}, {"id": "z", "name": "Z"}]"#, with: people)
    #expect(report["Person"].updated == 1 && report["Person"].skipped == 1)
    let finding = try #require(report.findings(of: .skippedItem).first)
    #expect(finding.path == "$[1]" && finding.key == "z")
    #expect(try bench.people("id") == ["a a"])
  }
}
