import SyncStack
import TestSupport
import Testing

/// Pages of one session give the same as one payload; only the end deletes.
@Suite struct PageTests {
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
