import SyncStack
import TestSupport
import Testing

/// Lists whose elements are no plain members: those that have left them, and those that are in them
/// already.
@Suite struct ListMemberTests {
  struct Kind: CustomTestStringConvertible, Sendable {
    let isShared: Bool
    let isOrdered: Bool

    var testDescription: String {
      (isShared ? "many-to-many" : "one-to-many") + (isOrdered ? ", ordered" : "")
    }
  }

  static let kinds = [true, false].flatMap { isShared in
    [true, false].map { Kind(isShared: isShared, isOrdered: $0) }
  }

  enum Way: CaseIterable, Sendable {
    case conventions, rule, serializer
  }

  private func stack(
    _ kind: Kind, _ list: [String: String] = [:], user: [String: String] = [:],
    remoteKey: String? = nil
  ) throws -> DataStack {
    let back: PropertyDraft =
      kind.isShared
      ? .toMany("groups", to: "Group", inverse: "members")
      : .toOne("group", to: "Group", inverse: "members")
    return try DataStack.inMemory([
      EntityDraft(
        "Group",
        [
          "id string",
          .toMany(
            "members", to: "User", inverse: kind.isShared ? "groups" : "group",
            isOrdered: kind.isOrdered, remoteKey: remoteKey, userInfo: list),
        ]),
      EntityDraft(
        "User", [.attribute("id", .string), .attribute("name", .string), back], userInfo: user),
    ])
  }

  private func sync(_ json: String, _ way: Way, _ stack: DataStack) throws -> SyncReport {
    let operations: SyncOperations = [
      .insert, .update, .insertRelationships, .updateRelationships, .deleteRelationships,
    ]
    let user = EntitySerializer(entityNamed: "User").by(
      "id", ["id": .string("id"), "name": .string("name")])
    let members: Rule = .toMany("members@delta") { user }
    if way == .rule { try stack.mapping(forEntityNamed: "Group") { $0["members"] = members } }
    guard way == .serializer else {
      return try stack.sync(json, inEntityNamed: "Group", operations: operations)
    }
    let group = EntitySerializer(entityNamed: "Group").by(
      "id", ["id": .string("id"), "members": members])
    return try stack.sync(json, with: group, operations: operations)
  }

  @Test(arguments: kinds, Way.allCases)
  func aDeltaTakesMembersOutOfTheListAloneAndKeepsTheOthers(_ kind: Kind, _ way: Way) throws {
    // In the list its own mark counts before that of the entity.
    let stack = try stack(
      kind, ["sync.removedKey": "@removed"], user: ["sync.tombstoneKey": "@removed"],
      remoteKey: "members@delta")
    _ = try sync(
      #"[{"id":"g","members@delta":[{"id":"u1"},{"id":"u2","name":"b"},{"id":"u3"}]},{"id":"h"}]"#,
      way, stack)
    let delta =
      #"[{"id":"g","members@delta":[{"id":"u4"},{"id":"u2","@removed":{"reason":"x"}},{"id":"u9","@removed":{}}]}]"#
    let report = try sync(delta, way, stack)
    #expect(report.findings.isEmpty && report["User"].unusedKeys.isEmpty)
    #expect(
      try SyncBench(stack).objects("Group") == [
        "id=g members=[\(kind.isOrdered ? "u4,u1,u3" : "u1,u3,u4")]", "id=h",
      ])
    let link = kind.isShared ? " groups=[g]" : " group=g"
    #expect(
      try SyncBench(stack).objects("User") == [
        "id=u1\(link)", "id=u2 name=b", "id=u3\(link)", "id=u4\(link)",
      ])
    #expect(try sync(delta, way, stack).isUnchanged)
    // An empty delta says nothing; the member may come back, and null empties the list.
    _ = try sync(#"[{"id":"g","members@delta":[]}]"#, way, stack)
    _ = try sync(#"[{"id":"g","members@delta":[{"id":"u2"}]}]"#, way, stack)
    #expect(
      try SyncBench(stack).objects("User").filter { $0.contains("g]") || $0.contains("=g") }.count
        == 4)
    _ = try sync(#"[{"id":"g","members@delta":null}]"#, way, stack)
    #expect(try SyncBench(stack).objects("Group") == ["id=g", "id=h"])
  }

  @Test func anElementWithoutKeyTellsNoMember() throws {
    let stack = try stack(
      Kind(isShared: true, isOrdered: false), ["sync.removedKey": "gone"],
      remoteKey: "members@delta")
    _ = try sync(#"[{"id":"g","members@delta":[{"id":"u1"}]}]"#, .conventions, stack)
    let report = try sync(#"[{"id":"g","members@delta":[{"gone":true}]}]"#, .conventions, stack)
    #expect(report.findings.map(\.kind) == [.skippedItem])
    #expect(try SyncBench(stack).objects("Group") == ["id=g members=[u1]"])
  }

  @Test(
    arguments: kinds,
    [
      #""members":[{"id":"c","name":"c"},{"id":"a"},{"id":"c","name":"c"}]"#,
      #""members_ids":["c","a","c"]"#,
      "\"members\":[" + (0..<20).map { "{\"id\":\"\($0)\"}," }.joined()
        + #"{"id":"c"},{"id":"c"}]"#,
    ])
  func aMemberThatStandsTwiceIsKeptOnceAndSaid(_ kind: Kind, list: String) throws {
    let stack = try stack(kind)
    _ = try stack.sync(#"[{"id":"c"},{"id":"a"}]"#, inEntityNamed: "User")
    let report = try stack.sync("[{\"id\":\"g\",\(list)}]", inEntityNamed: "Group")
    let findings = report.findings(of: .repeatedItem)
    #expect(findings.map(\.property) == ["members"] && findings.map(\.key) == ["g"])
    #expect(findings.first?.message.contains("User c") == true, "\(report.findings)")
  }

  @Test(arguments: kinds) func aMemberThatStandsOnceIsNoFinding(_ kind: Kind) throws {
    let stack = try stack(kind)
    let json =
      #"[{"id":"g","members":[{"id":"c"},{"id":"a"}]},{"id":"h","members":[{"id":"d"},{"id":"b"}]}]"#
    #expect(try stack.sync(json, inEntityNamed: "Group").findings.isEmpty)
    let ids = #"[{"id":"g","members_ids":["a","c"]},{"id":"h","members_ids":["b","d"]}]"#
    #expect(try stack.sync(ids, inEntityNamed: "Group").findings.isEmpty)
  }

  // MARK: - Properties of siblings

  @Test func aNumberOfASiblingIsNoOwnerOfAnOrderedList() throws {
    let bench = try SyncBench([
      "Book: id, chapters ->> Chapter.book ordered, covers ->> Cover.wrapped",
      "abstract Part: id",
      "Chapter < Part: book -> Book.chapters",
      "Cover < Part: area integer64, wrapped -> Book.covers",
    ])
    let (chapter, cover) = try (
      bench.model.requireEntity(named: "Chapter"), bench.model.requireEntity(named: "Cover")
    )
    #expect(cover.attribute(named: "area")?.slot == chapter.relationship(named: "book")?.slot)
    try bench.sync(
      #"""
      [{"id": 1, "chapters": [{"id": 1}, {"id": 2}],
        "covers": [{"id": 3, "area": 9000000000000000000}]}]
      """#, "Book")
    #expect(try bench.objects("Book") == ["id=1 chapters=[1,2] covers=[3]"])
  }

  // MARK: - Lists that are given again

  /// An owner that lists an object is stronger than the object itself, until the list is given
  /// again without it.
  @Test(arguments: [1, 2, nil])
  func anObjectGoesWhereItSaysOnceTheListThatHadItIsReplaced(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    let report = try bench.sync(
      #"""
      [{"id": 4, "children_ids": [4]}, {"id": 4, "parent_id": 3, "children_ids": []}, {"id": 3},
       {"id": 6, "children_ids": [6]}, {"id": 6, "parent_id": 9, "children_ids": []}]
      """#, "Organization", parts: size)
    #expect(try bench.objects("Organization") == ["id=3 children=[4]", "id=4 parent=3", "id=6"])
    #expect(report.findings.filter { $0.kind == .unresolvedReference }.count == 1)
  }

  /// The given parent is listed by a child of its own, whose list is given again without it.
  @Test(arguments: [1, 2, nil])
  func aGivenParentLeavesItsOwnListWithItsChildsReplacedList(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 3, "parent_id": 3}]"#, "Organization")
    try bench.sync(
      #"[{"id": 1, "children": [{"id": 3}]}, {"id": 1, "children": []}]"#, "Organization",
      under: bench.id("Organization", 3), by: "children", parts: size)
    #expect(try bench.objects("Organization") == ["id=1 parent=3", "id=3 children=[1]"])
  }
}
