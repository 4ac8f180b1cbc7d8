import SyncStack
import TestSupport
import Testing

/// Keys, scopes and deletions of one sync.
@Suite struct RunRuleTests {
  static let cases = [
    // The organisation is its own parent, so its first item speaks of itself where it speaks of the
    // parent.
    SyncCase(
      "a repeated item comes after an object without key in between", in: .tree,
      .sync("Organization", #"[{"id": 4, "parent_id": 4}]"#),
      .sync("Organization", #"[{"id": 4, "parent": {"name": "a"}}, {"id": 4, "name": "b"}]"#),
      leaves: ["Organization": ["id=4 name=b parent=4 children=[4]"]]),
    SyncCase(
      "a list that may not be written keeps no object in another one of its owner", in: .tree,
      .sync("Organization", #"[{"id": 1}, {"id": 3}, {"id": 2, "parent_id": 1}]"#),
      .sync(
        "Organization",
        #"[{"id": 1, "children_ids": null}, {"id": 3, "children": [{"id": 1, "children": [{"id": []}]}]}]"#,
        .update),
      leaves: ["Organization": ["id=1 parent=3", "id=2", "id=3 children=[1]"]]),
    SyncCase(
      "objects with an empty key are left alone",
      .sync("User", #"[{"id": 1, "company": {"name": "keyless"}}]"#),
      .sync("Company", #"[{"id": 7}]"#),
      leaves: ["Company": ["id=7", "name=keyless employees=[1]"]]),
    SyncCase(
      "children of different owners are never folded",
      .sync("User", #"[{"id": 1, "notes": [{"id": 0}]}, {"id": 2, "notes": [{"id": 0}]}]"#),
      .sync("Note", #"[{"id": 0, "text": "x"}]"#),
      leaves: ["Note": ["id=0 text=x user=1", "id=0 user=2"]]),
  ]

  @Test(arguments: cases, [nil, 1, 2])
  func itemsThatSpeakOfEachOtherFollowTheRulesInAnyParts(_ rule: SyncCase, parts: Int?) throws {
    try rule.check(parts: parts)
  }

  private static let three =
    #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}]"#

  static let rules = [
    SyncCase(
      "an item without key is left out, and nothing is deleted for it", .stored("User", three),
      .sync("User", #"[{"id": 1}, {"name": "?"}, {"id": null}]"#),
      leaves: ["User": ["id=1 name=a", "id=2 name=b", "id=3 name=c"]],
      findings: [.skippedItem, .skippedItem, .suspendedDeletion]),
    SyncCase(
      "every item keeps its own data beside one without key",
      .sync("User", #"[{"id": 1, "name": "a"}, {"name": "?"}, {"id": 2, "name": "b"}]"#),
      leaves: ["User": ["id=1 name=a", "id=2 name=b"]], findings: [.skippedItem]),
    SyncCase(
      "what the payload does not mention is deleted", .stored("User", three),
      .sync("User", #"[{"id": 2}]"#), leaves: ["User": ["id=2 name=b"]]),
    SyncCase(
      "keys are compared as the attribute holds them", .stored("User", three),
      .sync("User", #"[{"id": "1"}, {"id": "2", "name": "x"}]"#),
      leaves: ["User": ["id=1 name=a", "id=2 name=x"]]),
    SyncCase(
      "a repeated key is one object, later values win",
      .sync("User", #"[{"id": 1, "name": "a", "age": 1}, {"id": 1, "name": "b"}]"#),
      leaves: ["User": ["id=1 name=b age=1"]], findings: [.repeatedItem]),
    SyncCase(
      "a repeated key of a stored object likewise", .stored("User", three),
      .sync("User", #"[{"id": 1, "age": 1}, {"id": 1, "name": "z"}]"#),
      leaves: ["User": ["id=1 name=z age=1"]], findings: [.repeatedItem]),
    SyncCase(
      "of several lists of one owner the last counts, and what was named is not deleted",
      .sync("User", #"[{"id": 1, "notes": [{"id": 1}]}, {"id": 1, "notes": [{"id": 2}]}]"#),
      leaves: ["Note": ["id=1", "id=2 user=1"]], findings: [.repeatedItem]),
    SyncCase(
      "a subentity is in the scope of its superentity", in: .vehicles,
      .stored("Racecar", #"[{"id": 1}]"#), .sync("Car", #"[{"id": 2}]"#), leaves: ["Car": ["id=2"]]),
    SyncCase(
      "an object of a subentity is found by its key", in: .vehicles,
      .stored("Racecar", #"[{"id": 1, "team": "t"}]"#), .sync("Car", #"[{"id": 1, "doors": 2}]"#),
      leaves: ["Racecar": ["id=1 doors=2 team=t"]]),
    SyncCase(
      "keys are unique per concrete entity", in: .vehicles, .stored("Car", #"[{"id": 1}]"#),
      .stored("Racecar", #"[{"id": 1}]"#), .sync("Car", #"[{"id": 1, "doors": 5}]"#),
      leaves: ["Racecar": ["id=1"], "Vehicle": ["id=1", "id=1 doors=5"]]),
  ]

  @Test(arguments: rules) func oneSyncFollowsTheRules(_ rule: SyncCase) throws { try rule.check() }

  // MARK: - Scopes

  @Test(arguments: [(SyncOperations.all, [0, 1, 1]), (.insert, [0, 0, 0])])
  func aPredicateLimitsDeletionsNeverTheSearch(_ operations: SyncOperations, counts: [Int]) throws {
    let bench = try SyncBench(TestModels.users())
    try bench.sync(Self.three, "User")
    let report = try bench.sync(#"[{"id": 2, "name": "z"}]"#, "User", operations: operations) {
      $0.settings.filter = Filter(#"name == "a""#)
    }
    #expect([report.inserted, report.updated, report.deleted] == counts)
    if operations == .all { #expect(try bench.objects("User") == ["id=2 name=z", "id=3 name=c"]) }
  }

  @Test func missingMembersOfAManyToManyParentAreUnlinkedAndOnlyWithDelete() throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(#"[{"id": 1, "tags": [{"id": 1}, {"id": 2}]}]"#, "User")
    let user = try bench.id("User", 1)
    try bench.sync(#"[{"id": 3}]"#, "Tag", under: user, operations: [.insert, .update])
    #expect(try bench.objects("User") == ["id=1 tags=[1,2,3]"])
    try bench.sync(#"[{"id": 3}]"#, "Tag", under: user)
    #expect(try bench.objects("User") == ["id=1 tags=[3]"])
    #expect(try bench.count("Tag") == 3)
  }

  @Test(arguments: [nil, "children"])
  func ofAParentOfTheEntityItselfTheWayDownIsTaken(relationship: String?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 1, "children": [{"id": 2}]}]"#, "Organization")
    let root = try bench.id("Organization", 1)
    try bench.sync(#"[{"id": 3}]"#, "Organization", under: root, by: relationship)
    #expect(try bench.objects("Organization") == ["id=1 children=[3]", "id=3 parent=1"])
  }

  // MARK: - Keys

  @Test func anEntityWithoutKeyCannotBeSynced() throws {
    let model = try ManagedObjectModel(["Thing: name", "Box: id, things ->> Thing"])
    let bench = try SyncBench(model)
    expectError("SyncError noPrimaryKey", "sync.isPrimaryKey") {
      try bench.sync(#"[{"name": "a"}]"#, "Thing")
    }
    expectError("SyncError noPrimaryKey") {
      try bench.sync(#"[{"id": 1, "things": [{"name": "a"}]}]"#, "Box")
    }
    #expect(try bench.count("Box") == 0)
  }

  @Test func aRepeatedKeyAmongStoredObjectsIsFoldedOnlyByASyncThatMayDelete() throws {
    let bench = try SyncBench(TestModels.users())
    try bench.sync(
      #"[{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]"#, "User",
      operations: [.insert, .alwaysInsert])
    try bench.sync(#"[{"id": 1}]"#, "User", operations: [.insert, .update])
    #expect(try bench.count("User") == 2)
    let report = try bench.sync(#"[{"id": 1}]"#, "User")
    #expect(try bench.objects("User") == ["id=1 name=a"])
    #expect(report.count(of: .foldedDuplicates) == 1)
  }

  @Test func twoOwnersWithAChildOfOneKeyKeepTheirOwnWhenKeysAloneAreSent() throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 0}]}, {"id": 2, "notes": [{"id": 0}]}]"#, "User")
    let report = try bench.sync(
      #"[{"id": 1, "notes_ids": [0]}, {"id": 2, "notes_ids": [0]}]"#, "User")
    #expect(report.isUnchanged)
  }

  // MARK: - The deletion guard

  @Test func nestedDeletionsCountForTheGuard() throws {
    let bench = try SyncBench(TestModels.social())
    let notes = (1...600).map { #"{"id": \#($0)}"# }.joined(separator: ",")
    try bench.sync(#"[{"id": 1, "notes": [\#(notes)]}]"#, "User")
    #expect(throws: SyncError.self) { try bench.sync(#"[{"id": 1, "notes": []}]"#, "User") }
    #expect(try bench.count("Note") == 600)
  }
}
