import SyncCore

/// Writing the tables of remote sync.
extension StoreTransaction {
  /// Keeps the state of a zone.
  package func setRemoteZone(_ zone: RemoteZone) throws {
    try run(
      "INSERT OR REPLACE INTO _syncstack_remote_zones (name, account, generation, token, history, "
        + "clock, model, enrolled, deleted, pulled_ms, pushed_ms, witness, newest, readonly) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        zone.name, zone.account, zone.generation, zone.token,
        zone.history, zone.clock, zone.model, zone.isEnrolled,
        zone.deleted,
        zone.lastPull, zone.lastPush,
        zone.witness, zone.newest, zone.isReadOnly,
      ])
  }

  /// Keeps the state of a record.
  ///
  /// - Parameter before: The kept state of it, where that is at hand: while it is of the same
  ///   object, its place in the index of objects stays.
  package func setRemoteRecord(_ record: RemoteRecord, before: RemoteRecord? = nil) throws {
    try requireOpen()
    let isUpdate = before.map { $0.row == record.row && $0.entity == record.entity } ?? false
    let statement = try connection.statement(
      isUpdate
        ? "UPDATE _syncstack_remote_records SET tag = ?3, stamp = ?4, stamps = ?5, deletion = ?6, "
          + "waiting = ?7, kept = ?8, problem = ?9, moved = ?10, evicted = ?11 "
          + "WHERE zone = ?1 AND name = ?2"
        : "INSERT OR REPLACE INTO _syncstack_remote_records (zone, name, tag, stamp, stamps, "
          + "deletion, waiting, kept, problem, moved, evicted, object_row, entity, root) "
          + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    statement.bind([
      record.zone, record.name, record.tag, record.stamp, record.stamps.text, record.deletion,
      record.waitingText, record.kept, record.problem, record.movedText,
    ])
    statement.bind(11, Int64(record.isEvicted ? 1 : 0))
    if !isUpdate {
      statement.bind(12, record.row.storedValue)
      statement.bind(13, record.entity)
      statement.bind(14, model.entity(named: record.entity)?.rootEntity.name ?? "")
    }
    try statement.run()
  }

  /// Notes that the server has a record as it was sent whole, for the first time, and that nothing
  /// waits.
  ///
  /// - Parameters:
  ///   - sent: The record as it was when it was sent.
  ///   - stamps: Those that it has from now on.
  /// - Returns: Whether it was still the same; otherwise nothing is written.
  package func settleRemoteRecord(
    _ sent: RemoteRecord, tag: String, stamps: RemoteStamps
  ) throws -> Bool {
    try run(
      "UPDATE _syncstack_remote_records SET tag = ?3, stamps = ?4, waiting = NULL "
        + "WHERE zone = ?1 AND name = ?2 AND object_row = ?5 AND stamp = ?6 AND stamps IS ?7 "
        + "AND waiting = '*' AND evicted = 0 "
        + "AND coalesce(tag, deletion, kept, problem, moved) IS NULL",
      [sent.zone, sent.name, tag, stamps.text, sent.row, sent.stamp, sent.stamps.text])
    return connection.changes == 1
  }

  /// Forgets a record, its links and its lists.
  package func removeRemoteRecord(_ name: String, in zone: String) throws {
    try run("DELETE FROM _syncstack_remote_records WHERE zone = ? AND name = ?", [zone, name])
    try run("DELETE FROM _syncstack_remote_links WHERE zone = ? AND source = ?", [zone, name])
    try run("DELETE FROM _syncstack_remote_pairs WHERE zone = ? AND name = ?", [zone, name])
    try removeRemoteLists(of: name, in: zone)
  }

  /// Gives the links and lists kept beside a record another zone and name, and forgets the record.
  package func removeRemoteRecord(
    _ name: String, from zone: String, to other: String, as new: String
  ) throws {
    for (table, column) in [("links", "source"), ("lists", "owner")] {
      try run(
        "UPDATE OR REPLACE _syncstack_remote_\(table) SET zone = ?, \(column) = ? "
          + "WHERE zone = ? AND \(column) = ?",
        [other, new, zone, name])
    }
    try removeRemoteRecord(name, in: zone)
  }

  /// Forgets everything about a zone but the values that lost there, which are another one's from
  /// then on.
  package func removeRemoteZone(_ zone: String, keepingConflictsIn other: String) throws {
    try run("UPDATE _syncstack_remote_conflicts SET zone = ? WHERE zone = ?", [other, zone])
    try removeRemoteZone(zone)
  }

  /// Forgets everything about a zone.
  package func removeRemoteZone(_ zone: String) throws {
    for table in ["records", "links", "pairs", "lists", "conflicts"] {
      try run("DELETE FROM _syncstack_remote_\(table) WHERE zone = ?", [zone])
    }
    try run("DELETE FROM _syncstack_remote_zones WHERE name = ?", [zone])
  }

  /// Remembers where a to-one relationship leads once its target arrives.
  package func setRemoteLink(_ link: RemoteLink, in zone: String) throws {
    try run(
      "INSERT OR REPLACE INTO _syncstack_remote_links (zone, source, field, target, entity) "
        + "VALUES (?, ?, ?, ?, ?)",
      [
        zone, link.source, link.field, link.target,
        link.entity,
      ])
  }

  /// Forgets where a to-one relationship would lead.
  package func removeRemoteLink(from source: String, _ field: String, in zone: String) throws {
    try run(
      "DELETE FROM _syncstack_remote_links WHERE zone = ? AND source = ? AND field = ?",
      [zone, source, field])
  }

  /// Keeps a value that lost; only so many of the latest stay.
  package func addRemoteConflict(_ conflict: RemoteConflict, in zone: String, limit: Int) throws {
    try run(
      "INSERT INTO _syncstack_remote_conflicts (zone, name, entity, field, value, stamp, winner, "
        + "ts_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        zone, conflict.name, conflict.entity, conflict.field,
        conflict.value, conflict.stamp, conflict.winner,
        milliseconds,
      ])
    try run(
      "DELETE FROM _syncstack_remote_conflicts WHERE zone = ?1 AND id <= "
        + "(SELECT max(id) FROM _syncstack_remote_conflicts) - ?2",
      [zone, limit])
  }

  /// Forgets a value that lost.
  package func removeRemoteConflict(_ id: Int64) throws {
    try run("DELETE FROM _syncstack_remote_conflicts WHERE id = ?", [id])
  }

  /// Milliseconds since 1970 of rows written now.
  package var milliseconds: Int64 { ChangeJournal.milliseconds(configuration.now()) }

  private func run(_ sql: String, _ values: [any ValueConvertible]) throws {
    try requireOpen()
    try connection.run(sql, values)
  }
}
