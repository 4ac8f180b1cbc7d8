import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// An account that shares two lists with two others, each on two machines that edit, move, join,
/// arrange and sync at random moments: in the end all have the same, with order and pairs.
/// `SYNCSTACK_SEEDS` is the number of cases and `SYNCSTACK_FIRST_SEED` the seed of the first; the
/// quick suite repeats the same two in memory. `SYNCSTACK_CLOUD_SHARING_STEPS` makes them longer, and
/// `SYNCSTACK_CLOUD_SERVERS=1` runs them on PostgreSQL, too.
@Suite(.timeLimit(.minutes(60))) struct SharedRandomTests {
  private struct Run {
    let party: Party
    var random: SeededGenerator
    var count = 0

    init(seed: UInt64, on server: SharingServer) async throws {
      random = SeededGenerator(seed: seed)
      let limits =
        Bool.random(using: &random)
        ? CloudLimits(batch: 7, page: 5) : CloudLimits(batch: 25, page: 50)
      party =
        server == .memory
        ? try await Party.inMemory([2, 2, 2], limits)
        : try await Party(server.accounts(), [2, 2, 2])
      let owner = party.owner
      try party.make("Shopping", ["Food": ["a1", "a2", "a3"], "Tools": ["a4"]], owner)
      try party.make("Work", ["Desk": ["b1", "b2"]], owner)
      for (number, machines) in party.machines.enumerated() {
        try party.make("Own\(number)", ["S\(number)": ["p\(number)"]], machines[0])
        try party.tag("p\(number)", "t\(number)", machines[0])
      }
      for client in party.all { try await client.engine.sync() }
    }

    mutating func step(_ client: Client) async throws {
      count += 1
      let notes = try client.rows("Note").map(\.id.row)
      let sections = try client.rows("Section").map(\.id.row)
      let note = notes.randomElement(using: &random)
      let section = sections.randomElement(using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0...1:
        if let section {
          try client.insert("Note", ["name": .string("n\(count)"), "section": .int(section)])
        }
      case 2: if let note { try client.update("Note", note, ["stars": .int(Int64(count))]) }
      case 3...5:
        if let note, let section { try move(client, "Note", note, "section", section) }
      case 6:
        let list = try client.rows("List").map(\.id.row).randomElement(using: &random)
        if let list, let section { try move(client, "Section", section, "list", list) }
      case 7: if let note { try client.delete("Note", note) }
      case 8...9:
        if let note, let other = notes.randomElement(using: &random) {
          let isAdded = Int.random(in: 0..<3, using: &random) > 0
          try client.link("Note", note, "related", [other], isAdded: isAdded)
        }
      case 10...11:
        let tag = try client.rows("Tag").map(\.id.row).randomElement(using: &random)
        let isAdded = Int.random(in: 0..<3, using: &random) > 0
        if let note, let tag { try client.link("Note", note, "tags", [tag], isAdded: isAdded) }
      case 12: try arrange(client, "Section", "notes")
      case 13: try arrange(client, "List", "sections")
      default: try await client.engine.sync()
      }
    }

    private func move(
      _ client: Client, _ entity: String, _ row: Int64, _ field: String, _ owner: Int64
    ) throws {
      try client.update(entity, row, [field: .int(owner)])
    }

    private mutating func arrange(_ client: Client, _ entity: String, _ field: String) throws {
      guard let row = try client.rows(entity).map(\.id.row).randomElement(using: &random) else {
        return
      }
      let random = Locked(self.random)
      _ = try client.stack.store.write { transaction in
        let entity = try transaction.model.requireEntity(named: entity)
        let list = try #require(entity.property(named: field)?.relationship)
        let members = try transaction.members(of: list, in: entity, owners: [row]).map(\.row)
        try transaction.arrange(
          list, of: entity, owner: row,
          as: random.withLock { members.shuffled(using: &$0) })
      }
      self.random = random.withLock { $0 }
    }
  }

  private static let servers = SharingServer.available.filter {
    $0 == .memory || $0 == .database && setting("SERVERS") != nil
  }

  @Test(arguments: servers, Proof.seeds(usual: 100...101))
  func machinesOfThreeAccountsEndEqualInOrderAndPairs(
    _ server: SharingServer, _ seed: UInt64
  ) async throws {
    var run = try await Run(seed: seed, on: server)
    let comment: Comment = "seed \(seed) in \(server)"
    for step in 0..<(setting("SHARING_STEPS") ?? 120) {
      if step == 10 { try await run.party.share("Shopping") }
      if step == 15 { try await run.party.share("Work") }
      let client = try #require(run.party.all.randomElement(using: &run.random))
      try await run.step(client)
    }
    Proof.tried("sequences of sharing by three accounts with two machines each")
    let lists = ["Shopping", "Work"]
    try await run.party.ends(comment)
    for name in lists {
      let expected = try Party.content(run.party.owner, of: name)
      for machines in run.party.machines.dropFirst() {
        let other = try Party.content(machines[0], of: name)
        #expect(expected.filter { !other.contains($0) } == [], comment)
        #expect(other.filter { !expected.contains($0) } == [], comment)
      }
    }
    try await run.party.owner.engine.stopSharing(run.party.id("List", "Shopping", run.party.owner))
    try await run.party.ends(comment)
  }
}
