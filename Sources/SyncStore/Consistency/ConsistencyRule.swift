import SyncCore

/// One thing that holds in every file that only this library has written.
protocol ConsistencyRule: Sendable {
  var kind: ConsistencyProblem.Kind { get }

  /// Where it does not hold.
  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem]

  /// Makes it hold as far as nothing is lost by that; does nothing where something would be.
  func repair(_ transaction: StoreTransaction) throws
}

extension ConsistencyRule {
  func repair(_ transaction: StoreTransaction) throws {}
}

/// All rules, in the order in which they are looked at and repaired: a link is looked at when it is known which
/// objects there are, an inverse when it is known where links lead.
enum ConsistencyRules {
  static let all: [any ConsistencyRule] = [
    FileRule(), RowRule(), VersionRule(), EntityRule(), CounterRule(), SequenceRule(),
    ReferenceRule(), LinkRule(), InverseRule(), MirrorRule(), ListOrderRule(), LinkOrderRule(),
    UniquenessRule(), FingerprintRule(), SessionRule(), HistoryRule(), RemoteRule(),
  ]
}

extension StoreReader {
  /// Looks for everything that no store writes.
  ///
  /// - Complexity: reads the whole file, some parts of it several times.
  package func checkConsistency() throws -> [ConsistencyProblem] {
    try prepareToRead()
    var problems: [ConsistencyProblem] = []
    for rule in ConsistencyRules.all {
      do {
        problems += try rule.problems(self)
      } catch let error as StoreError where error.code == .notADatabase {
        // A page that SQLite cannot read: its own check has said so, or says it here.
        if !problems.contains(where: { $0.kind == .file }) {
          problems.append(
            ConsistencyProblem(.file, "sqlite_schema", count: 1, isRepairable: false, error.message)
          )
        }
      }
    }
    return problems
  }

  /// How many rows a select finds, and the first column of a few of them.
  func look(_ select: String) throws -> (count: Int, examples: [Int64]) {
    let count = try connection.scalar("SELECT count(*) FROM (\(select))") ?? 0
    guard count > 0 else { return (0, []) }
    return (Int(clamping: count), try integers("\(select) LIMIT 5"))
  }

  /// The first column of all rows that a select finds.
  func integers(_ select: String) throws -> [Int64] {
    let statement = try connection.ownedStatement(select)
    var result: [Int64] = []
    while try statement.step() { result.append(statement.integer(0)) }
    return result
  }

  /// Whether the file has a table.
  func hasTable(_ name: String) throws -> Bool {
    try connection.scalar(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(name)'") == 1
  }

  /// A condition that no object of an entity, or of one below it, has a row number.
  func isMissing(_ number: String, _ entity: EntityLayout) -> String {
    let condition = entity.entityCondition(prefix: "m.").map { " AND " + $0 } ?? ""
    return
      "NOT EXISTS (SELECT 1 FROM \(entity.table.quoted) m WHERE m._row = \(number)\(condition))"
  }
}

extension StoreTransaction {
  /// Repairs kinds of problems, and says what was and what is left.
  package func repair(_ kinds: Set<ConsistencyProblem.Kind>) throws -> ConsistencyReport {
    let before = try checkConsistency()
    for rule in ConsistencyRules.all where kinds.contains(rule.kind) { try rule.repair(self) }
    let after = try checkConsistency()
    let repaired = before.compactMap { problem -> ConsistencyProblem? in
      guard kinds.contains(problem.kind) else { return nil }
      let left = after.filter { $0.isSame(as: problem) }.reduce(0) { $0 + $1.count }
      return left < problem.count ? problem.counted(problem.count - left) : nil
    }
    return ConsistencyReport(problems: after, repaired: repaired)
  }
}

enum ConsistencyText {
  /// The numbers that rows can have, as a condition on a column.
  static func isRow(_ column: String) -> String {
    "typeof(\(column)) = 'integer' AND \(column) BETWEEN 1 AND \(RowNumber.limit)"
  }

  /// The numbers that can be counted on, as a condition on a column.
  static func isCountable(_ column: String) -> String {
    "typeof(\(column)) = 'integer' AND \(column) BETWEEN 0 AND \(Int64.max / 2)"
  }
}
