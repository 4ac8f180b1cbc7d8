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
    var values: [any ValueConvertible] = [
      record.zone, record.name, record.tag, record.stamp, record.stamps.text, record.deletion,
      record.waitingText, record.kept, record.problem, record.isEvicted, record.movedText,
    ]
    if let before, before.row == record.row, before.entity == record.entity {
      return try run(
        "UPDATE _syncstack_remote_records SET tag = ?3, stamp = ?4, stamps = ?5, deletion = ?6, "
          + "waiting = ?7, kept = ?8, problem = ?9, evicted = ?10, moved = ?11 "
          + "WHERE zone = ?1 AND name = ?2", values)
    }
    values += [
      record.entity, model.entity(named: record.entity)?.rootEntity.name ?? "", record.row,
    ]
    try run(
      "INSERT OR REPLACE INTO _syncstack_remote_records (zone, name, tag, stamp, stamps, deletion, "
        + "waiting, kept, problem, evicted, moved, entity, root, object_row) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
  }

  /// Forgets a record, its links and its lists.
  package func removeRemoteRecord(_ name: String, in zone: String) throws {
    try run(
      "DELETE FROM _syncstack_remote_records WHERE zone = ? AND name = ?",
      [zone, name])
    try run(
      "DELETE FROM _syncstack_remote_links WHERE zone = ? AND source = ?",
      [zone, name])
    try run(
      "DELETE FROM _syncstack_remote_pairs WHERE zone = ? AND name = ?",
      [zone, name])
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
    try run(
      "UPDATE _syncstack_remote_conflicts SET zone = ? WHERE zone = ?",
      [other, zone])
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
