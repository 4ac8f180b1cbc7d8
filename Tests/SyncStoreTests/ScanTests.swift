import Foundation
import SyncStore
import TestSupport
import Testing

/// Scans visit the rows that were asked for, and compare in place.
@Suite struct ScanTests {
  private func rows(
    _ store: Store, _ entity: String, _ selection: RowSelection, orderedBy order: Int? = nil
  ) throws -> [Int64] {
    let entity = try store.model.requireEntity(named: entity)
    return try store.read { reader in
      var rows: [Int64] = []
      try reader.scan(entity, selection, orderedBy: order) { rows.append($0.row) }
      return rows
    }
  }

  @Test(arguments: [1, 2, 9, 65, 513, 1500]) func keysAreFoundWhateverTheirNumber(_ count: Int)
    throws
  {
    let temporary = try TemporaryStore(TestModels.users())
    let store = temporary.store
    try store.write {
      try $0.insert("User", (0..<2000).map { ["id": .int(Int64($0)), "name": .string("N\($0)")] })
    }
    let numbers = (0..<count).map { Cell.integer(Int64($0)) }
    #expect(try rows(store, "User", .keys(slot: 0, numbers)).count == count)
    let arena = CellArena()
    let texts = (0..<count).map { arena.text("N\($0)") } + [arena.text("missing"), .null]
    #expect(try Set(rows(store, "User", .keys(slot: 1, texts))).count == count)
    #expect(
      try rows(store, "User", .rows((1...Int64(count)).reversed() + [1, 5000])).count == count)
  }

  @Test func referencesAndEmptyOnesAreFound() throws {
    let temporary = try TemporaryStore(TestModels.userNotes())
    let store = temporary.store
    let slot = try store.model.requireEntity(named: "Note").property(named: "user")?.slot ?? 0
    try store.write {
      try $0.insert("User", [["id": 1], ["id": 2]])
      try $0.insert("Note", [["id": 1, "user": 1], ["id": 2, "user": 2], ["id": 3]])
    }
    #expect(try rows(store, "Note", .references(slot: slot, [2])) == [2])
    #expect(try rows(store, "Note", .empty(slot: slot)) == [3])
    #expect(try rows(store, "Note", .references(slot: slot, [])).isEmpty)
  }

  @Test func aScanMaySortByAKey() throws {
    let temporary = try TemporaryStore(TestModels.users())
    try temporary.store.write { try $0.insert("User", [["id": 3], ["id": 1], ["id": 2]]) }
    #expect(try rows(temporary.store, "User", .all, orderedBy: 0) == [2, 3, 1])
    #expect(try rows(temporary.store, "User", .all) == [1, 2, 3])
  }

  @Test func decimalsSortByTheirValue() throws {
    let temporary = try TemporaryStore(TestModels.allTypes())
    let store = temporary.store
    let slot = try store.model.requireEntity(named: "Everything").property(named: "decimal")?.slot
    let texts = ["10", "9.5", "-1", "-10.25", "0", "9.49", "-10.3", "100000000000000000000"]
    try store.write { transaction in
      try transaction.insert(
        "Everything", texts.map { ["decimal": .decimal(Decimal(string: $0) ?? 0)] })
    }
    #expect(
      try rows(store, "Everything", .all, orderedBy: slot).map { texts[Int($0) - 1] }
        == ["-10.3", "-10.25", "-1", "0", "9.49", "9.5", "10", "100000000000000000000"])
  }

  /// So that other programs can sort, group and check the file.
  @Test func theSchemaNeedsNoCollationOfOurs() throws {
    let temporary = try TemporaryStore(TestModels.allTypes())
    let text = try temporary.store.read { try $0.schema() }.joined()
    #expect(text.contains("decimal"))
    #expect(!text.contains("COLLATE"))
  }

  @Test func onlySlotsThatDifferAreNamed() throws {
    let temporary = try TemporaryStore(TestModels.users())
    let store = temporary.store
    let entity = try store.model.requireEntity(named: "User")
    try store.write {
      try $0.insert("User", [["id": 1, "name": "é", "age": 5, "score": 2, "isActive": true]])
    }
    let arena = CellArena()
    func difference(_ values: [String: Value]) throws -> [String] {
      let block = RowBlock(width: entity.properties.count)
      try block.append(values, of: entity, arena: arena)
      return try store.read { reader in
        var names: [String] = []
        try reader.scan(entity, .all) { cursor in
          let slots = cursor.differs(from: block[0], among: Array(entity.properties.indices))
          names = slots.map { entity.properties[$0].name }
        }
        return names
      }
    }
    #expect(try difference([:]) == [])
    #expect(try difference(["id": 1, "name": "é", "age": 5, "score": 2, "isActive": true]) == [])
    #expect(try difference(["name": "e\u{301}", "age": 6]) == ["name", "age"])
    #expect(try difference(["email": .null, "name": .null]) == ["name"])
    #expect(try difference(["email": "", "createdAt": .date(Date())]) == ["email", "createdAt"])
    #expect(try difference(["score": .double(2.5), "isActive": false]) == ["score", "isActive"])
    #expect(try difference(["createdAt": .double(.nan)]) == [])
  }

  @Test func aScanOfSomeSlotsReadsThose() throws {
    let temporary = try TemporaryStore(TestModels.users())
    let entity = try temporary.store.model.requireEntity(named: "User")
    try temporary.store.write { try $0.insert("User", [["id": 4, "name": "n", "age": 9]]) }
    try temporary.store.read { reader in
      try reader.scan(entity, .all, slots: [3, 1]) { cursor in
        #expect(cursor.integer(3) == 9)
        #expect(cursor.value(1) == "n")
        #expect(cursor.row == 1)
      }
    }
  }
}
