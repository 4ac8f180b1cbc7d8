import SyncStore
import TestSupport
import Testing

/// Delete rules on sets of rows have the same effect as object by object.
@Suite struct DeleteRuleTests {
  @Test func cascadesFollowAnyDepthAndEndInCycles() throws {
    let temporary = try TemporaryStore(TestModels.tree())
    try temporary.store.write { transaction in
      // A chain of 3,000, closed to a ring, and one that has nothing to do with it.
      try transaction.insert(
        "Organization",
        (1...3000).map { ["id": .int($0), "parent": .int($0 == 1 ? 3000 : $0 - 1)] })
      try transaction.insert("Organization", [["id": 9999]])
    }
    let (summary, changes) = try temporary.store.write { try $0.delete("Organization", [1500]) }
    #expect(summary.count == 3000)
    #expect(changes.summary == "Organization +[] ~[] -\(Array(1...3000).map { Int64($0) })")
    #expect(changes.entities[0].deletedKeys.first == 1)
  }

  @Test func everythingThatLedToTheDeletedIsClearedAndRecorded() throws {
    let temporary = try TemporaryStore(TestModels.relationships())
    let store = temporary.store
    let a = try store.model.requireEntity(named: "A")
    try store.write { transaction in
      try transaction.insert("A", [["id": 1, "partner": 1, "other": 1], ["id": 2, "other": 2]])
      try transaction.insert(
        "B", [["id": "x", "partner": 1, "owner": 2], ["id": "y", "owner": 1], ["id": "z"]])
      try transaction.addLinks(
        #require(a.relationship(named: "links")), of: a, pairs: [(1, 1), (2, 1), (2, 3)])
      try transaction.addLinks(
        #require(a.relationship(named: "others")), of: a, pairs: [(1, 1), (2, 2)])
    }
    let (_, changes) = try store.write { try $0.delete("B", [1]) }
    #expect(
      changes.summary
        == "A +[] ~[1: partner links other others, 2: items links] -[]; B +[] ~[] -[1]")
    let dump = try store.read { try $0.dump() }
    #expect(dump["A"] == ["1 | 3 | 1 | - | -", "2 | 1 | 2 | - | 2"])
    #expect(dump["A_links"]?.count == 1)
    #expect(dump["A_others"]?.count == 1)
  }

  @Test func noActionLeavesTheOtherSidePointingNowhere() throws {
    let temporary = try TemporaryStore(
      ManagedObjectModel(["P: c ->> C.p noAction", "C: p -> P.c"]))
    let p = try temporary.store.model.requireEntity(named: "P")
    try temporary.store.write { transaction in
      try transaction.insert("P", [[:]])
      try transaction.insert("C", [["p": 1]])
    }
    let (_, changes) = try temporary.store.write { try $0.delete([1], of: p) }
    #expect(changes.summary == "P +[] ~[] -[1]")
    #expect(try temporary.store.read { try $0.dump()["C"] } == ["1 | 1 | 1"])
    // No owner is there that could have one less.
    let c = try temporary.store.model.requireEntity(named: "C")
    let (_, later) = try temporary.store.write { try $0.delete([1], of: c) }
    #expect(later.summary == "C +[] ~[] -[1]")
  }

  @Test func whatSurvivesACascadeForgetsItsOwner() throws {
    let temporary = try TemporaryStore(
      ManagedObjectModel([
        "Company: id, employees ->> Person.company ordered cascade",
        "Person: id, company -> Company.employees, team -> Team.people",
        "Team: id, people ->> Person.team",
      ]))
    let company = try temporary.store.model.requireEntity(named: "Company")
    try temporary.store.write { transaction in
      try transaction.insert("Company", [["id": 1], ["id": 2]])
      try transaction.insert("Team", [["id": 1]])
      try transaction.insert(
        "Person",
        (1...4).map { ["id": .int($0), "company": $0 < 4 ? 1 : 2, "team": $0 < 3 ? 1 : .null] })
    }
    let (summary, changes) = try temporary.store.write {
      try $0.delete([1], of: company) { row, entity in entity.name == "Person" && row == 2 }
    }
    #expect(summary.count == 3)
    #expect(
      changes.summary
        == "Company +[] ~[] -[1]; Person +[] ~[2: company] -[1, 3]; Team +[] ~[1: people] -[]")
    let people = try temporary.store.read { try $0.dump()["Person"] }
    #expect(people?.first == "2 | 2 | 2 | - | 1 | -")
  }

  @Test func denyNamesTheObjectsInTheWay() throws {
    let temporary = try TemporaryStore(Self.companies())
    let store = temporary.store
    let company = try store.model.requireEntity(named: "Company")
    try store.write { transaction in
      try transaction.insert("Company", [["id": 7]])
      try transaction.insert("Person", (1...12).map { ["id": .int($0), "company": 1] })
    }
    let before = try store.read { try $0.dump() }
    let error = #expect(throws: StoreError.self) {
      try store.write { try $0.delete([1], of: company) }
    }
    #expect(error?.code == .deletionDenied && error?.keys == (1...10).map { .int($0) })
    #expect(error?.message.hasPrefix("Company 7 cannot be deleted") == true)
    #expect(error?.message.contains("Person 1, Person 2") == true)
    #expect(error?.message.contains("and 2 more") == true)
    #expect(try store.read { try $0.dump() } == before)
    // Those that go in the same transaction before it are not in the way.
    try store.write { transaction in
      try transaction.delete("Person", Array(1...12))
      try transaction.delete([1], of: company)
    }
  }

  private static func companies() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      "Company: id, employees ->> Person.company deny",
      "Person: id, company -> Company.employees",
    ])
  }

  /// Random graphs with random rules: rows against a small reconcile over dictionaries.
  @Test(arguments: 0..<60) func rowsAndObjectsAgree(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var oracle = DeleteOracle.random(&random)
    let temporary = try TemporaryStore(oracle.model(), seed % 2 == 0 ? .memory : .file)
    let store = temporary.store
    try oracle.fill(store)
    #expect(try oracle.state(of: store) == oracle.state)
    for _ in 0..<6 {
      guard let victim = oracle.randomObject(&random) else { return }
      var expected = oracle
      let isAllowed = expected.delete([victim])
      let entity = try store.model.requireEntity(named: victim.entity)
      if isAllowed {
        let (_, changes) = try store.write { try $0.delete([victim.row], of: entity) }
        oracle.objects = expected.objects
        oracle.links = expected.links
        #expect(try oracle.state(of: store) == expected.state, "deleting \(victim)")
        #expect(changes.summary == expected.lastChanges, "deleting \(victim)")
      } else {
        #expect(throws: StoreError.self) {
          try store.write { try $0.delete([victim.row], of: entity) }
        }
        #expect(try oracle.state(of: store) == oracle.state)
      }
      let problems = try store.read { try $0.checkConsistency() }
      #expect(problems.isEmpty, "deleting \(victim)")
    }
  }
}
