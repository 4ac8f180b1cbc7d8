import Foundation
import SyncStack
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ImportTests {
  typealias Item = ListServer.Item

  private let server = ListServer(Self.league())
  private let stack: DataStack

  init() throws { stack = try .league() }

  /// Nations, crews and athletes that refer to each other in a circle.
  static func league(_ crews: ClosedRange<Int> = 1...7) -> [String: [Item]] {
    [
      "Nation": (1...2).map { Item(id: $0, name: "C\($0)") },
      "Crew": crews.map { id in
        let links: JSONObject = [
          "nation_id": .integer(Int64(id % 2 + 1)), "captain_id": .integer(Int64(id * 10)),
        ]
        return Item(id: id, name: "T\(id)", links: links)
      },
      "Athlete": crews.flatMap { crew in
        [crew * 10, crew * 10 + 1].map {
          Item(id: $0, name: "P\($0)", links: ["crew_id": .integer(Int64(crew))])
        }
      },
    ]
  }

  static func feeds(
    _ server: ListServer, _ entities: [String] = ["Athlete", "Crew", "Nation"],
    _ paging: ListServer.Paging = .cursor
  ) -> [Feed] {
    entities.map { entity in
      Feed(entity, at: "items") { place in try server.page(entity, place, paging) }
    }
  }

  /// The league as ``DataStack/lines()`` says it.
  static func lines(_ lists: [String: [Item]]) async throws -> [String] {
    let stack = try DataStack.league()
    // The first round of an entity stores its objects, a later one the links that had none.
    for entity in ["Nation", "Crew", "Athlete", "Bout", "Crew"] {
      try await stack.sync(lists[entity, default: []].map(\.json), inEntityNamed: entity)
    }
    return try await stack.lines()
  }

  @Test(arguments: ImportCommits.allCases, ListServer.Paging.allCases)
  func feedsFillTheStoreWithAllTheirLinks(
    commits: ImportCommits, paging: ListServer.Paging
  ) async throws {
    let run = Import(
      named: "nightly", into: stack,
      feeds: Self.feeds(server, ["Athlete", "Crew", "Nation"], paging))
    run.commits = commits
    let report = try await stack.run(run)
    #expect(try await stack.lines() == Self.lines(server.lists))
    #expect(report.pages == 9 && report["Athlete"]?.items == 14 && report["Crew"]?.pages == 3)
    #expect(report.changes.inserted == 23 && report.changes.findings.isEmpty)
    #expect(server.requests.count == 9)
    let again = Import(
      named: "nightly", into: stack,
      feeds: Self.feeds(server, ["Athlete", "Crew", "Nation"], paging))
    again.commits = commits
    #expect(try await stack.run(again).changes.isUnchanged)
  }

  @Test(arguments: ImportCommits.allCases)
  func anObjectThatNoFeedHasIsDeletedAtTheEnd(commits: ImportCommits) async throws {
    try await stack.run(Import(into: stack, feeds: Self.feeds(server)))
    server.remove("Athlete", 11)
    server.remove("Crew", 7)
    server.remove("Athlete", 70)
    server.remove("Athlete", 71)
    server.put("Athlete", Item(id: 99, name: "P99", links: ["crew_id": 1]))
    let run = Import(into: stack, feeds: Self.feeds(server))
    run.commits = commits
    let report = try await stack.run(run)
    #expect(report.changes.deleted == 4 && report.changes.inserted == 1)
    #expect(try await stack.lines() == Self.lines(server.lists))
  }

  @Test(arguments: ImportCommits.allCases)
  func anObjectThatAnotherFeedNestsStays(commits: ImportCommits) async throws {
    let feeds = [
      Feed("Nation") { _ in FeedPage(#"[{"id": 1, "name": "A"}]"#) },
      Feed("Crew") { _ in
        FeedPage(#"[{"id": 1, "name": "T", "nation": {"id": 2, "name": "B"}}]"#)
      },
    ]
    for _ in 0..<2 {
      let run = Import(into: stack, feeds: feeds)
      run.commits = commits
      try await stack.run(run)
      #expect(try await stack.keys(of: "Nation") == [1, 2])
    }
  }

  @Test func inATaskThatIsCancelledAlreadyNothingIsFetched() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stack.run(Import(into: stack, feeds: Self.feeds(server)))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requests.isEmpty)
  }

  @Test func onceStoresEverythingOrNothing() async throws {
    server.fail(after: 5)
    let error = await #expect(throws: FeedError.self) {
      try await stack.run(Import(into: stack, feeds: Self.feeds(server)))
    }
    #expect(error?.code == .refused && error?.feed != nil)
    #expect(try await stack.lines().isEmpty)
  }

  @Test(arguments: ImportCommits.allCases)
  func aCancelledImportDeletesNothing(commits: ImportCommits) async throws {
    try await stack.run(Import(into: stack, feeds: Self.feeds(server)))
    let before = try await stack.lines()
    let (asked, hears) = AsyncStream.makeStream(of: Void.self)
    let run = Import(
      into: stack,
      feeds: [
        Feed("Nation", at: "items") { place in try server.page("Nation", place) },
        Feed("Crew", at: "items") { _ in
          hears.finish()
          try await Task.sleep(for: .seconds(3600))
          return FeedPage("[]")
        },
      ])
    run.commits = commits
    OperationQueue().addOperation(run)
    for await _ in asked {}
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(try await stack.lines() == before)
  }

  @Test func aRequestThatIgnoresItsCancellationHoldsNothingUp() async throws {
    let (asked, hears) = AsyncStream.makeStream(of: Void.self)
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let run = Import(into: stack) {
      Feed("Nation") { _ in
        hears.finish()
        await Task { for await _ in released {} }.value
        return FeedPage(#"[{"id": 1}]"#)
      }
    }
    OperationQueue().addOperation(run)
    for await _ in asked {}
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    release.finish()
    #expect(try await stack.lines().isEmpty)
  }

  /// As a request of a URLSession on Linux does that ends at that moment.
  @Test func aCancellationHandlerThatWaitsHoldsNothingUp() async throws {
    let (asked, hears) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let run = Import(into: stack) {
      Feed("Nation") { _ in
        try await withTaskCancellationHandler {
          hears.finish()
          try await Task.sleep(for: .seconds(3600))
        } onCancel: {
          gate.wait()
        }
        return FeedPage(#"[{"id": 1}]"#)
      }
    }
    OperationQueue().addOperation(run)
    for await _ in asked {}
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    gate.signal()
    #expect(try await stack.lines().isEmpty)
  }

  // MARK: - Going on

  @Test(arguments: [ImportCommits.perPage, .perFeed], ListServer.Paging.allCases)
  func aNamedImportGoesOnWhereItWas(
    commits: ImportCommits, paging: ListServer.Paging
  ) async throws {
    let folder = try TemporaryFolder()
    var runs = 0
    var report: ImportReport?
    while report == nil {
      // Each run is that of a new process, and may make two requests.
      let stack = try DataStack.league(.sqlite(folder.file()))
      defer { try? stack.close() }
      server.fail(after: commits == .perPage ? 2 : 6)
      let run = Import(
        named: "nightly", into: stack,
        feeds: Self.feeds(server, ["Athlete", "Crew", "Nation"], paging))
      run.commits = commits
      run.maxConcurrentFetches = 1
      report = try? await stack.run(run)
      runs += 1
      try #require(runs < 20)
    }
    let stack = try DataStack.league(.sqlite(folder.file()))
    #expect(try await stack.lines() == Self.lines(server.lists))
    #expect(runs > 1)
    if commits == .perPage {
      #expect(report?["Athlete"]?.pagesBefore ?? 0 > 0)
      // Nine pages, and the request that each run but the last was refused.
      #expect(server.requests.count == 9 + runs - 1)
    }
    #expect(try stack.keptSessions().isEmpty)
    try stack.close()
  }

  @Test func changesGoOnWhereTheLastRunEnded() async throws {
    func run() async throws -> ImportReport {
      server.forgetRequests()
      return try await stack.run(
        Import(named: "live", into: stack) {
          Feed("Nation", at: "items") { place in try server.page("Nation", place) }
          Feed("Crew", .changes, at: "items", deletes: { $0["deleted"] == true }) { place in
            try server.changes("Crew", place)
          }
        })
    }
    #expect(try await run()["Crew"]?.items == 7)
    #expect(try await run()["Crew"]?.items == 0)
    #expect(server.requests.filter { $0.hasPrefix("Crew/") }.count == 1)
    server.put("Crew", Item(id: 3, name: "New name", links: ["nation_id": 1]))
    server.remove("Crew", 5)
    let report = try await run()
    #expect(report.changes["Crew"].updated == 1 && report.changes["Crew"].deleted == 1)
    #expect(try await stack.keys(of: "Crew") == [1, 2, 3, 4, 6, 7])
  }

  @Test func abandonBeginsAnewAndKeepsWhatIsStored() async throws {
    func nightly() -> Import {
      let run = Import(named: "nightly", into: stack, feeds: Self.feeds(server))
      run.maxConcurrentFetches = 1
      return run
    }
    server.fail(after: 4)
    await #expect(throws: FeedError.self) { try await stack.run(nightly()) }
    let kept = try await stack.lines()
    #expect(!kept.isEmpty)
    try nightly().abandon()
    #expect(try await stack.lines() == kept)
    server.fail(after: nil)
    server.forgetRequests()
    #expect(try await stack.run(nightly()).pages == 9)
  }

  @Test func aRefusedDeletionBeginsAnewNextTime() async throws {
    let many = (1...600).map { Item(id: $0, name: "C\($0)") }
    let server = ListServer(["Nation": many], pageSize: 1000)
    func nightly() -> Import {
      Import(named: "nightly", into: stack, feeds: Self.feeds(server, ["Nation"]))
    }
    try await stack.run(nightly())
    for item in many { server.remove("Nation", item.id) }
    let error = await #expect(throws: FeedError.self) { try await stack.run(nightly()) }
    #expect(error?.code == .notStored)
    #expect((error?.underlying as? SyncError)?.code == .deletionRefused)
    for item in many { server.put("Nation", item) }
    #expect(try await stack.run(nightly()).changes.isUnchanged)
    #expect(try await stack.keys(of: "Nation").count == 600)
  }

  // MARK: - Lists that change

  @Test(arguments: [ImportCommits.once, .perPage], [true, false])
  func aListOfNumberedPagesThatShrinksDeletesNothing(
    commits: ImportCommits, grows: Bool
  ) async throws {
    let items = (1...9).map { Item(id: $0, name: "C\($0)") }
    let server = ListServer(["Nation": items])
    try await stack.run(Import(into: stack, feeds: Self.feeds(server, ["Nation"], .number)))
    let run = Import(into: stack) {
      Feed("Nation", at: "items") { place in
        // The first item goes after the first page was read: item 4 moves to that page, unseen.
        if place == "2" {
          server.remove("Nation", 1)
          if grows { server.put("Nation", Item(id: 10, name: "C10")) }
        }
        return try server.page("Nation", place, .number)
      }
    }
    run.commits = commits
    run.maxConcurrentFetches = 1
    let report = try await stack.run(run)
    let keys = try await stack.keys(of: "Nation")
    if grows {
      // The number of items is as it was: pages by number cannot tell.
      #expect(!keys.contains(4))
    } else {
      #expect(keys == Array(1...9))
      #expect(report.changes.count(of: .suspendedDeletion) == 1)
    }
    let quiet = Import(into: stack, feeds: Self.feeds(server, ["Nation"], .number))
    try await stack.run(quiet)
    #expect(try await stack.keys(of: "Nation") == (grows ? Array(2...10) : Array(2...9)))
  }

  @Test func anEmptyPageBeforeTheLastEndsNothing() async throws {
    let pages = [#"[{"id": 1}]"#, "[]", #"[{"id": 2}]"#]
    try await stack.run(
      Import(into: stack) {
        Feed("Nation") { place in
          let number = place.flatMap { Int($0) } ?? 0
          return FeedPage(pages[number], next: number < 2 ? "\(number + 1)" : nil)
        }
      })
    #expect(try await stack.keys(of: "Nation") == [1, 2])
  }

  @Test func anItemOnTwoPagesIsOneObjectOfTheLaterPage() async throws {
    let pages = [#"[{"id": 1, "name": "old"}]"#, #"[{"id": 1, "name": "new"}, {"id": 2}]"#]
    try await stack.run(
      Import(into: stack) {
        Feed("Nation") { place in
          FeedPage(pages[place == nil ? 0 : 1], next: place == nil ? "1" : nil)
        }
      })
    #expect(try await stack.lines() == ["Nation 1 new", "Nation 2 -"])
  }

  @Test func aFeedWithoutEndIsRefused() async throws {
    let error = await #expect(throws: FeedError.self) {
      try await stack.run(
        Import(into: stack) {
          Feed("Nation") { place in FeedPage(#"[{"id": 1}]"#, next: place == "a" ? "b" : "a") }
        })
    }
    #expect(error?.code == .repeatedPlace && error?.feed == "Nation" && error?.place == "b")
  }

  @Test(arguments: ImportCommits.allCases)
  func aPageThatIsNoJSONIsNamed(commits: ImportCommits) async throws {
    let run = Import(into: stack) {
      Feed("Nation") { place in
        FeedPage(
          place == nil ? #"[{"id": 1}]"# : "<html>Sign in</html>", next: place == nil ? "2" : nil)
      }
    }
    run.commits = commits
    let error = await #expect(throws: FeedError.self) { try await stack.run(run) }
    #expect(error?.code == .unreadable && error?.description.contains("Nation") == true)
  }

  // MARK: - Running

  @Test func anImportMayBeOnTheQueueOfTheStack() async throws {
    let run = Import(into: stack, feeds: Self.feeds(server))
    stack.syncQueue.addOperation(run)
    #expect(try await run.value.pages == 9)
  }

  @Test func theProgressEndsComplete() async throws {
    let run = Import(named: "nightly", into: stack, feeds: Self.feeds(server))
    let progress = run.progress
    let updates = run.progressUpdates
    try await stack.run(run)
    var last: ImportProgress?
    var fractions: [Int] = []
    for await update in updates {
      fractions.append(update.storedPages)
      last = update
    }
    #expect(
      last?.storedPages == 9 && last?.items == 23 && last?.feeds.allSatisfy(\.hasEnded) == true)
    #expect(fractions == fractions.sorted())
    #expect(progress.isFinished)
  }

  @Test func aFewPagesAreAheadOfTheWriter() async throws {
    let open = Locked((now: 0, most: 0))
    let run = Import(named: "wide", into: stack) {
      Feed("Nation") { place in
        open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        await Task.yield()
        open.withLock { $0.now -= 1 }
        let id = place ?? "0"
        return FeedPage(
          #"[{"id": \#(id)}]"#, places: place == nil ? (1...40).map { "\($0)" } : [])
      }
    }
    run.maxConcurrentFetches = 3
    try await stack.run(run)
    #expect(try await stack.keys(of: "Nation") == Array(0...40))
    #expect(open.withLock { $0.most } <= 3)
  }
}
