import SyncCore
import SyncGraph

/// Teams of a country, their players, and matches between teams: a required to-one, a circle of
/// optional ones, a many-to-many.
final class Country: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToMany(inverse: "country", deleteRule: .cascade) var teams: Set<Team>
}

final class Team: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToOne(inverse: "teams", isRequired: true) var country: Country?
  @ToOne(inverse: "captainOf") var captain: Player?
  @ToMany(inverse: "team") var players: Set<Player>
  @ToMany(inverse: "teams") var matches: Set<Match>
}

final class Player: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToOne(inverse: "players") var team: Team?
  @ToOne(inverse: "captain") var captainOf: Team?
}

final class Match: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToMany(inverse: "matches") var teams: Set<Team>
}

extension DataStack {
  static func league(_ location: Location = .inMemory) throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel(Country.self, Team.self, Player.self, Match.self), store: location)
  }

  /// The objects of all entities with their links, a line for each.
  func lines() async throws -> [String] {
    let context = newBackgroundContext()
    return try await context.perform {
      var lines = try context.fetch(Fetch<Country>()).map { "Country \($0.id) \($0.name ?? "-")" }
      lines += try context.fetch(Fetch<Team>()).map { team in
        let (country, captain) = (team.country?.id ?? 0, team.captain?.id ?? 0)
        return "Team \(team.id) \(team.name ?? "-") country \(country) captain \(captain)"
      }
      lines += try context.fetch(Fetch<Player>()).map { player in
        "Player \(player.id) \(player.name ?? "-") team \(player.team?.id ?? 0)"
      }
      lines += try context.fetch(Fetch<Match>()).map { match in
        "Match \(match.id) \(match.name ?? "-") teams \(match.teams.map(\.id).sorted())"
      }
      return lines.sorted()
    }
  }

  func keys(of entity: String) async throws -> [Int] {
    try await lines().filter { $0.hasPrefix("\(entity) ") }
      .compactMap { Int($0.split(separator: " ")[1]) }.sorted()
  }
}
