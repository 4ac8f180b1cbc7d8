import CSyncStackSQLite

/// How a connection hears of what others commit.
extension Connection {
  /// A number that is another one when the connection has seen a commit, its own or somebody
  /// else's, since it was asked last; it may be another one without any. Sees what was committed
  /// before the latest read began, and costs nothing
  /// (https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
  var seenVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Folds the log back into the database as far as readers let it. Waits for another process a
  /// tenth of a second.
  ///
  /// Nobody writes meanwhile, in whichever process: before SQLite 3.51.3 a log that another
  /// connection begins anew during a checkpoint may lose what is written to it
  /// (https://www.sqlite.org/wal.html#walresetbug). While somebody else writes, it is left as it is
  /// until the next time.
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
