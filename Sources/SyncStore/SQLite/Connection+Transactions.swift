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

  /// Builds an index. SQLite sorts as many entries at a time as go into its cache, and nothing
  /// stops it meanwhile: twenty milliseconds for the two megabytes it has otherwise. The least that
  /// it takes is one (``PageSize``).
  func sortingInSmallPieces(_ body: () throws -> Void) throws {
    guard let size = setting("cache_size") else { return try body() }
    set("cache_size", -Int64(PageSize.sorted / 1024))
    defer { set("cache_size", size) }
    try body()
  }

  /// Writes the pages of the transaction in the cache to the log.
  func flushCache() throws {
    let code = sqlite3_db_cacheflush(handle)
    // Pages that are about to be used stay where they are.
    guard code == SQLITE_OK || code == SQLITE_BUSY else {
      throw StoreError.sqlite(code, on: handle)
    }
  }

  /// Learns how large the pages are, and has the cache take as many bytes as it is set to: SQLite
  /// counts its pages before it knows how large they are.
  func measurePages() {
    // To be asked for its version, the file has to be read.
    guard setting("schema_version") != nil, let size = setting("page_size") else { return }
    pageSize = Int(size)
    if pageSize != PageSize.usual, let size = setting("cache_size") { set("cache_size", size) }
  }

  /// Reads through tables that the cache has no room for: its pages would be gone when they are
  /// read again, so each takes the place of an earlier one. Nothing changes where the file fits
  /// into the cache.
  ///
  /// Otherwise every page is a request to the heap, and on threads other than the first one each of
  /// these may be a call of the system: some 300 of them, two milliseconds, for 10,000 objects with
  /// 30,000 children.
  func readingThrough<T>(_ body: () throws -> T) rethrows -> T {
    guard let size = setting("cache_size"), let pages = setting("page_count"),
      pages > (size < 0 ? -size * 1024 / Int64(pageSize) : size)
    else { return try body() }
    set("cache_size", -128)
    defer { set("cache_size", size) }
    return try body()
  }

  // These do not count among the statements of a transaction.

  private func setting(_ name: String) -> Int64? {
    let statement = try? Statement(
      "PRAGMA \(name)", connection: handle, recorder: StatementRecorder(), isKept: false)
    guard let statement, (try? statement.step()) == true else { return nil }
    defer { statement.reset() }
    return statement.integer(0)
  }

  private func set(_ name: String, _ value: Int64) {
    let statement = try? Statement(
      "PRAGMA \(name) = \(value)", connection: handle, recorder: StatementRecorder(), isKept: false)
    // An interrupt that was meant for the statement before must not leave things as they are.
    do { try statement?.run() } catch { try? statement?.run() }
  }

  /// Folds the log back into the database when it has become too long, as far as readers let it.
  /// Never waits.
  func foldLog() {
    guard walPages > logLimit else { return }
    walPages = 0
    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }

  /// How many pages the log may have before it is folded back: SQLite's own measure, and three
  /// times as much between batches.
  var logLimit: Int { (expectsBatches ? 3000 : 1000) * PageSize.usual / pageSize }

  /// Switches the file to a journal. Where others open the file at the same moment, SQLite does
  /// not ask whether to wait for them (https://www.sqlite.org/c3ref/busy_handler.html: it might be
  /// in vain).
  func setJournal(_ mode: String) throws {
    var waited = 0
    while true {
      do {
        _ = try textScalar("PRAGMA journal_mode = \(mode)")
        return
      } catch let error as StoreError where error.code == .busy && waited < busyMilliseconds {
        sqlite3_sleep(5)
        waited += 5
      }
    }
  }

  /// Gives back the memory of pages that no statement uses
  /// (https://www.sqlite.org/c3ref/db_release_memory.html).
  func releaseMemory() {
    sqlite3_db_release_memory(handle)
  }

  /// Says that many transactions follow each other, or that they have ended.
  ///
  /// Each touches as many pages of an index as it brings keys in no order, and the next touches
  /// them again. They find room in eight times the cache that SQLite has otherwise, instead of
  /// going to the log and coming back several times within one transaction, which also has later
  /// pages in the log summed up anew; and pages are folded back after twelve megabytes of the log,
  /// not after every batch.
  func expectBatches(_ areExpected: Bool = true) {
    expectsBatches = areExpected
    setCacheSize(kilobytes: areExpected ? 16_000 : 0)
  }

  /// Says that so many rows will be written in no order, until the transaction ends.
  ///
  /// Each touches a page of its table and one of each index, and the next touches others. With the
  /// room that the cache has otherwise, 200,000 objects that were moved to other owners had three
  /// pages each come back from the log and two go there: half the time of the save.
  func expectRows(_ count: Int) {
    let kilobytes = min(64_000, count * pageSize / 1024)
    guard kilobytes > (expectsBatches ? 16_000 : 2000) else { return }
    expectsRows = true
    setCacheSize(kilobytes: kilobytes)
  }

  /// Gives back the cache that a transaction of many rows had.
  func expectNoRows() {
    guard expectsRows else { return }
    expectsRows = false
    expectBatches(expectsBatches)
  }

  /// - Parameter kilobytes: 0 is the usual size.
  private func setCacheSize(kilobytes: Int) {
    if usualCacheSize == nil { usualCacheSize = setting("cache_size") }
    guard let usualCacheSize else { return }
    set("cache_size", kilobytes > 0 ? -Int64(kilobytes) : usualCacheSize)
  }
}
