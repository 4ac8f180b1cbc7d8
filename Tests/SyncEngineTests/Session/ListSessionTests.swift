import Foundation
import SyncStack
import TestSupport
import Testing

/// A session whose pages are of several lists.
@Suite(.timeLimit(.minutes(5))) struct ListSessionTests {
  private let stack: DataStack

  init() throws { stack = try DataStack.social() }

  private static let teams: [JSONValue] = [
    [["id": 1, "captain_id": 11]], [["id": 2, "captain_id": 12]],
  ]
  private static let players: [JSONValue] = [
    [["id": 11, "team_id": 1, "friend_ids": [12, 13]]],
    [["id": 12, "team_id": 2], ["id": 13, "team_id": 2]],
  ]

  @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]], [nil, "nightly"])
  func referencesResolveOverAllPagesInAnyOrder(_ order: [Int], name: String?) async throws {
    let stack = try DataStack.league()
    let session = try SyncSession(of: ["Team", "Player"], dataStack: stack, name: name)
    for page in order {
      if page < 2 {
        try await session.sync(Self.teams[page], of: "Team")
      } else {
        try await session.sync(Self.players[page - 2], of: "Player")
      }
    }
    let report = try await session.finish()
    #expect(report.findings.isEmpty)
    #expect(try stack.keys("Player", "team.id == 2") == [12, 13])
    #expect(try stack.keys("Team", "captain.id == 11") == [1])
    #expect(try stack.keys("Team", "captain.id == 12") == [2])
    #expect(try Set(stack.keys("Player", "ANY friends.id == 11")) == [12, 13])
    #expect(try await stack.checkConsistency().problems.isEmpty)
  }

  @Test func deletionsAreDecidedOnceOverAllLists() async throws {
    let stack = try DataStack.league()
    try await stack.sync(items([1, 2, 3]), inEntityNamed: "Team")
    try await stack.sync(items([11, 12]), inEntityNamed: "Player")
    let session = try SyncSession(of: ["Team", "Player"], dataStack: stack)
    try await session.sync(items([1]), of: "Team")
    // Team 2 stands only below a player.
    try await session.sync([["id": 11, "team": ["id": 2]]] as JSONValue, of: "Player")
    #expect(try stack.keys("Team") == [1, 2, 3])
    let report = try await session.finish()
    #expect(try stack.keys("Team") == [1, 2])
    #expect(try stack.keys("Player") == [11])
    #expect(report.deleted == 2)
  }

  @Test func listsOfOneEntitySayTogetherWhichObjectsThereAre() async throws {
    try await stack.sync(items(1...200), inEntityNamed: "User")
    let session = try SyncSession(
      lists: [
        .list(of: "User", named: "a"), .list(of: "User", named: "b"),
        .list(of: "User", named: "c"),
      ], dataStack: stack)
    try await session.sync(items(1...150), of: "a")
    try await session.sync(items([]), of: "b")
    try await session.sync(items(151...199), of: "c")
    try await session.finish()
    #expect(try stack.keys("User") == (1...199).map { $0 })
  }

  /// The pages of one list move objects out of the scope of another one before it has a page.
  @Test func scopesAreThoseBeforeTheFirstPage() async throws {
    let stack = try DataStack.league()
    try await stack.sync(
      [["id": 1, "name": "A", "players": [["id": 11], ["id": 12]]]] as JSONValue,
      inEntityNamed: "Team")
    try await stack.sync(items([19]), inEntityNamed: "Player", operations: .insert)
    let session = try SyncSession(
      lists: [.list(of: "Team"), .list(of: "Player", predicate: "team.name == 'A'")],
      dataStack: stack, name: "nightly")
    try await session.sync([["id": 1, "name": "Z"]] as JSONValue, of: "Team")
    try await session.sync(items([11]), of: "Player")
    try await session.finish()
    #expect(try stack.keys("Player") == [11, 19])
  }

  @Test(arguments: [nil, "nightly"] as [String?])
  func aListThatDeletesNeedsAPageAndOneOfChangesDoesNot(_ name: String?) async throws {
    let stack = try DataStack.league()
    try await stack.sync(items([1, 2]), inEntityNamed: "Team")
    try await stack.sync(items([11, 12]), inEntityNamed: "Player")
    let session = try SyncSession(
      lists: [
        .list(of: "Team"), .list(of: "Player"),
        .list(of: "Player", operations: [.insert, .update], named: "changes"),
      ], dataStack: stack, name: name)
    try await session.sync(items([1]), of: "Team")
    await expectError("SyncError invalidRequest", "no page of “Player”") {
      try await session.finish()
    }
    #expect(try stack.keys("Team") == [1, 2])
    try await session.sync(items([12]), of: "Player")
    try await session.finish()
    #expect(try stack.keys("Team") == [1])
    #expect(try stack.keys("Player") == [12])
  }

  @Test func eachListHasItsMappingAndSaysWhatIsDeleted() async throws {
    let serializer = EntitySerializer(entityNamed: "Tag").by(
      "id", ["id": .int("key"), "name": .string("label")])
    try await stack.sync(items([1, 2]), inEntityNamed: "User")
    let session = try SyncSession(
      lists: [
        .list(with: serializer, named: "tags"),
        .list(of: "User", operations: [.update], deletes: { $0["gone"] == true }),
      ], dataStack: stack)
    try await session.sync([["key": 4, "label": "red"]] as JSONValue, of: "tags")
    try await session.sync(
      [["id": 1, "tag_ids": [4]], ["id": 2, "gone": true], ["id": 3]] as JSONValue, of: "User")
    try await session.finish()
    #expect(try stack.keys("User") == [1])
    #expect(try stack.keys("User", "ANY tags.name == 'red'") == [1])
  }

  @Test func theGuardCountsOverAllPages() async throws {
    try await stack.sync(items(1...1200), inEntityNamed: "Tag")
    let session = try SyncSession(of: ["User", "Tag"], dataStack: stack)
    try await session.sync(items([1]), of: "User")
    try await session.sync(items(1...3), of: "Tag")
    await expectError("SyncError deletionRefused") { try await session.finish() }
    try await session.sync(items(4...900), of: "Tag")
    try await session.finish()
    #expect(try stack.keys("Tag").count == 900)
  }

  // MARK: - Refusals

  @Test(arguments: ["none", "two of a name"])
  func listsThatCannotBeToldApartAreRefused(_ way: String) throws {
    expectError("SyncError invalidRequest") {
      try SyncSession(of: way == "none" ? [] : ["User", "User"], dataStack: stack)
    }
  }

  @Test(arguments: ["unknown", "unsaid", "filter", "parent"])
  func aPageSaysOfWhichListItIs(_ way: String) async throws {
    let session = try SyncSession(of: ["User", "Note"], dataStack: stack)
    if way == "filter" { session.filter = "name == 'a'" }
    let page =
      way == "unsaid"
      ? session.page(items([1]), named: "1")
      : session.page(items([1]), of: way == "unknown" ? "Users" : "User", named: "1")
    if way == "parent" {
      page.parent = ManagedObjectID(entity: try stack.model.requireEntity(named: "Tag"), row: 1)
    }
    await expectError("SyncError invalidRequest") { try await stack.sync(page) }
    #expect(try stack.keys("User").isEmpty)
  }

  @Test func oneListNeedsNoNameOnItsPages() async throws {
    let session = try SyncSession(of: ["User"], dataStack: stack)
    try await session.sync(items([1]))
    try await session.sync(items([2]), of: "User")
    try await session.finish()
    #expect(try stack.keys("User") == [1, 2])
  }
}
