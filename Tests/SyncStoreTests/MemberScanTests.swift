import SyncCore
import SyncStore
import TestSupport
import Testing

/// The members of many owners are read in one scan: the same, and in the same order.
@Suite struct MemberScanTests {
  @Test(arguments: [true, false])
  func aScanGivesWhatLookUpsGive(isOrdered: Bool) throws {
    let temporary = try TemporaryStore(
      ManagedObjectModel([
        EntityDraft(
          "Owner", [.toMany("items", to: "Item", inverse: "owner", isOrdered: isOrdered)]),
        EntityDraft("Item", [.toOne("owner", to: "Owner", inverse: "items")]),
        EntityDraft("Part", superentity: "Item"),
      ]))
    let store = temporary.store
    let entity = try store.model.requireEntity(named: "Owner")
    let items = try #require(entity.relationship(named: "items"))
    let owner: (Int64) -> Int64 = { $0 * 7919 % 700 + 1 }
    try store.write { transaction in
      try transaction.insert("Owner", (0..<700).map { _ in [:] })
      let rows: [[String: Value]] = (1...2100).map {
        $0 % 10 == 0 ? [:] : ["owner": .int(owner($0))]
      }
      try transaction.insert("Item", Array(rows[..<1500]))
      try transaction.insert("Part", Array(rows[1500...]))
      guard isOrdered else { return }
      let placed = (1...2100 as ClosedRange<Int64>).filter { $0 % 10 != 0 && $0 % 3 != 0 }
      try transaction.setPositions(
        items, of: entity, positions: placed.map { (owner($0), $0, $0 * 31 % 5) })
    }
    try store.read { reader in
      let many = try reader.members(of: items, in: entity, owners: Array(1...700))
      let each = try (1...700).flatMap { try reader.members(of: items, in: entity, owners: [$0]) }
      #expect(many == each)
      #expect(many.count == 1890)
      #expect(many.contains { $0.entity.name == "Part" })
      // Some of them, still many of all.
      let some = Array(101...650 as ClosedRange<Int64>)
      #expect(
        try reader.members(of: items, in: entity, owners: some)
          == each.filter { some.contains($0.owner) })
    }
  }
}
