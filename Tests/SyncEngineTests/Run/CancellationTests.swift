import SyncStack
import TestSupport
import Testing

@Suite struct CancellationTests {
  /// A store with users and notes, and a payload that inserts, updates, moves and deletes enough of
  /// them that every phase passes several checkpoints.
  private func makeBench() throws -> (SyncBench, payload: String) {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(payload(1...160, suffix: "a"), "User")
    return (bench, payload(76...235, suffix: "b"))
  }

  private func payload(_ users: ClosedRange<Int>, suffix: String) -> String {
    let items = users.map { id in
      """
      {"id": \(id), "name": "\(id % 3 == 0 ? suffix : "same")",
       "notes": [{"id": \(id)}, {"id": \(id + 10_000), "text": "\(suffix)"}],
       "tags": [{"id": \(id % 7)}], "tasks": [{"id": \(id)}]}
      """
    }
    return "[" + items.joined(separator: ",") + "]"
  }

  @Test func cancelledAtAnyCheckpointLeavesEveryTableAsItWas() throws {
    let (bench, payload) = try makeBench()
    let runs = try bench.cancelAtEveryStep { control in
      _ = try bench.syncWithChanges(payload, "User", control: control)
    }
    #expect(runs > 20)
    #expect(try bench.sync(payload, "User").isUnchanged)
  }
}
