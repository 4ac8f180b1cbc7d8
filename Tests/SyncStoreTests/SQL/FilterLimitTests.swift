import SyncCore
import SyncStore
import TestSupport
import Testing

/// Filters beyond what SQLite does in one statement.
@Suite struct FilterLimitTests {
  private let temporary: TemporaryStore

  init() throws {
    temporary = try TemporaryStore(TestModels.queries())
    try temporary.store.write { transaction in
      try transaction.insert("Company", (0..<10).map { ["name": .string("n\($0)")] })
    }
  }

  private func count(_ filter: Filter, of entity: String) throws -> Int {
    let entity = try temporary.store.model.requireEntity(named: entity)
    return try temporary.store.read {
      try $0.fetchIdentifiers(FetchPlan(entity: entity, filter: filter)).count
    }
  }

  /// SQLite allows a tree of a depth of 1,000.
  @Test(arguments: [1_000, 5_000]) func manyConditionsAreNoneTooMany(_ count: Int) throws {
    let equal = (5..<5 + count).map { "name == 'n\($0)'" }.joined(separator: " OR ")
    #expect(try self.count(Filter(equal), of: "Company") == 5)
    let different = (5..<5 + count).map { "name != 'n\($0)'" }.joined(separator: " AND ")
    #expect(try self.count(Filter(different), of: "Company") == 5)
  }

  @Test(arguments: [70, 200]) func pathsOverTooManyRelationshipsAreAnErrorThatSaysSo(
    _ count: Int
  ) throws {
    let path = String(repeating: "boss.", count: count) + "name"
    let error = #expect(throws: FilterError.self) {
      _ = try self.count(Filter("\(path) == 'x'"), of: "Person")
    }
    #expect(error?.code == .tooLarge)
    #expect(error?.message.contains("Ask in several fetches") == true)
  }
}
