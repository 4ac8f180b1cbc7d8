import SyncCore

/// Gives out row numbers that were never given out before. Read when a table first needs one in a
/// transaction, because another process may have written since; written back before commit.
struct RowSequence {
  let connection: Connection
  private(set) var next: [Int: (table: Table, value: Int64)] = [:]

  /// Takes consecutive numbers and returns the first.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` when the next number is none that a
  ///   row can have, with ``StoreError/Code/full`` when there are not so many left.
  mutating func take(_ count: Int, in table: Table) throws -> Int64 {
    let first =
      try next[table.index]?.value ?? SequenceTable.next(table.identifier.name, connection)
    guard Int64(count) <= RowNumber.limit - first + 1 else {
      throw StoreError(
        .full,
        message: "Table “\(table.identifier.name)” has given out all its row numbers, up to "
          + "\(RowNumber.limit). Sync the objects into a new store.")
    }
    next[table.index] = (table, first + Int64(max(0, count)))
    return first
  }

  /// Writes the next number of each table of which some were taken.
  func store() throws {
    for (_, entry) in next.inKeyOrder {
      try connection.run(
        "INSERT OR REPLACE INTO _syncstack_sequences (name, next) VALUES (?, ?)",
        [entry.table.identifier.name, entry.value])
    }
  }
}
