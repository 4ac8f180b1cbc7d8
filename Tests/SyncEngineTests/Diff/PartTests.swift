import SyncCore
import SyncEngine
import SyncStore
import TestSupport
import Testing

/// A payload that is worked off in parts gives what it gives as a whole.
@Suite struct PartTests {
  private let payload = #"""
    [{"id": 1, "name": "a", "notes": [{"id": 1}, {"id": 2}], "company_id": 5, "tags": [{"id": 1}]},
     {"id": 2, "notes": [{"id": 2}, {"id": 3}], "company": {"id": 5, "name": "late"}},
     {"id": 3, "notes": [], "tags": [{"id": 1, "name": "x"}, {"id": 2}], "tasks": [{"id": 2}, {"id": 1}]},
     {"id": 1, "email": "again"},
     {"id": 4, "notes_ids": [9, 1], "company_id": 77}]
    """#

  @Test(arguments: 1...6) func partsGiveWhatTheWholeGives(_ size: Int) throws {
    let whole = try SyncBench(TestModels.social())
    let parts = try SyncBench(TestModels.social())
    for bench in [whole, parts] {
      try bench.sync(
        #"[{"id": 9, "notes": [{"id": 8}]}, {"id": 3, "notes": [{"id": 7}]}, {"id": 2}]"#, "User")
    }
    let first = try whole.sync(payload, "User")
    let second = try parts.sync(payload, "User") { $0.partItems = size }
    for entity in ["User", "Note", "Company", "Tag", "Task"] {
      #expect(try parts.objects(entity) == whole.objects(entity))
      #expect(second.entities[entity]?.inserted == first.entities[entity]?.inserted)
      #expect(second.entities[entity]?.deleted == first.entities[entity]?.deleted)
    }
    #expect(
      Set(second.findings(of: .unresolvedReference).map(\.key))
        == Set(first.findings(of: .unresolvedReference).map(\.key)))
    #expect(first.findings(of: .unresolvedReference).count == 2)
  }

  @Test(arguments: [1, 2, 100]) func perBatchGivesTheSameInTheEnd(_ size: Int) throws {
    let whole = try SyncBench(TestModels.social())
    let batches = try SyncBench(TestModels.social())
    try whole.sync(payload, "User")
    try batches.sync(payload, "User") { $0.transaction = .perBatch(size) }
    for entity in ["User", "Note", "Company", "Tag", "Task"] {
      #expect(try batches.objects(entity) == whole.objects(entity))
    }
  }

  @Test("the items are the list of a given parent, over all parts", arguments: [1, 2, nil])
  func partsOfAParentsList(size: Int?) throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(
      #"[{"id": 1, "tags": [{"id": 1}, {"id": 2}], "notes": [{"id": 1}, {"id": 2}]}]"#, "User")
    let user = try bench.model.requireEntity(named: "User")
    var parent: ManagedObjectID?
    try bench.store.read {
      try $0.scan(user, .all) { parent = ManagedObjectID(entity: user, row: $0.row) }
    }
    for entity in ["Tag", "Note"] {
      let report = try bench.sync(#"[{"id": 2}, {"id": 3}, {"id": 4}]"#, entity) {
        $0.parent = parent
        $0.partItems = size
      }
      #expect(report.inserted == 2)
    }
    #expect(try bench.objects("User") == ["id=1 notes=[2,3,4] tags=[2,3,4]"])
    #expect(try bench.count("Tag") == 4 && bench.count("Note") == 3)
  }

  @Test("a list of keys that waits does not take an object from who listed it later")
  func laterListsWin() throws {
    for size in [1, nil] {
      let bench = try SyncBench(TestModels.social())
      try bench.sync(#"[{"id": 1, "notes_ids": [5]}, {"id": 2, "notes": [{"id": 5}]}]"#, "User") {
        $0.partItems = size
      }
      #expect(try bench.objects("User") == ["id=1", "id=2 notes=[5]"])
    }
  }

  @Test func whatWasCommittedPerBatchStaysWhenALaterItemFails() throws {
    let bench = try SyncBench(TestModels.userNotes())
    #expect(throws: JSONError.self) {
      try bench.sync(#"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": "#, "User") {
        $0.transaction = .perBatch(2)
      }
    }
    #expect(try bench.objects("User") == ["id=1", "id=2"])
  }
}
