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

  @Test(arguments: [1, 4, 11, 19]) func itGivesWhatOneRunGives(_ count: Int) throws {
    let whole = try SyncBench(TestModels.social())
    let stored = #"[{"id": 900, "notes": [{"id": 901}]}, {"id": 3, "notes": [{"id": 902}]}]"#
    for bench in [whole, bench] { try bench.sync(stored, "User") }
    try whole.sync(Self.payload, "User") { $0.transaction = .perBatch(10) }
    try bench.syncBatches(Self.payload, stoppedAfter: count)
    let report = try bench.syncBatches(Self.payload)
    #expect(report.resumedItemCount > 0)
    #expect(report.resumedItemCount <= count * 10)
    #expect(report.itemCount == 200)
    for entity in ["User", "Note", "Company", "Tag"] {
      #expect(try bench.objects(entity) == whole.objects(entity))
    }
    #expect(try bench.store.read { try $0.openSyncs("resume") }.isEmpty)
    #expect(try bench.syncBatches(Self.payload).resumedItemCount == 0)
  }

  /// A point that is rewritten with each batch and one that is not give the same: both ends of a
  /// relationship agree.
  @Test(arguments: [1, 2, 3]) func bothEndsAgreeWhereverItIsStopped(_ count: Int) throws {
    let payload = #"""
      [{"id": 4, "others": [{"id": "2", "partner_id": 3}]}, {"id": 4},
       {"id": 3, "friends": [{"id": 1, "partner_id": "2"}]}, {"id": 5}]
      """#
    let change: (inout SyncRequest) -> Void = {
      $0.transaction = .perBatch(1)
    }
    let bench = try SyncBench(TestModels.relationships())
    try bench.syncBatches(payload, entity: "A", stoppedAfter: count, change)
    try bench.sync(payload, "A", change)
    let whole = try SyncBench(TestModels.relationships())
    try whole.sync(payload, "A", change)
    for entity in ["A", "B"] { #expect(try bench.objects(entity) == whole.objects(entity)) }
  }

  @Test func aPayloadMayHaveGrownBehindThePlace() throws {
    try bench.syncBatches(Self.payload, stoppedAfter: 12)
    let longer = Self.payload.dropLast() + #",{"id": 990}]"#
    #expect(try bench.syncBatches(String(longer)).resumedItemCount > 0)
    #expect(try bench.objects("User").contains { $0.hasPrefix("id=990") })
  }

  @Test func anotherPayloadBeginsAtTheBeginning() throws {
    try bench.syncBatches(Self.payload, stoppedAfter: 12)
    let other = Self.payload.replacing("\"n0\"", with: "\"x0\"")
    let report = try bench.syncBatches(other)
    #expect(report.resumedItemCount == 0)
    #expect(report.entities["User"]?.updated ?? 0 > 0)
  }

  @Test func otherSettingsBeginAtTheBeginning() throws {
    try bench.syncBatches(Self.payload, stoppedAfter: 12)
    #expect(try bench.syncBatches(Self.payload) { $0.filter = "id < 100" }.resumedItemCount == 0)
  }

  /// What somebody else has done to the objects would go unnoticed.
  @Test func whenSomebodyHasWrittenItBeginsAtTheBeginning() throws {
    try bench.syncBatches(Self.payload, stoppedAfter: 12)
    try bench.sync(#"{"id": 1, "name": "mine"}"#, "Company") { $0.operations = [.insert, .update] }
    let user = try bench.model.requireEntity(named: "User")
    try bench.store.write { _ = try $0.delete([1], of: user) { _, _ in false } }
    let report = try bench.syncBatches(Self.payload)
    #expect(report.resumedItemCount == 0)
    #expect(report.entities["User"]?.inserted ?? 0 > 0)
    #expect(try bench.count("User") == 150)
  }

  /// They cannot be recognised when they come again.
  @Test func objectsThatAreAlwaysInsertedAreThereOnce() throws {
    let payload = "[\((0..<100).map { "{\"id\": \($0)}" }.joined(separator: ","))]"
    try bench.syncBatches(payload, stoppedAfter: 7) { $0.operations = [.insert, .alwaysInsert] }
    #expect(try bench.count("User") == 70)
    let report = try bench.syncBatches(payload) { $0.operations = [.insert, .alwaysInsert] }
    #expect(report.resumedItemCount == 70)
    #expect(try bench.count("User") == 100)
  }

  @Test func aRefusedEndCanBeMadeUpFor() throws {
    let stored = "[\((1_000..<2_000).map { "{\"id\": \($0)}" }.joined(separator: ","))]"
    try bench.sync(stored, "User")
    let error = #expect(throws: SyncError.self) { try bench.syncBatches(Self.payload) }
    #expect(error?.code == .deletionRefused)
    let report = try bench.syncBatches(Self.payload) { $0.deletionGuard = .off }
    #expect(report.resumedItemCount > 0)
    #expect(report.entities["User"]?.deleted == 1_000)
    #expect(try bench.count("User") == 150)
  }

  /// Later batches see in it what earlier ones would have stored.
  @Test(arguments: [1, 10]) func aDryRunReportsWhatTheRunReports(_ size: Int) throws {
    try bench.sync(#"[{"id": 900, "notes": [{"id": 901}]}]"#, "User")
    let before = try bench.store.read { try $0.dump() }
    var dry = try bench.syncBatches(Self.payload) {
      $0.isDryRun = true
      $0.transaction = .perBatch(size)
    }
    #expect(try bench.store.read { try $0.dump() } == before)
    var real = try bench.syncBatches(Self.payload) { $0.transaction = .perBatch(size) }
    dry.phaseDurations = [:]
    real.phaseDurations = [:]
    real.isDryRun = true
    #expect(dry == real)
  }
}
