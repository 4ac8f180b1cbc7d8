import SyncGraph
import TestSupport
import Testing

/// A list that a document calls required, without a minimum, may be empty: one rule for saves,
/// batches and syncs.
@Suite struct RequiredListTests {
  private func stack(minimum: Int) throws -> DataStack {
    let model = try ManagedObjectModel([
      EntityDraft(
        "Team",
        [
          "name",
          .toMany("players", to: "Player", inverse: "team", isOptional: false, minCount: minimum),
        ]),
      "Player: team -> Team.players",
    ])
    return try DataStack(model: model, store: .inMemory)
  }

  @Test(arguments: [0, 1])
  func mayBeEmptyWithoutAMinimum(minimum: Int) throws {
    let context = try stack(minimum: minimum).newBackgroundContext()
    context.performAndWait {
      let team = try? context.insert(entityNamed: "Team")
      #expect(team != nil)
      if minimum == 0 {
        #expect(throws: Never.self) { try context.save() }
      } else {
        let error = #expect(throws: GraphError.self) { try context.save() }
        #expect(error?.failures.map(\.rule) == [.minimumCount])
      }
    }
  }

  @Test(arguments: [0, 1])
  func batchesGoByTheSameRule(minimum: Int) throws {
    let context = try stack(minimum: minimum).newBackgroundContext()
    context.performAndWait {
      if minimum == 0 {
        #expect(throws: Never.self) {
          try context.batchInsert(entityNamed: "Team", [["name": "a"]])
        }
      } else {
        #expect(throws: GraphError.self) {
          try context.batchInsert(entityNamed: "Team", [["name": "a"]])
        }
      }
    }
  }
}
