import SyncStack
import TestSupport
import Testing

/// Random plans against a server whose lists change between the runs, and during them: snapshots and
/// changes, cursors and numbers, pages of any size, failing requests, cancelled runs, new processes.
@Suite(.timeLimit(.minutes(60))) struct RandomImportTests {
  @Test(arguments: Proof.seeds(usual: 1...3))
  func aQuietRunLeavesTheStoreEqualToTheServer(seed: UInt64) async throws {
    defer { Proof.tried("plans of imports") }
    var trial = try Trial(seed)
    for _ in 0..<6 {
      trial.change(Int.random(in: 0...12, using: &trial.random))
      try await trial.runUntilItEnds(seed)
    }
  }
}

/// One server, one file, and one plan.
private struct Trial {
  var random: SeededGenerator
  let server: ListServer
  let folder = try? TemporaryFolder()
  let commits: ImportCommits
  let kinds: [String: Feed.Kind]
  let paging: [String: ListServer.Paging]
  let order: [String]
  let fetches: Int
  private var lastKey = 0

  init(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let entities = ["Nation", "Crew", "Athlete", "Bout"]
    commits = random.pick(ImportCommits.allCases)
    kinds = Dictionary(uniqueKeysWithValues: entities.map { ($0, random.pick(Feed.Kind.allCases)) })
    paging = Dictionary(
      uniqueKeysWithValues: entities.map { ($0, random.pick(ListServer.Paging.allCases)) })
    order = entities.shuffled(using: &random)
    fetches = Int.random(in: 1...4, using: &random)
    server = ListServer(pageSize: Int.random(in: 1...4, using: &random))
    self.random = random
    for _ in 0..<3 { put("Nation") }
    change(20)
  }

  /// The plan, for messages.
  private var plan: String {
    let feeds = order.map { "\($0) \(kinds[$0] ?? .snapshot) \(paging[$0] ?? .cursor)" }
    return "\(commits), pages of \(server.pageSize), \(feeds.joined(separator: ", "))"
  }

  // MARK: - The server

  private func keys(_ entity: String) -> [Int] { server.lists[entity, default: []].map(\.id) }

  private mutating func link(_ entity: String) -> JSONValue {
    let keys = keys(entity)
    return keys.isEmpty ? .null : .integer(Int64(random.pick(keys)))
  }

  private mutating func put(_ entity: String) {
    let known = keys(entity)
    let isNew = known.isEmpty || random.chance(60)
    if isNew { lastKey += 1 }
    let id = isNew ? lastKey : random.pick(known)
    var item = ListServer.Item(id: id, name: "\(entity) \(Int.random(in: 0...99, using: &random))")
    switch entity {
    case "Crew":
      item.links["nation_id"] = link("Nation")
      item.links["captain_id"] = .null
    case "Athlete": item.links["crew_id"] = link("Crew")
    case "Bout":
      item.links["crew_ids"] = .array(
        Array(Set([link("Crew"), link("Crew")])).filter { $0 != .null })
    default: break
    }
    server.put(entity, item)
  }

  /// Deletes an item and, as the server's own database would, the links to it.
  private mutating func remove(_ entity: String) {
    guard let id = keys(entity).randomElement(using: &random) else { return }
    let key = JSONValue.integer(Int64(id))
    for (other, property) in [
      ("Crew", "nation_id"), ("Crew", "captain_id"), ("Athlete", "crew_id"),
    ] {
      for var item in server.lists[other, default: []] where item.links[property] == key {
        guard property != "nation_id" else { return }
        item.links[property] = .null
        server.put(other, item)
      }
    }
    if entity == "Crew" {
      for var item in server.lists["Bout", default: []] {
        guard let crews = item.links["crew_ids"]?.arrayValue, crews.contains(key) else { continue }
        item.links["crew_ids"] = .array(crews.filter { $0 != key })
        server.put("Bout", item)
      }
    }
    server.remove(entity, id)
  }

  mutating func change(_ count: Int) {
    for _ in 0..<count {
      let entity = random.pick(["Nation", "Crew", "Crew", "Athlete", "Athlete", "Bout"])
      if random.chance(25) { remove(entity) } else { put(entity) }
    }
    // Captains come last, so that crews and athletes refer to each other.
    for var item in server.lists["Crew", default: []] where random.chance(10) {
      let taken = Set(
        server.lists["Crew", default: []].filter { $0.id != item.id }
          .compactMap { $0.links["captain_id"]?.integerValue })
      let captain = link("Athlete")
      guard let key = captain.integerValue, !taken.contains(key) else { continue }
      item.links["captain_id"] = captain
      server.put("Crew", item)
    }
  }

  // MARK: - Runs

  private func makeImport(_ stack: DataStack) -> Import {
    let feeds = order.map { entity in
      let (kind, paging) = (kinds[entity] ?? .snapshot, paging[entity] ?? .cursor)
      return Feed(entity, kind, at: "items", deletes: { $0["deleted"] == true }) { [server] place in
        kind == .snapshot
          ? try server.page(entity, place, paging) : try server.changes(entity, place)
      }
    }
    let run = Import(named: "nightly", into: stack, feeds: feeds)
    run.commits = commits
    run.maxConcurrentFetches = fetches
    run.settings.deferReferences = true
    return run
  }

  /// Runs, in new processes as it were, until one ends; the server refuses requests meanwhile.
  mutating func runUntilItEnds(_ seed: UInt64) async throws {
    guard let folder else { return }
    server.forgetRequests()
    var stored: Set<String> = []
    var refusals = Int.random(in: 0...3, using: &random)
    while true {
      let stack = try DataStack.league(.sqlite(folder.file()))
      server.fail(after: refusals > 0 ? Int.random(in: 0...8, using: &random) : nil)
      refusals -= 1
      let asked = server.requests.count
      do {
        try await stack.run(makeImport(stack))
        let (here, there) = (try await stack.lines(), try await ImportTests.lines(server.lists))
        #expect(
          here == there, "seed \(seed), \(plan): \(Set(here).symmetricDifference(there).sorted())")
        let consistency = try await stack.checkConsistency()
        #expect(consistency.isConsistent, "seed \(seed), \(plan): \(consistency)")
        try stack.close()
        return
      } catch let error as FeedError where error.code == .refused {
        // A page that is stored is not asked for again before the run has ended.
        let again = Set(server.requests[asked...]).intersection(stored)
        #expect(again.isEmpty, "seed \(seed), \(commits): \(again)")
        if let session = try stack.keptSessions().first { stored.formUnion(session.storedPages) }
        try stack.close()
      }
    }
  }
}
