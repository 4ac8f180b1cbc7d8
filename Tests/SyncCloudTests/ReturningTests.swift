import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Three machines delete objects of the same keys and make them again, join them and part them, two
/// of them import one file in between, the connection is bad, the clocks are wrong, and the server
/// is taken back to a backup. `SYNCSTACK_CLOUD_RETURNS` and `…_RETURNS_KINTO` make it longer,
/// `SYNCSTACK_CLOUD_RUNS` repeats it, `SYNCSTACK_CLOUD_SEED` repeats a run.
@Suite(.timeLimit(.minutes(60))) struct ReturningTests {
  private struct Run {
    var generator: SeededGenerator
    let clients: [Client]
    var file = #"[]"#
    var deleted = 0
    var made = 0
    var imports = 0

    init(_ clients: [Client], seed: UInt64) {
      self.clients = clients
      generator = SeededGenerator(seed: seed)
    }

    private mutating func below(_ limit: Int) -> Int {
      Int.random(in: 0..<limit, using: &generator)
    }

    /// A file with some of the keys.
    mutating func write() {
      let notes = (0..<14).filter { _ in below(3) > 0 }.map { index in
        let tags = (0..<8).filter { _ in below(4) == 0 }.map { "{\"id\":\"t\($0)\"}" }
        let folder = below(3) == 0 ? "null" : "{\"id\":\"f\(below(4))\"}"
        return "{\"id\":\"n\(index)\",\"title\":\"file \(below(100))\",\"folder\":\(folder),"
          + "\"tags\":[\(tags.joined(separator: ","))]}"
      }
      file = "[\(notes.joined(separator: ","))]"
    }

    mutating func edit(_ number: Int) async throws {
      let client = clients[below(clients.count)]
      let (entity, keys) = [("Note", 18), ("Tag", 10), ("Folder", 5)][[0, 0, 0, 1, 1, 2][below(6)]]
      let rows = try client.rows(entity).map(\.row)
      switch below(100) {
      case 0..<22:
        let letter = entity.lowercased().prefix(1)
        let key = Value.string("\(letter)\(below(keys))")
        guard try !client.values(entity, "id").contains(key) else { return }
        made += 1
        try client.insert(entity, ["id": key])
      case 22..<40:
        guard let row = rows.randomElement(using: &generator) else { return }
        deleted += 1
        try client.delete(entity, row)
      case 40..<75:
        guard let note = try client.rows("Note").randomElement(using: &generator)?.row,
          let tag = try client.rows("Tag").randomElement(using: &generator)?.row
        else { return }
        let isAdded = below(3) > 0
        switch below(3) {
        case 0: try client.link("Note", note, "seen", [tag], isAdded: isAdded)
        case 1: try client.link("Tag", tag, "notes", [note], isAdded: isAdded)
        default: try client.link("Note", note, "tags", [tag], isAdded: isAdded)
        }
      case 75..<94:
        guard let note = try client.rows("Note").randomElement(using: &generator)?.row else {
          return
        }
        if below(2) == 0 {
          try client.update("Note", note, ["title": .string("edit \(number)")])
        } else {
          let folder = try client.rows("Folder").randomElement(using: &generator)?.row
          try client.update("Note", note, ["folder": folder.map(Value.int) ?? .null])
        }
      default:
        imports += 1
        if below(3) == 0 { write() }
        try await clients[below(2)].sync(file, "Note")
      }
    }

    /// A sync may fail when too much is lost; everything still waits then.
    mutating func sync() async throws {
      try await clients[below(clients.count)].syncWithLosses()
    }
  }

  private func converge(
    on server: any CloudTransport, edits: Int, seed: UInt64, memory: MemoryTransport? = nil
  ) async throws {
    let model = try IdentityTests.tagged()
    let faults = (0..<3).map { FaultyTransport(server, seed: seed &+ UInt64($0), lossRate: 0.04) }
    let clients = try zip(faults, [0.0, -300, 180]).map { try Client($0, model: model, clock: $1) }
    var run = Run(clients, seed: seed)
    run.write()
    // A zone, so that a backup has one.
    try await Client(server, model: model).engine.sync()
    var backup: MemoryTransport.Backup?
    for number in 0..<edits {
      try await run.edit(number)
      if Int.random(in: 0..<10, using: &run.generator) == 0 { try await run.sync() }
      // Taken twice, restored a good while after, when all had synced: records that only one
      // machine has seen may be lost.
      let phase = number % max(edits / 2, 1)
      if phase == edits / 5 { backup = memory?.backup() }
      if phase == edits * 2 / 5, let backup {
        for fault in faults { fault.lossRate = 0 }
        try await settle(clients, fresh: server)
        memory?.restore(backup)
        for fault in faults { fault.lossRate = 0.04 }
      }
    }
    for fault in faults { fault.lossRate = 0 }
    try await settle(clients, fresh: server)
    // Importing the file once more on both leaves its objects, everywhere.
    for _ in 0..<2 {
      for client in clients.prefix(2) {
        try await client.sync(run.file, "Note")
        try await client.engine.sync()
      }
    }
    try await settle(clients, fresh: server)
    let wanted = try JSONValue(parsing: run.file).arrayValue?.compactMap { $0["id"]?.stringValue }
    for client in clients {
      let keys = try client.values("Note", "id").map { $0.description }
      #expect(keys.sorted() == wanted?.sorted(), "seed \(seed)")
      for entity in ["Tag", "Folder"] {
        let keys = try client.values(entity, "id")
        #expect(Set(keys).count == keys.count, "seed \(seed)")
      }
    }
    print(
      "returned: seed \(seed), \(edits) edits, \(run.deleted) deleted, \(run.made) made again, "
        + "\(run.imports) imports, \(memory == nil ? 0 : 2) backups restored")
  }

  private static var seeds: [UInt64] {
    if let seed = setting("SEED") { return [UInt64(seed)] }
    return (0..<(setting("RUNS") ?? 3)).map { _ in UInt64.random(in: 0...UInt64(Int.max)) }
  }

  @Test(arguments: seeds)
  func machinesThatDeleteAndMakeAgainEndEqual(_ seed: UInt64) async throws {
    let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))
    try await converge(on: server, edits: setting("RETURNS") ?? 250, seed: seed, memory: server)
  }

  @Test(.server(.memory)) func machinesThatDeleteAndMakeAgainEndEqualWithKinto() async throws {
    try await converge(
      on: try await TestServer.transport(.memory), edits: setting("RETURNS_KINTO") ?? 80,
      seed: Self.seeds[0])
  }
}
