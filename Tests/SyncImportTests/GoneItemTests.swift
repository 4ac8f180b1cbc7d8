import Foundation
import SyncStack
import TestSupport
import Testing

/// Items of pages that say that their objects are gone: the end decides, with everything that the
/// pages say of the object and of those that would go along.
@Suite(.timeLimit(.minutes(5))) struct GoneItemTests {
  typealias Item = ListServer.Item

  /// How the pages of a session are committed.
  enum Way: CaseIterable {
    case apart, together
    /// Each page in a session of its own, as after a restart.
    case restarted
  }

  private static func stored(_ location: DataStack.Location = .inMemory) async throws -> DataStack {
    let stack = try DataStack.league(location)
    try await stack.sync(
      #"[{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]"#, inEntityNamed: "Nation")
    try await stack.sync(
      #"[{"id": 1, "name": "T", "nation_id": 1}, {"id": 2, "name": "U", "nation_id": 1}]"#,
      inEntityNamed: "Crew")
    return stack
  }

  private static func session(_ stack: DataStack, _ name: String?) throws -> SyncSession {
    try SyncSession(
      lists: ["Nation", "Crew"].map { entity in
        .list(of: entity, operations: [.insert, .update], deletes: { $0["deleted"] == true })
      }, dataStack: stack, name: name)
  }

  /// Runs pages of changes, and the end.
  private static func run(
    _ pages: [(entity: String, json: String)], _ way: Way, _ stack: DataStack
  ) async throws -> SyncReport {
    let made = pages.map { SyncSession.Page(.data(Data($0.json.utf8)), of: $0.entity) }
    let session = try session(stack, way == .restarted ? "daily" : nil)
    switch way {
    case .together: return try await stack.sync(session.commit(made, ends: true))
    case .apart:
      for page in made { try await stack.sync(session.commit([page])) }
    case .restarted:
      for page in made { try await stack.sync(Self.session(stack, "daily").commit([page])) }
    }
    return try await session.finish()
  }

  @Test(arguments: Way.allCases)
  func anOwnerThatIsGoneLeavesWhatALaterPageMoves(way: Way) async throws {
    let stack = try await Self.stored()
    let report = try await Self.run(
      [
        ("Nation", #"[{"id": 1, "deleted": true}]"#),
        ("Crew", #"[{"id": 1, "nation_id": 2}]"#),
      ], way, stack)
    #expect(try await stack.lines() == ["Crew 1 T nation 2 captain 0", "Nation 2 B"])
    #expect(report.deleted == 2, "nation 1, and crew 2 that no page moves")
  }

  @Test(arguments: Way.allCases)
  func aLaterItemBringsAnObjectBackWithItsLinks(way: Way) async throws {
    let stack = try await Self.stored()
    let report = try await Self.run(
      [
        ("Nation", #"[{"id": 1, "deleted": true}, {"id": 2, "deleted": true}]"#),
        ("Nation", #"[{"id": 1, "name": "again"}]"#),
        // A key alone does not say that the object is there.
        ("Crew", #"[{"id": 1, "nation_id": 1}]"#),
      ], way, stack)
    #expect(
      try await stack.lines() == [
        "Crew 1 T nation 1 captain 0", "Crew 2 U nation 1 captain 0", "Nation 1 again",
      ])
    #expect(report.deleted == 1)
  }

  @Test(arguments: Way.allCases)
  func whatIsGoneAgainIsGone(way: Way) async throws {
    let stack = try await Self.stored()
    _ = try await Self.run(
      [
        ("Crew", #"[{"id": 2, "deleted": true}, {"id": 7, "name": "V", "nation_id": 2}]"#),
        ("Crew", #"[{"id": 2, "name": "again"}, {"id": 7, "deleted": true}]"#),
        ("Crew", #"[{"id": 2, "deleted": true}]"#),
      ], way, stack)
    #expect(try await stack.keys(of: "Crew") == [1])
  }

  @Test func objectsThatAreGoneStayUntilTheEnd() async throws {
    let stack = try await Self.stored()
    let session = try Self.session(stack, "daily")
    let page = try await session.sync(#"[{"id": 1, "deleted": true}]"#, of: "Nation")
    #expect(page.deleted == 0)
    #expect(try await stack.keys(of: "Nation") == [1, 2])
    try session.abandon()
    try await Self.session(stack, "daily").finish()
    #expect(try await stack.keys(of: "Nation") == [1, 2])
  }

  /// The guard counts objects that no page mentions, and these are mentioned.
  @Test(arguments: [nil, "id > 0"])
  func theGuardLetsThroughWhatIsGone(filter: String?) async throws {
    let stack = try DataStack.league()
    let items = (1...600).map { #"{"id": \#($0)}"# }
    try await stack.sync("[\(items.joined(separator: ","))]", inEntityNamed: "Nation")
    let session = try SyncSession(
      lists: [
        .list(
          of: "Nation", predicate: filter.map { Filter($0) },
          deletes: { $0["deleted"] == true })
      ],
      dataStack: stack)
    let gone = (2...600).map { #"{"id": \#($0), "deleted": true}"# }
    try await session.sync(#"[{"id": 1}]"#, of: "Nation")
    try await session.sync("[\(gone.joined(separator: ","))]", of: "Nation")
    let report = try await session.finish()
    #expect(report.deleted == 599)
    #expect(try await stack.keys(of: "Nation") == [1])
  }

  @Test func aDryRunTellsWhatWouldGo() async throws {
    let stack = try await Self.stored()
    let session = try Self.session(stack, nil)
    let pages = [SyncSession.Page(.data(Data(#"[{"id": 1, "deleted": true}]"#.utf8)), of: "Nation")]
    let sync = session.commit(pages, ends: true)
    sync.isDryRun = true
    let report = try await stack.sync(sync)
    #expect(report.deleted == 3)
    #expect(try await stack.lines().count == 4)
  }

  /// Changes are asked for from their place on, so what a page said before a stop must not be lost.
  @Test(arguments: ImportCommits.allCases)
  func whatIsGoneBeforeAStopGoesInTheNextRun(commits: ImportCommits) async throws {
    let folder = try TemporaryFolder()
    let server = ListServer(["Nation": (1...4).map { Item(id: $0, name: "C\($0)") }], pageSize: 1)
    func run() async throws -> ImportReport {
      let stack = try DataStack.league(.sqlite(folder.file()))
      defer { try? stack.close() }
      let run = Import(named: "nightly", into: stack) {
        Feed("Nation", .changes, at: "items", deletes: { $0["deleted"] == true }) { place in
          try server.changes("Nation", place)
        }
      }
      run.commits = commits
      return try await stack.run(run)
    }
    _ = try await run()
    for id in [1, 2] { server.remove("Nation", id) }
    server.put("Nation", Item(id: 3, name: "C3"))
    server.put("Nation", Item(id: 1, name: "again"))
    server.fail(after: 2)
    await #expect(throws: FeedError.self) { try await run() }
    server.fail(after: nil)
    server.remove("Nation", 4)
    _ = try await run()
    let stack = try DataStack.league(.sqlite(folder.file()))
    #expect(try await stack.lines() == ["Nation 1 again", "Nation 3 C3"])
  }
}
