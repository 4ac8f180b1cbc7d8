import Foundation
import SyncCore

/// The history of a store: every commit with its changes, kept in the file and written in the
/// transaction that it tells about (sync rules H1 of cloud-behaviour, section 3.2).
///
/// ```
/// _syncstack_history            one row per transaction, numbered for ever
/// _syncstack_history_changes    its changes: objects of one entity with the same change stand in
///                               one record, up to 4,096 of them (see `HistoryRows`)
/// _syncstack_history_consumers  its readers: how far each is, and whether others wait for it
/// _syncstack_history_floor      the highest number that was purged
/// _syncstack_history_values     with `.values`, what objects were before (see `ValueJournal`)
/// ```
///
/// Once a file has a history, every write to it is recorded, however it is opened: a history with
/// gaps would be worse than none.
struct ChangeJournal {
  let connection: Connection

  static let tables = [
    "CREATE TABLE _syncstack_history (txn INTEGER PRIMARY KEY AUTOINCREMENT, "
      + "generation INTEGER NOT NULL, ts_ms INTEGER NOT NULL, author TEXT, context TEXT, "
      + "process TEXT NOT NULL, origin TEXT NOT NULL)",
    "CREATE TABLE _syncstack_history_changes (txn INTEGER NOT NULL, seq INTEGER NOT NULL, "
      + "entity TEXT NOT NULL, object_row INTEGER NOT NULL, kind INTEGER NOT NULL, columns TEXT, "
      + "tombstone TEXT, base TEXT, PRIMARY KEY (txn, seq)) WITHOUT ROWID",
    "CREATE TABLE _syncstack_history_consumers (name TEXT PRIMARY KEY, txn INTEGER NOT NULL, "
      + "durable INTEGER NOT NULL, max_lag_txn INTEGER, max_lag_ms INTEGER, "
      + "updated_ms INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE _syncstack_history_floor (txn INTEGER NOT NULL)",
  ]

  /// Whether the file has a history.
  func exists() throws -> Bool {
    try Metadata(connection: connection).integer(.history) == 1
  }

  /// Starts a history, in the transaction that is open. It goes on above the numbers of one that
  /// was switched off before; commits until now count as purged then.
  func create(at date: Date) throws {
    let metadata = Metadata(connection: connection)
    for statement in ChangeJournal.tables { try connection.execute(statement) }
    let floor = try metadata.integer(.historyEnd).map { $0 + 1 } ?? 0
    try connection.execute("INSERT INTO _syncstack_history_floor (txn) VALUES (\(floor))")
    if floor > 0 {
      // Makes AUTOINCREMENT go on from there (https://www.sqlite.org/autoinc.html).
      try connection.execute(
        "INSERT INTO _syncstack_history (txn, generation, ts_ms, process, origin) "
          + "VALUES (\(floor), 0, 0, '', '')")
      try connection.execute("DELETE FROM _syncstack_history")
      try metadata.set(.historyPurged, Self.milliseconds(date))
    }
    try metadata.set(.history, 1)
  }

  /// Whether its records have a place for the former values of objects. Those of earlier versions
  /// have none until they are opened for writing.
  func hasBase() throws -> Bool {
    try connection.scalar(
      "SELECT count(*) FROM pragma_table_info('_syncstack_history_changes') WHERE name = 'base'")
      ?? 0 > 0
  }

  /// Makes that place where there is none.
  func makePlaceForBase() throws {
    guard try !hasBase() else { return }
    try connection.execute("ALTER TABLE _syncstack_history_changes ADD COLUMN base TEXT")
  }

  // MARK: - Recording

  /// Writes the changes of a transaction.
  ///
  /// - Parameters:
  ///   - tombstones: The values kept of deleted objects.
  ///   - bases: The former values of changed objects, where an outbox may have to go back to them.
  ///   - links: Which links of changed lists are edits.
  /// - Returns: The number of the transaction.
  func record(
    _ changes: ChangeSet, source: TransactionInfo.Source, process: String,
    tombstones: [ManagedObjectID: [String: Value]], bases: [ManagedObjectID: [String: Value]],
    links: [ManagedObjectID: [String: Set<Int64>]]
  ) throws -> Int64 {
    try connection.run(
      "INSERT INTO _syncstack_history (generation, ts_ms, author, context, process, origin) "
        + "VALUES (?, ?, ?, ?, ?, ?)",
      [
        changes.generation, Self.milliseconds(changes.date), changes.author, changes.contextName,
        process, source.rawValue,
      ])
    let txn = connection.lastInsertedRow
    var writer = ChangeWriter(
      connection: connection, txn: txn, bases: bases, links: links,
      isLocal: source == .local)
    for changes in changes.entities {
      try writer.write(changes, tombstones: tombstones)
    }
    return txn
  }

  static func milliseconds(_ date: Date) -> Int64 {
    Int64(clamping: (date.timeIntervalSince1970 * 1000).rounded())
  }

  /// The first of the milliseconds that transactions are dated by that does not lie before a date.
  static func firstMillisecond(_ date: Date) -> Int64 {
    Int64(clamping: (date.timeIntervalSince1970 * 1000).rounded(.up))
  }

  /// Writes the changes of one transaction in numbered records.
  private struct ChangeWriter {
    /// Objects in one record: enough to make records rare, few enough to read one at a time.
    private static let limit = 4096

    let connection: Connection
    let txn: Int64
    let bases: [ManagedObjectID: [String: Value]]
    let links: [ManagedObjectID: [String: Set<Int64>]]
    let isLocal: Bool
    var sequence: Int64 = 0

    mutating func write(
      _ changes: ChangeSet.EntityChanges, tombstones: [ManagedObjectID: [String: Value]]
    ) throws {
      let entity = changes.entity
      for rows in changes.inserted.chunks(of: Self.limit) {
        try write(entity, HistoryRows(rows), .insert)
      }
      // Rows in their order: only neighbours with the same properties stand together.
      var start = 0
      while start < changes.updated.count {
        let slots = changes.updated[start].slots
        let rest = changes.updated[start...].prefix(Self.limit)
        let run = rest.prefix { $0.slots == slots }
        let names = slots.map { entity.properties[$0].name }
        try write(
          entity, HistoryRows(run.map(\.row)), .update, columns: names.joined(separator: " "),
          base: try base(of: entity, run.lazy.map(\.row), among: names))
        start += run.count
      }
      for rows in changes.deleted.indices.chunks(of: Self.limit) {
        let kept = try rows.map { index in
          var kept = tombstones[ManagedObjectID(entity: entity, row: changes.deleted[index])] ?? [:]
          if let key = entity.primaryKey, !changes.deletedKeys.isEmpty {
            kept[key.name] = changes.deletedKeys[index]
          }
          return try Tombstone.encode(kept, of: entity)
        }
        try write(
          entity, HistoryRows(changes.deleted[rows]), .delete, tombstone: Tombstone.joined(kept),
          base: try base(of: entity, changes.deleted[rows]))
      }
    }

    /// The former values of rows, and the links of their lists that are edits.
    ///
    /// - Parameter names: The properties that matter; nil is all.
    private func base(
      of entity: EntityDescription, _ rows: some Sequence<Int64>, among names: [String]? = nil
    ) throws -> String? {
      let lists = entity.relationships.filter {
        isLocal && $0.kind == .manyToMany && names?.contains($0.name) == true
      }
      guard !bases.isEmpty || !lists.isEmpty else { return nil }
      return Tombstone.joined(
        try rows.map { row in
          let id = ManagedObjectID(entity: entity, row: row)
          let known = bases[id] ?? [:]
          var base = names.map { names in known.filter { names.contains($0.key) } } ?? known
          for list in lists { base[list: list].edited = links[id]?[list.name] ?? [] }
          return try Tombstone.encode(base, of: entity, keepsNulls: true)
        })
    }

    private mutating func write(
      _ entity: EntityDescription, _ rows: HistoryRows, _ kind: HistoryChange.Kind,
      columns: String? = nil, tombstone: String? = nil, base: String? = nil
    ) throws {
      sequence += 1
      // There may be no place for it where it is nil.
      let more = base == nil ? ("", "") : (", base", ", ?8")
      let statement = try connection.statement(
        "INSERT INTO _syncstack_history_changes "
          + "(txn, seq, entity, object_row, kind, columns, tombstone\(more.0)) "
          + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7\(more.1))",
        [txn, sequence, entity.name, rows.stored, kind.rawValue, columns, tombstone])
      if let base { statement.bind(8, base) }
      try statement.run()
    }
  }
}

extension Int64 {
  /// The number, or the nearest one that there is: dates may lie at the end of time.
  fileprivate init(clamping value: Double) {
    self = Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }
}

extension RandomAccessCollection {
  /// The elements in pieces of at most so many.
  fileprivate func chunks(of count: Int) -> some Sequence<SubSequence> {
    sequence(state: self[...]) { rest in
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
}
