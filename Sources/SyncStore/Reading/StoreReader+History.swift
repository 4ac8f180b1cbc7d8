package import Foundation
import SyncCore

extension StoreReader {
  /// The place of the latest transaction in the history; nil when the store keeps none.
  package func latestHistoryToken() throws -> HistoryToken? {
    try prepareToRead()
    guard try ChangeJournal(connection: connection).exists() else { return nil }
    let last = try connection.scalar("SELECT max(txn) FROM _syncstack_history") ?? 0
    return HistoryToken(number: max(last, try historyFloor()))
  }

  /// The place of a commit in the history; nil when it is not there.
  package func historyToken(ofGeneration generation: Int64) throws -> HistoryToken? {
    try prepared.first(
      "SELECT txn FROM _syncstack_history WHERE generation = ? ORDER BY txn DESC LIMIT 1",
      [generation]
    ) { HistoryToken(number: $0.integer(0)) }
  }

  /// A number that is another one once another connection has committed to the file, in whichever
  /// process; of use to a store that does not write itself.
  package func dataVersion() throws -> Int64 {
    try prepared.scalar("PRAGMA data_version") ?? 0
  }

  /// The number of the latest transaction that was purged, or 0.
  package func historyBeginning() throws -> Int64 {
    try prepareToRead()
    return try historyFloor()
  }

  func historyFloor() throws -> Int64 {
    try connection.scalar("SELECT max(txn) FROM _syncstack_history_floor") ?? 0
  }

  /// Reads the transactions after a token, oldest first.
  ///
  /// - Parameters:
  ///   - token: where to begin; nil is the beginning, or the date when there is one.
  ///   - date: leaves out earlier commits.
  ///   - authors: whose transactions are wanted.
  ///   - limit: how many transactions at most.
  /// - Throws: ``StoreError`` with ``StoreError/Code/historyExpired`` when some of them were
  ///   purged: never an incomplete answer.
  package func history(
    since token: HistoryToken? = nil, from date: Date? = nil, authors: HistoryAuthors = .all,
    limit: Int = .max
  ) throws -> [HistoryTransaction] {
    try prepareToRead()
    if token != nil || date == nil { try requireHistory(after: token ?? .start) }
    if let date { try requireHistory(from: date) }
    let statement = try connection.statement(
      "SELECT txn, generation, ts_ms, author, context, process, origin FROM _syncstack_history "
        + "WHERE txn > ?1 AND ts_ms >= ?2\(authors.condition(parameter: 4)) ORDER BY txn LIMIT ?3",
      [
        token?.number ?? 0, date.map(ChangeJournal.firstMillisecond) ?? .min,
        Int64(clamping: limit),
      ])
    if let names = authors.names { statement.bind(4, names) }
    defer { statement.reset() }
    var result: [HistoryTransaction] = []
    while try statement.step() {
      let (number, time) = (statement.integer(0), statement.integer(2))
      // Beyond that, milliseconds are no exact numbers of a date any more.
      guard time.magnitude <= 1 << 53 else {
        throw StoreError.damaged("_syncstack_history", "transaction \(number)", "ts_ms", time)
      }
      result.append(
        HistoryTransaction(
          token: HistoryToken(number: number), generation: statement.integer(1),
          date: Date(timeIntervalSince1970: Double(time) / 1000),
          author: statement.optionalText(3), contextName: statement.optionalText(4),
          process: statement.text(5),
          source: TransactionInfo.Source(rawValue: statement.text(6)) ?? .local, changes: []))
    }
    for index in result.indices {
      result[index].changes = try historyChanges(of: result[index].token)
    }
    return result
  }

  private func historyChanges(of token: HistoryToken) throws -> [HistoryChange] {
    try connection.all(
      "SELECT entity, object_row, kind, columns, tombstone FROM _syncstack_history_changes "
        + "WHERE txn = ? ORDER BY seq", [token.number]
    ) { statement in
      let name = statement.text(0)
      let rows = try HistoryRows(stored: statement.value(1), of: token.number).rows
      let kind = HistoryChange.Kind(rawValue: statement.integer(2)) ?? .update
      let properties = statement.text(3).split(separator: " ").map(String.init)
      let tombstones = try Tombstone.decode(
        statement.optionalText(4), count: rows.count, of: model.entity(named: name))
      return zip(rows, tombstones).map { row, tombstone in
        HistoryChange(
          entity: name, row: row, kind: kind, properties: properties, tombstone: tombstone)
      }
    }.flatMap { $0 }
  }

  /// All readers of the history, by name.
  package func historyConsumers() throws -> [HistoryConsumer] {
    try prepareToRead()
    try requireHistory()
    return try connection.all(
      "SELECT name, txn, durable, max_lag_txn, max_lag_ms FROM _syncstack_history_consumers "
        + "ORDER BY name"
    ) { statement in
      HistoryConsumer(
        name: statement.text(0), token: HistoryToken(number: statement.integer(1)),
        isDurable: statement.integer(2) != 0, maximumLag: statement.optionalInteger(3),
        maximumAge: statement.optionalInteger(4).map { Double($0) / 1000 })
    }
  }

  /// The place of the latest transaction in the history.
  ///
  /// - Throws: ``StoreError`` when the store keeps none.
  package func requireHistoryToken() throws -> HistoryToken {
    try requireHistory()
    return try latestHistoryToken() ?? .start
  }

  /// Throws when commits after a token were purged.
  package func requireHistory(after token: HistoryToken) throws {
    try requireHistory()
    let floor = try historyFloor()
    guard token.number >= floor else {
      throw StoreError(
        .historyExpired,
        message: "The history after \(token.number) was purged up to \(floor). Read the objects "
          + "themselves once, then go on from the latest token.")
    }
  }

  /// Throws when commits since a date were purged.
  private func requireHistory(from date: Date) throws {
    try requireHistory()
    // Files that were purged by an earlier version do not say when the last transaction was made.
    let purged =
      try Metadata(connection: connection).integer(.historyPurged)
      ?? (historyFloor() > 0 ? oldestHistory() : nil)
    guard let purged, purged >= ChangeJournal.firstMillisecond(date) else { return }
    throw StoreError(
      .historyExpired,
      message:
        "The history was purged up to \(try historyFloor()), and some of that was made since "
        + "\(DateText.iso8601(date)). Read the objects themselves once, then go on from the latest "
        + "token.")
  }

  /// When the oldest transaction that is left was made; the end of time when none is.
  private func oldestHistory() throws -> Int64 {
    try connection.scalar("SELECT min(ts_ms) FROM _syncstack_history") ?? .max
  }

  func requireHistory() throws {
    guard try ChangeJournal(connection: connection).exists() else {
      throw StoreError(
        .unsupported,
        message: "The store keeps no history. \(StoreError.historyAdvice)")
    }
  }

  /// Throws when a commit is none of the history; 0 is none.
  ///
  /// - Returns: The latest one.
  @discardableResult
  func requireCommit(_ token: HistoryToken) throws -> HistoryToken {
    let latest = try requireHistoryToken()
    guard token > .start, token <= latest else {
      throw StoreError(
        .unsupported,
        message: "There is no commit \(token.number): the history ends at \(latest.number). Give "
          + "the token of a commit in the history.")
    }
    return latest
  }
}

extension StoreError {
  /// Advice when the history of a store is asked for that keeps none.
  package static let historyAdvice =
    "Open the stack with tracksChanges: true; what is committed from then on is in it."

  /// Advice when former values are asked for that a store does not keep.
  package static let valuesAdvice =
    "Open the stack with history: .values; commits from then on can be taken back."
}
