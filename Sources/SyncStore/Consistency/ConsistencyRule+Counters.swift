import SyncCore

extension ConsistencyRule {
  /// The file's counters about itself can be relied on. Fingerprints with other numbers are worth
  /// nothing.
  static func counters(_ reader: StoreReader) -> [ConsistencyRule] {
    func rule(
      _ key: Metadata.Key, _ mend: @escaping (StoreTransaction, Metadata) throws -> Void
    ) -> ConsistencyRule {
      ConsistencyRule(
        kind: .counters, table: "_syncstack",
        message: "“\(key.rawValue)” is no number of a commit",
        select: "SELECT NULL FROM _syncstack WHERE key = '\(key.rawValue)' "
          + "AND NOT (\(ConsistencyText.isCountable("value")))"
      ) { transaction, _ in
        try mend(transaction, Metadata(connection: transaction.connection))
        try forgetFingerprints(transaction, [])
      }
    }
    return [
      // Behind the largest number that the file knows of.
      rule(.generation) { transaction, metadata in
        let known = try ["_syncstack_history", "_syncstack_print_log"].map { table -> Int64 in
          guard try transaction.hasTable(table) else { return 0 }
          return try transaction.connection.scalar(
            "SELECT max(generation) FROM \(table) "
              + "WHERE \(ConsistencyText.isCountable("generation"))") ?? 0
        }
        try metadata.set(.generation, (known.max() ?? 0) + 1)
      },
      rule(.fingerprints) { _, _ in },
      // A history that goes on knows its end; one that was given up begins so far on that no old
      // token is taken for a new one.
      rule(.historyEnd) { transaction, metadata in
        if try transaction.hasTable("_syncstack_history") {
          try metadata.remove(.historyEnd)
        } else {
          try metadata.set(.historyEnd, 1 << 40)
        }
      },
    ]
  }

  /// The next row number of each table is one that was not given out.
  static func sequences(_ reader: StoreReader) -> [ConsistencyRule] {
    reader.layout.tables.map { table in
      let name = "'\(table.identifier.name.replacing("'", with: "''"))'"
      let next = "(SELECT next FROM _syncstack_sequences WHERE name = \(name))"
      let least =
        "(SELECT coalesce(max(_row), 0) + 1 FROM \(table.quoted) "
        + "WHERE _row BETWEEN 1 AND \(RowNumber.limit))"
      return ConsistencyRule(
        kind: .sequences, table: "_syncstack_sequences",
        message:
          "the next row number of “\(table.identifier.name)” was given out before, or is none",
        select: "SELECT NULL WHERE CASE WHEN \(next) IS NULL THEN \(least) > 1 "
          + "ELSE NOT (\(next) BETWEEN \(least) AND \(RowNumber.limit + 1)) END"
      ) { transaction, _ in
        try transaction.connection.execute(
          "INSERT OR REPLACE INTO _syncstack_sequences (name, next) SELECT \(name), \(least)")
      }
    }
  }

  static func forgetFingerprints(_ transaction: StoreTransaction, _: [Int64]) throws {
    try FingerprintStore(connection: transaction.connection).forgetAll()
    transaction.forgetCounters()
  }
}
