import SyncCore

/// The file is what SQLite calls sound: https://www.sqlite.org/pragma.html#pragma_integrity_check.
struct FileRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.file

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    let statement = try reader.connection.ownedStatement("PRAGMA integrity_check(100)")
    var result: [ConsistencyProblem] = []
    while try statement.step() {
      let message = statement.text(0)
      guard message != "ok" else { continue }
      // “row 3 missing from index User_id_index”, “wrong # of entries in index User_id_index”.
      let isOfIndex = message.contains(" index ")
      result.append(
        ConsistencyProblem(
          .file, "sqlite_schema", count: 1, isRepairable: isOfIndex, "SQLite says “\(message)”"))
    }
    return result
  }

  func repair(_ transaction: StoreTransaction) throws {
    guard try problems(transaction).contains(where: \.isRepairable) else { return }
    try transaction.connection.execute("REINDEX")
  }
}
