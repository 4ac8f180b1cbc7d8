import SyncStack
import TestSupport
import Testing

/// The outcome of parts of a payload, which know nothing of those to come.
@Suite struct PartIdentityTests {

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
    let parent = ManagedObjectID(
      entity: try bench.model.requireEntity(named: "Organization"), row: 1)
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
    let parent = try ManagedObjectID(entity: bench.model.requireEntity(named: "A"), row: 1)
    try bench.sync(
      #"[{"id": 1}, {"id": 3, "friends": [{"id": 1}]}]"#, "A", under: parent, by: "friends",
      operations: [.update, .insertRelationships, .updateRelationships], parts: size)
    #expect(try bench.objects("A") == ["id=1 friends=[3]", "id=3 friends=[1,3]"])
  }

}
