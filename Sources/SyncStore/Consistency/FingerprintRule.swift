import SyncCore

/// Sets of fingerprints are about states of the store that there were, and the log tells all that was changed
/// since.
struct FingerprintRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.fingerprints

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    guard try reader.hasTable("_syncstack_print_sets") else { return [] }
    let now = "(SELECT value FROM _syncstack WHERE key = 'generation')"
    var result: [ConsistencyProblem] = []
    func add(_ table: String, _ select: String, _ message: String) throws {
      let found = try reader.look(select)
      guard found.count > 0 else { return }
      result.append(
        ConsistencyProblem(
          kind, table, count: found.count, examples: found.examples, message))
    }
    try add(
      "_syncstack_print_sets",
      "SELECT id FROM _syncstack_print_sets WHERE id NOT BETWEEN 0 AND \(FingerprintStore.largestSet)",
      "a set has a number that is none")
    try add(
      "_syncstack_print_sets",
      "SELECT id FROM _syncstack_print_sets WHERE typeof(generation) <> 'integer' "
        + "OR generation NOT BETWEEN 0 AND \(now)", "a set is about a commit that was not made")
    try add(
      "_syncstack_print_sets",
      "SELECT id FROM _syncstack_print_sets s WHERE generation BETWEEN 0 AND \(now) "
        + "AND (SELECT count(*) FROM _syncstack_print_log l WHERE l.generation > s.generation) "
        + "<> \(now) - s.generation", "the log does not say what was changed since a set was made")
    let unreadable = try unreadableEntries(reader)
    if !unreadable.isEmpty {
      result.append(
        ConsistencyProblem(
          kind, "_syncstack_print_log", count: unreadable.count,
          examples: Array(unreadable.prefix(5)), "an entry of the log cannot be read"))
    }
    return result
  }

  private func unreadableEntries(_ reader: StoreReader) throws -> [Int64] {
    let statement = try reader.connection.ownedStatement(
      "SELECT generation, data FROM _syncstack_print_log WHERE data IS NOT NULL")
    var result: [Int64] = []
    while try statement.step() {
      if FingerprintLogEntry.decode(statement.bytes(1)) == nil {
        result.append(statement.integer(0))
      }
    }
    return result
  }

  func repair(_ transaction: StoreTransaction) throws {
    guard try !problems(transaction).isEmpty else { return }
    try FingerprintStore(connection: transaction.connection).forgetAll()
    transaction.forgetCounters()
  }
}
