import SyncCore

/// One thing that holds in every file that only this library has written: a query that finds
/// nothing, and a repair of rows that it finds.
struct ConsistencyRule {
  let kind: ConsistencyProblem.Kind
  let table: String

  /// The property it is about, as `Entity.name`; nil when it is about whole rows.
  var property: String?

  /// A sentence that tells the problem of the found rows.
  let message: String

  /// The first column names a found row by a number, or is null.
  let select: String

  /// Makes it hold for the numbers that were found; nil where something would be lost by that.
  var mend: ((StoreTransaction, [Int64]) throws -> Void)?

  /// A test beyond SQL: whether a row of the select is right all the same.
  var isRight: ((Statement) throws -> Bool)?

  /// The problem of the found rows; nil when there are none.
  func problem(_ reader: StoreReader) throws -> ConsistencyProblem? {
    var count = 0
    var examples: [Int64] = []
    try forEach(reader) { number in
      count += 1
      if let number, examples.count < 5 { examples.append(number) }
    }
    guard count > 0 else { return nil }
    return ConsistencyProblem(
      kind, table, property: property, count: count, examples: examples,
      isRepairable: mend != nil, message)
  }

  /// Mends the found rows.
  func repair(_ transaction: StoreTransaction) throws {
    guard let mend else { return }
    var numbers: [Int64] = []
    var isFound = false
    try forEach(transaction) { number in
      isFound = true
      if let number { numbers.append(number) }
    }
    if isFound { try mend(transaction, numbers) }
  }

  private func forEach(_ reader: StoreReader, _ body: (Int64?) -> Void) throws {
    let statement = try reader.connection.ownedStatement(select)
    while try statement.step() {
      if try isRight?(statement) != true { body(statement.optionalInteger(0)) }
    }
  }

  /// All rules, in the order in which they are looked at and repaired: a link is looked at when it
  /// is known which objects there are, an inverse when it is known where links lead.
  private static var all: [(StoreReader) throws -> [ConsistencyRule]] {
    [
      rows, versions, entities, counters, sequences, references, links, inverses, mirrors, orders,
      uniqueness, fingerprints, sessions, history, remote,
    ]
  }

  static func all(_ reader: StoreReader) throws -> [ConsistencyRule] {
    try all.flatMap { try $0(reader) }
  }
}

extension StoreReader {
  /// Looks for everything that no store writes.
  ///
  /// - Complexity: reads the whole file, some parts of it several times.
  package func checkConsistency() throws -> [ConsistencyProblem] {
    try prepareToRead()
    var problems: [ConsistencyProblem] = []
    func look(_ body: () throws -> [ConsistencyProblem]) throws {
      do {
        problems += try body()
      } catch let error as StoreError where error.code == .notADatabase {
        // A page that SQLite cannot read: its own check has said so, or says it here.
        if !problems.contains(where: { $0.kind == .file }) {
          problems.append(
            ConsistencyProblem(.file, "sqlite_schema", count: 1, isRepairable: false, error.message)
          )
        }
      }
    }
    try look(fileProblems)
    var rules: [ConsistencyRule] = []
    try look {
      rules = try ConsistencyRule.all(self)
      return []
    }
    for rule in rules { try look { try rule.problem(self).map { [$0] } ?? [] } }
    return problems
  }

  /// The findings of SQLite itself: https://www.sqlite.org/pragma.html#pragma_integrity_check.
  fileprivate func fileProblems() throws -> [ConsistencyProblem] {
    let statement = try connection.ownedStatement("PRAGMA integrity_check(100)")
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

  /// Whether the file has a table.
  func hasTable(_ name: String) throws -> Bool {
    try connection.scalar(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(name)'") == 1
  }
}

extension StoreTransaction {
  /// Repairs kinds of problems, and returns those that were mended and those that are left.
  package func repair(_ kinds: Set<ConsistencyProblem.Kind>) throws -> ConsistencyReport {
    let before = try checkConsistency()
    if kinds.contains(.file), before.contains(where: { $0.kind == .file && $0.isRepairable }) {
      try connection.execute("REINDEX")
    }
    for rule in try ConsistencyRule.all(self) where kinds.contains(rule.kind) {
      try rule.repair(self)
    }
    let after = try checkConsistency()
    let repaired = before.compactMap { problem -> ConsistencyProblem? in
      guard kinds.contains(problem.kind) else { return nil }
      let left = after.filter { $0.isSame(as: problem) }.reduce(0) { $0 + $1.count }
      return left < problem.count ? problem.counted(problem.count - left) : nil
    }
    return ConsistencyReport(problems: after, repaired: repaired)
  }

  /// Records that a relationship of an object changed; nil is none.
  func record(_ row: Int64, _ entity: EntityLayout, _ slot: Int?) {
    guard let slot, RowNumber.isValid(row) else { return }
    recorder.update(row, in: entity.table, slots: [slot])
  }

  /// Sets columns of rows, and records that a slot of them changed. Rows whose numbers are none
  /// stay as they are.
  func rewrite(_ rows: [Int64], in table: Table, slot: Int, setting columns: String) throws {
    for row in rows where RowNumber.isValid(row) {
      try connection.run(
        "UPDATE \(table.quoted) SET \(columns), _version = _version + 1 WHERE _row = ?", [row])
      recorder.update(row, in: table, slots: [slot])
    }
  }
}

/// Conditions that several rules have.
enum ConsistencyText {
  /// The numbers that rows can have, as a condition on a column.
  static func isRow(_ column: String) -> String {
    "typeof(\(column)) = 'integer' AND \(column) BETWEEN 1 AND \(RowNumber.limit)"
  }

  /// The numbers that can be counted on, as a condition on a column.
  static func isCountable(_ column: String) -> String {
    "typeof(\(column)) = 'integer' AND \(column) BETWEEN 0 AND \(Int64.max / 2)"
  }

  /// A condition that no object of an entity, or of one below it, has a row number.
  static func isMissing(_ number: String, _ entity: EntityLayout) -> String {
    let condition = entity.entityCondition(prefix: "m.").map { " AND " + $0 } ?? ""
    return
      "NOT EXISTS (SELECT 1 FROM \(entity.table.quoted) m WHERE m._row = \(number)\(condition))"
  }
}
