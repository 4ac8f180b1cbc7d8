import SyncGraph
import SyncStore
import TestSupport
import Testing

/// The checks of a save besides types: counts, required objects, rules of classes.
@Suite struct ValidationTests {
  private let stack: DataStack
  private let context: ManagedObjectContext

  init() throws {
    stack = try DataStack(
      model: ManagedObjectModel(Team.self, Player.self), store: .inMemory, tracksChanges: true)
    context = stack.newBackgroundContext()
  }

  @discardableResult
  private func team(of count: Int) -> Team {
    let team = context.insert(Team.self)
    for number in 0..<Int64(count) {
      let player = context.insert(Player.self)
      player.number = number
      player.team = team
    }
    return team
  }

  private func failures(_ body: () throws -> Void) -> [ValidationFailure] {
    do {
      try body()
      return []
    } catch {
      return (error as? GraphError)?.failures ?? []
    }
  }

  @Test(
    arguments: [
      (0, .minimumCount), (1, .minimumCount), (2, nil), (3, nil), (4, .maximumCount),
    ] as [(Int, ValidationFailure.Rule?)])
  func membersAreCounted(count: Int, rule: ValidationFailure.Rule?) {
    context.performAndWait {
      let team = team(of: count)
      let failures = failures { try context.save() }
      #expect(failures.map(\.rule) == (rule.map { [$0] } ?? []))
      #expect(failures.allSatisfy { $0.key == "players" && $0.objectID == team.objectID })
      #expect(context.hasChanges == (rule != nil))
    }
  }

  @Test func membersAreCountedAgainWhenTheyChange() throws {
    try context.performAndWait {
      let team = team(of: 2)
      try context.save()
      let player = try #require(team.players.first { $0.number == 1 })
      player.team = nil
      #expect(Set(failures { try context.save() }.map(\.rule)) == [.minimumCount, .required])
      player.delete()
      #expect(failures { try context.save() }.map(\.rule) == [.minimumCount])
      context.rollback()
      #expect(team.players.count == 2 && !player.isDeleted)
    }
  }

  @Test func rulesOfClassesJoinThoseOfTheModel() throws {
    try context.performAndWait {
      let team = team(of: 2)
      for player in team.players { player.number = -1 }
      let loner = context.insert(Player.self)
      loner.number = -2
      let error = #expect(throws: GraphError.self) { try context.save() }
      let rules = try #require(error).failures.map(\.rule)
      #expect(rules.count == 3 && rules.count { $0 == .custom } == 2 && rules.contains(.required))
      #expect(error?.objects.contains(loner.objectID) == true)
      #expect(error?.message.contains("below zero") == true)
    }
  }

  @Test func classesMayRefuseADeletion() throws {
    try context.performAndWait {
      let team = team(of: 3)
      try context.save()
      let captain = try #require(team.players.first { $0.number == 0 })
      context.delete(captain)
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect(error?.failures.map(\.objectID) == [captain.objectID])
      #expect(context.deletedObjects == [captain])
      context.rollback()
      #expect(!captain.isDeleted && team.players.count == 3)
      try #require(team.players.first { $0.number == 1 }).delete()
      try context.save()
      #expect(team.players.count == 2)
    }
  }

  @Test func deletingTwiceOrWithoutAContextDoesNothing() throws {
    try context.performAndWait {
      let team = team(of: 2)
      team.delete()
      team.delete()
      #expect(team.isDeleted && !context.insertedObjects.contains(team))
      context.rollback()
      let other = self.team(of: 2)
      try context.save()
      context.reset()
      other.delete()
      #expect(try context.count(Fetch<Team>()) == 1)
    }
  }

  @Test func theHistoryKeepsWhatTheClassPreserves() throws {
    try context.edit {
      let team = team(of: 2)
      team.motto = "On and on"
      team.name = "A"
      try context.save()
      for player in team.players { player.number = 5 }
      context.delete(team)
    }
    let last = try #require(try stack.history().last)
    let gone = last.changes.filter { $0.kind == .delete && $0.entity == "Team" }
    #expect(gone.map(\.tombstone) == [["motto": "On and on"]])
  }
}

final class Team: ManagedObject {
  @Attribute var name: String?
  @Attribute(isPreservedInHistory: true) var motto: String?
  @ToMany(inverse: "team", deleteRule: .cascade, minCount: 2, maxCount: 3) var players: Set<Player>
}

final class Player: ManagedObject {
  @Attribute var number: Int64 = 0
  @ToOne(isRequired: true) var team: Team?

  override func validateForSave() throws {
    try super.validateForSave()
    guard number >= 0 else {
      throw GraphError(
        ValidationFailure(of: self, key: "number", message: "The number is below zero."))
    }
  }

  override func validateForDelete() throws {
    guard number == 0 else { return }
    throw GraphError(ValidationFailure(of: self, key: "number", message: "The captain stays."))
  }
}
