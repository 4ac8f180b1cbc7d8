import Foundation
import SyncStack
import TestSupport
import Testing

/// A session of several lists that is kept in the store goes on after a restart.
@Suite(.timeLimit(.minutes(5))) struct KeptListSessionTests {
  private static func session(
    _ stack: DataStack, _ lists: [SyncSession.List] = [.list(of: "Team"), .list(of: "Player")]
  ) throws -> SyncSession { try SyncSession(lists: lists, dataStack: stack, name: "nightly") }

  @Test func aRestartGoesOnWithTheClaimsOfAllLists() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file()
    let stack = try DataStack.league(.sqlite(file))
    try await stack.sync(items(1...3), inEntityNamed: "Team")
    try await stack.sync(items(11...13), inEntityNamed: "Player")
    let first = try Self.session(stack)
    let page: JSONValue = [["id": 1, "captain_id": 14], ["id": 3]]
    try await first.sync(page, of: "Team", named: "teams/1")
    let second = first.page(items([11]), of: "Player", named: "players/1")
    second.cancel()
    await #expect(throws: CancellationError.self) { try await stack.sync(second) }
    try await first.sync(items([12]), of: "Player", named: "players/2")
    try stack.close()

    let after = try DataStack.league(.sqlite(file))
    let kept = try #require(try after.keptSessions().first)
    #expect(kept.lists == ["Team", "Player"])
    #expect(kept.entityName == "Team")
    #expect(kept.description.hasPrefix("nightly (Team, Player): 2 pages stored"))
    // Their order says nothing.
    let again = try Self.session(after, [.list(of: "Player"), .list(of: "Team")])
    #expect(try again.storedPages() == ["teams/1", "players/2"])
    try await again.sync(items([14]), of: "Player", named: "players/1")
    try await again.finish()
    #expect(try after.keys("Team") == [1, 3])
    #expect(try after.keys("Player") == [12, 14])
    #expect(try after.keys("Team", "captain.id == 14") == [1])
    #expect(try after.keptSessions().isEmpty)
    try after.close()
  }

  @Test(arguments: ["process", "stack"], [SyncPhase.insert, .save])
  func whatWasKilledIsMadeUpFor(_ way: String, phase: SyncPhase) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file().path
    let stack = try DataStack.league(.sqlite(URL(filePath: path)))
    try await stack.sync(items(1...3), inEntityNamed: "Team")
    try stack.close()
    let name = phase.rawValue
    if way == "process" {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, name = name as String] in
        let stack = try DataStack.league(.sqlite(URL(filePath: path)))
        let session = try Self.session(stack)
        try await session.sync([["id": 11, "team": ["id": 2]]] as JSONValue, of: "Player")
        let page = session.page(items([4]), of: "Team", named: "4")
        page.stepObserver = { if $0.phase.rawValue == name { kill(getpid(), SIGKILL) } }
        try await stack.sync(page)
      }
    } else {
      let stack = try DataStack.league(.sqlite(URL(filePath: path)))
      let session = try Self.session(stack)
      try await session.sync([["id": 11, "team": ["id": 2]]] as JSONValue, of: "Player")
      let page = session.page(items([4]), of: "Team", named: "4")
      page.stepObserver = { [unowned page] in if $0.phase.rawValue == name { page.cancel() } }
      await #expect(throws: CancellationError.self) { try await stack.sync(page) }
      try stack.close()
    }
    let after = try DataStack.league(.sqlite(URL(filePath: path)))
    let session = try Self.session(after)
    await #expect(throws: SyncError.self) { try await session.finish() }
    try await session.sync(items([4]), of: "Team", named: "4")
    try await session.finish()
    #expect(try after.keys("Team") == [2, 4])
    try after.close()
  }

  @Test func otherSettingsOfAListAreRefused() async throws {
    let stack = try DataStack.league()
    let session = try Self.session(stack)
    try await session.sync(items([1]), of: "Team")
    let other = try Self.session(
      stack, [.list(of: "Team"), .list(of: "Player", predicate: "name == 'a'")])
    await expectError("SyncError", "filter of Player was none") {
      try await other.sync(items([11]), of: "Player")
    }
    let operations = try Self.session(
      stack, [.list(of: "Team", operations: .insert), .list(of: "Player")])
    await expectError("SyncError", "operations of Team was") {
      try await operations.sync(items([2]), of: "Team")
    }
    try await session.sync(items([11]), of: "Player")
    try await session.finish()
    #expect(try stack.keys("Team") == [1])
  }

  @Test(arguments: [["Team"], ["Team", "Player", "more"], ["Team", "players"]])
  func otherListsAreRefused(_ names: [String]) async throws {
    let stack = try DataStack.league()
    try await Self.session(stack).sync(items([1]), of: "Team")
    let other = try Self.session(
      stack, names.map { .list(of: $0 == "Team" ? "Team" : "Player", named: $0) })
    await expectError("SyncError", "other lists: Player, Team.") {
      try await other.sync(items([2]), of: "Team")
    }
    #expect(try stack.keys("Team") == [1])
  }

  @Test func itIsAnotherOneThanThatOfAnEntityAndCanBeForgotten() async throws {
    let stack = try DataStack.league()
    try await stack.sync(items([1, 2]), inEntityNamed: "Team")
    let one = try SyncSession(entity: "Team", dataStack: stack, name: "nightly")
    try await one.sync(items([1]))
    try await Self.session(stack).sync(items([2]), of: "Team")
    let kept = try stack.keptSessions()
    #expect(kept.map(\.lists) == [["Team", "Player"], ["Team"]])
    try stack.abandon(kept[0])
    #expect(try stack.keptSessions().map(\.lists) == [["Team"]])
    try await one.finish()
    #expect(try stack.keys("Team") == [1])
  }
}
