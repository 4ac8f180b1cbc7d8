import SyncStore
import TestSupport
import Testing

/// Rows of one read lie in pages.
@Suite struct RowPageTests {
  /// Texts of very different lengths, and some rows without.
  private static func name(_ number: Int) -> Value {
    switch number % 7 {
    case 0: .null
    case 1: ""
    case 2: .string(String(repeating: "ü\(number)", count: number * 40))
    default: .string("N\(number)")
    }
  }

  @Test(arguments: [1, 8, 9, 600]) func valuesAreThoseThatWereStored(_ count: Int) throws {
    let temporary = try TemporaryStore(TestModels.users())
    let store = temporary.store
    let entity = try store.model.requireEntity(named: "User")
    try store.write { transaction in
      try transaction.insert(
        "User",
        (0..<count).map { ["id": .int(Int64($0)), "name": Self.name($0), "age": .int(5)] })
    }
    let pages = try store.read { try $0.fetchPages(FetchPlan(entity: entity)) }
    let rows = pages.flatMap { page in (0..<page.count).map { page[$0] } }
    #expect(rows.map(\.row) == (1...count).map(Int64.init))
    #expect(pages.allSatisfy { (1...256).contains($0.count) })
    for (number, row) in rows.enumerated() {
      #expect(row.version == 1 && row.entity == entity)
      #expect(row.values[0] == .int(Int64(number)))
      #expect(row.values[1] == Self.name(number))
      #expect(row.values.isNull(1) == Self.name(number).isNull)
      #expect(row.values.array.count == entity.properties.count)
    }
  }

  @Test func settingAValueLeavesOtherRowsAlone() throws {
    let temporary = try TemporaryStore(TestModels.users())
    let store = temporary.store
    let entity = try store.model.requireEntity(named: "User")
    try store.write { try $0.insert("User", [["id": 1, "name": "a"], ["id": 2, "name": "b"]]) }
    let rows = try store.read { try $0.fetch(FetchPlan(entity: entity)) }
    var mine = rows[0].values
    #expect(mine == rows[0].values && mine != rows[1].values)
    mine[1] = "c"
    #expect(mine[1] == "c" && mine[0] == 1)
    #expect(rows.map { $0.values[1] } == ["a", "b"])
    mine[1] = "a"
    #expect(mine == rows[0].values)
  }
}
