import CSyncStackSQLite
import SyncCore

/// The parts of a statement that a program wrote, whose columns are not known before.
extension Statement {
  /// Whether running it leaves the file as it is. BEGIN, ATTACH and some others do, too
  /// (https://www.sqlite.org/c3ref/stmt_readonly.html).
  var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// How many values it takes: the number of its last placeholder.
  var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// The names of its columns, in order.
  var columnNames: [String] {
    (0..<sqlite3_column_count(handle)).map { column in
      sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
    }
  }
}

extension Connection {
  /// Prepares a statement that a program wrote, once.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidQuery`` when SQLite does not understand
  ///   it.
  func query(_ sql: String) throws -> Statement {
    do {
      return try Statement(sql, connection: handle, recorder: recorder, isKept: false)
    } catch let error as StoreError where error.sqliteCode.map({ $0 & 0xff }) == SQLITE_ERROR {
      let reason = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "error"
      throw StoreError.invalidQuery(
        "is not understood by SQLite: \(reason). Tables and columns have the names of the model, "
          + "see the page “The file”", sql)
    } catch let error as FilterError {
      throw StoreError.invalidQuery("is too large for SQLite: \(error.message)", sql)
    }
  }

  /// Runs a body whose statements end when a token is stopped.
  func stopping<Result>(
    by token: TransactionToken?, _ body: () throws -> Result
  ) rethrows -> Result {
    guard let token else { return try body() }
    let outer = self.token
    self.token = token
    // A reader has none until then; an idle one costs next to nothing.
    registerProgressHandler()
    defer { self.token = outer }
    return try body()
  }
}
