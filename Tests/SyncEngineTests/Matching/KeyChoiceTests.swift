import SyncStack
import TestSupport
import Testing

/// Which of several objects a key means, and which of them may become one, goes by the objects from
/// before the payload.
@Suite struct KeyChoiceTests {
  /// None of several moves; of those with the same owner, which is none, the first stays.
  @Test(arguments: [1, nil])
  func storedObjectsOfAKeyAndOfOneOwnerBecomeOneWhicheverIsMentioned(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 1, "children": [{"id": 4}]}]"#, "Organization")
    try bench.sync(
      #"[{"id": 4, "name": "a"}, {"id": 4, "name": "b"}]"#, "Organization",
      operations: [.insert, .alwaysInsert])
    try bench.sync(#"[{"id": 1}, {"id": 2, "children": [{"id": 4}]}]"#, "Organization", parts: size)
    #expect(
      try bench.objects("Organization") == [
        "id=1 children=[4]", "id=2 children=[4]", "id=4 name=a", "id=4 parent=1", "id=4 parent=2",
      ])
  }

  /// Dogs have one owner more than animals have.
  @Test(arguments: [1, nil]) func objectsOfASubentityWithOtherOwnersStayTwo(size: Int?) throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync(#"[{"id": 1, "dogs": [{"id": 5}]}, {"id": 2, "dogs": [{"id": 5}]}]"#, "Person")
    try bench.sync(#"[{"id": 5, "name": "n"}]"#, "Animal", parts: size)
    #expect(try bench.objects("Animal") == ["id=5 name=n walker=1", "id=5 walker=2"])
  }

  /// Person 2 is given twice in one list, so it is certain which owner lists person 3.
  @Test(arguments: [1, nil]) func aChildStaysWithAnOwnerThatListsItFurtherDown(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 4}, {"id": 2, "children": [{"id": 3, "name": "a"}]}]"#, "Organization")
    try bench.sync(
      #"""
      [{"id": 4, "children": [
        {"id": 1, "children": [{"id": 2, "children": [{"id": 3}]}, {"id": 2}]}, {"id": 3}]}]
      """#, "Organization", parts: size)
    #expect(
      try bench.objects("Organization").filter { $0.hasPrefix("id=3") }
        == ["id=3 name=a parent=2", "id=3 parent=4"])
  }

  // MARK: - Large tables, where keys are looked up

  @Test(arguments: [1, 2, nil] as [Int?], [0, 6])
  func belowAGivenParentOfATreeTooMembersLeaveAListThatDoesNotNameThem(size: Int?, scannedRows: Int)
    throws
  {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"[{"id": 9, "children": [{"id": 1, "children": [{"id": 2}, {"id": 3}]}, {"id": 4}]}]"#,
      "Organization")
    let report = try bench.sync(
      #"[{"id": 1, "children": [{"id": 2}]}, {"id": 4}]"#, "Organization",
      under: bench.id("Organization", 9), by: "children", parts: size
    ) { $0.tuning.scannedRowsPerKey = scannedRows }
    #expect(
      try bench.objects("Organization") == [
        "id=1 parent=9 children=[2]", "id=2 parent=1", "id=4 parent=9", "id=9 children=[1,4]",
      ])
    #expect(report.deleted == 1)
  }

  // MARK: - Parts, which know nothing of those to come

  @Test(arguments: [1, 2, nil])
  func anObjectThatAnOwnerListsAndThatIsNotStoredIsFree(size: Int?) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 4}]"#, "User")
    try bench.sync(#"[{"id": 5}]"#, "Note")
    try bench.sync(
      #"[{"id": 2, "notes": [{"id": 5}]}, {"id": 4, "notes": [{"id": 5}]}]"#, "User",
      operations: [.update, .insertRelationships, .updateRelationships], parts: size)
    #expect(try bench.objects("Note") == ["id=5 user=4"])
  }

  @Test(arguments: [1, 2, nil])
  func aListWithAKeyThatCannotBeReadKeepsAGivenParentsMembers(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 2, "children": [{"id": 3}]}]"#, "Organization")
    let parent = try bench.id("Organization", 2)
    try bench.sync(
      #"[{"id": 1, "children": [{"id": 2, "children": [{"id": null}]}]}]"#, "Organization",
      under: parent, by: "children", parts: size)
    #expect(
      try bench.objects("Organization") == [
        "id=1 parent=2 children=[2]", "id=2 parent=1 children=[1,3]", "id=3 parent=2",
      ])
  }

  @Test(arguments: [1, nil])
  func aMemberThatIsNotListedAnyMoreIsStillItsOwnersChild(size: Int?) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}]"#, "User")
    let report = try bench.sync(
      #"[{"id": 1, "notes": []}, {"id": 1, "notes": [{"id": 5, "text": "b"}]}]"#, "User",
      parts: size)
    #expect(try bench.objects("Note") == ["id=5 text=b user=1"])
    #expect(report.inserted == 0 && report.deleted == 0)
  }

  /// Items at the top that may not be made where they stand come into the list of a given parent
  /// when a later item nests them.
  @Test(arguments: [1, 2, nil]) func aParentsListWaitsForObjectsOfLaterParts(size: Int?) throws {
    let bench = try SyncBench(TestModels.relationships())
    try bench.sync(#"[{"id": 3}]"#, "A")
    let parent = try bench.id("A", 3)
    try bench.sync(
      #"[{"id": 1}, {"id": 3, "friends": [{"id": 1}]}]"#, "A", under: parent, by: "friends",
      operations: [.update, .insertRelationships, .updateRelationships], parts: size)
    #expect(try bench.objects("A") == ["id=1 friends=[3]", "id=3 friends=[1,3]"])
  }
}
