import SyncStore
import TestSupport
import Testing

/// Filters beyond SQLite's limits for one statement.
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

  @Test(arguments: [70, 200])
  func pathsOverTooManyRelationshipsAreAnErrorThatSaysSo(_ count: Int) throws {
    let path = String(repeating: "boss.", count: count) + "name"
    let error = #expect(throws: FilterError.self) {
      _ = try self.count(Filter("\(path) == 'x'"), of: "Person")
    }
    #expect(error?.code == .tooLarge && error?.message.contains("Ask in several fetches") == true)
  }

  /// A line of twenty, each the boss of the next, and all of one company.
  private func makeLine() throws {
    try temporary.store.write { transaction in
      for number in 1...20 {
        var person: [String: Value] = ["name": .string("p\(number)"), "company": .int(1)]
        if number > 1 { person["boss"] = .int(Int64(number - 1)) }
        try transaction.insert("Person", [person])
      }
    }
  }

  /// Each relationship is a select inside the one before.
  @Test(arguments: [1, 5, 10, 15, 19])
  func longPathsAreAnsweredOrRefusedByName(_ hops: Int) throws {
    try makeLine()
    let up = String(repeating: "boss.", count: hops) + "name"
    try answersOrRefuses("\(up) == 'p1'", with: 1, mayRefuse: hops > 10)
    let down = Array(repeating: "team", count: hops).joined(separator: ".")
    try answersOrRefuses("ANY \(down).name == 'p20'", with: 1, mayRefuse: hops > 10)
  }

  /// Each asks for a member with a team in which there is a member with a team, and so on.
  private func nested(_ depth: Int) -> String {
    (1...depth).reversed().reduce("TRUEPREDICATE") { inner, level in
      let owner = level == 1 ? "team" : "$v\(level - 1).team"
      return "SUBQUERY(\(owner), $v\(level), \(inner)).@count > 0"
    }
  }

  @Test(arguments: [1, 2, 5, 10, 15, 19])
  func nestedSubqueriesAreAnsweredOrRefusedByName(_ depth: Int) throws {
    try makeLine()
    try answersOrRefuses(nested(depth), with: 20 - depth, mayRefuse: depth > 10)
  }

  private func answersOrRefuses(_ text: String, with count: Int, mayRefuse: Bool) throws {
    do {
      #expect(try self.count(Filter(text), of: "Person") == count)
    } catch let error as FilterError {
      #expect(error.code == .tooLarge, "\(error)")
      #expect(error.message.contains("nested too deeply"))
      #expect(mayRefuse)
    }
  }

  @Test func fiftyNestedSubqueriesAreNoRawSQL() throws {
    #expect {
      _ = try self.count(Filter(self.nested(50)), of: "Person")
    } throws: { ($0 as? FilterError)?.message.contains("SELECT") == false }
  }
}
