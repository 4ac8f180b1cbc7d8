import SyncStack

/// Crews of a nation, their athletes, and bouts between crews: a required to-one, a circle of
/// optional ones, a many-to-many.
final class Nation: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToMany(inverse: "nation", deleteRule: .cascade) var crews: Set<Crew>
}

final class Crew: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToOne(inverse: "crews", isRequired: true) var nation: Nation?
  @ToOne(inverse: "captainOf") var captain: Athlete?
  @ToMany(inverse: "crew") var athletes: Set<Athlete>
  @ToMany(inverse: "crews") var bouts: Set<Bout>
}

final class Athlete: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToOne(inverse: "athletes") var crew: Crew?
  @ToOne(inverse: "captain") var captainOf: Crew?
}

final class Bout: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToMany(inverse: "bouts") var crews: Set<Crew>
}

extension DataStack {
  static func league(_ location: Location = .inMemory) throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel(Nation.self, Crew.self, Athlete.self, Bout.self), store: location)
  }

  /// The objects of all entities with their links, a line for each.
  func lines() async throws -> [String] {
    let context = newBackgroundContext()
    return try await context.perform {
      var lines = try context.fetch(Fetch<Nation>()).map { "Nation \($0.id) \($0.name ?? "-")" }
      lines += try context.fetch(Fetch<Crew>()).map { crew in
        let (nation, captain) = (crew.nation?.id ?? 0, crew.captain?.id ?? 0)
        return "Crew \(crew.id) \(crew.name ?? "-") nation \(nation) captain \(captain)"
      }
      lines += try context.fetch(Fetch<Athlete>()).map { athlete in
        "Athlete \(athlete.id) \(athlete.name ?? "-") crew \(athlete.crew?.id ?? 0)"
      }
      lines += try context.fetch(Fetch<Bout>()).map { bout in
        "Bout \(bout.id) \(bout.name ?? "-") crews \(bout.crews.map(\.id).sorted())"
      }
      return lines.sorted()
    }
  }

  func keys(of entity: String) async throws -> [Int] {
    try await lines().filter { $0.hasPrefix("\(entity) ") }
      .compactMap { Int($0.split(separator: " ")[1]) }.sorted()
  }
}
