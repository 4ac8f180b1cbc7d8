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
        "Item: owner -> Owner.items",
        EntityDraft("Part", superentity: "Item"),
      ]))
    let store = temporary.store
    let count = Int64(StoreReader.leastScanned) * 2
    let entity = try store.model.requireEntity(named: "Owner")
    let items = try #require(entity.relationship(named: "items"))
    let owner: (Int64) -> Int64 = { $0 * 7919 % count + 1 }
    try store.write { transaction in
      try transaction.insert("Owner", (0..<count).map { _ in [:] })
      let rows: [[String: Value]] = (1...3 * count).map {
        $0 % 10 == 0 ? [:] : ["owner": .int(owner($0))]
      }
      try transaction.insert("Item", Array(rows[..<5000]))
      try transaction.insert("Part", Array(rows[5000...]))
      guard isOrdered else { return }
      let placed = (1...3 * count).filter { $0 % 10 != 0 && $0 % 3 != 0 }
      try transaction.setPositions(
        items, of: entity, positions: placed.map { (owner($0), $0, $0 * 31 % 5) })
    }
    try store.read { reader in
      let many = try reader.members(of: items, in: entity, owners: Array(1...count))
      let each = try (1...count).flatMap { try reader.members(of: items, in: entity, owners: [$0]) }
      #expect(many == each)
      #expect(Int64(many.count) == 3 * count - 3 * count / 10)
      #expect(many.contains { $0.entity.name == "Part" })
      // Some of them, still many of all.
      let some = Array(101...count - 50)
      #expect(
        try reader.members(of: items, in: entity, owners: some)
          == each.filter { $0.owner > 100 && $0.owner <= count - 50 })
      for owners in [Array(1...count), some, [7], [count + 1]] {
        let wanted = Set(owners)
        var rows: [[Int64]] = []
        try reader.scanLinks(of: items, in: entity, owners: owners[...]) { rows.append([$0, $1]) }
        #expect(rows == many.filter { wanted.contains($0.owner) }.map { [$0.owner, $0.row] })
      }
    }
  }
}
