#if !os(Windows)
  import Foundation
  import Loopback
  import SyncCore
  import SyncEngine
  import SyncGraph
  import SyncImport
  import SyncStore
  import TestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Programs of their own that import, each killed (`kill -9`) at a random moment; the next one goes
  /// on with the same file. `SYNCSTACK_KILLS` kills so many of each kind, and prints a line about
  /// them:
  /// `SYNCSTACK_KILLS=300 swift test --filter ImportKillTests`.
  @Suite(.timeLimit(.minutes(60))) struct ImportKillTests {
    private static let soak = Proof.number("KILLS")
    private static let kills = soak ?? 3

    @Test(arguments: [ImportCommits.perPage, .perFeed])
    func noPageThatIsStoredIsFetchedAgainAndNoneIsMissing(commits: ImportCommits) async throws {
      let seed = UInt64.random(in: 0...UInt64(Int.max))
      var random = SeededGenerator(seed: seed)
      let folder = try TemporaryFolder()
      let served = ServedLeague()
      let listener = try served.listening()
      let life = ImportLife(
        store: folder.file(), server: try #require(listener.url("/")), commits: commits)
      // Lives that found pages of the one before, and runs that came to their end.
      var (goneOn, ended, pages) = (0, 0, 0)
      Proof.tried("killed imports", ImportKillTests.kills)
      for round in 1...ImportKillTests.kills {
        let stored = try life.storedPages()
        served.server.forgetRequests()
        let requests = Int.random(in: 1...30, using: &random)
        let seconds = Double.random(in: 0..<0.05, using: &random)
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [life = life as ImportLife, requests = requests as Int, seconds = seconds as Double] in
          try await life.live(killedAfter: requests, and: seconds)
        }
        let again = stored.intersection(served.server.requests)
        #expect(again.isEmpty, "seed \(seed), life \(round): \(again.sorted())")
        goneOn += stored.isEmpty ? 0 : 1
        pages += served.server.requests.count
        guard served.takeEnd() else { continue }
        ended += 1
        try await expectEqual(life, served, "seed \(seed), life \(round)")
        served.change(using: &random)
      }
      let stored = try life.storedPages()
      served.server.forgetRequests()
      try await life.run()
      #expect(stored.isDisjoint(with: served.server.requests), "seed \(seed)")
      try await expectEqual(life, served, "seed \(seed), at the end")
      listener.stop()
      guard let soak = ImportKillTests.soak else { return }
      print(
        """
        \(soak) imports killed that commit \(commits), \(goneOn) of which went on with the pages of an \
        earlier one, \(ended) runs ended, \(pages) requests, seed \(seed)
        """)
    }

    private func expectEqual(
      _ life: ImportLife, _ served: ServedLeague, _ moment: String
    ) async throws {
      let stack = try life.stack()
      defer { try? stack.close() }
      let (here, there) = (
        try await stack.lines(), try await ImportTests.lines(served.server.lists)
      )
      #expect(here == there, "\(moment): \(Set(here).symmetricDifference(there).sorted())")
      let consistency = try await stack.checkConsistency()
      #expect(consistency.isConsistent, "\(moment): \(consistency)")
    }
  }

  /// A league whose lists are served by HTTP: nations as changes, crews by cursor, athletes by
  /// number. It changes between the runs only.
  private final class ServedLeague: Sendable {
    typealias Item = ListServer.Item

    let server = ListServer(pageSize: 3)
    private let hasEnded = Locked(false)
    private let lastKey = Locked(60)

    init() {
      for id in 1...12 { server.put("Nation", Item(id: id, name: "N\(id)")) }
      for id in 1...30 { put("Crew", id, "nation_id", id % 12 + 1, 0) }
      for id in 1...60 { put("Athlete", id, "crew_id", id % 30 + 1, 0) }
    }

    func listening() throws -> LoopbackServer {
      try LoopbackServer { [self] request in
        let entity = String(request.path.dropFirst())
        let place = request.query["place"]
        switch entity {
        case "end":
          hasEnded.withLock { $0 = true }
          return .json("{}")
        case "Nation":
          return (try? server.changesBody(entity, place)).map { .json($0.description) }
        default:
          let paging: ListServer.Paging = entity == "Crew" ? .cursor : .number
          return (try? server.body(entity, place, paging)).map { .json($0.description) }
        }
      }
    }

    /// Whether a run has ended since it was asked last.
    func takeEnd() -> Bool {
      hasEnded.withLock { hasEnded in
        defer { hasEnded = false }
        return hasEnded
      }
    }

    private func put(_ entity: String, _ id: Int, _ link: String, _ target: Int, _ version: Int) {
      server.put(
        entity,
        Item(id: id, name: "\(entity) \(id) \(version)", links: [link: .integer(Int64(target))]))
    }

    /// Moves the crews of a nation, which goes then, and replaces some athletes.
    func change(using random: inout SeededGenerator) {
      let nations = server.lists["Nation", default: []].map(\.id)
      let version = Int.random(in: 1...999, using: &random)
      let gone = random.pick(nations)
      for crew in server.lists["Crew", default: []]
      where crew.links["nation_id"]?.integerValue == Int64(gone) {
        let other = random.pick(nations.filter { $0 != gone })
        put("Crew", crew.id, "nation_id", other, version)
      }
      server.remove("Nation", gone)
      let first = lastKey.withLock { key in
        defer { key += 4 }
        return key + 1
      }
      server.put("Nation", Item(id: first, name: "N\(first)"))
      let crews = server.lists["Crew", default: []].map(\.id)
      for id in first + 1...first + 3 {
        let old = random.pick(server.lists["Athlete", default: []].map(\.id))
        server.remove("Athlete", old)
        put("Athlete", id, "crew_id", random.pick(crews), version)
      }
    }
  }

  /// A program that imports until it is killed.
  private struct ImportLife: Codable {
    let store: URL
    let server: URL
    let commits: ImportCommits.RawValue

    init(store: URL, server: URL, commits: ImportCommits) {
      self.store = store
      self.server = server
      self.commits = commits.rawValue
    }

    func stack() throws -> DataStack { try .league(.sqlite(store)) }

    /// The pages of a run that did not come to its end.
    func storedPages() throws -> Set<String> {
      let stack = try stack()
      defer { try? stack.close() }
      return Set(try stack.keptSessions().flatMap(\.storedPages))
    }

    /// - Parameter onRequest: Called with the number of each request, before it is made.
    func run(onRequest: @escaping @Sendable (Int) -> Void = { _ in }) async throws {
      let count = Locked(0)
      let stack = try stack()
      defer { try? stack.close() }
      let run = Import(
        named: "nightly", into: stack,
        feeds: ["Nation", "Crew", "Athlete"].map { entity in
          Feed(
            entity, entity == "Nation" ? .changes : .snapshot, at: "items",
            deletes: { $0["deleted"] == true }
          ) { [server] place in
            onRequest(
              count.withLock { count in
                count += 1
                return count
              })
            var url = server.appending(path: entity)
            if let place { url.append(queryItems: [URLQueryItem(name: "place", value: place)]) }
            let (data, _) = try await URLSession.shared.data(from: url)
            return ListServer.read(try JSONValue(parsing: data))
          }
        })
      run.commits = ImportCommits(rawValue: commits) ?? .perPage
      run.settings.deferReferences = true
      try await stack.run(run)
    }

    /// Dies a moment after it has made so many requests, or has come to its end. Requests and not
    /// time alone say when, so that a slow machine comes as far as a fast one.
    func live(killedAfter requests: Int, and seconds: Double) async throws -> Never {
      try await run { number in
        guard number == requests else { return }
        Thread.detachNewThread {
          Thread.sleep(forTimeInterval: seconds)
          kill(getpid(), SIGKILL)
        }
      }
      _ = try await URLSession.shared.data(from: server.appending(path: "end"))
      kill(getpid(), SIGKILL)
      while true { try await Task.sleep(for: .seconds(60)) }
    }
  }
#endif
