import SyncCore

/// What the file counts about itself can be counted on.
struct CounterRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.counters

  private func isWrong(_ key: Metadata.Key) -> String {
    "key = '\(key.rawValue)' AND NOT (\(ConsistencyText.isCountable("value")))"
  }

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try [Metadata.Key.generation, .fingerprints, .historyEnd].compactMap { key in
      let found = try reader.look("SELECT value FROM _syncstack WHERE \(isWrong(key))")
      guard found.count > 0 else { return nil }
      return ConsistencyProblem(
        kind, "_syncstack", count: found.count, "“\(key.rawValue)” is no number of a commit")
    }
  }

  /// Goes on behind the largest number that the file knows of. What fingerprints say of other numbers is
  /// worth nothing then.
  func repair(_ transaction: StoreTransaction) throws {
    let connection = transaction.connection
    let metadata = Metadata(connection: connection)
    guard try !problems(transaction).isEmpty else { return }
    let history = try transaction.hasTable("_syncstack_history")
    func largest(_ column: String, _ table: String) throws -> Int64 {
      guard try transaction.hasTable(table) else { return 0 }
      return try connection.scalar(
        "SELECT max(\(column)) FROM \(table) WHERE \(ConsistencyText.isCountable(column))") ?? 0
    }
    if try connection.scalar("SELECT count(*) FROM _syncstack WHERE \(isWrong(.generation))") != 0 {
      let known = try max(
        largest("generation", "_syncstack_history"), largest("generation", "_syncstack_print_log"))
      try metadata.set(.generation, known + 1)
    }
    if try connection.scalar("SELECT count(*) FROM _syncstack WHERE \(isWrong(.historyEnd))") != 0 {
      // A history that goes on knows its end; one that was given up begins so far on that no old token is
      // taken for a new one.
      if history {
        try metadata.remove(.historyEnd)
      } else {
        try metadata.set(.historyEnd, 1 << 40)
      }
    }
    try FingerprintStore(connection: connection).forgetAll()
    transaction.forgetCounters()
  }
}

/// The next row number of each table is one that was not given out.
struct SequenceRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.sequences

  /// The next number of a table, and what it has to be at least; nil when it is that.
  private func lag(_ table: Table, _ reader: StoreReader) throws -> (next: Int64?, least: Int64)? {
    let statement = try reader.connection.ownedStatement(
      "SELECT next FROM _syncstack_sequences WHERE name = ?")
    statement.bind(1, table.identifier.name)
    let next = try statement.step() ? statement.optionalInteger(0) : nil
    let last = try reader.connection.scalar(
      "SELECT max(_row) FROM \(table.quoted) WHERE _row BETWEEN 1 AND \(RowNumber.limit)")
    let least = (last ?? 0) + 1
    let isRight = next.map { $0 >= least && $0 <= RowNumber.limit + 1 } ?? (last == nil)
    return isRight ? nil : (next, least)
  }

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    try reader.layout.tables.compactMap { table in
      guard let lag = try lag(table, reader) else { return nil }
      let next = lag.next.map(String.init) ?? "not there"
      return ConsistencyProblem(
        kind, "_syncstack_sequences", count: 1,
        "the next row number of “\(table.identifier.name)” is \(next), and has to be \(lag.least) at "
          + "least")
    }
  }

  func repair(_ transaction: StoreTransaction) throws {
    for table in transaction.layout.tables {
      guard let lag = try lag(table, transaction) else { continue }
      let statement = try transaction.connection.ownedStatement(
        "INSERT OR REPLACE INTO _syncstack_sequences (name, next) VALUES (?, ?)")
      statement.bind(1, table.identifier.name)
      statement.bind(2, lag.least)
      try statement.run()
    }
  }
}
