/// The objects of one key that stand-ins of a list may be.
struct StandInFamily {
  /// Those that may be had.
  var rows: [(row: Int64, owner: Int64)] = []
  var next = 0
  /// The first of each owner, and whom owners list.
  var children: [Int64: Int64] = [:]
  var listed: [Int64: Int64] = [:]
  var taken: Set<Int64> = []

  /// What an owner lists, or had before the payload.
  mutating func takeChild(of owner: Int64) -> Int64? {
    if let row = listed[owner] { return row }
    guard let row = children[owner], taken.insert(row).inserted else { return nil }
    return row
  }

  /// The first that nobody has yet.
  mutating func takeFirst(where isFree: (_ owner: Int64) -> Bool) -> Int64? {
    while next < rows.count {
      next += 1
      let (row, owner) = rows[next - 1]
      if isFree(owner), taken.insert(row).inserted { return row }
    }
    return nil
  }
}
