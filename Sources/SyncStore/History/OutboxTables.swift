import SyncCore

/// The tables that outboxes keep beside the data.
///
/// ```
/// _syncstack_outboxes         how far each has read the history
/// _syncstack_outbox_entries   a row per object that waits, was sent without an answer, was refused,
///                             or is new and was given up
/// ```
///
/// Made with the first outbox; a store without one has neither. Entries of an outbox need not be
/// read from the history again, so that may be purged.
enum OutboxTables {
  static let statements = [
    "CREATE TABLE _syncstack_outboxes (name TEXT PRIMARY KEY, history INTEGER NOT NULL, "
      + "revision INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE _syncstack_outbox_entries (number INTEGER PRIMARY KEY AUTOINCREMENT, "
      + "outbox TEXT NOT NULL, entity TEXT NOT NULL, root TEXT NOT NULL, object_row INTEGER NOT NULL, "
      + "kind INTEGER, columns TEXT, tombstone TEXT, sent_kind INTEGER, sent_columns TEXT, json TEXT, "
      + "changed TEXT, idempotency TEXT, tries INTEGER NOT NULL, earliest_ms INTEGER, refusal TEXT, "
      + "base TEXT, sent_base TEXT)",
    "CREATE UNIQUE INDEX _syncstack_outbox_objects "
      + "ON _syncstack_outbox_entries (outbox, root, object_row)",
    "CREATE INDEX _syncstack_outbox_sent ON _syncstack_outbox_entries (idempotency) "
      + "WHERE idempotency IS NOT NULL",
  ]

  /// The name under which an outbox reads the history.
  static func consumer(_ name: String) -> String { "SyncStack.outbox.\(name)" }
}

extension Connection {
  /// Gives the entries of outboxes the names and types of a new model, in the transaction that is
  /// open. Names that the new model no longer has stay.
  func migrateOutboxes(_ match: ModelMatch) throws {
    guard try Metadata(connection: self).integer(.outboxes) == 1 else { return }
    for old in match.oldEntities {
      guard let new = match.target(of: old) else { continue }
      let names = MigrationPlanner.names(old, new, match).filter { $0.key != $0.value }
      guard
        old.name != new.name || old.rootEntity.name != new.rootEntity.name || !names.isEmpty
          || match.convertsAttributes(of: new)
      else { continue }
      let select = try ownedStatement(
        "SELECT number, columns, sent_columns, tombstone, base, sent_base "
          + "FROM _syncstack_outbox_entries WHERE entity = ?")
      select.bind(1, old.name)
      var entries: [(number: Int64, columns: String, sent: String, kept: [String?])] = []
      while try select.step() {
        let kept = try (3...5).map { column in
          try select.isNull(column)
            ? nil
            : Tombstone.renamed(
              select.text(column), of: old, as: new, names: names, keepsNulls: column > 3)
        }
        entries.append((select.integer(0), select.text(1), select.text(2), kept))
      }
      for entry in entries {
        try run(
          "UPDATE _syncstack_outbox_entries SET entity = ?, root = ?, columns = ?, "
            + "sent_columns = ?, tombstone = ?, base = ?, sent_base = ? WHERE number = ?",
          [
            "\u{1}" + new.name, "\u{1}" + new.rootEntity.name,
            Self.renamed(entry.columns, names), Self.renamed(entry.sent, names), entry.kept[0],
            entry.kept[1], entry.kept[2], entry.number,
          ])
      }
    }
    // Written with a mark before the name, so that entities that exchange their names do not meet.
    for column in ["entity", "root"] {
      try execute(
        "UPDATE _syncstack_outbox_entries SET \(column) = substr(\(column), 2) "
          + "WHERE \(column) LIKE '\u{1}%'")
    }
  }

  private static func renamed(_ columns: String, _ names: [String: String]) -> String {
    columns.split(separator: " ").map { names[String($0)] ?? String($0) }.joined(separator: " ")
  }
}
