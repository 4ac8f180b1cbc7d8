import Foundation
import SyncCore
import SyncEngine
import SyncStore
import TestSupport
import Testing

/// With each batch it is kept what the batch said, so that a stopped sync goes on behind its last one, however
/// much the payload has said by then.
@Suite struct ResumeStepTests {
  private let bench: SyncBench

  init() throws {
    bench = try SyncBench(TestModels.social())
  }

  /// What a stopped batch brought is as new to the items behind it as if nobody had stopped, however much
  /// there was to keep: at 0 bytes a point is as large as one becomes.
  @Test(arguments: [2, 3, 4], [0, 32 << 10]) func itemsThatComeAgainStillCount(
    _ count: Int, _ size: Int
  ) throws {
    let payload = #"[{"id": 3}, {"id": 2}, {"id": 1}, {"id": 4}, {"id": 1, "tasks": [{"id": 4}]}]"#
    let change: (inout SyncRequest) -> Void = {
      $0.transaction = .perBatch(1)
      $0.operations = [.insert, .insertRelationships]
      $0.resumePointSize = size
    }
    try bench.syncBatches(payload, stoppedAfter: count, change)
    #expect(try bench.syncBatches(payload, change).resumedItemCount == count)
    #expect(
      try bench.objects("User") == ["id=1 tasks=[4]", "id=2", "id=3", "id=4"])
  }

  /// Of a payload that says more than is kept in one piece with each batch, every batch is gone on from:
  /// what the last ones brought still counts as new, and what they found as what was found.
  @Test(arguments: [3, 9, 18, 27]) func aLargePayloadGoesOnBehindItsLastBatch(_ count: Int) throws {
    let whole = try SyncBench(TestModels.social())
    for bench in [whole, bench] { try bench.sync(LargePayload.stored, "User") }
    let change: (inout SyncRequest) -> Void = {
      $0.transaction = .perBatch(LargePayload.batch)
      $0.operations = [.insert, .insertRelationships, .updateRelationships, .delete]
      $0.deletionGuard = .off
    }
    try whole.sync(LargePayload.json, "User", change)
    try bench.syncBatches(LargePayload.json, stoppedAfter: count, change)
    if count > 9 {
      #expect(try bench.store.read { try keptSize(of: $0) } > 32 << 10)
    }
    #expect(
      try bench.syncBatches(LargePayload.json, change).resumedItemCount == count
        * LargePayload.batch)
    for entity in ["User", "Note", "Company", "Tag", "Task"] {
      #expect(try bench.objects(entity) == whole.objects(entity))
    }
    #expect(try bench.store.read { try $0.keptNames("resume") }.isEmpty)
  }

  private func keptSize(of reader: StoreReader) throws -> Int {
    try reader.keptNames("resume").reduce(0) { try $0 + (reader.kept("resume", $1)?.count ?? 0) }
  }

  /// Users that come again some batches later, with tasks they may have only as new ones, notes that move
  /// and companies that do not exist yet.
  private enum LargePayload {
    static let batch = 100
    static let stored = #"[{"id": 5, "notes": [{"id": 3}, {"id": 4}]}, {"id": 99999}]"#
    static let json: String = {
      let items = (0..<3_000).map { number in
        let user = number % 4 == 3 ? number - 301 : number
        return """
          {"id": \(max(user, 0)), "name": "n\(number)", "company_id": \(number * 7 % 900), \
          "notes": [{"id": \(number)}, {"id": \(number * 13 % 3000)}, {"id": \(number + 5000)}], \
          "tags": [{"id": \(number % 9)}], "tasks": [{"id": \(number / 2)}]}
          """
      }
      return "[\(items.joined(separator: ","))]"
    }()
  }

  private static let plainItems =
    "[\((0..<100).map { "{\"id\": \($0), \"name\": \"n\"}" }.joined(separator: ","))]"

  /// Names of what is kept of a stopped sync, without the settings that they begin with.
  private func keptNames() throws -> [String] {
    try bench.store.read { try $0.keptNames("resume") }
      .map { String($0.split(separator: "/", maxSplits: 2).dropFirst(2).joined()) }
  }

  /// Changes what is kept without a commit that would count.
  private func rewrite(_ body: (StoreTransaction, _ name: String) throws -> Void) throws {
    try bench.store.write { transaction in
      let names = try transaction.keptNames("resume")
      let name = try #require(names.first)
      try body(transaction, name)
      transaction.keepGeneration("resume", name + "/mark")
    }
  }

  /// A store of an earlier version has the whole and the mark, and goes on behind the whole.
  @Test func aPointWithoutStepsIsGoneOnFrom() throws {
    try bench.syncBatches(Self.plainItems, stoppedAfter: 4)
    #expect(try keptNames() == ["", "0", "1", "2", "mark"])
    try rewrite { transaction, name in
      for step in 0..<3 { try transaction.keep("resume", "\(name)/\(step)", nil) }
    }
    #expect(try bench.syncBatches(Self.plainItems).resumedItemCount == 10)
    #expect(try bench.count("User") == 100)
  }

  /// Left behind by an earlier version, which knows of no steps, they belong to another whole.
  @Test func stepsOfAnotherWholeAreLeftAlone() throws {
    try bench.syncBatches(Self.plainItems, stoppedAfter: 4)
    let other = try SyncBench(TestModels.social())
    try other.sync(#"[{"id": 3}]"#, "User")
    try other.syncBatches(Self.plainItems, stoppedAfter: 1)
    let whole = try other.store.read { reader in
      try reader.kept("resume", #require(try reader.keptNames("resume").first))
    }
    try rewrite { transaction, name in try transaction.keep("resume", name, whole) }
    #expect(try bench.syncBatches(Self.plainItems).resumedItemCount == 10)
    #expect(try keptNames().isEmpty)
  }

  @Test func aDamagedStepBeginsAtTheBeginning() throws {
    try bench.syncBatches(Self.plainItems, stoppedAfter: 4)
    try rewrite { transaction, name in
      let step = try #require(try transaction.kept("resume", name + "/1"))
      // The part in front, which says how far it came, can still be read.
      var damaged = step
      damaged.replaceSubrange(step.count - 40..<step.count, with: Data(repeating: 0xFF, count: 40))
      try transaction.keep("resume", name + "/1", damaged)
    }
    #expect(try bench.syncBatches(Self.plainItems).resumedItemCount == 0)
    #expect(try bench.count("User") == 100)
  }

  /// What a batch keeps follows the batch, not what the payload has said by then.
  @Test func whatIsKeptWithABatchDoesNotGrow() throws {
    let early = try #require(try stepSizes(stoppedAfter: 4).max())
    let late = try #require(try stepSizes(stoppedAfter: 27).max())
    #expect(late < 2 * early)
  }

  private func stepSizes(stoppedAfter count: Int) throws -> [Int] {
    let bench = try SyncBench(TestModels.social())
    try bench.syncBatches(LargePayload.json, stoppedAfter: count) {
      $0.transaction = .perBatch(LargePayload.batch)
    }
    return try bench.store.read { reader in
      let steps = try reader.keptNames("resume").filter {
        $0.split(separator: "/").count == 3 && !$0.hasSuffix("/mark")
      }
      return try steps.compactMap { try reader.kept("resume", $0)?.count }
    }
  }
}
