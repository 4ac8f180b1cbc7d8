import SyncCore

/// Entries of the history can be read.
struct HistoryRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.history

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    guard try reader.hasTable("_syncstack_history") else { return [] }
    var result: [ConsistencyProblem] = []
    func add(_ table: String, _ found: (count: Int, examples: [Int64]), _ message: String) {
      guard found.count > 0 else { return }
      result.append(
        ConsistencyProblem(
          kind, table, count: found.count, examples: found.examples, isRepairable: false, message))
    }
    let far = Int64(1) << 53
    let time = "typeof(ts_ms) <> 'integer' OR ts_ms NOT BETWEEN -\(far) AND \(far)"
    add(
      "_syncstack_history",
      try reader.look(
        "SELECT txn FROM _syncstack_history WHERE NOT (\(ConsistencyText.isCountable("txn"))) OR \(time)"
      ),
      "a commit has a number or a time that is none")
    add(
      "_syncstack_history_changes",
      try reader.look(
        "SELECT txn FROM _syncstack_history_changes "
          + "WHERE txn NOT IN (SELECT txn FROM _syncstack_history)"),
      "a change is of no commit")
    add(
      "_syncstack_history_changes", try unreadableRows(reader),
      "a change holds no row numbers")
    return result
  }

  private func unreadableRows(_ reader: StoreReader) throws -> (count: Int, examples: [Int64]) {
    let statement = try reader.connection.ownedStatement(
      "SELECT txn, object_row FROM _syncstack_history_changes")
    var found: (count: Int, examples: [Int64]) = (0, [])
    while try statement.step() {
      let number = statement.integer(0)
      do {
        _ = try HistoryRows(stored: statement.value(1), of: number)
      } catch {
        found.count += 1
        if found.examples.count < 5 { found.examples.append(number) }
      }
    }
    return found
  }
}

/// What remote sync keeps are numbers of rows and times.
struct RemoteRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.remote

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    guard try reader.hasTable("_syncstack_remote_records") else { return [] }
    let rows = try reader.look(
      "SELECT object_row FROM _syncstack_remote_records WHERE object_row IS NOT NULL "
        + "AND NOT (\(ConsistencyText.isRow("object_row")))")
    let clocks = try reader.look(
      "SELECT clock FROM _syncstack_remote_zones WHERE NOT (\(ConsistencyText.isCountable("clock")))"
    )
    return [
      ("_syncstack_remote_records", rows, "a record is of an object that cannot be"),
      ("_syncstack_remote_zones", clocks, "the clock of a zone is no time"),
    ].compactMap { table, found, message in
      guard found.count > 0 else { return nil }
      return ConsistencyProblem(
        kind, table, count: found.count, examples: found.examples, isRepairable: false, message)
    }
  }
}
