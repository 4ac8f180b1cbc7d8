import SyncStack
import TestSupport
import Testing

/// Lists in pages, in random pieces and orders, leave what one sync of the whole lists leaves.
@Suite(.timeLimit(.minutes(5))) struct ListSessionPropertyTests {
  /// More of them by hand: `SYNCSTACK_ROUNDS=1000`.
  private static let rounds = Proof.number("ROUNDS") ?? 24

  /// What a server has: items of each list, each object once.
  private struct Content {
    var lists: [(name: String, items: [JSONValue])]

    init(_ random: inout SeededGenerator) {
      let teams = (1...20).filter { _ in random.chance(50) }
      let players = (1...40).filter { _ in random.chance(50) }
      let changed = (41...50).filter { _ in random.chance(30) }
      let captains = Dictionary(uniqueKeysWithValues: zip(teams.shuffled(using: &random), players))
      let nested = Int64(21 + random.pick([0, 1, 2]))
      // Both ends of a friendship name it.
      var friends: [Int: [Int64]] = [:]
      for (first, second) in zip(players, players.shuffled(using: &random)) where first < second {
        friends[first, default: []].append(Int64(second))
        friends[second, default: []].append(Int64(first))
      }
      func player(_ key: Int) -> JSONValue {
        var item: [String: JSONValue] = ["id": .integer(Int64(key)), "name": .string("p\(key)")]
        if key % 7 == 0 {
          item["team"] = ["id": .integer(nested)]
        } else {
          item["team_id"] = teams.randomElement(using: &random).map { .integer(Int64($0)) } ?? .null
        }
        item["friend_ids"] = .array((friends[key] ?? []).map { .integer($0) })
        return .object(JSONObject(item.sorted { $0.key < $1.key }))
      }
      lists = [
        (
          "Team",
          teams.map { key in
            [
              "id": .integer(Int64(key)),
              "captain_id": captains[key].map { .integer(Int64($0)) } ?? .null,
            ]
          }
        ), ("Player", players.map(player)), ("changes", changed.map(player)),
      ]
    }
  }

  private static let lists: [SyncSession.List] = [
    .list(of: "Team"), .list(of: "Player"),
    .list(of: "Player", operations: [.insert, .update], named: "changes"),
  ]

  @Test(arguments: 0..<rounds) func pagesLeaveWhatListsLeave(_ seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let (stack, whole) = (try DataStack.league(), try DataStack.league())
    let name = random.pick([nil, "nightly"])
    for _ in 0..<3 {
      let content = Content(&random)
      let sync = Sync(
        lists: content.lists.map { name, items in
          .list(
            .array(items) as JSONValue, of: name == "Team" ? "Team" : "Player",
            operations: name == "changes" ? [.insert, .update] : nil)
        }, dataStack: whole)
      sync.deletionGuard = .off
      try await whole.sync(sync)
      try await run(content, name, on: stack, &random)
      for entity in ["Team", "Player"] {
        #expect(
          try SyncBench(stack).objects(entity) == SyncBench(whole).objects(entity),
          "seed \(seed): \(entity)")
      }
      #expect(try await stack.checkConsistency().problems.isEmpty)
      #expect(try stack.keptSessions().isEmpty)
    }
  }

  private func run(
    _ content: Content, _ name: String?, on stack: DataStack, _ random: inout SeededGenerator
  ) async throws {
    var pages: [SyncSession.Page] = []
    for (list, items) in content.lists {
      var rest = items[...]
      repeat {
        let count = Int.random(in: 0...8, using: &random)
        pages.append(SyncSession.Page(.json(.array(Array(rest.prefix(count)))), of: list))
        rest = rest.dropFirst(count)
      } while !rest.isEmpty
    }
    pages.shuffle(using: &random)
    func begin() throws -> SyncSession {
      let lists = name == nil ? Self.lists : Self.lists.shuffled(using: &random)
      let session = try SyncSession(lists: lists, dataStack: stack, name: name)
      session.deletionGuard = .off
      return session
    }
    var session = try begin()
    let endsBeside = random.chance(50)
    var rest = pages[...]
    while !rest.isEmpty {
      // Some come in one transaction, and a kept session may begin anew between two.
      let count = random.pick([1, 1, 1, 3, 8])
      let isLast = count >= rest.count
      try await stack.sync(session.commit(Array(rest.prefix(count)), ends: isLast && endsBeside))
      rest = rest.dropFirst(count)
      if name != nil, random.chance(30), !isLast { session = try begin() }
    }
    if !endsBeside { try await session.finish() }
  }
}
