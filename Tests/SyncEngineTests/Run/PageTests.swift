import SyncCore
import SyncEngine
import SyncStore
import TestSupport
import Testing

/// Pages of one session give what one payload gives; only the end deletes.
@Suite struct PageTests {
  private let pages = [
    #"[{"id": 1, "notes": [{"id": 1}], "company_id": 5}, {"id": 2, "notes": [{"id": 1}]}]"#,
    #"[{"id": 3, "notes_ids": [1], "tags": [{"id": 1}]}]"#,
    #"[{"id": 1, "name": "again", "company": {"id": 6}}, {"id": 4, "company": {"id": 5}}]"#,
  ]

  private func makeBench() throws -> SyncBench {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 9}]}, {"id": 8, "notes": [{"id": 7}]}]"#, "User")
    return bench
  }

  private func page(_ json: String, _ state: SessionState, _ bench: SyncBench) throws {
    try bench.sync(json, "User") { $0.session = state }
  }

  private func finish(_ state: SessionState, _ bench: SyncBench) throws -> SyncReport {
    let plan = MappingPlanCompiler.compile(
      try bench.model.requireEntity(named: "User"),
      MappingEnvironment(transformers: TransformerRegistry()))
    return try SyncRun(
      SyncRequest(plan: plan, payload: .json([])), store: bench.store, control: SyncControl()
    ).end(state)
  }

  @Test func pagesGiveWhatOnePayloadGives() throws {
    let whole = try makeBench()
    let payload = "[" + pages.map { $0.dropFirst().dropLast() }.joined(separator: ",") + "]"
    try whole.sync(payload, "User")
    let paged = try makeBench()
    let state = SessionState(entity: try paged.model.requireEntity(named: "User"), name: nil)
    for json in pages { try page(json, state, paged) }
    #expect(try paged.count("User") == 5, "nothing is deleted before the end")
    let report = try finish(state, paged)
    #expect(report.entities["User"]?.deleted == 1)
    for entity in ["User", "Note", "Company", "Tag"] {
      #expect(try paged.objects(entity) == whole.objects(entity))
    }
  }

  /// What was not there when the first page came may be there when the next one does.
  @Test func aPageFindsWhatSomebodyElseBrought() throws {
    let bench = try SyncBench(TestModels.userNotes())
    let state = SessionState(entity: try bench.model.requireEntity(named: "User"), name: nil)
    try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "User") {
      $0.session = state
      $0.partItems = 1
    }
    try bench.sync(#"[{"id": 7}]"#, "User") { $0.operations = .insert }
    try page(#"[{"id": 7, "name": "known"}]"#, state, bench)
    #expect(try bench.count("User") == 3)
  }

  @Test func aSessionGoesOnAfterARestart() throws {
    let bench = try makeBench()
    let entity = try bench.model.requireEntity(named: "User")
    for json in pages {
      let state = SessionState(entity: entity, name: "daily")
      try page(json, state, bench)
    }
    let state = SessionState(entity: entity, name: "daily")
    _ = try finish(state, bench)
    let whole = try makeBench()
    try whole.sync(
      "[" + pages.map { $0.dropFirst().dropLast() }.joined(separator: ",") + "]", "User")
    #expect(try bench.objects("User") == whole.objects("User"))
    #expect(try bench.store.read { try $0.openSyncs("session") }.isEmpty)
  }

  @Test func aPageThatFailsLeavesNoTrace() throws {
    let bench = try makeBench()
    let state = SessionState(entity: try bench.model.requireEntity(named: "User"), name: nil)
    try page(#"[{"id": 1}]"#, state, bench)
    let control = SyncControl()
    control.cancel()
    #expect(throws: CancellationError.self) {
      _ = try bench.syncWithChanges(
        #"[{"id": 8}]"#, "User", { $0.session = state }, control: control)
    }
    #expect(try finish(state, bench).entities["User"]?.deleted == 1)
    #expect(try bench.objects("User").map { $0.prefix(4) } == ["id=1"])
  }
}
