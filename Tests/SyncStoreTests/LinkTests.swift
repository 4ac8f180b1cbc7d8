import SyncStore
import TestSupport
import Testing

/// Links are kept once, seen from both sides, and in order where the model says so.
@Suite struct LinkTests {
  private let temporary: TemporaryStore
  private var store: Store { temporary.store }
  private let a: EntityDescription
  private let b: EntityDescription

  init() throws {
    temporary = try TemporaryStore(TestModels.relationships())
    a = try temporary.store.model.requireEntity(named: "A")
    b = try temporary.store.model.requireEntity(named: "B")
    try store.write { transaction in
      try transaction.insert("A", (1...3).map { ["id": .int($0)] })
      try transaction.insert("B", (1...9).map { ["id": .string("\($0)")] })
    }
  }

  private func relationship(
    _ name: String, _ entity: EntityDescription
  ) throws -> RelationshipDescription {
    try #require(entity.relationship(named: name))
  }

  private func members(
    _ name: String, _ entity: EntityDescription, _ owners: [Int64]
  ) throws -> [[Int64]] {
    let relationship = try relationship(name, entity)
    let members = try store.read { try $0.members(of: relationship, in: entity, owners: owners) }
    return owners.map { owner in members.filter { $0.owner == owner }.map(\.row) }
  }

  @Test func bothSidesSeeALink() throws {
    let links = try relationship("links", a)
    let (_, changes) = try store.write {
      try $0.addLinks(links, of: a, pairs: [(1, 5), (1, 4), (2, 5), (1, 5)])
    }
    #expect(changes.summary == "A +[] ~[1: links, 2: links] -[]; B +[] ~[4: linked, 5: linked] -[]")
    #expect(try members("links", a, [1, 2, 3]) == [[5, 4], [5], []])
    #expect(try members("linked", b, [4, 5]) == [[1], [1, 2]])
  }

  @Test func addingWhatIsThereRecordsNothing() throws {
    let links = try relationship("links", a)
    try store.write { try $0.addLinks(links, of: a, pairs: [(1, 5)]) }
    let linked = try relationship("linked", b)
    let (_, changes) = try store.write { try $0.addLinks(linked, of: b, pairs: [(5, 1)]) }
    #expect(changes.isEmpty)
  }

  @Test func eachSideHasItsOwnOrder() throws {
    let links = try relationship("links", a)
    let linked = try relationship("linked", b)
    try store.write { transaction in
      try transaction.addLinks(
        links, of: a, pairs: [(1, 7), (1, 8), (1, 9)], positions: [2, 0, 1])
      try transaction.addLinks(linked, of: b, pairs: [(7, 3), (7, 2)])
    }
    #expect(try members("links", a, [1]) == [[8, 9, 7]])
    #expect(try members("linked", b, [7]) == [[1, 3, 2]])
    let (_, changes) = try store.write { transaction in
      try transaction.setPositions(linked, of: b, positions: [(7, 1, 2), (7, 3, 1), (7, 2, 0)])
    }
    #expect(changes.summary == "B +[] ~[7: linked] -[]")
    #expect(try members("linked", b, [7]) == [[2, 3, 1]])
    let (_, nothing) = try store.write {
      try $0.setPositions(linked, of: b, positions: [(7, 2, 0)])
    }
    #expect(nothing.isEmpty)
  }

  @Test func aRelationshipThatIsItsOwnInverseIsSymmetric() throws {
    let friends = try relationship("friends", a)
    try store.write { try $0.addLinks(friends, of: a, pairs: [(1, 2), (2, 1), (3, 3), (3, 1)]) }
    #expect(try members("friends", a, [1, 2, 3]) == [[2, 3], [1], [1, 3]])
    let (_, changes) = try store.write {
      try $0.removeLinks(friends, of: a, pairs: [(2, 1), (2, 3)])
    }
    #expect(changes.summary == "A +[] ~[1: friends, 2: friends] -[]")
    #expect(try members("friends", a, [1, 2, 3]) == [[3], [], [1, 3]])
  }

  @Test func orderedChildrenFollowTheirPositionAndNewOnesComeLast() throws {
    let items = try relationship("items", a)
    try store.write { transaction in
      for row in [4, 5, 6] as [Int64] { try transaction.update("B", row, ["owner": 1]) }
      try transaction.setPositions(items, of: a, positions: [(1, 4, 1), (1, 5, 0)])
    }
    #expect(try members("items", a, [1]) == [[5, 4, 6]])
    // A child that moves does not take its old position along.
    try store.write { try $0.update("B", 5, ["owner": 2]) }
    try store.write { try $0.update("B", 5, ["owner": 1]) }
    #expect(try members("items", a, [1]) == [[4, 5, 6]])
  }

  @Test func toOneRelationshipsHaveOneMember() throws {
    try store.write { try $0.update("A", 2, ["other": 9]) }
    #expect(try members("other", a, [1, 2]) == [[], [9]])
  }

  @Test(arguments: [1, 40, 700]) func manyLinksGoInAtOnce(_ count: Int) throws {
    let others = try relationship("others", a)
    try store.write { transaction in
      let rows = try transaction.insert("B", (0..<count).map { ["id": .string("x\($0)")] })
      try transaction.prepareBulkLinks(others, of: a, count: 10_000)
      try transaction.addLinks(others, of: a, pairs: rows.reversed().map { (2, $0) })
    }
    #expect(try members("others", a, [2])[0].count == count)
  }

  @Test func linksOfAnotherKindAreRefused() throws {
    let items = try relationship("items", a)
    #expect {
      try store.write { try $0.addLinks(items, of: a, pairs: [(1, 1)]) }
    } throws: { ($0 as? StoreError)?.code == .unsupported }
  }
}
