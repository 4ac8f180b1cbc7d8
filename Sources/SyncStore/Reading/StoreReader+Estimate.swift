package import SyncCore

extension StoreReader {
  /// About how many rows the entity's table holds: the highest row number, so at least as many as
  /// there are. For choosing between a scan and look-ups.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` when that is none that a row can
  ///   have.
  /// - Complexity: O(log *n*).
  package func estimatedCount(of entity: EntityDescription) throws -> Int {
    try prepareToRead()
    let table = layout[entity].table
    let statement = try connection.statement("SELECT max(_row) FROM \(table.quoted)")
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return 0 }
    return Int(clamping: try statement.row(0, of: table))
  }
}
