import CSyncStackSQLite

extension Connection {
  /// Copies the database, as this connection sees it, page by page into a new file. Another
  /// connection may hold the right to write meanwhile (https://www.sqlite.org/backup.html).
  ///
  /// - Throws: ``StoreError``, when there is no room for instance; what was written is left there.
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
}
