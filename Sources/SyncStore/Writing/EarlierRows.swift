import SyncCore

/// The rows that a transaction changes, as they were before it: kept by SQLite in a table of its
/// temporary database for each table of the store, by triggers that exist only while an observer
/// asks for values, or the history keeps them.
///
/// ```
/// UPDATE user … ──▶ trigger ──▶ _earlier_3 (the row as it was first) ─┬▶ ChangeSet.values
/// DELETE link … ──▶ trigger ──▶ _earlier_link_1 ──────────────────────┴▶ _syncstack_history_values
/// ```
struct EarlierRows {
  /// Of how many objects of a commit the values are told: memory is bounded so.
  static let limit = 10_000

  let layout: TableLayout
  let connection: Connection

  func name(_ table: Table) -> String { "_earlier_\(table.index)" }

  func columns(_ table: Table) -> [String] {
    (table.hasEntityColumn ? ["_row", "_entity", "_version"] : ["_row", "_version"])
      + table.columns.map(\.quoted) + table.positions.map(\.quoted)
  }

  /// Makes the tables and triggers. Not inside a transaction.
  func begin() throws {
    // A call that was stopped halfway has left some.
    try end()
    for table in layout.tables {
      let (name, columns) = (name(table), columns(table))
      try connection.execute(
        "CREATE TEMP TABLE \(name) (_row INTEGER PRIMARY KEY, "
          + columns.dropFirst().joined(separator: ", ") + ")")
      let values = columns.map { "OLD.\($0)" }.joined(separator: ", ")
      for event in ["UPDATE", "DELETE"] {
        try connection.execute(
          """
          CREATE TEMP TRIGGER \(name)_\(event) AFTER \(event) ON main.\(table.quoted)
          BEGIN INSERT OR IGNORE INTO \(name) VALUES (\(values)); END
          """)
      }
    }
    try beginLinks()
  }

  /// Removes them.
  func end() throws {
    for table in layout.tables {
      for event in ["UPDATE", "DELETE"] {
        try connection.execute("DROP TRIGGER IF EXISTS temp.\(name(table))_\(event)")
      }
      try connection.execute("DROP TABLE IF EXISTS temp.\(name(table))")
    }
    try endLinks()
  }

  /// Forgets the rows that were kept during a transaction.
  func clear() throws {
    for table in layout.tables { try connection.statement("DELETE FROM \(name(table))").run() }
    for link in layout.links { try connection.statement("DELETE FROM \(name(link))").run() }
  }

  /// The values kept during a transaction, for observers.
  ///
  /// - Returns: the values of changed objects, at most those of the first ``limit`` ones.
  func values(
    _ entities: [ChangeSet.EntityChanges], _ transaction: StoreTransaction
  ) throws -> [ManagedObjectID: ChangedValues] {
    var result: [ManagedObjectID: ChangedValues] = [:]
    var room = Self.limit
    for changes in entities {
      let deleted = changes.deleted.prefix(room)
      room -= deleted.count
      let updated = changes.updated.prefix(room).map(\.row)
      room -= updated.count
      let inserted = changes.inserted.prefix(room)
      room -= inserted.count
      func note(_ cursor: RowCursor, _ values: WritableKeyPath<ChangedValues, [Value]>) throws {
        let id = ManagedObjectID(entity: changes.entity, row: cursor.row)
        result[id, default: ChangedValues()][keyPath: values] = try cursor.storedRow().values.array
      }
      try scan(changes.entity, updated + deleted) { try note($0, \.earlier) }
      try transaction.scan(changes.entity, .rows(updated + inserted)) { try note($0, \.later) }
    }
    try nameDestinations(&result, transaction)
    return result
  }

  private func scan(
    _ entity: EntityDescription, _ rows: [Int64], _ body: (RowCursor) throws -> Void
  ) throws {
    let target = layout[entity]
    let scanner = RowScanner(
      connection: connection, layout: layout, target: target, slots: nil, order: nil)
    try scanner.run(
      KeyChunks(
        connection,
        "SELECT \(target.table.selectList()) FROM \(name(target.table)) WHERE _row IN",
        .rows(rows)), body)
  }

  /// Puts primary keys in the place of row numbers.
  private func nameDestinations(
    _ values: inout [ManagedObjectID: ChangedValues], _ transaction: StoreTransaction
  ) throws {
    var rows: [Int: Set<Int64>] = [:]
    func forEach(
      _ id: ManagedObjectID, _ values: [Value], _ body: (Int, EntityLayout, Int64) -> Void
    ) {
      guard !values.isEmpty else { return }
      for case .relationship(let relationship) in id.entity.properties {
        guard case .int(let row) = values[relationship.slot] else { continue }
        body(relationship.slot, layout.entities[relationship.destinationIndex], row)
      }
    }
    for (id, changed) in values {
      for side in [changed.earlier, changed.later] {
        forEach(id, side) { rows[$1.entity.index, default: []].insert($2) }
      }
    }
    var keys: [Int: [Int64: Value]] = [:]
    for (index, rows) in rows {
      let entity = layout.entities[index]
      guard let slot = entity.keySlot else { continue }
      func note(_ cursor: RowCursor) { keys[index, default: [:]][cursor.row] = cursor.value(slot) }
      // A deleted object is in the earlier rows alone; of the others the key that they have now
      // counts.
      try scan(entity.entity, rows.sorted(), note)
      try transaction.scan(entity.entity, .rows(rows.sorted()), note)
    }
    for (id, changed) in values {
      var named = changed
      forEach(id, changed.earlier) { named.earlier[$0] = keys[$1.entity.index]?[$2] ?? .int($2) }
      forEach(id, changed.later) { named.later[$0] = keys[$1.entity.index]?[$2] ?? .int($2) }
      values[id] = named
    }
  }
}
