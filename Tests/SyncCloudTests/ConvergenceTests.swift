import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Three machines edit, delete and link the same objects, with wrong clocks and a bad connection,
/// and sync at random moments. `SYNCSTACK_CLOUD_EDITS`, `…_EDITS_KINTO`, `…_EDITS_POSTGRES` and
/// `SYNCSTACK_CLOUD_RUNS` make it longer, `SYNCSTACK_CLOUD_SEED` repeats a run.
@Suite(.timeLimit(.minutes(60))) struct ConvergenceTests {
  /// The newest value that any machine gave a field.
  private struct Newest {
    var stamp: String
    var value: JSONValue
  }

  private struct Run {
    var generator: SeededGenerator
    let clients: [Client]
    var newest: [String: Newest] = [:]
    var deleted: Set<String> = []

    mutating func edit(_ number: Int) async throws {
      let client = clients[Int.random(in: 0..<clients.count, using: &generator)]
      let notes = try client.rows("Note")
      let folders = try client.rows("Folder")
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<4 where notes.count < 60:
        try client.insert("Note", ["title": .string("new \(number)"), "stars": 0])
      case 4..<6 where notes.count > 20:
        let row = notes[Int.random(in: 0..<notes.count, using: &generator)].row
        if let name = try client.record("Note", row)?.name { deleted.insert(name) }
        try client.delete("Note", row)
      case 6..<8 where folders.count < 8:
        try client.insert("Folder", ["name": .string("folder \(number)")])
      case 8..<9 where folders.count > 2:
        let row = folders[Int.random(in: 0..<folders.count, using: &generator)].row
        // The model takes notes along: take them out first, so that enough stay.
        for note in notes { try client.update("Note", note.row, ["folder": .null]) }
        for folder in folders { try client.update("Folder", folder.row, ["parent": .null]) }
        try client.delete("Folder", row)
      case 9..<30 where !notes.isEmpty && !folders.isEmpty:
        let note = notes[Int.random(in: 0..<notes.count, using: &generator)].row
        let folder = folders[Int.random(in: 0..<folders.count, using: &generator)].row
        try client.update("Note", note, ["folder": .int(folder)])
      default:
        guard !notes.isEmpty else { return }
        let row = notes[Int.random(in: 0..<notes.count, using: &generator)].row
        let field = ["title", "text", "stars"][Int.random(in: 0..<3, using: &generator)]
        let value: Value = field == "stars" ? .int(Int64(number)) : .string("\(number)")
        try client.update("Note", row, [field: value])
        try await client.drain()
        guard let record = try client.record("Note", row) else { return }
        let stamp = record.stamp(of: field)
        let key = "\(record.name) \(field)"
        if newest[key].map({ $0.stamp < stamp }) ?? true {
          newest[key] = Newest(
            stamp: stamp, value: field == "stars" ? .integer(Int64(number)) : .string("\(number)"))
        }
      }
    }

    mutating func sync() async throws {
      try await clients[Int.random(in: 0..<clients.count, using: &generator)].syncWithLosses()
    }
  }

  private func converge(on server: any CloudTransport, edits: Int, seed: UInt64) async throws {
    let faults = (0..<3).map { FaultyTransport(server, seed: seed &+ UInt64($0), lossRate: 0.04) }
    let clients = try zip(faults, [0.0, -300, 180]).map { try Client($0, clock: $1) }
    var run = Run(generator: SeededGenerator(seed: seed), clients: clients)
    for index in 0..<40 {
      try clients[0].insert("Note", ["title": .string("start \(index)"), "stars": 0])
    }
    for index in 0..<4 { try clients[0].insert("Folder", ["name": .string("start \(index)")]) }
    for number in 0..<edits {
      try await run.edit(number)
      if Int.random(in: 0..<12, using: &run.generator) == 0 { try await run.sync() }
    }
    for fault in faults { fault.lossRate = 0 }
    try await settle(clients, fresh: server)
    let graph = try clients[0].graph()
    Self.expect(run.newest, in: graph, deleted: run.deleted, seed)
    print("converged: seed \(seed), \(edits) edits, \(graph.count) objects")
  }

  /// Expects of each field the newest value that any machine gave it.
  private static func expect(
    _ newest: [String: Newest], in graph: [String: [String: JSONValue]], deleted: Set<String>,
    _ seed: UInt64
  ) {
    for (key, newest) in newest {
      let parts = key.split(separator: " ").map(String.init)
      // A field whose object was deleted by any machine is compared, not predicted.
      guard let object = graph[parts[0]], !deleted.contains(parts[0]) else { continue }
      #expect(object[parts[1]] == newest.value, "\(key), seed \(seed)")
    }
  }

  private static let seeds = Proof.seeds(
    usual: (0..<2).map { _ in UInt64.random(in: 0...UInt64(Int.max)) })

  @Test(arguments: seeds)
  func threeMachinesEndEqualWithAServerInMemory(_ seed: UInt64) async throws {
    defer { Proof.tried("sequences of three machines that edit and sync") }
    try await converge(
      on: MemoryTransport(limits: CloudLimits(batch: 25, page: 50)),
      edits: setting("EDITS") ?? 200, seed: seed)
  }

  @Test(arguments: TestServer.available(.memory, .postgres, .threads, .database))
  func threeMachinesEndEqualOnARealServer(_ kind: TestServer.Kind) async throws {
    let edits =
      switch kind {
      case .memory: setting("EDITS_KINTO") ?? 75
      case .postgres, .threads: setting("EDITS_POSTGRES") ?? 30
      case .database: setting("EDITS_DATABASE") ?? 75
      }
    try await converge(on: try await TestServer.server(kind), edits: edits, seed: Self.seeds[0])
  }

  @Test(.server(.threads)) func machinesThatSyncAtOnceEndEqualWithEightWorkerThreads() async throws
  {
    let server = try await TestServer.transport(.threads)
    try await convergeAtOnce(on: [server, server, server], edits: setting("EDITS_POSTGRES") ?? 30)
  }

  /// Each machine has a connection of its own.
  @Test(.server(.database)) func machinesThatSyncAtOnceEndEqualOnPostgreSQL() async throws {
    let role = try await TestServer.role()
    try await convergeAtOnce(
      on: try (0..<3).map { _ in try PostgreSQLTransport(role, app: "tests", timeout: 60) },
      edits: setting("EDITS_DATABASE") ?? 60)
  }

  private func convergeAtOnce(on servers: [any CloudTransport], edits: Int) async throws {
    let seed = Self.seeds[0]
    let faults = servers.enumerated().map { FaultyTransport($1, seed: seed &+ UInt64($0)) }
    let clients = try zip(faults, [0.0, -300, 180]).map { try Client($0, clock: $1) }
    for index in 0..<40 {
      try clients[0].insert("Note", ["title": .string("start \(index)"), "stars": 0])
    }
    for client in clients { try await client.engine.sync() }
    let began = ContinuousClock.now
    let runs = try await withThrowingTaskGroup(of: Run.self) { group in
      for (index, client) in clients.enumerated() {
        let generator = SeededGenerator(seed: seed &+ UInt64(index))
        group.addTask {
          var run = Run(generator: generator, clients: [client])
          for number in 0..<edits / 3 {
            try await run.edit(number * 3 + index)
            if Int.random(in: 0..<6, using: &run.generator) == 0 { try await run.sync() }
          }
          return run
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    try await settle(clients, fresh: servers[0])
    let graph = try clients[0].graph()
    let newest = runs.reduce(into: [String: Newest]()) { all, run in
      all.merge(run.newest) { $0.stamp < $1.stamp ? $1 : $0 }
    }
    Self.expect(
      newest, in: graph, deleted: runs.reduce(into: []) { $0.formUnion($1.deleted) }, seed)
    print(
      "converged: seed \(seed), \(edits) edits on three machines at once in "
        + "\(String(format: "%.1f", seconds)) s: \(faults.reduce(0) { $0 + $1.saves.count }) batches, "
        + "\(faults.reduce(0) { $0 + $1.failures }) calls failed, \(graph.count) objects")
  }
}
