package import SyncCore

extension StoreReader {
  /// The answer to one statement that reads.
  ///
  /// - Parameters:
  ///   - sql: The statement, with `?` in the place of each argument.
  ///   - arguments: A value for each placeholder.
  ///   - token: The token by which ``Store/interrupt(_:)`` ends it; nil is not at all.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidQuery`` for anything but one statement
  ///   that reads, or another number of arguments.
  package func rows(
    _ sql: String, _ arguments: [Value], token: TransactionToken? = nil
  ) throws -> [SQLRow] {
    try QueryText.check(sql)
    try prepareToRead()
    return try connection.stopping(by: token) {
      let statement = try connection.query(sql)
      guard statement.isReadOnly else {
        throw StoreError.invalidQuery(
          "would write. Only reading is possible this way. Change data by a context or a sync", sql)
      }
      guard statement.parameterCount == arguments.count else {
        throw StoreError.invalidQuery(
          "has placeholders for \(statement.parameterCount) values, and \(arguments.count) were given",
          sql)
      }
      statement.bind(arguments)
      defer { statement.reset() }
      let columns = statement.columnNames
      var rows: [SQLRow] = []
      while try statement.step() {
        try token?.checkpoint()
        rows.append(SQLRow(columns: columns, values: columns.indices.map { statement.value($0) }))
      }
      return rows
    }
  }
}
