import Foundation
import SyncCore
import Testing

@Suite struct RowSetTests {
  @Test(arguments: [1, 64, 40_000, 3_000_000])
  func behavesAsASet(_ bound: Int64) throws {
    var generator = SeededGenerator(state: UInt64(bound))
    var rows = RowSet()
    var expected = Set<Int64>()
    for _ in 0..<500 {
      let row = Int64.random(in: 0...bound, using: &generator)
      #expect(rows.insert(row) == expected.insert(row).inserted)
    }
    #expect(rows.rows == expected.sorted())
    for _ in 0..<500 {
      let row = Int64.random(in: -2...bound * 2, using: &generator)
      #expect(rows.contains(row) == expected.contains(row))
    }
  }

  @Test(arguments: [1, 64, 40_000, 3_000_000])
  func takesManyRowsAtOnce(_ bound: UInt32) {
    var generator = SeededGenerator(state: UInt64(bound))
    var rows = RowSet()
    var expected = Set<Int64>()
    for _ in 0..<20 {
      let start = UInt32.random(in: 0...bound, using: &generator)
      let added =
        Array(start..<(start + 40))
        + (0..<40).map { _ in UInt32.random(in: 0...bound, using: &generator) }
      let before = expected.count
      expected.formUnion(added.map { Int64($0) })
      let count = added.withUnsafeBufferPointer { rows.insert(contentsOf: $0) }
      #expect(count == expected.count - before)
    }
    #expect(rows.rows == expected.sorted())
  }

  @Test(arguments: [1, 64, 40_000, 3_000_000])
  func saysWhichOfManyRowsAreNew(_ bound: Int64) {
    var generator = SeededGenerator(state: UInt64(bound))
    var rows = RowSet()
    var expected = Set<Int64>()
    for _ in 0..<20 {
      let start = Int64.random(in: 0...bound, using: &generator)
      let added =
        Array(start..<(start + 40))
        + (0..<40).map { _ in Int64.random(in: 0...bound, using: &generator) }
      var new: [Int64] = []
      rows.insert(added.count) {
        added[$0]
      } onNew: {
        new.append(added[$0])
      }
      // 0 is passed over.
      #expect(new == added.filter { $0 > 0 && expected.insert($0).inserted })
    }
    #expect(rows.rows == expected.sorted())
  }

  @Test(arguments: 0..<20) func aCopyGrowsByWhatCame(_ seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    var rows = RowSet()
    var kept = RowSet()
    for step in 0..<5 {
      let mark = rows
      for _ in 0..<(step * 40) { rows.insert(Int64.random(in: 0...200_000, using: &generator)) }
      let growth = rows.growth(since: mark)
      #expect(growth.isEmpty == (rows.rows == mark.rows))
      let data = try KeptPieces.encode(growth) {}
      kept.add(try KeptPieces.decode(RowSet.Growth.self, from: data) {})
      #expect(kept.rows == rows.rows)
    }
    #expect(rows.growth(since: rows).isEmpty)
  }

  @Test func damagedGrowthIsAnError() throws {
    for damaged in [[UInt64.max, 1], [7]] {
      let bytes = damaged.withUnsafeBytes { Data($0) }
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(RowSet.Growth.self, from: JSONEncoder().encode(bytes))
      }
    }
  }

  @Test func aCopyIsOfItsOwn() {
    let first = RowSet([1, 70_000])
    var second = first
    second.insert(2)
    #expect(first.rows == [1, 70_000])
    #expect(second.rows == [1, 2, 70_000])
  }
}
