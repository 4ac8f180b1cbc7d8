import Foundation
import SyncStack
import TestSupport
import Testing

/// Several programs edit, send and sync at random against a server that misbehaves: in the end
/// everybody has the same, and the server has everything once.
@Suite struct RandomEditTests {
  /// A run of so many steps for each of three programs; with `SYNCSTACK_OUTBOX_EDITS` so many as it
  /// says, and a line about them.
  private static let soak = Proof.number("OUTBOX_EDITS")
  private static let steps = soak ?? 40

  @Test(arguments: Proof.seeds(usual: 1...4))
  func programsAndServerEndEqual(_ seed: UInt64) async throws {
    let server = FakeServer()
    let programs = try (0..<3).map { _ in try Shop(server: server) }
    var random = SeededGenerator(seed: seed)
    for program in programs { program.outbox.whenGone = .deleteHere }
    for step in 0..<RandomEditTests.steps * programs.count {
      let program = programs[Int.random(in: 0..<programs.count, using: &random)]
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        let edit = RandomEdit(mark: "\(seed)-\(step)", using: &random)
        try await program.edit { try edit.apply(in: $0) }
      case 6..<8:
        await server.fail(
          (0..<Int.random(in: 0..<4, using: &random)).compactMap { _ in
            FakeDesk.Fault.allCases.randomElement(using: &random)
          })
        program.outbox.retry = RetryPolicy(
          attempts: Int.random(in: 0..<3, using: &random), delay: 0)
        try await program.outbox.send()
        await server.fail([])
      default: try await program.pull()
      }
    }
    for program in programs {
      try program.takeCopies()
      // A change that failed again and again is not tried before its time.
      for item in try await program.outbox.send().postponed { try program.outbox.retry(item) }
    }
    // Two rounds: a deletion of the first may have to be sent in the second.
    for _ in 0..<2 {
      for program in programs {
        program.outbox.retry = RetryPolicy(attempts: 3, delay: 0)
        let report = try await program.outbox.send()
        #expect(report.waiting == 0 && report.refused == 0, "\(report)")
        #expect(report.unusedAnswers.isEmpty)
      }
      for program in programs { try await program.pull() }
    }
    Proof.tried("steps of programs with an outbox", RandomEditTests.steps * programs.count)
    for program in programs {
      #expect(try program.differences(from: await server.objects) == [])
      #expect(try program.outbox.pending.isEmpty)
      #expect(try await program.stack.checkConsistency().problems.isEmpty)
    }
    if let soak = RandomEditTests.soak {
      print("Seed \(seed), \(soak) steps of each of 3 programs: \(await server.summary)")
    }
  }
}

extension Shop {
  /// Decides as a program does where the answer to a new object was lost, a sync has brought the
  /// object, and one property of both was edited: the one that the server knows stays.
  fileprivate func takeCopies() throws {
    let copied = try outbox.refused.filter { item in
      guard case .refused(let reason) = item.state else { return false }
      return reason.contains("which another object has that was made or edited here")
    }
    try outbox.revert(copied)
  }

  /// Takes over the server's objects.
  fileprivate func pull() async throws {
    for entity in ["Customer", "Label", "Order", "Line"] {
      let sync = Sync(.json(await server.json(entity)), inEntityNamed: entity, dataStack: stack)
      sync.deletionGuard = .off
      stack.syncQueue.addOperation(sync)
      let result = await withCheckedContinuation { continuation in
        sync.whenFinished { continuation.resume(returning: $0) }
      }
      _ = try result.get()
    }
  }
}
