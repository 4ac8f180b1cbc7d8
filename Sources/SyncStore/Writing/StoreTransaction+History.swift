package import Foundation
import SyncCore

extension StoreTransaction {
  /// Changes made in this program until the transaction began that are not known to be sent; nil
  /// when the store keeps no history.
  ///
  /// - Complexity: two statements, and the commits since the last transaction that asked; all that
  ///   is unsent when something was acknowledged or purged meanwhile.
  package func unsentHistory() throws -> UnsentHistory? {
    guard try keepsHistory else {
      unsent.clear()
      return nil
    }
    let outboxes = try outboxes()
    let beginning = UnsentHistory.Beginning(
      acknowledged: try acknowledgedHistory(outboxes), floor: try historyFloor(),
      outboxes: outboxes.map(\.revision))
    let start = ([beginning.acknowledged].compactMap { $0 } + outboxes.map(\.history)).min() ?? 0
    try unsent.update(from: beginning, after: start) { fold, isNew in
      if isNew {
        for outbox in outboxes {
          try readOutbox(outbox.name, base: .links) { fold.add($0) }
        }
      }
      try readLocalHistory(into: &fold, base: .links)
    }
    return unsent
  }

  /// Registers a consumer, or notes how far it has read and its present limits. In the same
  /// transaction as the consumer's use of the changes, nothing is done twice or left out.
  package func setHistoryConsumer(_ consumer: HistoryConsumer) throws {
    try requireOpen()
    try requireHistory()
    try connection.run(
      "INSERT OR REPLACE INTO _syncstack_history_consumers "
        + "(name, txn, durable, max_lag_txn, max_lag_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?)",
      [
        consumer.name, consumer.token.number, consumer.isDurable, consumer.maximumLag,
        consumer.maximumAge.map { Int64($0 * 1000) },
        ChangeJournal.milliseconds(configuration.now()),
      ])
  }

  /// Forgets a consumer; history that only it waited for may be purged then.
  package func removeHistoryConsumer(named name: String) throws {
    try requireOpen()
    try requireHistory()
    try connection.run("DELETE FROM _syncstack_history_consumers WHERE name = ?", [name])
  }

  /// Purges whole transactions up to a token and moves the floor.
  ///
  /// - Parameter limit: how many transactions at most.
  /// - Returns: whether there is more to purge.
  /// - Throws: ``StoreError`` with ``StoreError/Code/historyInUse`` that names the durable
  ///   consumers that still need some of it.
  package func purgeHistory(through token: HistoryToken, limit: Int = 1000) throws -> Bool {
    try requireOpen()
    try requireHistory()
    try dropLateConsumers()
    let blockers = try historyConsumers().filter { $0.isDurable && $0.token < token }
    guard blockers.isEmpty else {
      let names = blockers.map { "“\($0.name)” (at \($0.token.number))" }
      throw StoreError(
        .historyInUse,
        message:
          "The history up to \(token.number) cannot be purged: \(names.joined(separator: ", "))"
          + " still needs some of it. Purge less, let it catch up, or remove it.")
    }
    return try purge(through: token.number, limit: limit)
  }

  /// Purges entries older than a date, as far as durable consumers have read.
  ///
  /// - Returns: whether there is more to purge.
  package func purgeHistory(before date: Date, limit: Int = 1000) throws -> Bool {
    try requireOpen()
    try requireHistory()
    try dropLateConsumers()
    let last = try connection.first(
      "SELECT max(txn) FROM _syncstack_history WHERE ts_ms < ?", [ChangeJournal.milliseconds(date)]
    ) { $0.optionalInteger(0) }
    let bound = try historyConsumers().filter(\.isDurable).map(\.token.number).min()
    return try purge(through: min(last ?? 0, bound ?? .max), limit: limit)
  }

  /// Consumers that lag behind further than they said they may do not delay others.
  private func dropLateConsumers() throws {
    try connection.run(
      "DELETE FROM _syncstack_history_consumers WHERE "
        + "max_lag_txn < (SELECT count(*) FROM _syncstack_history h "
        + "WHERE h.txn > _syncstack_history_consumers.txn) OR max_lag_ms < ?1 - "
        + "(SELECT min(h.ts_ms) FROM _syncstack_history h "
        + "WHERE h.txn > _syncstack_history_consumers.txn)",
      [ChangeJournal.milliseconds(configuration.now())])
  }

  private func purge(through number: Int64, limit: Int) throws -> Bool {
    let select = try connection.statement(
      "SELECT max(txn), count(*), max(ts_ms) FROM (SELECT txn, ts_ms FROM _syncstack_history "
        + "WHERE txn <= ? ORDER BY txn LIMIT ?)", [number, Int64(clamping: limit)])
    guard try select.step(), let last = select.optionalInteger(0) else {
      select.reset()
      return false
    }
    let count = select.integer(1)
    let latest = select.integer(2)
    select.reset()
    let metadata = Metadata(connection: connection)
    if try metadata.integer(.historyPurged).map({ $0 < latest }) ?? true {
      try metadata.set(.historyPurged, latest)
    }
    let values = ValueJournal(connection: connection)
    if try values.exists() { try values.forget(through: last) }
    for text in [
      "DELETE FROM _syncstack_history_changes WHERE txn <= ?",
      "DELETE FROM _syncstack_history WHERE txn <= ?",
      "UPDATE _syncstack_history_floor SET txn = max(txn, ?)",
    ] {
      try connection.run(text, [last])
    }
    return count >= limit
  }

  /// Forgets the former values in the history, and keeps none any more.
  package func removeFormerValues() throws {
    try requireOpen()
    try ValueJournal(connection: connection).remove()
    forgetCounters()
  }

  /// Switches the history off and forgets all of it, with its consumers.
  ///
  /// A history that is switched on again later starts above all numbers of this one, so that an old
  /// token is never taken for a new one.
  package func removeHistory() throws {
    try requireOpen()
    try requireHistory()
    let last = try latestHistoryToken()?.number ?? 0
    try ValueJournal(connection: connection).remove()
    for table in ["history_changes", "history_consumers", "history_floor", "history"] {
      try connection.execute("DROP TABLE _syncstack_\(table)")
    }
    for outbox in try outboxes() { try forgetOutbox(outbox.name) }
    let metadata = Metadata(connection: connection)
    try metadata.set(.historyEnd, last)
    try metadata.set(.history, 0)
    forgetCounters()
  }
}
