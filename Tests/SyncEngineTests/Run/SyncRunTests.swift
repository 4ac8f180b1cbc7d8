import SyncCore
import SyncEngine
import SyncStore
import TestSupport
import Testing

@Suite struct SyncRunTests {
  @Test func insertsUpdatesAndDeletes() throws {
    let bench = try SyncBench(TestModels.userNotes())
    let first = try bench.sync(
      #"[{"id": 1, "name": "Ada", "age": 36}, {"id": 2, "name": "Bob"}]"#, "User")
    #expect(first.inserted == 2)
    let (second, changes) = try bench.syncWithChanges(
      #"[{"id": 3, "name": "Cy"}, {"id": 1, "name": "Ada L.", "age": 36}]"#, "User")
    #expect(second.entities["User"]?.inserted == 1)
    #expect(second.entities["User"]?.updated == 1)
    #expect(second.entities["User"]?.deleted == 1)
    #expect(second.entities["User"]?.updatedProperties == ["name": 1])
    #expect(changes.counts == (1, 1, 1))
    #expect(try bench.objects("User") == ["id=1 name=Ada L. age=36", "id=3 name=Cy"])
  }

  @Test func anUnchangedPayloadChangesNothing() throws {
    let bench = try SyncBench(TestModels.social())
    let json = #"""
      [{"id": 1, "name": "Ada", "created_at": "2014-01-02T10:00:00Z", "score": 1.5, "is_active": true,
        "notes": [{"id": 10, "text": "a"}, {"id": 11, "text": "b"}],
        "company": {"id": 7, "name": "Acme"}, "tags": [{"id": 1, "name": "x"}],
        "tasks": [{"id": 2}, {"id": 1}]}]
      """#
    try bench.sync(json, "User")
    let before = try bench.objects("User")
    let (report, changes) = try bench.syncWithChanges(json, "User")
    #expect(report.isUnchanged)
    #expect(changes.isEmpty)
    #expect(report.unchanged == 7)
    #expect(try bench.objects("User") == before)
    #expect(
      before == [
        "id=1 name=Ada score=1.5 isActive=true createdAt=2014-01-02T10:00:00Z "
          + "notes=[10,11] company=7 tags=[1] tasks=[2,1]"
      ])
  }

  @Test func membersThatAListDoesNotMentionAreDeleted() throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 10}, {"id": 11}]}]"#, "User")
    let report = try bench.sync(#"[{"id": 1, "notes": [{"id": 11}, {"id": 12}]}]"#, "User")
    #expect(report.entities["Note"]?.deleted == 1)
    #expect(try bench.objects("Note") == ["id=11 user=1", "id=12 user=1"])
  }

  @Test func listsOfKeysLinkAndUnlinkWithoutDeleting() throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 1}, {"id": 2}, {"id": 3}]"#, "Note")
    try bench.sync(#"[{"id": 1, "notes_ids": [1, 2]}]"#, "User")
    let report = try bench.sync(#"[{"id": 1, "notes_ids": [2, 3, 9]}]"#, "User")
    #expect(try bench.objects("Note") == ["id=1", "id=2 user=1", "id=3 user=1"])
    #expect(report.findings(of: .unresolvedReference).map(\.key) == ["9"])
  }

  @Test func aChildThatChangesOwnerMoves() throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(
      #"[{"id": 1, "notes": [{"id": 10, "text": "kept"}]}, {"id": 2, "notes": []}]"#, "User")
    let (report, changes) = try bench.syncWithChanges(
      #"[{"id": 1, "notes": []}, {"id": 2, "notes": [{"id": 10}]}]"#, "User")
    #expect(try bench.objects("Note") == ["id=10 text=kept user=2"])
    #expect(report.count(of: .movedObject) == 1)
    #expect(changes.counts == (0, 3, 0))
  }

  @Test func twoOwnersThatListOneKeyKeepTwoChildren() throws {
    let bench = try SyncBench(TestModels.userNotes())
    let json = #"[{"id": 1, "notes": [{"id": 0}]}, {"id": 2, "notes": [{"id": 0}]}]"#
    try bench.sync(json, "User")
    #expect(try bench.objects("Note") == ["id=0 user=1", "id=0 user=2"])
    #expect(try bench.sync(json, "User").isUnchanged)
  }

  @Test func aTreeIsSyncedAsAWhole() throws {
    let bench = try SyncBench(TestModels.tree())
    let json = #"""
      [{"id": 1, "children": [{"id": 2, "children": [{"id": 3}]}, {"id": 4}]}, {"id": 5}]
      """#
    try bench.sync(json, "Organization")
    #expect(try bench.sync(json, "Organization").isUnchanged)
    let report = try bench.sync(
      #"[{"id": 1, "children": [{"id": 4, "children": [{"id": 3}]}]}]"#, "Organization")
    #expect(report.deleted == 2)
    #expect(
      try bench.objects("Organization") == [
        "id=1 children=[4]", "id=3 parent=4", "id=4 parent=1 children=[3]",
      ])
  }

  @Test func orderFollowsThePayload() throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(#"[{"id": 1, "tasks": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]}]"#, "User")
    let (report, changes) = try bench.syncWithChanges(
      #"[{"id": 1, "tasks": [{"id": 4}, {"id": 3}, {"id": 1}, {"id": 2}]}]"#, "User")
    #expect(try bench.objects("User") == ["id=1 tasks=[4,3,1,2]"])
    #expect(report.deleted == 0)
    #expect(changes.entities.first?.updated.count == 1)
  }

  @Test func whatIsCancelledIsNotStored() throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 1}]}]"#, "User")
    let before = try bench.objects("User") + bench.objects("Note")
    let control = SyncControl()
    control.cancel()
    #expect(throws: CancellationError.self) {
      _ = try bench.syncWithChanges(#"[{"id": 2}]"#, "User", control: control)
    }
    #expect(try bench.objects("User") + bench.objects("Note") == before)
  }

  @Test func willInsertMayRewriteANewObject() throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 1, "name": "old"}]"#, "User")
    var asked: [String] = []
    try bench.sync(
      #"[{"id": 1, "name": "new"}, {"id": 2, "notes": [{"id": 5}]}]"#, "User"
    ) {
      $0.willInsert = { item, entity, parent in
        asked.append("\(entity.name) \(item["id"]?.integerValue ?? -1) \(parent?.row ?? 0)")
        guard entity.name == "Note" else { return item }
        return ["id": 5, "text": "written"]
      }
    }
    #expect(asked == ["User 2 0", "Note 5 2"])
    #expect(try bench.objects("Note") == ["id=5 text=written user=2"])
    #expect(try bench.objects("User") == ["id=1 name=new", "id=2 notes=[5]"])
  }

  @Test func massDeletionIsRefused() throws {
    let bench = try SyncBench(TestModels.userNotes())
    let all = (1...1_200).map { #"{"id": \#($0)}"# }.joined(separator: ",")
    try bench.sync("[\(all)]", "User")
    #expect(throws: SyncError.self) { try bench.sync("[]", "User") }
    #expect(throws: SyncError.self) { try bench.sync(#"[{"id": 1}]"#, "User") }
    #expect(throws: SyncError.self) { try bench.sync(#"{"error": "down"}"#, "User") }
    #expect(try bench.count("User") == 1_200)
    try bench.sync(#"[{"id": 1}]"#, "User") { $0.deletionGuard = .off }
    #expect(try bench.count("User") == 1)
  }
}
