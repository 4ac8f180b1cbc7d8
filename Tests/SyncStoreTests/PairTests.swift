import SyncStore
import TestSupport
import Testing

/// A one-to-one relationship is one thing in two rows.
@Suite struct PairTests {
  private let temporary: TemporaryStore
  private let a: EntityDescription
  private let partner: RelationshipDescription

  init() throws {
    temporary = try TemporaryStore(TestModels.relationships())
    a = try temporary.store.model.requireEntity(named: "A")
    partner = try #require(a.property(named: "partner")?.relationship)
    try temporary.store.write { transaction in
      try transaction.insert("A", (1...3).map { ["id": .int($0)] })
      try transaction.insert("B", (1...4).map { ["id": .string("\($0)"), "owner": 1] })
    }
    for row in 1...2 as ClosedRange<Int64> { _ = try pair(row, row) }
  }

  /// - Returns: The summary of its changes.
  private func pair(_ row: Int64, _ target: Int64?) throws -> String {
    try temporary.store.write {
      try $0.lead(partner, of: a, row: row, to: target)
    }.1.summary
  }

  /// Where each object leads, those of one side behind those of the other; 0 is nowhere.
  private func partners() throws -> [[Int64]] {
    try ["A", "B"].map { name in
      let entity = try temporary.store.model.requireEntity(named: name)
      let slot = try #require(entity.property(named: "partner")).slot
      var result: [Int64] = []
      try temporary.store.read { reader in
        try reader.scan(entity, .all) { result.append($0.integer(slot) ?? 0) }
      }
      return result
    }
  }

  @Test func bothLeaveThePartnersThatTheyHad() throws {
    #expect(
      try pair(1, 2) == "A +[] ~[1: partner, 2: partner] -[]; B +[] ~[1: partner, 2: partner] -[]")
    #expect(try partners() == [[2, 0, 0], [0, 1, 0, 0]])
  }

  @Test func anObjectThatLeadsNowhereLeavesThePartner() throws {
    #expect(try pair(1, nil) == "A +[] ~[1: partner] -[]; B +[] ~[1: partner] -[]")
    #expect(try partners() == [[0, 2, 0], [0, 2, 0, 0]])
  }

  @Test func whatIsPairedAlreadyIsNotWritten() throws {
    #expect(try pair(1, 1) == "")
    #expect(try pair(3, nil) == "")
  }

  @Test func nothingIsLedToOrFromWhatIsNotThere() throws {
    #expect(try pair(1, 99) == "")
    #expect(try pair(99, 1) == "")
    #expect(try partners() == [[1, 2, 0], [1, 2, 0, 0]])
  }

  @Test func objectsOfOneEntityArePairedWithEachOther() throws {
    let model = try ManagedObjectModel(["Person: spouse -> Person.spouse"])
    let temporary = try TemporaryStore(model)
    let person = try model.requireEntity(named: "Person")
    let spouse = try #require(person.property(named: "spouse")?.relationship)
    let spouses = try temporary.store.write { transaction in
      try transaction.insert("Person", [[:], [:], [:], [:]])
      for (row, target) in [(1, 2), (3, 4), (2, 3), (1, 1)] as [(Int64, Int64)] {
        try transaction.lead(spouse, of: person, row: row, to: target)
      }
      return try transaction.rows(person, rows: [1, 2, 3, 4]).map { $0.values[spouse.slot] }
    }.0
    #expect(spouses == [1, 3, 2, .null])
  }

  @Test func aMemberThatIsLedToAnotherOwnerChangesBothLists() throws {
    let b = try temporary.store.model.requireEntity(named: "B")
    let owner = try #require(b.property(named: "owner")?.relationship)
    let changes = try temporary.store.write { try $0.lead(owner, of: b, row: 1, to: 2) }.1
    #expect(changes.summary == "A +[] ~[1: items, 2: items] -[]; B +[] ~[1: owner] -[]")
    #expect(try temporary.store.read { try $0.checkConsistency() }.isEmpty)
  }

  /// Writes one side alone, and settles.
  private func settle(_ written: [(row: Int64, target: Int64)], parted: [Int64] = []) throws {
    try temporary.store.write { transaction in
      var pairs = WrittenPairs()
      for (row, target) in written {
        try transaction.update("A", row, ["partner": target > 0 ? .int(target) : .null])
        pairs.write(partner, of: row)
      }
      let inverse = try #require(a.inverse(of: partner))
      for row in parted { pairs.part(inverse, of: row) }
      _ = try transaction.settle(pairs)
    }
    #expect(try temporary.store.read { try $0.checkConsistency() }.isEmpty)
  }

  @Test func aPartnerThatLeadsNowhereIsLedBack() throws {
    try settle([(3, 4)])
    #expect(try partners() == [[1, 2, 4], [1, 2, 0, 3]])
  }

  @Test func anObjectThatLeadsToThePartnerOfAnotherLeadsNowhere() throws {
    try settle([(3, 1)])
    #expect(try partners() == [[1, 2, 0], [1, 2, 0, 0]])
  }

  @Test func anObjectThatWasPairedWithAWrittenOneLeadsNowhere() throws {
    try settle([(1, 3)], parted: [1])
    #expect(try partners() == [[3, 2, 0], [0, 2, 1, 0]])
    try settle([(2, 0)], parted: [2])
    #expect(try partners() == [[3, 0, 0], [0, 0, 1, 0]])
  }
}
