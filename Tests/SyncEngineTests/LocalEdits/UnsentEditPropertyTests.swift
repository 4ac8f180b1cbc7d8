import Foundation
import SyncStack
import TestSupport
import Testing

/// Random edits, syncs and acknowledgements in any order.
@Suite struct UnsentEditPropertyTests {
  @Test(arguments: OracleTests.cases)
  func noUnsentEditIsEverLost(_ testCase: OracleTests.Case) throws {
    let model = try testCase.model()
    for seed in Proof.seeds(usual: 1...20) {
      defer { Proof.tried("sequences of syncs and unsent edits") }
      guard let loss = try run(testCase, model, seed) else { continue }
      Issue.record("Seed \(seed) \(testCase.name):\n\(loss)")
      return
    }
  }

  /// The edit that was lost, with the way there.
  private func run(
    _ testCase: OracleTests.Case, _ model: ManagedObjectModel, _ seed: UInt64
  ) throws -> String? {
    let stack = try DataStack(model: model, store: .inMemory, tracksChanges: true)
    defer { try? stack.close() }
    let store = try stack.store
    let context = stack.newBackgroundContext()
    var payloads = OraclePayloads(
      generator: SeededGenerator(seed: seed), model: model, depth: testCase.depth)
    var random = RandomEdits(context: context, generator: SeededGenerator(seed: seed &+ 77))
    var edits = LocalEdits()
    var way: [String] = []
    for payload in try payloads.sequence(of: testCase.entities, length: 8) {
      if random.generator.chance(70) {
        let before = try OracleGraph(store)
        try context.performAndWait { try random.run() }
        let after = try OracleGraph(store)
        edits.note(before, after)
        way.append("edit \(after.changes(since: before))")
      }
      if random.generator.chance(20) {
        let pending = try stack.pendingChanges(for: "server")
        try stack.acknowledge(through: pending.token, for: "server")
        edits.acknowledge()
        way.append("acknowledge")
      }
      let before = try OracleGraph(store)
      guard try sync(payload, store) else { continue }
      let after = try OracleGraph(store)
      way.append("sync \(payload)\n     \(after.changes(since: before))")
      if let loss = edits.loss(before, after) ?? after.inconsistencies.first {
        return (way + ["LOST: \(loss)"] + before.lines(since: before)).joined(separator: "\n")
      }
    }
    return nil
  }

  /// Syncs; false when it was refused.
  private func sync(_ payload: OraclePayload, _ store: Store) throws -> Bool {
    var payload = payload
    if payload.scope.isList { payload.scope = .entity }
    payload.looksKeysUp = payload.items.count % 2 == 1
    let form = payload.items.count % 3 == 2 ? SyncForm.parts(of: 1) : .whole
    do {
      _ = try form.run([payload], in: store)
      return true
    } catch is SyncError {
      return false
    } catch let error as StoreError where error.code == .deletionDenied || error.code == .notUnique
    {
      return false
    }
  }

  @Test func theReportCountsExactlyTheChangesOfTheNextSyncWhenEverythingWasSent() throws {
    let model = try TestModels.users()
    for seed in Proof.seeds(usual: 1...20) {
      defer { Proof.tried("sequences of syncs and unsent edits") }
      let stack = try DataStack(model: model, store: .inMemory, tracksChanges: true)
      defer { try? stack.close() }
      var payloads = OraclePayloads(generator: SeededGenerator(seed: seed), model: model)
      payloads.keys = 12
      payloads.hasUnreadableKeys = false
      let context = stack.newBackgroundContext()
      var random = RandomEdits(context: context, generator: SeededGenerator(seed: seed &+ 5))
      for step in try payloads.sequence(of: ["User"], length: 3) {
        _ = try stack.sync(.json(.array(step.items)) as SyncPayload, inEntityNamed: "User")
      }
      try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
      let known = Set(try stack.keys("User"))
      for _ in 0..<3 { try context.performAndWait { try random.run() } }
      let payload = try payloads.sequence(of: ["User"], length: 1)[0].items
      let first = try stack.sync(.json(.array(payload)) as SyncPayload, inEntityNamed: "User")
      // Keys that stand for several objects are another matter.
      let keys = try stack.keys("User")
      guard Set(keys).count == keys.count, known.count < 100 else { continue }
      try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
      let second = try stack.sync(.json(.array(payload)) as SyncPayload, inEntityNamed: "User")
      let (left, taken) = (first.entities["User"], second.entities["User"])
      #expect(left?.protectedProperties ?? [:] == taken?.updatedProperties ?? [:], "seed \(seed)")
      #expect(
        left?.protected ?? 0
          == (taken?.updated ?? 0) + (taken?.deleted ?? 0) + (taken?.inserted ?? 0), "seed \(seed)")
    }
  }
}
