import Foundation
import SyncStack
import TestSupport
import Testing

/// The cost of finding waiting changes follows their number, not the store's.
@Suite struct CostTests {
  /// How many objects are stored; 100,000 with `SYNCSTACK_OUTBOX_STORED`.
  private static let stored =
    Proof.number("OUTBOX_STORED") ?? 1000

  /// A shop in which ten of so many labels were edited, the statements that find them, and the
  /// seconds that takes.
  private func find(among count: Int) async throws -> (statements: [String], seconds: Double) {
    let folder = try TemporaryFolder()
    let shop = try Shop(store: .sqlite(folder.file("shop.sqlite")))
    let labels = (0..<count).map { JSONValue.object(["id": .integer(Int64($0)), "name": "x"]) }
    try await shop.stack.sync(JSONValue.array(labels), inEntityNamed: "Label")
    try await shop.edit { context in
      for label in try context.fetch(Fetch<Label>("id < 10")) { label.name = "edited" }
    }
    let recorder = try shop.stack.store.recorder
    var found = 0
    var seconds = Double.infinity
    var statements: [String] = []
    for _ in 0..<5 {
      let begin = ContinuousClock.now
      statements = try recorder.record { found = try shop.outbox.pending.count }
      let time = begin.duration(to: .now) / .seconds(1)
      seconds = min(seconds, time)
    }
    #expect(found == 10)
    return (statements, seconds)
  }

  @Test func findingWhatWaitsCostsWhatWaits() async throws {
    let few = try await find(among: 20)
    let many = try await find(among: CostTests.stored)
    #expect(few.statements == many.statements)
    // The one statement about objects asks for their keys by row.
    let objects = many.statements.filter { !$0.contains("_syncstack") }
    #expect(objects.allSatisfy { !$0.hasPrefix("SELECT") || $0.contains("_row IN") }, "\(objects)")
    print("Ten of \(CostTests.stored) objects were found in \(many.seconds * 1000) ms.")
  }
}
