import SyncCore
import TestSupport
import Testing

@Suite struct RowSetTests {
  @Test(arguments: [1, 64, 40_000, 3_000_000])
  func behavesAsASet(_ bound: Int64) throws {
    var generator = SeededGenerator(seed: UInt64(bound))
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
  func saysWhichOfManyRowsAreNew(_ bound: Int64) {
    var generator = SeededGenerator(seed: UInt64(bound))
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

  @Test(arguments: 0..<20) func piecesMakeUpTheSet(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var all = RowSet()
    var kept = RowSet()
    for step in 0..<5 {
      var new = RowSet()
      for _ in 0..<(step * 40) { new.insert(Int64.random(in: 0...200_000, using: &generator)) }
      new.forEachPiece { number, words in
        kept.insert(piece: number, zip(words, all.piece(number)).map { $0 | $1 })
      }
      all.formUnion(new)
      #expect(kept.rows == all.rows)
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

/// Row numbers and keys of change sets are held as narrow as they come, and read as they were
/// given.
struct ChangeListTests {
  @Test(arguments: [[], [7], [1, 2, 3], [5, 6, 9, 10], [3, 2, 1], [-2, -1, 0, 1], [4, 4]])
  func rowsComeBackInTheirOrder(_ rows: [Int64]) {
    let list = ChangeRows(rows)
    #expect(Array(list) == rows)
    #expect(list.count == rows.count && list.first == rows.first && list.last == rows.last)
    #expect(list == ChangeRows(rows) && list.description == rows.description)
    #expect(Array(list.dropFirst()) == Array(rows.dropFirst()))
  }

  private static let keys: [[Value]] = [
    [], [.int(1), .int(2)], [.int(1), .int(1 << 40), .int(-3)],
    [.int(1), .string("a"), .int(2)], [.int(1 << 40), .null], [.bool(true), .int(5)],
  ]

  @Test(arguments: keys)
  func keysComeBackAsTheyWere(_ keys: [Value]) {
    var list = ChangeKeys(keys)
    #expect(Array(list) == keys && list.count == keys.count)
    for index in keys.indices {
      for key in [.int(-1), .int(1 << 50), .string("z")] as [Value] {
        list.replace(at: index, by: key)
        #expect(list[index] == key && list.count == keys.count)
      }
    }
  }
}
