import Foundation
import SyncStore
import TestSupport
import Testing

/// Rows go in and come out as they were, in memory and in a file.
@Suite struct RowTests {
  private static let everything: [String: Value] = [
    "id": .int(.min), "integer16": .int(7), "integer32": .int(-8), "integer64": .int(.max),
    "decimal": .decimal(Decimal(string: "12345678901234567890.123456789") ?? 0),
    "double": .double(0.1), "float": .double(2.5), "string": .string("a\u{0}ü“😀"),
    "boolean": .bool(true), "date": .date(Date(timeIntervalSinceReferenceDate: 1.000_000_1)),
    "binary": .data(Data([0, 255, 7])), "transformable": .data(Data()),
    "uuid": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
    "uri": .url(URL(filePath: "/a b")),
  ]

  @Test(arguments: StoreKind.allCases) func everyTypeComesBackAsItWas(_ kind: StoreKind) throws {
    let temporary = try TemporaryStore(TestModels.allTypes(), kind)
    let store = temporary.store
    let entity = try store.model.requireEntity(named: "Everything")
    try store.write { try $0.insert("Everything", [Self.everything, [:], ["string": ""]]) }
    let rows = try store.read { try $0.rows(entity, rows: [1, 2, 3, 99]) }
    #expect(rows.map(\.row) == [1, 2, 3])
    for property in entity.properties {
      #expect(rows[0].values[property.slot] == Self.everything[property.name], "\(property.name)")
      #expect(rows[1].values[property.slot].isNull)
    }
    #expect(rows[2].values[entity.property(named: "string")?.slot ?? 0] == .string(""))
  }

  @Test(arguments: [1, 31, 32, 33, 100]) func manyRowsGoInWhateverTheirNumber(_ count: Int) throws {
    let temporary = try TemporaryStore(TestModels.users())
    let store = temporary.store
    let entity = try store.model.requireEntity(named: "User")
    let (rows, changes) = try store.write { transaction in
      try transaction.insert(
        "User", (0..<count).map { ["id": .int(Int64($0)), "name": .string("N\($0)")] })
    }
    let stored = try store.read { try $0.rows(entity, rows: rows) }
    #expect(stored.map { $0.values[1].description } == (0..<count).map { "N\($0)" })
    #expect(changes.entities.first?.insertedKeys == ChangeKeys((0..<count).map { .int(Int64($0)) }))
  }

  /// SQLite numbers rows by itself that follow the last one; others keep their numbers as well.
  @Test func rowsHaveTheNumbersThatWereReserved() throws {
    let temporary = try TemporaryStore(TestModels.users())
    let store = temporary.store
    let user = try store.model.requireEntity(named: "User")
    let (_, changes) = try store.write { transaction in
      let first = try transaction.reserveRows(400, in: user)
      // Forty that follow nothing, those before them, some that follow, and a gap among others.
      for ranges in [[200..<240], [0..<100], [240..<300], [300..<340, 350..<400]] {
        let rows = ranges.flatMap { $0.map { first + Int64($0) } }
        let block = RowBlock(width: user.properties.count)
        let arena = CellArena()
        for row in rows { try block.append(["id": .int(row)], of: user, arena: arena) }
        try transaction.insert(block, of: user, indexes: Array(0..<Int32(rows.count)), rows: rows)
      }
    }
    let expected = ([1...100, 201...340, 351...400] as [ClosedRange<Int64>]).flatMap(Array.init)
    let stored = try store.read { try $0.rows(user, rows: Array(1...400)) }
    #expect(stored.map(\.row) == expected)
    #expect(stored.map { $0.values[0] } == expected.map { .int($0) })
    #expect(changes.entities.first.map { Array($0.inserted) } == expected)
    #expect(changes.entities.first?.insertedKeys == ChangeKeys(expected.map { .int($0) }))
  }

  @Test(arguments: StoreKind.allCases) func anUpdateWritesItsSlotsOnly(_ kind: StoreKind) throws {
    let temporary = try TemporaryStore(TestModels.users(), kind)
    let store = temporary.store
    let entity = try store.model.requireEntity(named: "User")
    try store.write {
      try $0.insert("User", [["id": 1, "name": "a", "age": 5], ["id": 2, "name": "b"]])
    }
    let (_, changes) = try store.write { try $0.update("User", 1, ["name": "c"]) }
    #expect(changes.summary == "User +[] ~[1: name] -[]")
    #expect(changes.entities[0].updatedKeys == [1])
    let rows = try store.read { try $0.rows(entity, rows: [1, 2]) }
    #expect(rows[0].values.array.prefix(4).map(\.description) == ["1", "c", "nil", "5"])
    #expect(rows.map(\.version) == [2, 1])
  }

  @Test func rowsInWhichTheSameChangedAreWrittenTogether() throws {
    let temporary = try TemporaryStore(TestModels.users())
    let store = temporary.store
    let entity = try store.model.requireEntity(named: "User")
    try store.write {
      try $0.insert("User", (1...3).map { ["id": .int($0), "name": "a", "age": 5] })
    }
    let (_, changes) = try store.write { transaction in
      let arena = CellArena()
      let block = RowBlock(width: entity.properties.count)
      for number in 0..<3 as Range<Int64> {
        try block.append(["id": .int(number), "name": "b"], of: entity, arena: arena)
      }
      // No object has the row 9.
      try transaction.update(block, indexes: [2, 0, 1], rows: [1, 9, 3], of: entity, slots: [1])
    }
    #expect(changes.summary == "User +[] ~[1: name, 3: name] -[]")
    #expect(changes.entities[0].updatedKeys == [2, 1])
    let rows = try store.read { try $0.rows(entity, rows: [1, 2, 3]) }
    #expect(rows.map { $0.values[1].description } == ["b", "a", "b"])
    #expect(rows.map(\.version) == [2, 1, 2])
  }

  /// The memory behind its last cell is no key.
  @Test func aBlockOfASuperentityHasNoKeyOfTheSubentity() throws {
    let temporary = try TemporaryStore(
      ManagedObjectModel(["Vehicle: name", "Racecar < Vehicle: id"]))
    let store = temporary.store
    let vehicle = try store.model.requireEntity(named: "Vehicle")
    let racecar = try store.model.requireEntity(named: "Racecar")
    try store.write { try $0.insert("Racecar", [["id": 7, "name": "a"]]) }
    let (_, changes) = try store.write { transaction in
      let arena = CellArena()
      let block = RowBlock(width: vehicle.properties.count)
      for name in ["b", "c"] {
        try block.append(["name": .string(name)], of: vehicle, arena: arena)
      }
      try transaction.update(block, index: 0, row: 1, of: racecar, slots: [0])
    }
    #expect(changes.summary == "Racecar +[] ~[1: name] -[]")
    #expect(changes.entities[0].updatedKeys == [7])
  }

  @Test func aStaleVersionChangesNothing() throws {
    let temporary = try TemporaryStore(TestModels.users())
    let store = temporary.store
    try store.write { try $0.insert("User", [["id": 1, "name": "a"]]) }
    let (isWritten, changes) = try store.write {
      try $0.update("User", 1, ["name": "b"], expectedVersion: 2)
    }
    #expect(!isWritten && changes.isEmpty)
    #expect(try store.write { try $0.update("User", 1, ["name": "b"], expectedVersion: 1) }.0)
  }

  @Test(arguments: StoreKind.allCases) func rowNumbersAreNeverReused(_ kind: StoreKind) throws {
    let temporary = try TemporaryStore(TestModels.users(), kind)
    let store = temporary.store
    try store.write { try $0.insert("User", [["id": 1], ["id": 2]]) }
    try store.write { try $0.delete("User", [2]) }
    let (rows, _) = try store.write { try $0.insert("User", [["id": 3]]) }
    #expect(rows == [3])
  }

  @Test func aSubentitySharesTheTableOfItsRoot() throws {
    let temporary = try TemporaryStore(TestModels.vehicles())
    let store = temporary.store
    let model = store.model
    try store.write {
      try $0.insert("Car", [["id": 1, "doors": 4]])
      try $0.insert("Racecar", [["id": 2, "team": "x"]])
      try $0.insert("Bicycle", [["id": 3, "gears": 21]])
    }
    func names(_ entity: String, _ selection: RowSelection) throws -> [String] {
      try store.read { reader in
        var result: [String] = []
        try reader.scan(model.requireEntity(named: entity), selection) {
          result.append($0.entity.name)
        }
        return result
      }
    }
    #expect(try names("Vehicle", .all) == ["Car", "Racecar", "Bicycle"])
    #expect(try names("Car", .all) == ["Car", "Racecar"])
    #expect(try names("Car", .keys(slot: 0, [.integer(2), .integer(3)])) == ["Racecar"])
    let bicycle = try model.requireEntity(named: "Bicycle")
    #expect(try store.read { try $0.rows(bicycle, rows: [1, 3]) }.map(\.row) == [3])
  }
}
