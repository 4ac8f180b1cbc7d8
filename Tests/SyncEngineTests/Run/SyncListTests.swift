import Foundation
import SyncStack
import SyncStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SyncListTests {
  private let stack: DataStack

  init() throws { stack = try DataStack.league() }

  private static let document: JSONValue = [
    "teams": [["id": 1, "captain_id": 11], ["id": 2, "captain_id": 12]],
    "data": [
      "players": [
        ["id": 11, "team_id": 1, "friend_ids": [12, 13]], ["id": 12, "team_id": 2],
        ["id": 13, "team_id": 2],
      ]
    ],
  ]

  private static var lists: [SyncList] {
    [.list(document, of: "Team", at: "teams"), .list(document, of: "Player", at: "data.players")]
  }

  @Test(arguments: [false, true])
  func referencesResolveInAnyOrderAlsoInCircles(_ isReversed: Bool) async throws {
    let report = try await stack.sync(isReversed ? Self.lists.reversed() : Self.lists)
    #expect(report.inserted == 5)
    #expect(report.itemCount == 5)
    #expect(report.findings.isEmpty)
    #expect(try stack.keys("Player", "team.id == 2") == [12, 13])
    #expect(try stack.keys("Team", "captain.id == 11") == [1])
    #expect(try stack.keys("Player", "ANY friends.id == 11") == [12, 13])
  }

  @Test(arguments: ["", "id >= 12", "broken"]) @MainActor
  func listsOfOneParentSayTogetherWhichMembersItHas(_ way: String) async throws {
    try await stack.sync(Self.lists)
    try await stack.sync(
      [["id": 14, "team_id": 2], ["id": 15, "team_id": 2]] as JSONValue, inEntityNamed: "Player",
      operations: [.insert, .update])
    let team = try stack.mainContext.fetch(Fetch<ManagedObject>(entityNamed: "Team", "id == 2"))[0]
    let one: [JSONValue] = [["id": 13], ["id": 16]]
    var other: [JSONValue] = [["id": 12], ["id": 14], ["id": 17]]
    if way == "broken" { other.append(["id": ["a"]]) }
    let filter: Filter? = way == "id >= 12" ? "id >= 12" : nil
    let lists: [SyncList] = [
      .list(.array(one) as JSONValue, of: "Player", parent: team),
      .list(.array(other) as JSONValue, of: "Player", predicate: filter, parent: team),
    ]
    try await stack.sync(lists)
    let expected: [Int64] = way == "broken" ? [12, 13, 14, 15, 16, 17] : [12, 13, 14, 16, 17]
    #expect(try Set(stack.keys("Player", "team.id == 2")) == Set(expected))
  }

  @Test(arguments: ["tree", "bytes", "file", "stream", "hook"])
  func listsOfOneDocumentShareIt(_ way: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "document.json")
    try Self.document.data().write(to: file)
    let handle = try FileHandle(forReadingFrom: file)
    let payload: SyncPayload =
      switch way {
      case "bytes": .data(Self.document.data())
      case "file": .file(file)
      case "stream": .handle(handle)
      default: .json(Self.document)
      }
    let sync = Sync(
      lists: [
        .list(payload, of: "Team", at: "teams"), .list(payload, of: "Player", at: "data.players"),
        .list(payload, of: "Player", at: "data.players"),
      ], dataStack: stack)
    if way == "hook" { sync.settings.prepare = { $0 } }
    #expect(try sync.run().inserted == 5)
    #expect(try stack.keys("Player", "team.id == 2") == [12, 13])
    #expect(try stack.keys("Team", "captain.id == 11") == [1])
  }

  /// A fault is found by the list that is read first, also where it stands beside both.
  @Test(arguments: [false, true]) func aFaultBesideTheListsFailsThemAll(_ isReversed: Bool) throws {
    let text = #"{"teams": [{"id": 1}], "note": {"a": 01}, "players": [{"id": 2}]}"#
    let lists: [SyncList] = [
      .list(text, of: "Team", at: "teams"), .list(text, of: "Player", at: "players"),
    ]
    #expect {
      try stack.sync(isReversed ? lists.reversed() : lists)
    } throws: { ($0 as? JSONError)?.path == "$.note.a" }
    #expect(try stack.keys("Team").isEmpty)
  }

  @Test func isOneCommitWithOneChangeSet() throws {
    let changes = Log<ChangeSet>()
    let watch = try stack.store.hub.subscribe { changes.append($0) }
    try stack.sync(Self.lists)
    stack.drainNotifications()
    withExtendedLifetime(watch) {}
    #expect(changes.all.count == 1)
    #expect(changes.all.first?.entities.map(\.inserted.count).reduce(0, +) == 5)
  }

  @Test func deletionsAreDecidedWhenAllListsWereRead() throws {
    let stack = try DataStack.social()
    try stack.sync(
      [["id": 1, "notes": [["id": 9]]], ["id": 2], ["id": 3]] as JSONValue, inEntityNamed: "User")
    // The first list does not mention user 2, a later one nests it; note 9 is listed by its owner.
    let report = try stack.sync([
      .list([["id": 1]] as JSONValue, of: "User"),
      .list([["id": 5, "user": ["id": 2]], ["id": 9, "user_id": 1]] as JSONValue, of: "Note"),
    ])
    #expect(try stack.keys("User") == [1, 2])
    #expect(try stack.keys("Note") == [9, 5])
    #expect(report.entities["User"]?.deleted == 1)
  }

  @Test func listsOfOneEntitySayTogetherWhichObjectsThereAre() throws {
    let stack = try DataStack.social()
    try stack.sync(items(1...200), inEntityNamed: "User")
    let report = try stack.sync([
      .list(items(1...150), of: "User"), .list(items([]), of: "User"),
      .list(items(151...199), of: "User"),
    ])
    #expect(report.deleted == 1)
    #expect(try stack.keys("User") == (1...199).map { $0 })
  }

  @Test(arguments: [
    ("second list is no JSON", "JSONError unexpectedEnd"),
    ("guard", "SyncError deletionRefused"), ("cancelled", "CancellationError"),
    ("unusable", "SyncError deletionRefused"),
  ])
  func aFailureOfOneListLeavesAllAsTheyWere(_ way: String, error: String) throws {
    let stack = try DataStack.social()
    try stack.sync(items(1...1200), inEntityNamed: "Tag")
    let second: SyncPayload =
      switch way {
      case "second list is no JSON": .data(Data("[{\"id\": 1}, ".utf8))
      case "guard": .json(items(1...3))
      case "unusable": .json([["name": "no key"]])
      default: .json(items(1...1200))
      }
    let sync = Sync(
      lists: [.list(items([1]), of: "User"), .list(second, of: "Tag")], dataStack: stack)
    if way == "cancelled" {
      sync.stepObserver = { [unowned sync] in if $0.phase == .link { sync.cancel() } }
    }
    sync.start()
    expectError(error) { try sync.result?.get() }
    #expect(try stack.keys("User").isEmpty)
    #expect(try stack.keys("Tag").count == 1200)
  }

  @Test func aDryRunReportsAndStoresNothing() throws {
    let report = try Sync(lists: Self.lists, dataStack: stack).run { $0.isDryRun = true }
    #expect(report.inserted == 5)
    #expect(report.isDryRun)
    #expect(try stack.keys("Player").isEmpty)
  }

  @Test func eachListHasItsScopeItsParentAndItsOperations() throws {
    let stack = try DataStack.social()
    try stack.sync(
      [["id": 1, "name": "a", "notes": [["id": 8], ["id": 9]]], ["id": 2, "name": "b"]]
        as JSONValue, inEntityNamed: "User")
    try stack.inBackground { context in
      let user = try context.fetch(Fetch<User>("id == 1"))[0]
      try stack.sync([
        .list(items([7]), of: "User", predicate: "name == 'b'"),
        .list(items([9, 10]), of: "Note", parent: user),
        .list([["id": 3]] as JSONValue, of: "Company", operations: [.update]),
      ])
    }
    #expect(try stack.keys("User") == [1, 7])
    #expect(try stack.keys("Note", "user.id == 1") == [9, 10])
    #expect(try stack.keys("Company").isEmpty)
  }

  @Test func aRequiredReferenceMayWaitForALaterList() throws {
    let stack = try DataStack.orders()
    let lines: JSONValue = [["id": 1, "order_id": 5]]
    try stack.sync([.list(lines, of: "Line"), .list(items([5]), of: "Order")])
    #expect(try stack.keys("Line", "order.id == 5") == [1])
    expectError("SyncError requiredValueMissing") {
      try stack.sync([
        .list([["id": 2, "order_id": 6]] as JSONValue, of: "Line"),
        .list(items([5]), of: "Order"),
      ])
    }
  }

  @Test func serializersConventionsAndJSONAPIStandBesideEachOther() throws {
    let serializer = EntitySerializer(entityNamed: "Tag").by(
      "id", ["id": .int("key"), "name": .string("label")])
    let stack = try DataStack.social()
    try stack.sync([
      .list([["key": 4, "label": "red"]] as JSONValue, with: serializer),
      .list([["id": 1, "tag_ids": [4]]] as JSONValue, of: "User"),
    ])
    #expect(try stack.keys("User", "ANY tags.name == 'red'") == [1])
  }

  @Test func notificationsAndPhasesAreThoseOfOneSync() throws {
    let sync = Sync(lists: Self.lists, dataStack: stack)
    let phases = Log<SyncPhase>()
    let fractions = Log<Double>()
    sync.stepObserver = { [unowned sync] step in
      if step.begins { phases.append(step.phase) }
      fractions.append(sync.progress.fractionCompleted)
    }
    try sync.run()
    #expect(phases.all == SyncPhase.allCases)
    #expect(fractions.all == fractions.all.sorted())
    #expect(sync.progress.fractionCompleted == 1)
  }

  @Test(arguments: ["no list", "path", "batches"])
  func settingsOfOneListAreRefusedWithAReason(_ way: String) throws {
    let stack = try DataStack.social()
    let sync = Sync(
      lists: way == "no list" ? [] : [.list(items([1]), of: "User")], dataStack: stack)
    if way == "path" { sync.path = "data" }
    if way == "batches" { sync.transaction = .perBatch(1) }
    sync.start()
    expectError("SyncError invalidRequest") { try sync.result?.get() }
  }

  /// Lists of two entities in a circle, cut and ordered at random, over stores in which anything
  /// may be: afterwards the store has exactly their objects.
  @Test(arguments: 0..<16) func listsInAnyOrderLeaveWhatTheySay(_ seed: Int) async throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<3 {
      let teams = (1...30).filter { _ in Bool.random(using: &generator) }
      let players = (1...60).filter { _ in Bool.random(using: &generator) }
      let captains = Dictionary(
        uniqueKeysWithValues: zip(teams.shuffled(using: &generator), players))
      let homes = players.map { ($0, teams.randomElement(using: &generator)) }
      let nestedTeam = Int64(31 + seed % 3)
      let teamItems: [JSONValue] = teams.map { team in
        [
          "id": .integer(Int64(team)),
          "captain_id": captains[team].map { .integer(Int64($0)) } ?? .null,
        ]
      }
      let playerItems: [JSONValue] = homes.map { player, team in
        // Some teams stand only below a player.
        let home: (String, JSONValue) =
          player % 7 == 0
          ? ("team", ["id": .integer(nestedTeam)])
          : ("team_id", team.map { .integer(Int64($0)) } ?? .null)
        return .object([
          "id": .integer(Int64(player)), "name": .string("p\(player)"), home.0: home.1,
        ])
      }
      func cut(_ items: [JSONValue], _ entity: String) -> [SyncList] {
        let middle = Int.random(in: 0...items.count, using: &generator)
        return [items[..<middle], items[middle...]].map {
          .list(.array(Array($0)) as JSONValue, of: entity)
        }
      }
      let lists = (cut(teamItems, "Team") + cut(playerItems, "Player")).shuffled(using: &generator)
      try Sync(lists: lists, dataStack: stack).run { $0.deletionGuard = .off }

      let nests = players.contains { $0 % 7 == 0 }
      #expect(try Set(stack.keys("Player")) == Set(players.map(Int64.init)))
      #expect(
        try Set(stack.keys("Team")) == Set(teams.map(Int64.init)).union(nests ? [nestedTeam] : []))
      for (player, team) in homes {
        let home = player % 7 == 0 ? nestedTeam : team.map(Int64.init)
        let stored = try stack.keys("Team", Filter("ANY players.id == %@", player))
        #expect(stored == (home.map { [$0] } ?? []))
      }
      for team in teams {
        let captain = captains[team].map { [Int64($0)] } ?? []
        #expect(try stack.keys("Player", Filter("captainOf.id == %@", team)) == captain)
      }
      #expect(try await stack.checkConsistency().problems.isEmpty)
    }
  }
}
