import SyncStack
import TestSupport
import Testing

/// A payload that is worked off in parts gives the same as in one.
@Suite struct PartTests {
  private let payload = #"""
    [{"id": 1, "name": "a", "notes": [{"id": 1}, {"id": 2}], "company_id": 5, "tags": [{"id": 1}]},
     {"id": 2, "notes": [{"id": 2}, {"id": 3}], "company": {"id": 5, "name": "late"}},
     {"id": 3, "notes": [], "tags": [{"id": 1, "name": "x"}, {"id": 2}], "tasks": [{"id": 2}, {"id": 1}]},
     {"id": 1, "email": "again"},
     {"id": 4, "notes_ids": [9, 1], "company_id": 77}]
    """#

  @Test(arguments: 1...6, [false, true])
  func partsGiveWhatTheWholeGives(_ size: Int, isEmpty: Bool) throws {
    let whole = try SyncBench(TestModels.social())
    let parts = try SyncBench(TestModels.social())
    for bench in [whole, parts] where !isEmpty {
      try bench.sync(
        #"[{"id": 9, "notes": [{"id": 8}]}, {"id": 3, "notes": [{"id": 7}]}, {"id": 2}]"#, "User")
    }
    let first = try whole.sync(payload, "User")
    let second = try parts.sync(payload, "User", parts: size)
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

  /// Keys that come again in a later part are found, whether they lie close together or far apart:
  /// as they are where every key is looked up, because the tables held something before.
  @Test(arguments: [1, 7, 4_000_000_007] as [Int64], [1, 13, 64])
  func repeatedKeysAreFoundAcrossParts(_ distance: Int64, _ size: Int) throws {
    var generator = SeededGenerator(seed: UInt64(distance))
    let items = (0..<600).map { _ in
      let id = Int64.random(in: -20...240, using: &generator) * distance
      let note = Int64.random(in: 0...800, using: &generator) * distance
      return #"{"id": \#(id), "name": "\#(note)", "notes": [{"id": \#(note)}]}"#
    }
    let payload = "[" + items.joined(separator: ",") + "]"
    let empty = try SyncBench(TestModels.userNotes())
    let filled = try SyncBench(TestModels.userNotes())
    let other = #"{"id": -1000, "notes": [{"id": -1000}]}"#
    try filled.sync(other, "User")
    for bench in [empty, filled] { try bench.sync(payload, "User", parts: size) }
    try empty.sync(other, "User") { $0.settings.operations = [.insert, .insertRelationships] }
    try filled.sync(other, "User") { $0.settings.operations = [.insert, .insertRelationships] }
    #expect(try empty.objects("User") == filled.objects("User"))
    #expect(try empty.objects("Note") == filled.objects("Note"))
  }

  /// The objects of a part for an empty store are not looked up, so the indexes are built once, at
  /// the end.
  @Test func anEmptyStoreTakesPartsWithoutLookingKeysUp() throws {
    let bench = try SyncBench(TestModels.userNotes())
    let items = (0..<6_000).map { #"{"id": \#($0), "notes": [{"id": \#($0 + 7)}]}"# }
    let payload = "[" + items.joined(separator: ",") + "]"
    let texts = try bench.store.recorder.record {
      try bench.sync(payload, "User", parts: 2_500)
    }
    #expect(!texts.contains { $0.contains("IN (?") && $0.hasPrefix("SELECT") })
    #expect(
      texts.count { $0.contains("CREATE INDEX") } == texts.count { $0.contains("DROP INDEX") })
    #expect(try bench.count("Note") == 6_000)
  }

  /// Nor keys of an earlier batch, as long as no other program writes.
  @Test func anEmptyStoreTakesBatchesWithoutLookingKeysUp() throws {
    let bench = try SyncBench(TestModels.userNotes())
    let items = (0..<600).map { #"{"id": \#($0), "notes": [{"id": \#($0 + 7)}]}"# }
    let texts = try bench.store.recorder.record {
      try bench.syncBatches("[" + items.joined(separator: ",") + "]")
    }
    #expect(!texts.contains { $0.contains("IN (?") && $0.hasPrefix("SELECT") })
    #expect(try bench.count("Note") == 600)
  }

  @Test func aBatchFindsObjectsOfAnotherProgram() throws {
    let bench = try SyncBench(TestModels.userNotes())
    let items = (0..<60).map { #"{"id": \#($0), "notes": [{"id": \#($0 + 7)}]}"# }
    let isDone = Locked(false)
    let control = SyncControl()
    control.observe { _ in
      guard !bench.store.isOnWriterQueue, (try? bench.count("User")) ?? 0 > 0,
        isDone.withLock({
          let isFirst = !$0
          $0 = true
          return isFirst
        })
      else { return }
      _ = try? bench.sync(
        #"[{"id": 55, "notes": [{"id": 50}]}]"#, "User",
        operations: [.insert, .insertRelationships])
    }
    let report = try bench.syncWithChanges(
      "[" + items.joined(separator: ",") + "]", "User", { $0.setup.transaction = .perBatch(10) },
      control: control
    ).report
    #expect(isDone.withLock { $0 })
    #expect(report.entities["User"]?.inserted == 59)
    #expect(try bench.count("User") == 60)
    #expect(try bench.count("Note") == 60)
  }

  @Test(arguments: [1, 2, 100], [false, true])
  func anObjectThatSeveralPartsOrBatchesChangeIsCountedOnce(size: Int, areBatches: Bool) throws {
    let first = #"""
      [{"id": 1, "name": "a", "notes": [{"id": 1}, {"id": 2}], "company": {"id": 1}},
       {"id": 2, "notes": [{"id": 3}], "company": {"id": 1}}, {"id": 3}, {"id": 4, "company": {"id": 2}}]
      """#
    // Notes go at the end, which changes their owners once more; a company is named by several
    // batches.
    let second = #"""
      [{"id": 1, "name": "b", "notes": [{"id": 1, "text": "x"}, {"id": 4}], "company": {"id": 1, "name": "c"}},
       {"id": 2, "notes": [], "company": {"id": 1, "name": "c"}}, {"id": 5, "company": {"id": 3}},
       {"id": 4, "company": {"id": 3}}]
      """#
    let whole = try SyncBench(TestModels.social())
    let batches = try SyncBench(TestModels.social())
    for payload in [first, second, second] {
      let expected = try whole.sync(payload, "User").entities
      let entities = try batches.sync(payload, "User") {
        if areBatches { $0.setup.transaction = .perBatch(size) } else { $0.tuning.partItems = size }
      }.entities
      for (name, entity) in expected {
        #expect(
          entities[name].map { [$0.inserted, $0.updated, $0.deleted, $0.unchanged] }
            == [entity.inserted, entity.updated, entity.deleted, entity.unchanged], "\(name)")
        #expect(entities[name]?.updatedProperties == entity.updatedProperties, "\(name)")
      }
    }
  }

  @Test(arguments: [1, 2, nil])
  func theItemsAreTheListOfAGivenParentOverAllParts(size: Int?) throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(
      #"[{"id": 1, "tags": [{"id": 1}, {"id": 2}], "notes": [{"id": 1}, {"id": 2}]}]"#, "User")
    let parent = try bench.id("User", 1)
    for entity in ["Tag", "Note"] {
      let report = try bench.sync(
        #"[{"id": 2}, {"id": 3}, {"id": 4}]"#, entity, under: parent, parts: size)
      #expect(report.inserted == 2)
    }
    #expect(try bench.objects("User") == ["id=1 notes=[2,3,4] tags=[2,3,4]"])
    #expect(try bench.count("Tag") == 4 && bench.count("Note") == 3)
  }

  @Test func aListOfKeysThatWaitsDoesNotTakeAnObjectFromAnOwnerThatListedItLater() throws {
    for size in [1, nil] {
      let bench = try SyncBench(TestModels.social())
      try bench.sync(
        #"[{"id": 1, "notes_ids": [5]}, {"id": 2, "notes": [{"id": 5}]}]"#, "User", parts: size)
      #expect(try bench.objects("User") == ["id=1", "id=2 notes=[5]"])
    }
  }

  // MARK: - Pages of a session

  private func page(_ json: String, _ state: SessionState, _ bench: SyncBench) throws {
    try bench.sync(json, "User") { $0.session = state }
  }

  /// An object that was not there when the first page came may be there when the next one does.
  @Test func aPageFindsObjectsOfAnotherProgram() throws {
    let bench = try SyncBench(TestModels.userNotes())
    let state = SessionState(entity: try bench.model.requireEntity(named: "User"), name: nil)
    try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "User") {
      $0.session = state
      $0.tuning.partItems = 1
    }
    try bench.sync(#"[{"id": 7}]"#, "User", operations: .insert)
    try page(#"[{"id": 7, "name": "known"}]"#, state, bench)
    #expect(try bench.count("User") == 3)
  }

  @Test func aPageThatFailsLeavesNoTrace() throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 9}]}, {"id": 8, "notes": [{"id": 7}]}]"#, "User")
    let state = SessionState(entity: try bench.model.requireEntity(named: "User"), name: nil)
    try page(#"[{"id": 1}]"#, state, bench)
    let control = SyncControl()
    control.cancel()
    #expect(throws: CancellationError.self) {
      _ = try bench.syncWithChanges(
        #"[{"id": 8}]"#, "User", { $0.session = state }, control: control)
    }
    let end = try bench.end(state, try bench.request("User", .json([])))
    #expect(end.entities["User"]?.deleted == 1)
    #expect(try bench.objects("User").map { $0.prefix(4) } == ["id=1"])
  }
}
