import SyncCore
import SyncEngine
import TestSupport
import Testing

/// What was said of a stand-in and of the object that it turns out to be counts as if it had been said of one object.
@Suite struct StandInSettlementTests {
  @Test(
    "an object without key below a stand-in is the one that was linked before the payload",
    arguments: [1, 2, nil])
  func keylessObjectsBelow(size: Int?) throws {
    let bench = try SyncBench(
      ManagedObjectModel([
        EntityDraft(
          "User",
          [
            .attribute("id", .integer64), .toMany("notes", to: "Note", inverse: "user"),
            .toOne("favourite", to: "Note"),
          ]),
        EntityDraft(
          "Note",
          [
            .attribute("id", .integer64), .toOne("user", to: "User", inverse: "notes"),
            .toOne("cover", to: "Cover"),
          ]),
        EntityDraft("Cover", [.attribute("id", .integer64), .attribute("text", .string)]),
      ]))
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "cover": {"id": 7}}]}]"#, "User")
    try bench.sync(
      #"""
      [{"id": 2, "notes": [{"id": 5, "cover": {"text": "x"}}]},
       {"id": 3, "favourite": {"id": 5, "cover": {"id": 9}}}, {"id": 1, "notes": []}]
      """#, "User"
    ) { $0.partItems = size }
    #expect(try bench.objects("Note") == ["id=5 user=2 cover=9"])
    #expect(try bench.objects("Cover") == ["id=7 text=x", "id=9"])
  }

  @Test("later words without a key win over what a stand-in said", arguments: [1, 2, nil])
  func laterKeylessWordsWin(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"[{"id": 1, "children": [{"id": 3, "children": [{"id": 4}]}]}]"#, "Organization")
    try bench.sync(
      #"""
      [{"id": 3, "children": [{"id": 3, "name": "nested"}]},
       {"id": 4, "parent": {"id": null, "name": "linked"}}]
      """#, "Organization"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Organization") == [
        "id=3 name=linked parent=3 children=[3,4]", "id=4 parent=3",
      ])
  }

  @Test("an object that a list names twice stands where it does in one part", arguments: [1, nil])
  func twiceNamedMembersKeepTheirPlace(size: Int?) throws {
    let bench = try SyncBench(TestModels.relationships())
    try bench.sync(
      #"[{"id": 1}, {"id": 2, "linked": [{"id": "1", "items_ids": [1]}]}]"#, "B")
    let parent = ManagedObjectID(entity: try bench.model.requireEntity(named: "A"), row: 1)
    try bench.sync(#"[{"id": 3, "items": [{"id": 1}, {"id": 3}, "1"]}]"#, "A") {
      $0.parent = parent
      $0.parentRelationship = "friends"
      $0.partItems = size
    }
    #expect(
      try bench.objects("A") == ["id=1 links=[2] friends=[3]", "id=3 items=[1,3] friends=[1]"])
  }
}
