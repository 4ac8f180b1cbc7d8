/// Gives out row numbers that were never given out before. Read when a table first needs one in a
/// transaction, because another process may have written since; written back before commit.
struct RowSequence {
  private let connection: Connection
  private var next: [Int: (table: Table, value: Int64)] = [:]

  init(connection: Connection) {
    self.connection = connection
  }

  /// Takes consecutive numbers and returns the first.
  mutating func take(_ count: Int, in table: Table) throws -> Int64 {
    let first = try next[table.index]?.value ?? stored(table)
    next[table.index] = (table, first + Int64(max(0, count)))
    return first
  }

  private func stored(_ table: Table) throws -> Int64 {
    let statement = try connection.statement(
      "SELECT next FROM _syncstack_sequences WHERE name = ?")
    statement.bind(1, table.identifier.name)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 1
  }

  func store() throws {
    for (_, entry) in next.sorted(by: { $0.key < $1.key }) {
      let statement = try connection.statement(
        "INSERT OR REPLACE INTO _syncstack_sequences (name, next) VALUES (?, ?)")
      statement.bind(1, entry.table.identifier.name)
      statement.bind(2, entry.value)
      try statement.run()
    }
  }
}
