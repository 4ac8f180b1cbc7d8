import Foundation
import SyncCore
import SyncEngine
import SyncStore
import TestSupport
import Testing

@Suite struct CancellationTests {
  /// A store with users and notes, and a payload that inserts, updates, moves and deletes enough of
  /// them that every phase passes several checkpoints.
  private func makeBench() throws -> (SyncBench, payload: String) {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(payload(1...320, suffix: "a"), "User")
    return (bench, payload(151...470, suffix: "b"))
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

  private func steps(of bench: SyncBench, _ payload: String) throws -> [SyncStep] {
    let steps = Locked<[SyncStep]>([])
    let control = SyncControl { step in steps.withLock { $0.append(step) } }
    _ = try bench.syncWithChanges(payload, "User", { $0.isDryRun = true }, control: control)
    return steps.withLock { $0 }
  }

  @Test func everyPhaseIsAnnouncedInOrder() throws {
    let (bench, payload) = try makeBench()
    let phases = try steps(of: bench, payload).filter(\.begins).map(\.phase)
    #expect(phases == SyncPhase.allCases)
  }

  @Test func cancelledAtAnyCheckpointLeavesEveryTableAsItWas() throws {
    let (bench, payload) = try makeBench()
    let before = try bench.store.read { try $0.dump() }
    let count = try steps(of: bench, payload).count
    #expect(count > 20)
    for position in 0..<count {
      let passed = Locked(0)
      let controls = Locked<SyncControl?>(nil)
      let control = SyncControl { _ in
        let step = passed.withLock { passed in
          passed += 1
          return passed - 1
        }
        if step == position { controls.withLock { $0 }?.cancel() }
      }
      controls.withLock { $0 = control }
      defer { controls.withLock { $0 = nil } }
      #expect(throws: CancellationError.self, "cancelled at step \(position) of \(count)") {
        _ = try bench.syncWithChanges(payload, "User", control: control)
      }
      #expect(try bench.store.read { try $0.dump() } == before)
    }
    #expect(try bench.sync(payload, "User").inserted > 0)
  }

  @Test func aDryRunReportsTheSameAndStoresNothing() throws {
    let (bench, payload) = try makeBench()
    let before = try bench.store.read { try $0.dump() }
    var dry = try bench.sync(payload, "User") { $0.isDryRun = true }
    #expect(try bench.store.read { try $0.dump() } == before)
    var real = try bench.sync(payload, "User")
    #expect(dry.isDryRun)
    dry.phaseDurations = [:]
    real.phaseDurations = [:]
    real.isDryRun = true
    #expect(dry == real)
  }
}
