import CSyncStackSQLite

extension Connection {
  /// Starts a transaction that may write, waiting for another writer up to the busy time limit.
  func beginImmediate() throws {
    try statement("BEGIN IMMEDIATE").run()
  }

  /// Starts a transaction that sees one state of the database.
  func beginDeferred() throws {
    try statement("BEGIN DEFERRED").run()
  }

  func commit() throws {
    try statement("COMMIT").run()
  }

  /// Ends a transaction that only read. There is nothing to lose, so a failure is of no interest;
  /// the connection would be closed with it.
  func endRead() {
    guard !isAutocommit else { return }
    try? statement("COMMIT").run()
    if !isAutocommit { try? statement("ROLLBACK").run() }
  }

  /// Rolls back unless SQLite did it already (https://www.sqlite.org/lang_transaction.html: some
  /// errors and INSERT OR ROLLBACK end the transaction).
  func rollback() throws {
    guard !isAutocommit else { return }
    try statement("ROLLBACK").run()
  }

  /// Folds the log back into the database when it is longer than so many pages, as far as readers
  /// let it. Never waits.
  func checkpoint(whenLongerThan pages: Int) {
    guard walPages > pages else { return }
    walPages = 0
    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
}
