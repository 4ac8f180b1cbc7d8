import Foundation
import SyncStack
import TestSupport
import Testing

/// A sync that commits per batch finds the objects that were stored of the same payload until one
/// was stopped.
@Suite struct StoppedBatchTests {
  private let bench: SyncBench

  init() throws { bench = try SyncBench(TestModels.social()) }

  /// Users whose notes move, refer to later objects, and repeat.
  private static let items = (0..<200).map { number in
    """
    {"id": \(number % 150), "name": "n\(number)", "company_id": \((number * 7) % 40), \
    "notes": [{"id": \(number)}, {"id": \((number * 13) % 200)}], "tags": [{"id": \(number % 9)}]}
    """
  }

  private static let payload = "[\(items.joined(separator: ","))]"

  @Test(arguments: [1, 4, 11, 19]) func itGivesWhatOneRunGives(_ count: Int) throws {
    let whole = try SyncBench(TestModels.social())
    let stored = #"[{"id": 900, "notes": [{"id": 901}]}, {"id": 3, "notes": [{"id": 902}]}]"#
    for bench in [whole, bench] { try bench.sync(stored, "User") }
    try whole.sync(Self.payload, "User") { $0.setup.transaction = .perBatch(10) }
    try bench.syncBatches(Self.payload, stoppedAfter: count)
    let report = try bench.syncBatches(Self.payload)
    #expect(report.itemCount == 200)
    #expect(report.entities["User"]?.inserted == 150 - count * 10 || count > 14)
    for entity in ["User", "Note", "Company", "Tag"] {
      #expect(try bench.objects(entity) == whole.objects(entity))
    }
  }

  /// Of a payload that says two things of a partner.
  @Test(arguments: [1, 2, 3]) func bothEndsAgreeWhereverItIsStopped(_ count: Int) throws {
    let payload = #"""
      [{"id": 4, "others": [{"id": "2", "partner_id": 3}]}, {"id": 4},
       {"id": 3, "friends": [{"id": 1, "partner_id": "2"}]}, {"id": 5}]
      """#
    let change: (inout SyncRequest) -> Void = { $0.setup.transaction = .perBatch(1) }
    let bench = try SyncBench(TestModels.relationships())
    try bench.syncBatches(payload, entity: "A", stoppedAfter: count, change)
    #expect(try bench.store.read { try $0.checkConsistency() }.isEmpty)
    try bench.sync(payload, "A", change)
    #expect(try bench.store.read { try $0.checkConsistency() }.isEmpty)
  }

  @Test func aRefusedEndCanBeMadeUpFor() throws {
    let stored = "[\((1_000..<2_000).map { "{\"id\": \($0)}" }.joined(separator: ","))]"
    try bench.sync(stored, "User")
    expectError("SyncError deletionRefused") { try bench.syncBatches(Self.payload) }
    let report = try bench.syncBatches(Self.payload) { $0.settings.deletionGuard = .off }
    #expect(report.entities["User"]?.deleted == 1_000)
    #expect(try bench.count("User") == 150)
  }

  /// Later batches see in it the objects that earlier ones would have stored.
  @Test(arguments: [1, 10]) func aDryRunReportsWhatTheRunReports(_ size: Int) throws {
    try bench.sync(#"[{"id": 900, "notes": [{"id": 901}]}]"#, "User")
    let before = try bench.store.read { try $0.dump() }
    var dry = try bench.syncBatches(Self.payload) {
      $0.setup.isDryRun = true
      $0.setup.transaction = .perBatch(size)
    }
    #expect(try bench.store.read { try $0.dump() } == before)
    var real = try bench.syncBatches(Self.payload) { $0.setup.transaction = .perBatch(size) }
    dry.phaseDurations = [:]
    real.phaseDurations = [:]
    real.isDryRun = true
    #expect(dry == real)
  }

  // MARK: - Cancelled at any checkpoint

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
