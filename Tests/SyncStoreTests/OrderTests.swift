import SyncStore
import TestSupport
import Testing

/// The members of an ordered list, and their places, are decided by the stored list.
@Suite struct OrderTests {
  private let temporary: TemporaryStore
  private let owner: EntityDescription

  init() throws {
    temporary = try TemporaryStore(TestModels.relationships())
    owner = try temporary.store.model.requireEntity(named: "A")
    try temporary.store.write { transaction in
      try transaction.insert("A", (1...2).map { ["id": .int($0)] })
      try transaction.insert(
        "B", (1...5).map { ["id": .string("\($0)"), "owner": .int($0 < 5 ? 1 : 2)] })
    }
  }

  private func relationship(_ name: String) throws -> RelationshipDescription {
    try #require(owner.property(named: name)?.relationship)
  }

  private func members(_ name: String, of row: Int64) throws -> [Int64] {
    let relationship = try relationship(name)
    return try temporary.store.read {
      try $0.members(of: relationship, in: owner, owners: [row]).map(\.row)
    }
  }

  /// - Returns: The summary of its changes.
  private func arrange(_ name: String, of row: Int64, _ wanted: [Int64]) throws -> String {
    let relationship = try relationship(name)
    return try temporary.store.write {
      try $0.arrange(relationship, of: owner, owner: row, as: wanted)
    }.1.summary
  }

  private func link() throws {
    let relationship = try relationship("links")
    try temporary.store.write {
      try $0.addLinks(relationship, of: owner, pairs: (1...4).map { (1, $0) })
    }
  }

  @Test(arguments: ["items", "links"])
  func membersThatTheOrderDoesNotNameComeLast(_ name: String) throws {
    if name == "links" { try link() }
    #expect(try arrange(name, of: 1, [4, 2]) == "A +[] ~[1: \(name)] -[]")
    #expect(try members(name, of: 1) == [4, 2, 1, 3])
  }

  @Test(arguments: ["items", "links"])
  func strangersArePassedOver(_ name: String) throws {
    if name == "links" { try link() }
    _ = try arrange(name, of: 1, [5, 3, 99, 1])
    #expect(try members(name, of: 1) == [3, 1, 2, 4])
    #expect(try members("items", of: 2) == [5])
  }

  @Test(arguments: ["items", "links"])
  func anOrderThatIsStoredIsNotWritten(_ name: String) throws {
    if name == "links" { try link() }
    _ = try arrange(name, of: 1, [2, 1, 4, 3])
    #expect(try arrange(name, of: 1, [2, 1, 4, 3]) == "")
    #expect(try arrange(name, of: 1, [2, 1]) == "")
  }

  @Test func theOwnerThatAMemberHasAlreadyMovesNothing() throws {
    _ = try arrange("items", of: 1, [2, 1, 4, 3])
    _ = try arrange("items", of: 2, [5])
    let member = try temporary.store.model.requireEntity(named: "B")
    let slot = try #require(member.property(named: "owner")).slot
    func give(_ owner: Int64?, to row: Int64) throws -> String {
      try temporary.store.write {
        try $0.write([(slot, owner.map(Value.int) ?? .null)], to: [row], of: member)
      }.1.summary
    }
    #expect(try give(1, to: 2).contains("items") == false)
    #expect(try members("items", of: 1) == [2, 1, 4, 3])
    // Another owner, and this one once more: it stands last.
    #expect(try give(2, to: 2).contains("items"))
    #expect(try members("items", of: 2) == [5, 2])
    #expect(try give(1, to: 2).contains("items"))
    #expect(try members("items", of: 1) == [1, 4, 3, 2])
    #expect(try give(nil, to: 2).contains("items"))
    #expect(try temporary.store.read { try $0.checkConsistency() }.isEmpty)
  }

  @Test(arguments: ["items", "links"])
  func noTwoShareAPlace(_ name: String) throws {
    if name == "links" { try link() }
    for wanted in [[1, 2, 3], [4, 1], [3, 4, 2, 1], [2]] as [[Int64]] {
      _ = try arrange(name, of: 1, wanted)
      #expect(try temporary.store.read { try $0.checkConsistency() }.isEmpty)
    }
  }
}
