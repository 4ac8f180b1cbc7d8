import SyncCore

/// The tables that remote sync keeps beside the data, written in the same transactions as their
/// rows.
///
/// ```
/// _syncstack_remote_zones      how far a zone was pulled and the history drained, for which account
/// _syncstack_remote_records    a row per record: its object, the server's tag, stamps, waiting fields
/// _syncstack_remote_links      to-one relationships whose target is not there yet
/// _syncstack_remote_pairs      the ends of pairs of many-to-many relationships; each has a record, too
/// _syncstack_remote_lists      the order of ordered to-many relationships, as it was last said
/// _syncstack_remote_conflicts  values that lost to later ones that did not know of them
/// ```
///
/// Made when an engine first opens the store; a store without remote sync has none of them.
enum RemoteTables {
  /// Which tables there are.
  static let version: Int64 = 5

  static let statements = [
    "CREATE TABLE _syncstack_remote_zones (name TEXT PRIMARY KEY, account TEXT, generation TEXT, "
      + "token TEXT, history INTEGER NOT NULL, clock INTEGER NOT NULL, model TEXT, "
      + "enrolled INTEGER NOT NULL, deleted INTEGER NOT NULL, pulled_ms INTEGER, pushed_ms INTEGER, "
      + "witness TEXT, newest INTEGER NOT NULL DEFAULT 0, readonly INTEGER NOT NULL DEFAULT 0) "
      + "WITHOUT ROWID",
    "CREATE TABLE _syncstack_remote_records (zone TEXT NOT NULL, name TEXT NOT NULL, "
      + "entity TEXT NOT NULL, root TEXT NOT NULL, object_row INTEGER, tag TEXT, "
      + "stamp TEXT NOT NULL, stamps TEXT, deletion TEXT, waiting TEXT, kept TEXT, problem TEXT, "
      + "evicted INTEGER NOT NULL, moved TEXT, "
      + "PRIMARY KEY (zone, name)) WITHOUT ROWID",
    "CREATE UNIQUE INDEX _syncstack_remote_rows ON _syncstack_remote_records (root, object_row) "
      + "WHERE object_row IS NOT NULL",
    "CREATE INDEX _syncstack_remote_waiting ON _syncstack_remote_records (zone, name) "
      + "WHERE waiting IS NOT NULL",
    "CREATE INDEX _syncstack_remote_kept ON _syncstack_remote_records (zone, name) "
      + "WHERE kept IS NOT NULL",
    "CREATE INDEX _syncstack_remote_problems ON _syncstack_remote_records (zone, name) "
      + "WHERE problem IS NOT NULL",
    "CREATE TABLE _syncstack_remote_links (zone TEXT NOT NULL, source TEXT NOT NULL, "
      + "field TEXT NOT NULL, target TEXT NOT NULL, entity TEXT NOT NULL, "
      + "PRIMARY KEY (zone, source, field)) WITHOUT ROWID",
    "CREATE TABLE _syncstack_remote_pairs (zone TEXT NOT NULL, name TEXT NOT NULL, "
      + "relationship TEXT NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, "
      + "PRIMARY KEY (zone, name)) WITHOUT ROWID",
    "CREATE INDEX _syncstack_remote_first ON _syncstack_remote_pairs (zone, first)",
    "CREATE INDEX _syncstack_remote_second ON _syncstack_remote_pairs (zone, second)",
    "CREATE TABLE _syncstack_remote_lists (zone TEXT NOT NULL, owner TEXT NOT NULL, "
      + "field TEXT NOT NULL, names TEXT NOT NULL, PRIMARY KEY (zone, owner, field)) WITHOUT ROWID",
    "CREATE INDEX _syncstack_remote_targets ON _syncstack_remote_links (target)",
    "CREATE TABLE _syncstack_remote_conflicts (id INTEGER PRIMARY KEY AUTOINCREMENT, "
      + "zone TEXT NOT NULL, name TEXT NOT NULL, entity TEXT NOT NULL, field TEXT NOT NULL, "
      + "value TEXT NOT NULL, stamp TEXT NOT NULL, winner TEXT NOT NULL, ts_ms INTEGER NOT NULL)",
  ]
}

extension StoreReader {
  /// Whether an engine has opened the store before.
  ///
  /// - Throws: `StoreError` with the code `unsupported` when that was one of another version.
  package func hasRemoteTables() throws -> Bool {
    try prepareToRead()
    guard let version = try Metadata(connection: connection).integer(.remote) else { return false }
    guard version == RemoteTables.version else {
      throw StoreError(
        .unsupported,
        message: "The store was synced by another version of remote sync, whose notes this one "
          + "cannot read. Push with that version what waits, and pull into a new store with this one."
      )
    }
    return true
  }
}

extension StoreTransaction {
  /// Makes the tables of remote sync unless they are there.
  package func makeRemoteTables() throws {
    guard try !hasRemoteTables() else { return }
    for statement in RemoteTables.statements { try connection.execute(statement) }
    try Metadata(connection: connection).set(.remote, RemoteTables.version)
  }
}

extension Connection {
  /// Gives the tables of remote sync the names of a new model, in the transaction that is open.
  /// Names that the new model no longer has stay.
  func migrateRemote(_ match: ModelMatch) throws {
    let version = try Metadata(connection: self).integer(.remote) ?? 0
    guard version == RemoteTables.version else { return }
    for old in match.oldEntities {
      guard let new = match.target(of: old) else { continue }
      let names = MigrationPlanner.names(old, new, match).filter { $0.key != $0.value }
      let isRenamed = old.name != new.name || old.rootEntity.name != new.rootEntity.name
      guard isRenamed || !names.isEmpty else { continue }
      try migrateRecords(of: old, to: new, names)
      try migrateNames(of: old, to: new, names)
    }
    // Written with a mark before the name, so that entities that exchange their names do not meet.
    for table in ["records", "conflicts"] {
      try execute(
        "UPDATE _syncstack_remote_\(table) SET entity = substr(entity, 2) WHERE entity LIKE '\u{1}%'"
      )
    }
    try execute(
      "UPDATE _syncstack_remote_records SET root = substr(root, 2) WHERE root LIKE '\u{1}%'")
  }

  private func migrateRecords(
    of old: EntityDescription, to new: EntityDescription, _ names: [String: String]
  ) throws {
    let records = try all(
      "SELECT zone, name, stamps, waiting FROM _syncstack_remote_records WHERE entity = ?",
      [old.name]
    ) { (zone: $0.text(0), name: $0.text(1), stamps: $0.text(2), waiting: $0.text(3)) }
    for record in records {
      var stamps = RemoteStamps(record.stamps)
      stamps.rename(names)
      let waiting = Set(RemoteRecord.waiting(record.waiting).map { $0.renamed(names) })
      try run(
        "UPDATE _syncstack_remote_records SET entity = ?, root = ?, stamps = ?, waiting = ? "
          + "WHERE zone = ? AND name = ?",
        [
          "\u{1}" + new.name, "\u{1}" + new.rootEntity.name, stamps.text,
          RemoteRecord.text(of: waiting), record.zone, record.name,
        ])
    }
  }

  private func migrateNames(
    of old: EntityDescription, to new: EntityDescription, _ names: [String: String]
  ) throws {
    for (before, after) in names.inKeyOrder {
      for (table, owner) in [("links", "source"), ("lists", "owner")] {
        try run(
          "UPDATE _syncstack_remote_\(table) SET field = ?1 WHERE field = ?2 AND (zone, \(owner)) IN "
            + "(SELECT zone, name FROM _syncstack_remote_records WHERE entity = ?3)",
          [after, before, "\u{1}" + new.name])
      }
      try run(
        "UPDATE _syncstack_remote_conflicts SET field = ?1 WHERE field = ?2 AND entity = ?3",
        [after, before, old.name])
    }
    try run(
      "UPDATE _syncstack_remote_conflicts SET entity = ? WHERE entity = ?",
      ["\u{1}" + new.name, old.name])
  }
}
