import SyncCore

/// Adds and removes pairs of one link table, as one of its relationships sees them.
struct LinkWriter {
  let end: LinkEnd
  let connection: Connection
  let token: TransactionToken
  private let rowsPerInsert = 32

  private var table: LinkTable { end.table }

  /// A pair as the table has it.
  struct Pair: Hashable, Comparable {
    var source: Int64
    var target: Int64

    static func < (left: Pair, right: Pair) -> Bool {
      (left.source, left.target) < (right.source, right.target)
    }
  }

  /// A pair that is to be written, with the positions it gets.
  struct Entry {
    var pair: Pair

    /// Where it stood in the caller's list: appended positions follow that.
    var order: Int
    var sourcePosition: Int64?
    var targetPosition: Int64?
  }

  func pair(owner: Int64, member: Int64) -> Pair {
    end.isForward ? Pair(source: owner, target: member) : Pair(source: member, target: owner)
  }

  // MARK: - Reading

  /// Leaves only entries whose pair is not stored, each once, in the order of the primary key, with
  /// positions where the table keeps any.
  ///
  /// - Parameter areNew: whether the caller knows that none is stored.
  /// - Complexity: O(*n* log *n*), linear when they come in order; one look-up per 512 sources.
  func keepNew(_ entries: inout [Entry], areNew: Bool) throws {
    if !zip(entries, entries.dropFirst()).allSatisfy({ $0.pair < $1.pair }) {
      try sort(&entries) { ($0.pair, $0.order) < ($1.pair, $1.order) }
      var last: Pair?
      entries.removeAll { entry in
        defer { last = entry.pair }
        return entry.pair == last
      }
    }
    let stored = areNew ? [] : try storedPairs(among: entries.map(\.pair))
    if !stored.isEmpty {
      var next = 0
      entries.removeAll { entry in
        while next < stored.count, stored[next] < entry.pair { next += 1 }
        return next < stored.count && stored[next] == entry.pair
      }
    }
    guard table.isSourceOrdered || table.isTargetOrdered else { return }
    try sort(&entries) { $0.order < $1.order }
    try appendPositions(&entries)
    try sort(&entries) { $0.pair < $1.pair }
  }

  /// Sorts, and stops in between when the transaction was stopped: half a million take a tenth of a
  /// second.
  private func sort(_ entries: inout [Entry], by areInOrder: (Entry, Entry) -> Bool) throws {
    var comparisons = 0
    try entries.sort { left, right in
      comparisons += 1
      if comparisons % 8192 == 0 { try token.checkpoint() }
      return areInOrder(left, right)
    }
  }

  /// The stored pairs that are among some, and perhaps others of their sources, in the order of the
  /// primary key.
  ///
  /// - Parameter pairs: In that order too.
  func storedPairs(among pairs: [Pair]) throws -> [Pair] {
    guard let first = pairs.first, let last = pairs.last else { return [] }
    // One source may have thousands of others.
    guard first.source < last.source else {
      return try storedPairs(pairs.map(\.target), "target IN", beside: first.source)
    }
    var sources: [Int64] = []
    for pair in pairs where pair.source != sources.last { sources.append(pair.source) }
    return try storedPairs(sources, "source IN", beside: nil)
  }

  private func storedPairs(
    _ rows: [Int64], _ condition: String, beside source: Int64?
  ) throws -> [Pair] {
    var result: [Pair] = []
    var chunks = KeyChunks(
      connection, "SELECT source, target FROM \(table.quoted) WHERE \(condition)", .rows(rows),
      (source == nil ? "" : " AND source = ?") + " ORDER BY source, target")
    defer { chunks.end() }
    while let statement = try chunks.next() {
      if let source { statement.bind(Int32(chunks.parameterCount + 1), source) }
      while try statement.step() {
        result.append(Pair(source: statement.integer(0), target: statement.integer(1)))
      }
    }
    return result
  }

  /// The largest position on one side, or nil when there is none.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` when nothing can come behind it.
  private func lastPosition(column: String, ownerColumn: String, owner: Int64) throws -> Int64? {
    let statement = try connection.statement(
      "SELECT max(\(column)) FROM \(table.quoted) WHERE \(ownerColumn) = ?")
    statement.bind(1, owner)
    defer { statement.reset() }
    guard try statement.step(), let last = statement.optionalInteger(0) else { return nil }
    guard last <= .max / 2 else {
      throw StoreError.damaged(
        table.identifier.name, "a pair with \(ownerColumn) \(owner)", column, last)
    }
    return max(last, -1)
  }

  // MARK: - Writing

  /// Gives entries without a position the next one of their list, where the table keeps positions.
  private func appendPositions(_ entries: inout [Entry]) throws {
    if table.isSourceOrdered {
      var next: [Int64: Int64] = [:]
      for index in entries.indices where entries[index].sourcePosition == nil {
        let source = entries[index].pair.source
        let position =
          try next[source]
          ?? (lastPosition(column: "source_position", ownerColumn: "source", owner: source) ?? -1)
          + 1
        entries[index].sourcePosition = position
        next[source] = position + 1
      }
    }
    if table.isTargetOrdered {
      var next: [Int64: Int64] = [:]
      for index in entries.indices where entries[index].targetPosition == nil {
        let target = entries[index].pair.target
        let position =
          try next[target]
          ?? (lastPosition(column: "target_position", ownerColumn: "target", owner: target) ?? -1)
          + 1
        entries[index].targetPosition = position
        next[target] = position + 1
      }
    }
  }

  /// Inserts pairs that are not stored, best in ascending order.
  func insert(_ entries: [Entry]) throws {
    var start = 0
    while start < entries.count {
      let count = entries.count - start >= rowsPerInsert ? rowsPerInsert : 1
      let statement = try connection.statement(insertText(count))
      repeat {
        var parameter: Int32 = 1
        for entry in entries[start..<start + count] {
          statement.bind(parameter, entry.pair.source)
          statement.bind(parameter + 1, entry.pair.target)
          parameter += 2
          if table.isSourceOrdered { bind(entry.sourcePosition, to: statement, &parameter) }
          if table.isTargetOrdered { bind(entry.targetPosition, to: statement, &parameter) }
        }
        try statement.run()
        start += count
      } while entries.count - start >= count
    }
  }

  private func bind(_ position: Int64?, to statement: Statement, _ parameter: inout Int32) {
    if let position {
      statement.bind(parameter, position)
    } else {
      statement.bindNull(parameter)
    }
    parameter += 1
  }

  private func insertText(_ count: Int) -> String {
    var columns = ["source", "target"]
    if table.isSourceOrdered { columns.append("source_position") }
    if table.isTargetOrdered { columns.append("target_position") }
    let tuples = Array(repeating: KeyChunks.placeholders(columns.count), count: count)
    return "INSERT OR ROLLBACK INTO \(table.quoted) (\(columns.joined(separator: ", "))) VALUES "
      + tuples.joined(separator: ", ")
  }

  /// Removes pairs.
  ///
  /// - Returns: those that were there.
  func remove(_ pairs: some Sequence<Pair>) throws -> [Pair] {
    let statement = try connection.statement(
      "DELETE FROM \(table.quoted) WHERE source = ? AND target = ?")
    return try pairs.filter { pair in
      statement.bind(1, pair.source)
      statement.bind(2, pair.target)
      try statement.run()
      return connection.changes > 0
    }
  }
}
