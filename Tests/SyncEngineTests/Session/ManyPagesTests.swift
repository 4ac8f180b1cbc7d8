import Foundation
import SyncStack
import TestSupport
import Testing

/// Several pages of a session in one transaction.
@Suite(.timeLimit(.minutes(5))) struct ManyPagesTests {
  // MARK: - A page of several lists

  @Test func aPageOfSeveralListsIsOneCommit() async throws {
    let stack = try DataStack.league()
    let document: JSONValue = [
      "players": [["id": 11, "team_id": 1]], "list": ["teams": [["id": 1, "captain_id": 11]]],
    ]
    let session = try SyncSession(of: ["Team", "Player"], dataStack: stack, name: "nightly")
    let report = try await stack.sync(
      session.page(
        [
          .list(document, of: "Player", at: "players"),
          .list(document, of: "Team", at: "list.teams"),
        ],
        named: "7"))
    #expect(report.inserted == 2)
    #expect(report.itemCount == 2)
    #expect(report.commits.sets.count == 1)
    #expect(try session.storedPages() == ["7"])
    #expect(try stack.keptSessions().first?.storedPages == ["7"])
    try await session.finish()
    #expect(try stack.keys("Team", "captain.id == 11") == [1])
    #expect(try stack.keys("Player", "team.id == 1") == [11])
  }

  @Test(arguments: [false, true]) func aRequiredObjectMayStandBehind(_ isMissing: Bool) async throws
  {
    let stack = try DataStack.orders()
    let session = try SyncSession(of: ["Line", "Order"], dataStack: stack)
    let page = session.page([
      .list([["id": 1, "order_id": 5]] as JSONValue, of: "Line"),
      .list(items([isMissing ? 6 : 5]), of: "Order"),
    ])
    guard isMissing else {
      try await stack.sync(page)
      #expect(try stack.keys("Line", "order.id == 5") == [1])
      try await session.finish()
      return
    }
    await expectError("SyncError requiredValueMissing") { try await stack.sync(page) }
    #expect(try stack.keys("Order").isEmpty)
    await #expect(throws: SyncError.self) { try await session.finish() }
  }

  // MARK: - Many pages

  private static func players(_ count: Int) -> [JSONValue] {
    (1...count).map { number in
      [
        "id": .integer(Int64(number)), "friend_ids": [.integer(Int64(count - number + 1))],
        "team_id": .integer(Int64(number % 7 + 1)),
      ]
    }
  }

  /// A page for each player, and one of the teams.
  private static func pages(_ count: Int) -> [SyncSession.Page] {
    players(count).map { SyncSession.Page(.json([$0]), of: "Player") } + [
      SyncSession.Page(.json(["items": items(1...7)]), of: "Team", at: "items", named: "teams")
    ]
  }

  @Test func manyPagesAndTheEndAreOneSync() async throws {
    let stack = try DataStack.league()
    let whole = try DataStack.league()
    for stack in [stack, whole] {
      try await stack.sync(items([1, 8, 9]), inEntityNamed: "Team")
      try await stack.sync(items([1, 2000]), inEntityNamed: "Player")
    }
    let session = try SyncSession(of: ["Team", "Player"], dataStack: stack, name: "nightly")
    var metadata = StoreMetadata()
    metadata["cursor"] = .string("end")
    let changes = Log<ChangeSet>()
    let watch = try stack.store.hub.subscribe { changes.append($0) }
    let report = try await stack.sync(
      session.commit(Self.pages(1500), ends: true, metadata: metadata))
    await stack.drainNotifications()
    withExtendedLifetime(watch) {}
    #expect(changes.all.count == 1)
    #expect(report.itemCount == 1507)
    #expect(report.deleted == 3)
    #expect(try stack.metadata["cursor"] == .string("end"))
    #expect(try stack.keptSessions().isEmpty)
    let expected = try await whole.sync([
      .list(.array(Self.players(1500)) as JSONValue, of: "Player"),
      .list(items(1...7), of: "Team"),
    ])
    #expect(report.entities == expected.entities)
    for entity in ["Team", "Player"] {
      #expect(try SyncBench(stack).objects(entity) == SyncBench(whole).objects(entity))
    }
    await #expect(throws: SyncError.self) { try await session.finish() }
  }

  @Test(
    arguments: [
      ("cancelled", "CancellationError"), ("no JSON", "JSONError"),
      ("no file", "There is no file “/no/such/file”."),
    ], [nil, "nightly"] as [String?])
  func whatDoesNotComeToItsEndLeavesNothing(
    _ end: (way: String, error: String), name: String?
  ) async throws {
    let stack = try DataStack.league()
    try await stack.sync(items([3]), inEntityNamed: "Team")
    let session = try SyncSession(of: ["Team", "Player"], dataStack: stack, name: name)
    var pages = Self.pages(20)
    switch end.way {
    case "no JSON": pages.append(SyncSession.Page(.data(Data("[{".utf8)), of: "Team"))
    case "no file":
      pages.append(SyncSession.Page(.file(URL(filePath: "/no/such/file")), of: "Team"))
    default: break
    }
    let commit = session.commit(pages, ends: true)
    commit.metadata["cursor"] = .string("end")
    if end.way == "cancelled" {
      let parsed = Log<Int>()
      commit.stepObserver = { [unowned commit] step in
        if step.phase == .parse { parsed.append(step.completed) }
        if parsed.all.count == 12 { commit.cancel() }
      }
    }
    await expectError(end.error) { try await stack.sync(commit) }
    #expect(try stack.keys("Team") == [3])
    #expect(try stack.keys("Player").isEmpty)
    #expect(try stack.metadata["cursor"] == nil)
    // They are missing, until they are made up for.
    await #expect(throws: SyncError.self) { try await session.finish() }
    try session.abandon()
    let next = try SyncSession(of: ["Team", "Player"], dataStack: stack, name: name)
    try await stack.sync(next.commit(Self.pages(20)))
    try await next.finish()
    #expect(try Set(stack.keys("Team")) == Set(1...7))
  }

  @Test func pagesThatFailedAreMadeUpForUnderTheirNames() async throws {
    let stack = try DataStack.social()
    let session = try SyncSession(of: ["User", "Tag"], dataStack: stack, name: "nightly")
    func pages(_ tags: SyncPayload) -> [SyncSession.Page] {
      [
        SyncSession.Page(.json(items([1])), of: "User", named: "users"),
        SyncSession.Page(tags, of: "Tag", named: "tags"),
      ]
    }
    let cut = session.commit(pages(.data(Data("[{".utf8))))
    await #expect(throws: JSONError.self) { try await stack.sync(cut) }
    #expect(try stack.keptSessions().first?.missingPages == ["tags", "users"])
    #expect(try stack.keptSessions().first?.lists == ["User", "Tag"])
    try await stack.sync(session.commit(pages(.json(items([4]))), ends: true))
    #expect(try stack.keys("Tag") == [4])
    #expect(try stack.keptSessions().isEmpty)
  }

  @Test func aDryRunOfPagesAndEndStoresNothing() async throws {
    let stack = try DataStack.league()
    try await stack.sync(items([30]), inEntityNamed: "Team")
    let session = try SyncSession(of: ["Team", "Player"], dataStack: stack)
    let commit = session.commit(Self.pages(5), ends: true)
    commit.isDryRun = true
    let report = try await stack.sync(commit)
    #expect(report.inserted == 12)
    #expect(report.deleted == 1)
    #expect(try stack.keys("Team") == [30])
    try await stack.sync(session.commit(Self.pages(5), ends: true))
    #expect(try stack.keys("Team") == (1...7).map { $0 })
  }

  @Test func theProgressOfManyPagesOnlyGrows() async throws {
    let stack = try DataStack.league()
    let session = try SyncSession(of: ["Team", "Player"], dataStack: stack)
    let commit = session.commit(Self.pages(30), ends: true)
    let fractions = Log<Double>()
    let phases = Log<SyncPhase>()
    commit.stepObserver = { [unowned commit] step in
      if step.begins { phases.append(step.phase) }
      fractions.append(commit.progress.fractionCompleted)
    }
    try await stack.sync(commit)
    #expect(phases.all == SyncPhase.allCases)
    #expect(fractions.all == fractions.all.sorted())
    #expect(commit.progress.fractionCompleted == 1)
  }
}
