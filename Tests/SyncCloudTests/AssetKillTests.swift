import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Files arrive whole, whatever ends in between.
@Suite(.timeLimit(.minutes(5))) struct AssetKillTests {
  private struct Killed: Error {}

  /// Pushes files with a transport that dies at random calls, each time with a new engine on the
  /// same store; then pulls them the same way.
  private func killed(
    _ server: any CloudTransport, files: Int, largest: Int, chunk: Int, kills: Int
  ) async throws {
    let seed = setting("SEED").map { UInt64($0) } ?? UInt64.random(in: 0...UInt64(Int.max))
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let model = try AssetTests.model()
    func open(_ name: String, _ transport: any CloudTransport) throws -> Client {
      let client = try Client(
        transport, model: model, file: folder.file("\(name).sqlite"),
        retry: RetryPolicy(attempts: 0, delay: 0))
      client.engine.files.state.withLock { $0.chunk = chunk }
      return client
    }
    // Half of them are duplicates.
    var sent: [String: Int] = [:]
    let first = try open("here", server)
    var bodies: [Data] = []
    for number in 0..<files {
      let size = number == 0 ? 1 : Int.random(in: 1...largest, using: &generator)
      let isCopy = number > 0 && number % 2 == 0
      let bytes =
        isCopy
        ? bodies[Int.random(in: 0..<number, using: &generator)] : AssetTests.bytes(size, number)
      bodies.append(bytes)
      if number % 3 == 0 {
        try first.insert("Note", ["title": .string("\(number)"), "photo": .data(bytes)])
      } else {
        let name = try await first.engine.addAsset(bytes, pathExtension: "bin")
        try first.insert("Note", ["title": .string("\(number)"), "film": .string(name)])
      }
    }
    try first.close()
    var died = 0
    func run(_ name: String, _ body: (Client) async throws -> Void) async throws {
      var isDone = false
      while !isDone {
        let last = died < kills ? Int.random(in: 5...16, using: &generator) : Int.max
        let line = FaultyTransport(server)
        // Before or after the server heard of it.
        let isAfter = Bool.random(using: &generator)
        let die: @Sendable (Int) async throws -> Void = { if $0 >= last { throw Killed() } }
        if isAfter { line.afterEachCall(die) } else { line.beforeEachCall(die) }
        let client = try open(name, line)
        do {
          try await body(client)
          isDone = true
        } catch let error as CloudError where error.code == .unreachable {
          died += 1
        }
        for save in line.saves.dropLast().flatMap({ $0 }) where save.content["b"] != nil {
          sent[save.name, default: 0] += 1
        }
        try client.close()
      }
    }
    try await run("here") { try await $0.engine.push() }
    #expect(died * 3 >= kills, "seed \(seed)")
    // The one that was on its way when it ended is not counted: each chunk was sent once.
    #expect(sent.values.allSatisfy { $0 == 1 }, "seed \(seed)")
    let pushes = died
    died = max(0, kills - 10)
    try await run("there") { client in
      try await client.engine.pull()
      for row in try client.rows("Note") {
        for field in ["photo", "film"] {
          try await client.engine.fetchAsset(
            of: ManagedObjectID(entity: row.entity, row: row.row), field)
        }
      }
    }
    let there = try open("there", server)
    defer { try? there.close() }
    let entity = try model.requireEntity(named: "Note")
    for row in try there.rows("Note") {
      let (title, photo, film) = (
        row.values[try #require(entity.property(named: "title")).slot],
        row.values[try #require(entity.property(named: "photo")).slot],
        row.values[try #require(entity.property(named: "film")).slot]
      )
      guard case .string(let text) = title, let number = Int(text) else { continue }
      if case .data(let bytes) = photo {
        #expect(bytes == bodies[number], "seed \(seed)")
      } else if case .string(let name) = film {
        let url = try #require(there.engine.assetURL(name))
        #expect(try Data(contentsOf: url) == bodies[number], "seed \(seed)")
      }
    }
    #expect(try there.rows("Note").count == files)
    let chunks = Set(bodies).reduce(0) { $0 + ($1.count + chunk - 1) / chunk }
    print(
      "files: seed \(seed), \(pushes) kills of pushes, \(chunks) chunks, \(Set(bodies).count) files of \(files)"
    )
  }

  @Test func filesOfPushesThatDieAnywhereArriveWhole() async throws {
    try await killed(MemoryTransport(), files: 50, largest: 4000, chunk: 120, kills: 40)
  }

  @Test(arguments: TestServer.available(.memory, .database))
  func filesArriveWholeOnARealServer(_ kind: TestServer.Kind) async throws {
    try await killed(
      try await TestServer.server(kind), files: 6, largest: 700_000, chunk: 1 << 18, kills: 4)
  }

  /// On servers that keep their files.
  @Test(arguments: TestServer.available(.memory, .database))
  func filesThatWereRemovedComeAgain(_ kind: TestServer.Kind) async throws {
    let server = try await TestServer.server(kind)
    let (here, there) = (
      try Client(server, model: try AssetTests.model()),
      try Client(server, model: try AssetTests.model())
    )
    let bytes = AssetTests.bytes(300_000)
    try here.insert("Note", ["thumbnail": .data(bytes)])
    try await here.engine.sync()
    try here.update("Note", 1, ["thumbnail": .null])
    try await here.engine.sync()
    #expect(try await here.engine.removeUnusedAssets(after: 0) == 0)
    #expect(try await here.engine.removeUnusedAssets(after: 0) == 1)
    let chunk = try await server.record(
      ServedFile.name(CloudAsset(of: bytes), 0), in: ServedFile.chunks(of: here.engine.zone))
    #expect(chunk?.content == [:])
    try here.update("Note", 1, ["thumbnail": .data(bytes)])
    try await sync(here, there)
    #expect(try there.values("Note", "thumbnail") == [.data(bytes)])
  }
}
