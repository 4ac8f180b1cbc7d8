package import SyncCore

extension StoreReader {
  /// About how many rows the entity's table holds: the highest row number, so at least as many as
  /// there are. For choosing between a scan and look-ups.
  ///
  /// - Complexity: O(log *n*).
  package func estimatedCount(of entity: EntityDescription) throws -> Int {
    try prepareToRead()
    let statement = try connection.statement(
      "SELECT coalesce(max(_row), 0) FROM \(layout[entity].table.quoted)")
    defer { statement.reset() }
    return try statement.step() ? Int(statement.integer(0)) : 0
  }
}
