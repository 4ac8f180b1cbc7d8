#if !os(Windows)
  import Foundation
  import Loopback
  import SyncCore
  import SyncEngine
  import SyncGraph
  import SyncOutbox
  import SyncStore
  import TestSupport
  import Testing

  /// A program of its own that edits and sends without end, `kill -9` at a random moment of its
  /// life, and the next one on the same file. The server is reached by HTTP, and goes on with the
  /// requests of a dead program.
  @Suite(.timeLimit(.minutes(60))) struct ProcessKillTests {
    /// So many kills of each kind; with `SYNCSTACK_KILLS` so many as it says, and a line
    /// about them.
    private static let soak = Proof.number("KILLS")
    private static let kills = soak ?? 4

    @Test(arguments: [false, true])
    func whatIsKilledAnywhereEndsEqualToTheServer(_ serverMisbehaves: Bool) async throws {
      let seed = UInt64.random(in: 0...UInt64(Int.max))
      var random = SeededGenerator(seed: seed)
      let folder = try TemporaryFolder()
      let server = HTTPDesk()
      let listener = try server.listening()
      let life = Life(store: folder.file(), server: try #require(listener.url("/")))
      // Lives in which the server was asked for something.
      var working = 0
      for round in 1...ProcessKillTests.kills {
        if serverMisbehaves {
          let faults = (0..<1000).map { _ in
            Int.random(in: 0..<4, using: &random) == 0
              ? FakeDesk.Fault.allCases.randomElement(using: &random) : nil
          }
          server.desk.withLock { $0.faults = faults }
        }
        let requests = server.desk.withLock { $0.requests }
        let seed = random.next()
        let seconds = Double.random(in: 0..<0.8, using: &random)
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [
            life = life as Life, seed = seed as UInt64, seconds = seconds as Double,
            round = round as Int
          ] in
          try await life.live(round, seed: seed, killedAfter: seconds)
        }
        if server.desk.withLock({ $0.requests }) > requests { working += 1 }
      }
      Proof.tried("killed processes with an outbox", ProcessKillTests.kills)
      server.desk.withLock { $0.faults = [] }
      let shop = try life.shop()
      // An object that the first deletes here, because the server does not have it, the second may
      // have to send.
      for _ in 0..<2 {
        // A change that failed again and again is not tried before its time.
        let report = try await shop.outbox.send()
        for item in report.postponed { try shop.outbox.retry(item) }
      }
      let report = try await shop.outbox.send()
      #expect(report.waiting == 0 && report.refused == 0, "seed \(seed): \(report)")
      let pending = try shop.outbox.pending
      #expect(pending.isEmpty, "seed \(seed): \(pending)")
      #expect(try await shop.stack.checkConsistency().problems.isEmpty, "seed \(seed)")
      let objects = server.desk.withLock { $0.objects }
      let differences = try shop.differences(from: objects)
      #expect(differences.isEmpty, "seed \(seed): \(differences)")
      listener.stop()
      if let soak = ProcessKillTests.soak {
        let count = objects.values.reduce(0) { $0 + $1.count }
        print(
          "\(soak) processes killed, \(working) of which had sent something to a server that "
            + "\(serverMisbehaves ? "misbehaves" : "behaves"), seed \(seed): \(count) objects in the end. "
            + server.desk.withLock { $0.summary })
      }
    }
  }

  /// The settings of a program that edits and sends until it is killed.
  private struct Life: Codable {
    let store: URL
    let server: URL

    func shop() throws -> Shop {
      let shop = try Shop(store: .sqlite(store)) { [server] change in
        try await HTTPDesk.send(change, to: server)
      }
      shop.outbox.retry = RetryPolicy(attempts: 1, delay: 0)
      shop.outbox.whenGone = .deleteHere
      return shop
    }

    /// Never ends by itself.
    func live(_ number: Int, seed: UInt64, killedAfter seconds: Double) async throws -> Never {
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: seconds)
        kill(getpid(), SIGKILL)
      }
      var random = SeededGenerator(seed: seed)
      let shop = try shop()
      var step = 0
      while true {
        async let report = shop.outbox.send()
        for _ in 0..<3 {
          step += 1
          let edit = RandomEdit(mark: "\(number)-\(step)", using: &random)
          // One that meets an answer, and may not delete an object that it has changed, is given
          // up.
          try? await shop.edit { try edit.apply(in: $0) }
        }
        _ = try await report
      }
    }
  }
#endif
