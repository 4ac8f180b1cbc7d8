import SyncEngine
import TestSupport
import Testing

/// The operations that the options allow.
///
/// A listed object that the options keep from being made is reported as a reference to no object.
@Suite struct OptionRuleTests {
  private static let users = #"[{"id": 0, "name": "a"}, {"id": 1, "name": "a"}]"#
  private static let changed = #"[{"id": 0, "name": "b"}, {"id": 6, "name": "b"}]"#
  private static let root: SyncOperations = [.insert, .update, .delete]

  private static func top(_ operations: SyncOperations, _ expected: [String]) -> SyncCase {
    SyncCase(
      "\(operations)", .stored("User", users), .sync("User", changed, operations),
      leaves: ["User": expected])
  }

  static let tops = [
    top(.insert, ["id=0 name=a", "id=1 name=a", "id=6 name=b"]),
    top(.update, ["id=0 name=b", "id=1 name=a"]),
    top(.delete, ["id=0 name=a"]),
    top([.insert, .update], ["id=0 name=b", "id=1 name=a", "id=6 name=b"]),
    top([.insert, .delete], ["id=0 name=a", "id=6 name=b"]),
    top([.update, .delete], ["id=0 name=b"]),
    top(.all, ["id=0 name=b", "id=6 name=b"]),
    top([], ["id=0 name=a", "id=1 name=a"]),
  ]

  @Test(arguments: tops) func optionsHoldAtTheTop(_ rule: SyncCase) throws { try rule.check() }

  private static let owner =
    #"[{"id": 1, "notes": [{"id": 101, "text": "a"}, {"id": 102, "text": "a"}]}]"#
  private static let notes =
    #"[{"id": 1, "notes": [{"id": 102, "text": "b"}, {"id": 103, "text": "b"}]}]"#
  private static let tagOwner =
    #"[{"id": 1, "tags": [{"id": 101, "name": "a"}, {"id": 102, "name": "a"}]}]"#
  private static let tags =
    #"[{"id": 1, "tags": [{"id": 102, "name": "b"}, {"id": 103, "name": "b"}]}]"#

  static let nested = [
    SyncCase(
      "insertRelationships, one-to-many: members that are missing stay linked",
      .stored("User", owner), .sync("User", notes, root.union(.insertRelationships)),
      leaves: ["Note": ["id=101 text=a user=1", "id=102 text=a user=1", "id=103 text=b user=1"]]),
    SyncCase(
      "updateRelationships, one-to-many", .stored("User", owner),
      .sync("User", notes, root.union(.updateRelationships)),
      leaves: ["Note": ["id=101 text=a user=1", "id=102 text=b user=1"]],
      findings: [.unresolvedReference]),
    SyncCase(
      "deleteRelationships, one-to-many", .stored("User", owner),
      .sync("User", notes, root.union(.deleteRelationships)),
      leaves: ["Note": ["id=102 text=a user=1"]], findings: [.unresolvedReference]),
    SyncCase(
      "insertRelationships, many-to-many: members that are missing are unlinked",
      .stored("User", tagOwner), .sync("User", tags, root.union(.insertRelationships)),
      leaves: ["Tag": ["id=101 name=a", "id=102 name=a users=[1]", "id=103 name=b users=[1]"]]),
    SyncCase(
      "updateRelationships, many-to-many", .stored("User", tagOwner),
      .sync("User", tags, root.union(.updateRelationships)),
      leaves: ["Tag": ["id=101 name=a", "id=102 name=b users=[1]"]],
      findings: [.unresolvedReference]),
    SyncCase(
      "deleteRelationships, many-to-many: unlinked and kept", .stored("User", tagOwner),
      .sync("User", tags, root.union(.deleteRelationships)),
      leaves: ["Tag": ["id=101 name=a", "id=102 name=a users=[1]"]],
      findings: [.unresolvedReference]),
    SyncCase(
      "a to-one child is inserted with insertRelationships only",
      .sync("User", #"[{"id": 1, "company": {"id": 3}}]"#, root),
      leaves: ["User": ["id=1"], "Company": []], findings: [.unresolvedReference]),
    SyncCase(
      "a to-one child is updated with updateRelationships only, and linked in any case",
      .stored("Company", #"[{"id": 3, "name": "a"}]"#),
      .sync("User", #"[{"id": 1, "company": {"id": 3, "name": "b"}}]"#, root),
      leaves: ["Company": ["id=3 name=a employees=[1]"]]),
    SyncCase(
      "linking a stored object needs no option, one-to-many",
      .stored("Note", #"[{"id": 5, "text": "a"}]"#),
      .sync("User", #"[{"id": 1, "notes": [{"id": 5, "text": "b"}]}]"#, .insert),
      leaves: ["Note": ["id=5 text=a user=1"]]),
    SyncCase(
      "linking a stored object needs no option, many-to-many",
      .stored("Tag", #"[{"id": 5, "name": "a"}]"#),
      .sync("User", #"[{"id": 1, "tags": [{"id": 5, "name": "b"}]}]"#, .insert),
      leaves: ["Tag": ["id=5 name=a users=[1]"]]),
    SyncCase(
      "insert alone makes no nested objects",
      .sync("User", #"[{"id": 1, "notes": [{"id": 5}], "tags": [{"id": 5}]}]"#, .insert),
      leaves: ["User": ["id=1"], "Note": [], "Tag": []],
      findings: [.unresolvedReference, .unresolvedReference]),
    SyncCase(
      "identifiers link and unlink with the owner's permission alone", .stored("User", owner),
      .sync("User", #"[{"id": 1, "notes_ids": [102]}]"#, .update),
      leaves: ["Note": ["id=101 text=a", "id=102 text=a user=1"]]),
    SyncCase(
      "an owner that may not be written keeps its list", .stored("User", owner),
      .sync("User", #"[{"id": 1, "notes": []}]"#, SyncOperations.all.subtracting(.update)),
      leaves: ["User": ["id=1 notes=[101,102]"]]),
  ]

  @Test(arguments: nested)
  func optionsHoldInRelationships(_ rule: SyncCase) throws { try rule.check() }

  private static let tree =
    #"[{"id": 1, "children": [{"id": 2, "children": [{"id": 3, "name": "a"}, {"id": 4}]}]}]"#
  private static let newTree =
    #"[{"id": 1, "children": [{"id": 2, "children": [{"id": 3, "name": "b"}, {"id": 5}]}]}]"#

  static let depths = [
    SyncCase(
      "grandchildren are not inserted or deleted", in: .tree, .stored("Organization", tree),
      .sync("Organization", newTree, [.update, .updateRelationships]),
      leaves: [
        "Organization": [
          "id=1 children=[2]", "id=2 parent=1 children=[3,4]", "id=3 name=b parent=2",
          "id=4 parent=2",
        ]
      ], findings: [.unresolvedReference]),
    SyncCase(
      "grandchildren are deleted with deleteRelationships", in: .tree,
      .stored("Organization", tree),
      .sync("Organization", newTree, [.update, .updateRelationships, .deleteRelationships]),
      leaves: [
        "Organization": ["id=1 children=[2]", "id=2 parent=1 children=[3]", "id=3 name=b parent=2"]
      ], findings: [.unresolvedReference]),
  ]

  @Test(arguments: depths)
  func optionsHoldAtEveryDepth(_ rule: SyncCase) throws { try rule.check() }

  @Test(arguments: [SyncOperations.alwaysInsert, [.insert, .alwaysInsert]])
  func alwaysInsertMakesAnObjectOfEveryItemWhateverIsStoredWithAndWithoutInsert(
    _ operations: SyncOperations
  ) throws {
    let bench = try SyncBench(TestModels.users())
    for _ in 0..<2 {
      try bench.sync(#"[{"id": 1}, {"id": 1}, {"name": "no key"}]"#, "User", operations: operations)
    }
    #expect(try bench.count("User") == 6)
  }

  @Test func theBitsOfTheOptionsStay() {
    let bits: [SyncOperations] = [
      .insert, .update, .delete, .insertRelationships, .updateRelationships, .deleteRelationships,
    ]
    #expect(bits.map(\.rawValue) == [1, 2, 4, 8, 16, 32])
    #expect(SyncOperations.all.rawValue == 63)
  }
}
