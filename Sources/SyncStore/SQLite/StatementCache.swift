import SyncCore

/// Prepared statements of one connection by their text. Preparing costs ten times as much as
/// running, so nothing that runs more than once is prepared twice.
///
/// Keeps a bounded number: filters with different shapes would pile up otherwise.
struct StatementCache {
  private var statements: [String: (statement: Statement, use: Int)] = [:]
  private var clock = 0
  private let limit = 400

  /// The cached statement of that text when nobody is running it.
  mutating func idleStatement(_ sql: String) -> Statement? {
    guard let index = statements.index(forKey: sql) else { return nil }
    let statement = statements.values[index].statement
    guard !statement.isActive else { return nil }
    clock += 1
    statements.values[index].use = clock
    return statement
  }

  /// Whether a statement of that text is kept already.
  func contains(_ sql: String) -> Bool { statements[sql] != nil }

  mutating func insert(_ statement: Statement) {
    if statements.count >= limit { evict() }
    clock += 1
    statements[statement.sql] = (statement, clock)
  }

  mutating func removeAll() {
    statements.removeAll()
  }

  /// Drops the half that was not used for the longest time.
  private mutating func evict() {
    let uses = statements.values.map(\.use).sorted()
    let median = uses[uses.count / 2]
    statements = statements.filter { $0.value.use > median || $0.value.statement.isActive }
  }
}
