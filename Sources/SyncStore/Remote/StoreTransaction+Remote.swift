import SyncCore

/// Writing what remote sync keeps.
extension StoreTransaction {
  /// Keeps the state of a zone.
  package func setRemoteZone(_ zone: RemoteZone) throws {
    try run(
      "INSERT OR REPLACE INTO _syncstack_remote_zones (name, account, generation, token, history, "
        + "clock, model, enrolled, deleted, pulled_ms, pushed_ms, witness, newest, readonly) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .string(zone.name), .text(zone.account), .text(zone.generation), .text(zone.token),
        .int(zone.history), .int(zone.clock), .text(zone.model), .int(zone.isEnrolled ? 1 : 0),
        .int(zone.deleted),
        zone.lastPull.map(Value.int) ?? .null, zone.lastPush.map(Value.int) ?? .null,
        .text(zone.witness), .int(zone.newest), .int(zone.isReadOnly ? 1 : 0),
      ])
  }

  /// Keeps what is known of a record.
  ///
  /// - Parameter before: What is kept of it, where that is at hand: while it is of the same object,
  ///   its place in the index of objects stays.
  package func setRemoteRecord(_ record: RemoteRecord, before: RemoteRecord? = nil) throws {
    try requireOpen()
    let statement: Statement
    if let before, before.row == record.row, before.entity == record.entity {
      statement = try connection.statement(
        "UPDATE _syncstack_remote_records SET tag = ?3, stamp = ?4, stamps = ?5, deletion = ?6, "
          + "waiting = ?7, kept = ?8, problem = ?9, evicted = ?10, moved = ?11 "
          + "WHERE zone = ?1 AND name = ?2")
    } else {
      statement = try connection.statement(
        "INSERT OR REPLACE INTO _syncstack_remote_records (zone, name, tag, stamp, stamps, deletion, "
          + "waiting, kept, problem, evicted, moved, entity, root, object_row) "
          + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      statement.bind(12, record.entity)
      statement.bind(13, model.entity(named: record.entity)?.rootEntity.name ?? "")
      statement.bind(14, record.row)
    }
    statement.bind(1, record.zone)
    statement.bind(2, record.name)
    statement.bind(3, record.tag)
    statement.bind(4, record.stamp)
    statement.bind(5, record.stamps.text)
    statement.bind(6, record.deletion)
    statement.bind(7, record.waitingText)
    statement.bind(8, record.kept)
    statement.bind(9, record.problem)
    statement.bind(10, Int64(record.isEvicted ? 1 : 0))
    statement.bind(11, record.movedText)
    try statement.run()
  }

  /// Forgets a record, its links and its lists.
  package func removeRemoteRecord(_ name: String, in zone: String) throws {
    try run(
      "DELETE FROM _syncstack_remote_records WHERE zone = ? AND name = ?",
      [.string(zone), .string(name)])
    try run(
      "DELETE FROM _syncstack_remote_links WHERE zone = ? AND source = ?",
      [.string(zone), .string(name)])
    try run(
      "DELETE FROM _syncstack_remote_pairs WHERE zone = ? AND name = ?",
      [.string(zone), .string(name)])
    try removeRemoteLists(of: name, in: zone)
  }

  /// Gives what is kept beside a record another zone and name, and forgets the record.
  package func removeRemoteRecord(
    _ name: String, from zone: String, to other: String, as new: String
  ) throws {
    for (table, column) in [("links", "source"), ("lists", "owner"), ("pairs", "name")] {
      try run(
        "UPDATE OR REPLACE _syncstack_remote_\(table) SET zone = ?, \(column) = ? "
          + "WHERE zone = ? AND \(column) = ?",
        [.string(other), .string(new), .string(zone), .string(name)])
    }
    try removeRemoteRecord(name, in: zone)
  }

  /// Forgets everything about a zone but the values that lost there, which are another one's from
  /// then on.
  package func removeRemoteZone(_ zone: String, keepingConflictsIn other: String) throws {
    try run(
      "UPDATE _syncstack_remote_conflicts SET zone = ? WHERE zone = ?",
      [.string(other), .string(zone)])
    try removeRemoteZone(zone)
  }

  /// Forgets everything about a zone.
  package func removeRemoteZone(_ zone: String) throws {
    for table in ["records", "links", "pairs", "lists", "conflicts"] {
      try run("DELETE FROM _syncstack_remote_\(table) WHERE zone = ?", [.string(zone)])
    }
    try run("DELETE FROM _syncstack_remote_zones WHERE name = ?", [.string(zone)])
  }

  /// Remembers where a to-one relationship leads once its target arrives.
  package func setRemoteLink(_ link: RemoteLink, in zone: String) throws {
    try run(
      "INSERT OR REPLACE INTO _syncstack_remote_links (zone, source, field, target, entity) "
        + "VALUES (?, ?, ?, ?, ?)",
      [
        .string(zone), .string(link.source), .string(link.field), .string(link.target),
        .string(link.entity),
      ])
  }

  /// Forgets where a to-one relationship would lead.
  package func removeRemoteLink(from source: String, _ field: String, in zone: String) throws {
    try run(
      "DELETE FROM _syncstack_remote_links WHERE zone = ? AND source = ? AND field = ?",
      [.string(zone), .string(source), .string(field)])
  }

  /// Keeps a value that lost; only so many of the latest stay.
  package func addRemoteConflict(_ conflict: RemoteConflict, in zone: String, limit: Int) throws {
    try run(
      "INSERT INTO _syncstack_remote_conflicts (zone, name, entity, field, value, stamp, winner, "
        + "ts_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .string(zone), .string(conflict.name), .string(conflict.entity), .string(conflict.field),
        .string(conflict.value), .string(conflict.stamp), .string(conflict.winner),
        .int(ChangeJournal.milliseconds(configuration.now())),
      ])
    try run(
      "DELETE FROM _syncstack_remote_conflicts WHERE zone = ?1 AND id <= "
        + "(SELECT max(id) FROM _syncstack_remote_conflicts) - ?2",
      [.string(zone), .int(Int64(limit))])
  }

  /// Forgets a value that lost.
  package func removeRemoteConflict(_ id: Int64) throws {
    try run("DELETE FROM _syncstack_remote_conflicts WHERE id = ?", [.int(id)])
  }

  /// Milliseconds since 1970 of what is written now.
  package var milliseconds: Int64 { ChangeJournal.milliseconds(configuration.now()) }

  private func run(_ sql: String, _ values: [Value]) throws {
    try requireOpen()
    let statement = try connection.statement(sql)
    statement.bind(values)
    try statement.run()
  }
}

extension Statement {
  fileprivate func bind(_ index: Int32, _ text: String?) {
    if let text { bind(index, text) } else { bindNull(index) }
  }

  fileprivate func bind(_ index: Int32, _ number: Int64?) {
    if let number { bind(index, number) } else { bindNull(index) }
  }
}

extension Value {
  /// Text, or null for none.
  fileprivate static func text(_ text: String?) -> Value { text.map(Value.string) ?? .null }
}
