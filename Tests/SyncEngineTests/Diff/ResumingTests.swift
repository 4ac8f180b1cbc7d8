import Foundation
import SyncCore
import SyncEngine
import SyncStore
import TestSupport
import Testing

/// A sync that commits per batch goes on where one of the same payload was stopped.
@Suite struct ResumingTests {
  private let bench: SyncBench

  init() throws {
    bench = try SyncBench(TestModels.social())
  }

  /// Users whose notes move, refer to what comes later, and repeat.
  private static let items = (0..<200).map { number in
    """
    {"id": \(number % 150), "name": "n\(number)", "company_id": \((number * 7) % 40), \
    "notes": [{"id": \(number)}, {"id": \((number * 13) % 200)}], "tags": [{"id": \(number % 9)}]}
    """
  }

  private static let payload = "[\(items.joined(separator: ","))]"

  /// Syncs in batches, and stops after so many of them.
  private func sync(
    _ payload: String, stoppedAfter count: Int, _ change: (inout SyncRequest) -> Void = { _ in }
  ) throws {
    let batches = Locked(0)
    let subscription = bench.store.hub.subscribe { _ in batches.withLock { $0 += 1 } }
    let control = SyncControl()
    control.observe { [control = WeakControl(control)] _ in
      if batches.withLock({ $0 }) >= count { control.control?.cancel() }
    }
    #expect(throws: CancellationError.self) {
      _ = try bench.syncWithChanges(
        payload, "User",
        {
          $0.transaction = .perBatch(10)
          change(&$0)
        }, control: control)
    }
    subscription.cancel()
  }

  private final class WeakControl: Sendable {
    weak let control: SyncControl?
    init(_ control: SyncControl) { self.control = control }
  }

  private func goOn(_ payload: String = payload, _ change: (inout SyncRequest) -> Void = { _ in })
    throws -> SyncReport
  {
    try bench.sync(payload, "User") {
      $0.transaction = .perBatch(10)
      change(&$0)
    }
  }

  @Test(arguments: [1, 4, 11, 19]) func itGivesWhatOneRunGives(_ count: Int) throws {
    let whole = try SyncBench(TestModels.social())
    let stored = #"[{"id": 900, "notes": [{"id": 901}]}, {"id": 3, "notes": [{"id": 902}]}]"#
    for bench in [whole, bench] { try bench.sync(stored, "User") }
    try whole.sync(Self.payload, "User") { $0.transaction = .perBatch(10) }
    try sync(Self.payload, stoppedAfter: count)
    let report = try goOn()
    #expect(report.resumedItemCount > 0)
    #expect(report.resumedItemCount <= count * 10)
    #expect(report.itemCount == 200)
    for entity in ["User", "Note", "Company", "Tag"] {
      #expect(try bench.objects(entity) == whole.objects(entity))
    }
    #expect(try bench.store.read { try $0.keptNames("resume") }.isEmpty)
    #expect(try goOn().resumedItemCount == 0)
  }

  /// What a stopped batch brought is as new to the items behind it as if nobody had stopped.
  @Test(arguments: [2, 3, 4]) func itemsThatComeAgainStillCount(_ count: Int) throws {
    let payload = #"[{"id": 3}, {"id": 2}, {"id": 1}, {"id": 4}, {"id": 1, "tasks": [{"id": 4}]}]"#
    try sync(payload, stoppedAfter: count) {
      $0.transaction = .perBatch(1)
      $0.operations = [.insert, .insertRelationships]
    }
    _ = try goOn(payload) {
      $0.transaction = .perBatch(1)
      $0.operations = [.insert, .insertRelationships]
    }
    #expect(
      try bench.objects("User") == ["id=1 tasks=[4]", "id=2", "id=3", "id=4"])
  }

  /// Batches that were forgotten are worked off once more: both ends of a relationship agree nevertheless.
  @Test(arguments: [1, 2]) func bothEndsAgreeThoughBatchesAreForgotten(_ count: Int) throws {
    let bench = try SyncBench(TestModels.relationships())
    let payload = #"""
      [{"id": 4, "others": [{"id": "2", "partner_id": 3}]}, {"id": 4},
       {"id": 3, "friends": [{"id": 1, "partner_id": "2"}]}, {"id": 5}]
      """#
    let batches = Locked(0)
    let subscription = bench.store.hub.subscribe { _ in batches.withLock { $0 += 1 } }
    let control = SyncControl()
    control.observe { [control = WeakControl(control)] _ in
      if batches.withLock({ $0 }) >= count { control.control?.cancel() }
    }
    let change: (inout SyncRequest) -> Void = {
      $0.transaction = .perBatch(1)
      $0.resumePointSize = 0
    }
    #expect(throws: CancellationError.self) {
      _ = try bench.syncWithChanges(payload, "A", change, control: control)
    }
    subscription.cancel()
    try bench.sync(payload, "A", change)
    #expect(try bench.objects("B") == ["id=2 partner=1"])
    #expect(
      try bench.objects("A") == [
        "id=1 partner=2 friends=[3]", "id=3 friends=[1]", "id=4 others=[2]", "id=5",
      ])
  }

  @Test func aPayloadMayHaveGrownBehindThePlace() throws {
    try sync(Self.payload, stoppedAfter: 12)
    let longer = Self.payload.dropLast() + #",{"id": 990}]"#
    #expect(try goOn(String(longer)).resumedItemCount > 0)
    #expect(try bench.objects("User").contains { $0.hasPrefix("id=990") })
  }

  @Test func anotherPayloadBeginsAtTheBeginning() throws {
    try sync(Self.payload, stoppedAfter: 12)
    let other = Self.payload.replacing("\"n0\"", with: "\"x0\"")
    let report = try goOn(other)
    #expect(report.resumedItemCount == 0)
    #expect(report.entities["User"]?.updated ?? 0 > 0)
  }

  @Test func otherSettingsBeginAtTheBeginning() throws {
    try sync(Self.payload, stoppedAfter: 12)
    #expect(try goOn { $0.filter = "id < 100" }.resumedItemCount == 0)
  }

  /// What somebody else has done to the objects would go unnoticed.
  @Test func whenSomebodyHasWrittenItBeginsAtTheBeginning() throws {
    try sync(Self.payload, stoppedAfter: 12)
    try bench.sync(#"{"id": 1, "name": "mine"}"#, "Company") { $0.operations = [.insert, .update] }
    let user = try bench.model.requireEntity(named: "User")
    try bench.store.write { _ = try $0.delete([1], of: user) { _, _ in false } }
    let report = try goOn()
    #expect(report.resumedItemCount == 0)
    #expect(report.entities["User"]?.inserted ?? 0 > 0)
    #expect(try bench.count("User") == 150)
  }

  /// They cannot be recognised when they come again.
  @Test func objectsThatAreAlwaysInsertedAreThereOnce() throws {
    let payload = "[\((0..<100).map { "{\"id\": \($0)}" }.joined(separator: ","))]"
    try sync(payload, stoppedAfter: 7) { $0.operations = [.insert, .alwaysInsert] }
    #expect(try bench.count("User") == 70)
    let report = try goOn(payload) { $0.operations = [.insert, .alwaysInsert] }
    #expect(report.resumedItemCount == 70)
    #expect(try bench.count("User") == 100)
  }

  @Test func aRefusedEndCanBeMadeUpFor() throws {
    let stored = "[\((1_000..<2_000).map { "{\"id\": \($0)}" }.joined(separator: ","))]"
    try bench.sync(stored, "User")
    let error = #expect(throws: SyncError.self) { try goOn() }
    #expect(error?.code == .deletionRefused)
    let report = try goOn { $0.deletionGuard = .off }
    #expect(report.resumedItemCount > 0)
    #expect(report.entities["User"]?.deleted == 1_000)
    #expect(try bench.count("User") == 150)
  }

  /// Later batches see in it what earlier ones would have stored.
  @Test(arguments: [1, 10]) func aDryRunReportsWhatTheRunReports(_ size: Int) throws {
    try bench.sync(#"[{"id": 900, "notes": [{"id": 901}]}]"#, "User")
    let before = try bench.store.read { try $0.dump() }
    var dry = try goOn {
      $0.isDryRun = true
      $0.transaction = .perBatch(size)
    }
    #expect(try bench.store.read { try $0.dump() } == before)
    var real = try goOn { $0.transaction = .perBatch(size) }
    dry.phaseDurations = [:]
    real.phaseDurations = [:]
    real.isDryRun = true
    #expect(dry == real)
  }
}
