import Foundation
import SyncStack
import TestSupport
import Testing

/// A process is killed in the midst of an undo: the store is as before it, or as after it.
///
/// `SYNCSTACK_KILLS` kills more of them.
@Suite(.timeLimit(.minutes(5))) struct UndoKillTests {
  private static let kills = Proof.number("KILLS") ?? 5

  private static func open(_ url: URL) throws -> DataStack {
    try DataStack(model: TestModels.social(), store: .sqlite(url), history: .values)
  }

  private static func users(_ name: String, without gone: Int) -> JSONValue {
    .array(
      (0..<600).filter { $0 % 10 != gone }.map { id in
        [
          "id": .integer(Int64(id)), "name": .string("\(name) \(id)"),
          "notes": [["id": .integer(Int64(id)), "text": .string(name)]],
          "tags": [["id": .integer(Int64(id % 7 + gone))]],
        ]
      })
  }

  private static func content(_ stack: DataStack) throws -> [String: [String]] {
    try stack.store.read { try $0.dump() }.filter { !$0.key.hasPrefix("_syncstack") }.mapValues {
      $0.map { $0.split(separator: " | ").enumerated().filter { $0.offset != 1 }.map(\.element) }
        .map { $0.joined(separator: " | ") }
    }
  }

  private static func copy(_ url: URL, to other: URL) throws {
    for suffix in ["", "-wal", "-shm"] {
      let target = URL(filePath: other.path + suffix)
      try? FileManager.default.removeItem(at: target)
      let source = URL(filePath: url.path + suffix)
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      try FileManager.default.copyItem(at: source, to: target)
    }
  }

  @Test func itIsAllOrNothing() async throws {
    let folder = try TemporaryFolder()
    let (original, trial) = (folder.file("original.sqlite"), folder.file("trial.sqlite"))
    let stack = try Self.open(original)
    for (name, gone) in [("good", 3), ("bad", 4)] {
      let sync = Sync(Self.users(name, without: gone), inEntityNamed: "User", dataStack: stack)
      sync.deletionGuard = .off
      sync.start()
      _ = try await sync.value
    }
    let bad = try stack.latestHistoryToken()
    let before = try Self.content(stack)
    try stack.close()

    try Self.copy(original, to: trial)
    let whole = try Self.open(trial)
    let start = ContinuousClock.now
    try await whole.undo(bad, deletionGuard: .off)
    let duration = start.duration(to: .now) / .seconds(1)
    let after = try Self.content(whole)
    try whole.close()
    #expect(before != after)

    var outcomes: [Bool] = []
    Proof.tried("killed undos", Self.kills)
    for round in 0..<Self.kills {
      try Self.copy(original, to: trial)
      // From the beginning to a little behind the end.
      let delay = duration * 1.2 * Double(round) / Double(max(1, Self.kills - 1))
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = trial.path as String, number = bad.number as Int64, delay = delay as Double] in
        let stack = try Self.open(URL(filePath: path))
        Thread.detachNewThread {
          Thread.sleep(forTimeInterval: delay)
          kill(getpid(), SIGKILL)
        }
        try await stack.undo(HistoryToken(number: number), deletionGuard: .off)
        while true { try await Task.sleep(for: .seconds(1)) }
      }
      let left = try Self.open(trial)
      let found = try Self.content(left)
      #expect(found == before || found == after, "killed after \(delay) s")
      #expect(try await left.checkConsistency().problems.isEmpty)
      // What is left can be taken back, or once more.
      if found == before { try await left.undo(bad, deletionGuard: .off) }
      #expect(try Self.content(left) == after)
      outcomes.append(found == after)
      try left.close()
    }
    if Self.kills > 5 {
      print("\(Self.kills) kills, \(outcomes.count(where: \.self)) after the commit")
    }
  }
}
