import Foundation
import Measuring
import SyncStack

/// The cost that former values add to a commit: syncs, saves and batch updates that change one
/// object in a hundred, in a store without a history, with one, and with one that keeps values. The
/// stores take turns; the ratio is the median over the rounds of the ratio within a round.
///
/// ```
/// Trials history 10000 60
/// ```
struct HistoryTrial {
  let objects: Int
  let rounds: Int

  private static let contents: [(name: String, history: HistoryContent?)] = [
    ("no history", nil), ("changes", .changes), ("values", .values),
  ]

  /// A way to change the objects; told the number of the round.
  private typealias Way = (_ stack: DataStack, _ round: Int) throws -> Double

  func run() throws {
    let folder = try TrialFolder()
    let stacks = try HistoryTrial.contents.map { content in
      let stack = try DataStack(
        model: HistoryTrial.model(), store: .sqlite(folder.file("\(content.name).sqlite")),
        history: content.history)
      _ = try sync(stack, -1)
      return stack
    }
    let ways: [(String, Way)] = [("sync", sync), ("save", save), ("batch", batch)]
    for (name, way) in ways { try compare(name, way, stacks) }
    for stack in stacks { try stack.close() }
  }

  private func compare(_ name: String, _ way: Way, _ stacks: [DataStack]) throws {
    var times = [[Double]](repeating: [], count: stacks.count)
    let before = try keptBytes(stacks[2])
    for round in 0..<rounds + 3 {
      for turn in stacks.indices {
        let index = (turn + round) % stacks.count
        let seconds = try way(stacks[index], round)
        // The first ones warm caches up.
        if round >= 3 { times[index].append(seconds) }
      }
    }
    let bytes = try Double(keptBytes(stacks[2]) - before) / Double((rounds + 3) * objects / 100)
    for (index, content) in HistoryTrial.contents.enumerated() {
      let ratio = zip(times[index], times[1]).map { $0 / $1 }.median
      say(
        String(
          format: "%@, %@: %.3f ms (at least %.3f), %.2f of that with changes", name, content.name,
          times[index].median * 1000, (times[index].min() ?? 0) * 1000, ratio))
    }
    let added = zip(times[2], times[1]).map { $0 - $1 }.median / Double(objects / 100)
    say(String(format: "%@: %.1f bytes and %.1f µs a changed object", name, bytes, added * 1e6))
  }

  private func keptBytes(_ stack: DataStack) throws -> Int64 {
    let rows = try stack.rows("SELECT sum(bytes) AS bytes FROM _syncstack_history_kept")
    guard case .int(let bytes)? = rows.first?["bytes"] else { return 0 }
    return bytes
  }

  private func measure(_ body: () throws -> Void) rethrows -> Double {
    let start = ProcessFigures.processorSeconds
    try body()
    return ProcessFigures.processorSeconds - start
  }

  // MARK: - Ways

  private func sync(_ stack: DataStack, _ round: Int) throws -> Double {
    let sync = Sync(.data(payload(round)), inEntityNamed: "User", dataStack: stack)
    let seconds = measure {
      stack.syncQueue.addOperations([sync], waitUntilFinished: true)
      stack.drainNotifications()
    }
    guard try sync.result?.get().isUnchanged == false else { throw MeasuringError("No change.") }
    return seconds
  }

  private func save(_ stack: DataStack, _ round: Int) throws -> Double {
    let context = stack.newBackgroundContext()
    return try context.performAndWait {
      for user in try context.fetch(changed) { user["name"] = "saved \(round)" }
      return try measure { try context.save() }
    }
  }

  private func batch(_ stack: DataStack, _ round: Int) throws -> Double {
    let context = stack.newBackgroundContext()
    return try context.performAndWait {
      try measure {
        let count = try context.batchUpdate(changed, ["name": "batch \(round)"])
        guard count == objects / 100 else { throw MeasuringError("\(count) changed.") }
      }
    }
  }

  private var changed: Fetch<ManagedObject> {
    Fetch(entityNamed: "User", Filter("isActive == %@", true))
  }

  // MARK: - Data

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          .attribute("id", .integer64), .attribute("name", .string), .attribute("email", .string),
          .attribute("phone", .string), .attribute("city", .string), .attribute("bio", .string),
          .attribute("createdAt", .date), .attribute("updatedAt", .date),
          .attribute("score", .double), .attribute("isActive", .boolean),
        ])
    ])
  }

  private func payload(_ round: Int) -> Data {
    let users = (0..<objects).map { number in
      let isChanging = number % 100 == 7
      let name = isChanging ? "user \(number), round \(round)" : "user \(number)"
      return """
        {"id": \(number), "name": "\(name)", "email": "user\(number)@example.com",
        "phone": "+49 30 \(number)", "city": "Berlin", "bio": "One of \(objects) of them.",
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-02-01T00:00:00Z",
        "score": \(Double(number) / 8), "is_active": \(isChanging)}
        """
    }
    return Data("[\(users.joined(separator: ","))]".utf8)
  }
}
