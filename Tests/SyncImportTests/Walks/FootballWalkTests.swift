import Foundation
import SyncStack
import Testing

final class Competition: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
}
final class FootballClub: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToMany(inverse: "club") var squad: Set<Footballer>
}
final class Footballer: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToOne var club: FootballClub?
}
final class TopScorer: ManagedObject {
  @PrimaryKey(remoteKey: "player.id") var id: Int64
  @Attribute var goals: Int64 = 0
  @ToOne var player: Footballer?
}
final class Fixture: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var utcDate: Date?
  @Attribute(remoteKey: "score.fullTime.home") var homeGoals: Int64?
  @ToOne var homeTeam: FootballClub?
  @ToOne var awayTeam: FootballClub?
}

/// Five lists of football-data.org, version 4, as the page *An import of many lists* reads them: one
/// document each, with the list under a name of its own, and squads nested in their teams.
@Suite(.timeLimit(.minutes(5))) struct FootballWalkTests {
  private static func read(_ api: WalkServer, into stack: DataStack) async throws -> ImportReport {
    let football = Import(named: "football", into: stack) {
      for (entity, path, list) in [
        ("Competition", "competitions", "competitions"),
        ("FootballClub", "competitions/PL/teams", "teams"),
        ("FootballClub", "competitions/ELC/teams", "teams"),
        ("TopScorer", "competitions/PL/scorers", "scorers"),
        ("Fixture", "competitions/PL/matches", "matches"),
      ] {
        Feed(entity, named: path, at: JSONPath(list)) { _ in
          let (data, response) = try await api.get(path)
          return try FeedPage(data, response)
        }
      }
    }
    return try await stack.run(football)
  }

  private static let area: JSONValue = [
    "id": 2072, "name": "England", "code": "ENG", "flag": "https://crests.example/770.svg",
  ]

  private static func player(_ id: Int) -> JSONValue {
    [
      "id": .integer(Int64(id)), "name": .string("Player \(id)"), "position": "Defence",
      "dateOfBirth": "1998-04-25", "nationality": "England",
    ]
  }

  private static func club(_ id: Int, _ players: [Int]? = nil) -> JSONValue {
    var object: JSONObject = [
      "id": .integer(Int64(id)), "name": .string("Club \(id)"), "tla": "CLB",
      "crest": .string("https://crests.example/\(id).png"),
    ]
    if let players {
      object["area"] = area
      object["coach"] = ["id": 11_616, "name": "Coach"]
      object["squad"] = .array(players.map(player))
      object["runningCompetitions"] = [["id": 2021, "name": "Premier League", "code": "PL"]]
    }
    return .object(object)
  }

  /// - Parameter moves: Whether player 1 has gone from the first club to the second one.
  private static func document(_ path: String, moves: Bool) -> JSONValue {
    switch path {
    case "/competitions":
      return [
        "count": 1, "filters": ["client": "x"],
        "competitions": [
          [
            "id": 2021, "area": area, "name": "Premier League", "code": "PL",
            "currentSeason": ["id": 2403, "winner": .null], "numberOfAvailableSeasons": 125,
          ]
        ],
      ]
    case "/competitions/PL/teams":
      return [
        "count": 2, "competition": ["id": 2021, "name": "Premier League"],
        "teams": [club(57, moves ? [2] : [1, 2]), club(58, moves ? [1, 3] : [3, 4])],
      ]
    case "/competitions/ELC/teams":
      return [
        "count": 1, "competition": ["id": 2016, "name": "Championship"],
        "teams": [club(60, [9])],
      ]
    case "/competitions/PL/scorers":
      return [
        "count": 1, "season": ["id": 2403],
        "scorers": [
          [
            "player": player(1), "team": club(moves ? 58 : 57), "goals": moves ? 7 : 5,
            "assists": .null, "penalties": 1,
          ]
        ],
      ]
    default:
      return [
        "filters": ["season": "2026"], "resultSet": ["count": 2, "played": 1],
        "matches": [
          [
            "id": 1, "utcDate": "2026-08-15T19:00:00Z", "status": "FINISHED",
            "homeTeam": club(57), "awayTeam": club(58),
            "score": ["winner": "HOME_TEAM", "fullTime": ["home": 4, "away": 2]],
            "referees": [],
          ],
          [
            "id": 2, "utcDate": "2027-08-15T19:00:00Z", "status": "TIMED", "homeTeam": club(58),
            "awayTeam": club(57),
            "score": ["winner": .null, "fullTime": ["home": .null, "away": .null]],
          ],
        ],
      ]
    }
  }

  @Test func fiveListsOfFootballAreReadWithTheirLinks() async throws {
    let stack = try DataStack(
      model: ManagedObjectModel(
        Competition.self, FootballClub.self, Footballer.self, TopScorer.self, Fixture.self),
      store: .inMemory)
    let server = try WalkServer { path, _, _ in (Self.document(path, moves: false), 0) }
    let report = try await Self.read(server, into: stack)
    #expect(report.pages == 5 && report["competitions/PL/teams"]?.items == 2)
    let context = stack.newBackgroundContext()
    try await context.perform {
      let fixture = try #require(try context.fetch(Fetch<Fixture>(where: { $0.$id == 1 })).first)
      #expect(fixture.homeGoals == 4 && fixture.utcDate != nil)
      #expect(fixture.homeTeam?.squad.map(\.id).sorted() == [1, 2])
      let scorer = try #require(try context.fetch(Fetch<TopScorer>()).first)
      #expect(scorer.goals == 5 && scorer.player?.club?.name == "Club 57")
      #expect(try context.count(Fetch<FootballClub>()) == 3)
      #expect(try context.count(Fetch<Competition>()) == 1)
    }
    #expect(try await Self.read(server, into: stack).changes.isUnchanged)
    let later = try WalkServer { path, _, _ in (Self.document(path, moves: true), 0) }
    let rest = try await Self.read(later, into: stack)
    #expect(rest.changes.deleted == 1, "\(rest): player 4 has left the league")
    try await context.perform {
      let scorer = try #require(try context.fetch(Fetch<TopScorer>()).first)
      #expect(scorer.goals == 7 && scorer.player?.club?.id == 58)
    }
  }
}
