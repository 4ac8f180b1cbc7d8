import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool
@testable import SyncStore

/// Pushes and pulls that are killed at random moments, against a real server.
/// `SYNCSTACK_CLOUD_KILLS` says how many, `SYNCSTACK_CLOUD_SEED` repeats a run.
@Suite(.timeLimit(.minutes(60))) struct CloudKillTests {
  private let bench: ToolBench
  private let model: String

  init() throws {
    bench = try ToolBench()
    model = try bench.file("model.xml", BadInputTests.model)
  }

  private static func setting(_ name: String) -> UInt64? {
    Proof.number("CLOUD_\(name)").map { UInt64($0) }
  }

  private func path(_ store: String) -> String { bench.folder.file("\(store).sqlite").path }

  private func importing(_ users: [(id: Int, name: String)], _ store: String, _ operation: String)
    async throws
  {
    let list = users.map { #"{"id": \#($0.id), "name": "\#($0.name)"}"# }.joined(separator: ",")
    let result = await bench.run(
      "import", try bench.file("users.json", "[\(list)]"), "--model", model, "--entity", "User",
      "--store", path(store), "--operations", operation, "--quiet")
    #expect(result.code == .done, "\(result.error)")
  }

  private func start(_ command: String, _ store: String, _ address: [String]) throws -> ToolProcess
  {
    let words = [command, "--store", path(store), "--quiet"] + address
    return try ToolProcess(
      words + (command == "pull" ? ["--model", model] : []),
      environment: ["SYNCSTACK_PASSWORD": TestServer.password])
  }

  /// The users of a store by id; fails when two have one.
  private func users(_ store: String) async throws -> [Int64: String] {
    let result = await bench.run("export", "--store", path(store), "--entity", "User")
    #expect(result.code == .done, "\(result.error)")
    var users: [Int64: String] = [:]
    for user in try JSONValue(parsing: result.output).arrayValue ?? [] {
      let id = try #require(user["id"]?.integerValue)
      #expect(users[id] == nil, "\(store) has user \(id) twice.")
      users[id] = user["name"]?.stringValue ?? ""
    }
    return users
  }

  /// SQLite's own check of the file.
  private func integrity(_ store: String) throws -> String {
    let stack = try DataStack(keptAt: URL(filePath: path(store)), isReadOnly: true)
    defer { try? stack.close() }
    return try stack.store.read { reader in
      let statement = try reader.connection.statement("PRAGMA integrity_check")
      defer { statement.reset() }
      return try statement.step() ? statement.text(0) : "nothing"
    }
  }

  @Test(.enabled("no server: the output says why") { TestServer.isAvailable(.memory) })
  func pushesAndPullsThatAreKilledAnywhereEndEqual() async throws {
    let kills = Int(Self.setting("KILLS") ?? 3)
    let seed = Self.setting("SEED") ?? UInt64.random(in: 0...UInt64(Int.max))
    var generator = SeededGenerator(seed: seed)
    let url = try TestServer.address(.memory)
    let user = try await TestServer.account(on: url)
    let address = ["--server", url.absoluteString, "--app", "kills", "--user", user]
    let stores = ["a", "b"]
    for (index, store) in stores.enumerated() {
      try await importing(
        (0..<200).map { (id: index * 1_000_000 + $0, name: "start") }, store, "insert")
    }
    // How long each takes when it is not killed, from the start of the process to its end: the
    // shortest so far, so that most are killed.
    var lengths: [String: Duration] = [:]
    for (command, store) in [("push", "a"), ("pull", "b")] {
      let began = ContinuousClock.now
      let process = try start(command, store, address)
      #expect(await process.wait() == 0, "\(process.error)")
      lengths[command] = ContinuousClock.now - began
    }
    var ends = (killed: 0, finished: 0)
    while ends.killed < kills {
      let round = ends.killed + ends.finished
      let index = Int.random(in: 0..<2, using: &generator)
      let store = stores[index]
      try await importing(
        (0..<40).map { _ in
          let other = Int.random(in: 0..<2, using: &generator)
          let id = Int.random(in: 0..<200, using: &generator)
          return (id: other * 1_000_000 + id, name: "\(store) \(round)")
        }.reduce(into: [Int: String]()) { $0[$1.id] = $1.name }.map { (id: $0, name: $1) }
          .sorted { $0.id < $1.id }, store, "update")
      try await importing(
        (0..<20).map { (id: index * 1_000_000 + 1000 + round * 20 + $0, name: "new \(round)") },
        store, "insert")
      let command = Bool.random(using: &generator) ? "push" : "pull"
      let span = lengths[command] ?? .seconds(1)
      let began = ContinuousClock.now
      let moment = began + span * Double.random(in: 0..<1, using: &generator)
      let process = try start(command, store, address)
      let status = await process.end(by: SIGKILL) { ContinuousClock.now >= moment }
      if status == 128 + SIGKILL {
        ends.killed += 1
      } else {
        #expect(status == 0, "\(process.error)")
        ends.finished += 1
        lengths[command] = min(span, ContinuousClock.now - began)
      }
      #expect(try integrity(store) == "ok", "seed \(seed)")
    }
    Proof.tried("killed pushes and pulls", kills)
    for round in 1...4 {
      var isMoving = false
      for (command, store) in [("pull", "a"), ("push", "a"), ("pull", "b"), ("push", "b")] {
        let process = try start(command, store, address)
        #expect(await process.wait() == 0, "\(process.error)")
        isMoving = isMoving || !process.output.hasPrefix("Nothing")
      }
      if !isMoving { break }
      #expect(round < 4 || !isMoving, "The stores still move after four rounds, seed \(seed).")
    }
    let fresh = try start("pull", "fresh", address)
    #expect(await fresh.wait() == 0, "\(fresh.error)")
    let expected = try await users("fresh")
    #expect(expected.count >= 400)
    for store in stores {
      #expect(try await users(store) == expected, "\(store), seed \(seed)")
      #expect(try integrity(store) == "ok", "seed \(seed)")
      let status = await bench.run("status", "--store", path(store), "--json")
      let line = try JSONValue(parsing: status.output)
      #expect(line["waiting"] == 0 && line["problems"] == [], "\(status.output)")
    }
    print(
      "killed: seed \(seed), \(ends.killed) killed, \(ends.finished) finished before, "
        + "\(expected.count) objects")
  }
}
