import CSyncStackSQLite
import Foundation
import SyncCore

/// One connection to a database. Confined to one queue: opened without SQLite's own mutexes.
final class Connection {
  enum Mode {
    case writer
    case reader
    /// Reads a file that does not change, without files beside it; see ``ReadOnlyFile``.
    case unchanging
  }

  /// How a connection is set up.
  struct Options {
    var mode = Mode.writer
    var busyTimeout = 5.0
  }

  let recorder: StatementRecorder
  let handle: OpaquePointer

  /// How long to wait for other connections and processes.
  let busyMilliseconds: Int

  /// The transaction that runs or begins, while it may still be stopped.
  var token: TransactionToken?

  /// Pages in the log after the latest commit that wrote to it.
  var walPages = 0

  /// Bytes of a page.
  var pageSize = PageSize.usual

  /// Whether many transactions follow each other.
  var expectsBatches = false

  /// Whether the transaction that runs writes many rows.
  var expectsRows = false

  /// The default size of the cache, once it was asked.
  var usualCacheSize: Int64?

  private var cache = StatementCache()
  private var isClosed = false

  /// Opens the database at a path; an empty path is a database in memory.
  ///
  /// - Throws: ``StoreError``.
  init(path: String, options: Options, recorder: StatementRecorder) throws {
    self.recorder = recorder
    // Too late when a connection is open.
    _ = PageSize.ofNewFiles
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch options.mode {
    case .writer: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .reader: flags |= SQLITE_OPEN_READONLY
    case .unchanging: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
    var handle: OpaquePointer?
    var name = path.isEmpty ? ":memory:" : path
    if options.mode == .unchanging { name = URL(filePath: path).absoluteString + "?immutable=1" }
    let code = sqlite3_open_v2(name, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      let error = StoreError.sqlite(code, on: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    sqlite3_extended_result_codes(handle, 1)
    busyMilliseconds = Int(max(0, options.busyTimeout) * 1000)
    registerBusyHandler()
    if options.mode == .writer { registerProgressHandler() }
    registerTextFunctions()
    registerLogHook()
  }

  deinit {
    close()
  }

  /// Notes the length of the log after each commit. This also takes the place of automatic
  /// checkpoints (https://www.sqlite.org/c3ref/wal_hook.html): they would run inside a commit.
  private func registerLogHook() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().walPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Finalises all statements and closes. Nothing may use the connection afterwards.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    cache.removeAll()
    // The form that waits for statements that are still held
    // (https://www.sqlite.org/c3ref/close.html).
    sqlite3_close_v2(handle)
  }

  // MARK: - Statements

  /// A statement for repeated use, from the cache. One that is being run by an outer loop is left
  /// alone and a second one is made for this use.
  func statement(_ sql: String) throws -> Statement {
    if let statement = cache.idleStatement(sql) { return statement }
    let isKept = !cache.contains(sql)
    let statement = try Statement(sql, connection: handle, recorder: recorder, isKept: isKept)
    if isKept { cache.insert(statement) }
    return statement
  }

  /// The same with its first parameters bound.
  func statement(_ sql: String, _ values: [any ValueConvertible]) throws -> Statement {
    let statement = try statement(sql)
    for (index, value) in values.enumerated() {
      statement.bind(Int32(index + 1), value.storedValue)
    }
    return statement
  }

  /// Runs a statement from the cache that returns no rows.
  @inline(never)
  func run(_ sql: String, _ values: [any ValueConvertible]) throws {
    try statement(sql, values).run()
  }

  /// Gives a closure each row that a statement from the cache returns.
  func eachRow(
    _ sql: String, _ values: [any ValueConvertible] = [], _ row: (Statement) throws -> Void
  ) throws {
    let statement = try statement(sql, values)
    defer { statement.reset() }
    while try statement.step() { try row(statement) }
  }

  /// The results of a closure for each row that a statement from the cache returns.
  func all<Result>(
    _ sql: String, _ values: [any ValueConvertible] = [], _ row: (Statement) throws -> Result
  ) throws -> [Result] {
    var result: [Result] = []
    try eachRow(sql, values) { result.append(try row($0)) }
    return result
  }

  /// The result of a closure for the first row that a statement from the cache returns; nil when
  /// there is none.
  func first<Result>(
    _ sql: String, _ values: [any ValueConvertible] = [], _ row: (Statement) throws -> Result?
  ) throws -> Result? {
    let statement = try statement(sql, values)
    defer { statement.reset() }
    return try statement.step() ? row(statement) : nil
  }

  /// Whether a statement from the cache returns any row.
  func hasRows(_ sql: String, _ values: [any ValueConvertible] = []) throws -> Bool {
    try first(sql, values) { _ in true } ?? false
  }

  /// A statement that the caller keeps for itself.
  func ownedStatement(_ sql: String) throws -> Statement {
    try Statement(sql, connection: handle, recorder: recorder, isKept: true)
  }

  /// Runs a statement once, without keeping it.
  @inline(never)
  func execute(_ sql: String) throws {
    try Statement(sql, connection: handle, recorder: recorder, isKept: false).run()
  }

  /// The first column of the first row, or null.
  @inline(never)
  func scalar(_ sql: String) throws -> Int64? {
    let statement = try Statement(sql, connection: handle, recorder: recorder, isKept: false)
    return try statement.step() ? statement.optionalInteger(0) : nil
  }

  /// The first column of the first row as text.
  @inline(never)
  func textScalar(_ sql: String) throws -> String? {
    let statement = try Statement(sql, connection: handle, recorder: recorder, isKept: false)
    return try statement.step() && !statement.isNull(0) ? statement.text(0) : nil
  }

  /// How many rows the latest statement inserted, updated or deleted.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// Row number of the latest row that was inserted into a table that makes them itself.
  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Whether no transaction is open. Some errors end a transaction by themselves
  /// (https://www.sqlite.org/c3ref/get_autocommit.html).
  var isAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }

  /// Copies the database, as this connection sees it, page by page into a new file. Another
  /// connection may hold the right to write meanwhile (https://www.sqlite.org/backup.html).
  ///
  /// - Throws: ``StoreError``, when there is no room for instance; the bytes written so far are
  ///   left there.
  func copy(to path: String) throws {
    let target = try Connection(
      path: path, options: Options(mode: .writer), recorder: StatementRecorder())
    defer { target.close() }
    guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw StoreError.sqlite(SQLITE_ERROR, on: target.handle)
    }
    sqlite3_backup_step(backup, -1)
    let code = sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw StoreError.sqlite(code, on: target.handle) }
  }

  /// A number that is another one when the connection has seen a commit, its own or another one's,
  /// since it was asked last; it may be another one without any. Sees commits before the latest
  /// read began, and costs nothing (https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
  var seenVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Folds the log back into the database as far as readers let it. Waits for another process a
  /// tenth of a second.
  ///
  /// No process writes meanwhile: before SQLite 3.51.3 a log that another connection begins anew
  /// during a checkpoint may lose commits written to it
  /// (https://www.sqlite.org/wal.html#walresetbug). While another process writes, it is left as it
  /// is until the next time.
  func foldLogAlone() {
    guard sqlite3_libversion_number() < 3_051_003, let path = sqlite3_db_filename(handle, "main")
    else { return foldLog() }
    let options = Options(mode: .writer, busyTimeout: 0.1)
    guard
      let guardian = try? Connection(
        path: String(cString: path), options: options, recorder: StatementRecorder()),
      (try? guardian.beginImmediate()) != nil
    else { return }
    foldLog()
    try? guardian.rollback()
    guardian.close()
  }
}

@available(*, unavailable, message: "A connection is confined to one queue.")
extension Connection: Sendable {}
