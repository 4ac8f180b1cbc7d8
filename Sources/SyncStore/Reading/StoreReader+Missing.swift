package import SyncCore

extension StoreReader {
  /// The row numbers among others that no object of the entity's table has.
  ///
  /// - Parameter rows: ascending, each once.
  /// - Complexity: O(*n*); one statement of look-ups, or one scan when the rows are many of those
  ///   there are.
  package func missing(_ rows: [Int64], of entity: EntityDescription) throws -> [Int64] {
    guard !rows.isEmpty else { return [] }
    let root = entity.rootEntity
    let isScan =
      try rows.count > 512 && rows.count * StoreReader.scanShare >= estimatedCount(of: root)
    var missing: [Int64] = []
    var next = 0
    try scan(root, isScan ? .all : .listed(rows), slots: []) { cursor in
      while next < rows.count, rows[next] < cursor.row {
        missing.append(rows[next])
        next += 1
      }
      if next < rows.count, rows[next] == cursor.row { next += 1 }
    }
    return missing + rows[next...]
  }
}
