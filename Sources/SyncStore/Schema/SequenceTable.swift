import SyncCore

/// The next row number of each table, as the file keeps it.
enum SequenceTable {
  /// The next number of the table of a name.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` for one that no row can have.
  static func next(_ name: String, _ connection: Connection) throws -> Int64 {
    try connection.first("SELECT next FROM _syncstack_sequences WHERE name = ?", [name]) {
      try checked($0.integer(0), name)
    } ?? 1
  }

  /// A next number as it was read.
  ///
  /// - Throws: as ``next(_:_:)``.
  static func checked(_ next: Int64, _ name: String) throws -> Int64 {
    // One beyond the last: all were given out.
    guard next > 0, next <= RowNumber.limit + 1 else {
      throw StoreError.damaged("_syncstack_sequences", "the row of “\(name)”", "next", next)
    }
    return next
  }
}
