import SyncCore
import Testing

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
