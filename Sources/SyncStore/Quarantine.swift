package import Foundation
package import SyncCore

/// An item of a payload that a sync left out and kept.
package struct QuarantinedRow: Sendable, Hashable {
  /// Number in the quarantine; 0 before it has one.
  package var id: Int64 = 0

  /// Name of the entity, which a later model may no longer have.
  package var entity: String

  /// The primary key; null when it cannot be read.
  package var key: Value

  /// The item as it stood in the payload.
  package var json: Data
  package var code: String
  package var reason: String
  package var path: String
  package var date: Date

  /// How often it was tried again.
  package var attempts = 0

  /// The object whose children the items of the payload were.
  package var parent: Parent?

  package struct Parent: Sendable, Hashable {
    package var entity: String
    package var row: Int64
    package var relationship: String?

    package init(entity: String, row: Int64, relationship: String?) {
      self.entity = entity
      self.row = row
      self.relationship = relationship
    }
  }

  package init(
    entity: String, key: Value, json: Data, code: String, reason: String, path: String, date: Date,
    parent: Parent? = nil
  ) {
    self.entity = entity
    self.key = key
    self.json = json
    self.code = code
    self.reason = reason
    self.path = path
    self.date = date
    self.parent = parent
  }
}

/// The table of the quarantine, with indexes that find the earlier item of a key, and the same item
/// without one; made when the first item is kept.
private enum QuarantineTable {
  static let creation = [
    "CREATE TABLE _syncstack_quarantine (id INTEGER PRIMARY KEY AUTOINCREMENT, "
      + "entity TEXT NOT NULL, object_key BLOB, json TEXT NOT NULL, code TEXT NOT NULL, "
      + "reason TEXT NOT NULL, path TEXT NOT NULL, ts_ms INTEGER NOT NULL, "
      + "attempts INTEGER NOT NULL, parent_entity TEXT, parent_row INTEGER, "
      + "parent_relationship TEXT)",
    "CREATE INDEX _syncstack_quarantine_key ON _syncstack_quarantine (entity, object_key)",
    "CREATE INDEX _syncstack_quarantine_keyless ON _syncstack_quarantine (entity, json) "
      + "WHERE object_key IS NULL",
  ]
}

extension StoreReader {
  /// The items in the quarantine, oldest first.
  ///
  /// - Parameter entity: Only those of that name; nil is all.
  package func quarantine(of entity: String? = nil) throws -> [QuarantinedRow] {
    try prepareToRead()
    guard try Metadata(connection: connection).integer(.quarantine) == 1 else { return [] }
    return try connection.all(
      "SELECT id, entity, object_key, json, code, reason, path, ts_ms, attempts, parent_entity, "
        + "parent_row, parent_relationship FROM _syncstack_quarantine "
        + "WHERE ?1 IS NULL OR entity = ?1 ORDER BY id", [entity]
    ) { statement in
      var row = QuarantinedRow(
        entity: statement.text(1), key: .null, json: Data(statement.text(3).utf8),
        code: statement.text(4), reason: statement.text(5), path: statement.text(6),
        date: Date(timeIntervalSince1970: Double(statement.integer(7)) / 1000))
      row.id = statement.integer(0)
      if !statement.isNull(2) { row.key = Value(archive: Data(statement.bytes(2))) ?? .null }
      row.attempts = Int(clamping: statement.integer(8))
      if !statement.isNull(9) {
        row.parent = QuarantinedRow.Parent(
          entity: statement.text(9), row: statement.integer(10),
          relationship: statement.optionalText(11))
      }
      return row
    }
  }

  /// Number, key and parent of the items of an entity in the quarantine that have a key; without
  /// their JSON, which may be long.
  package func quarantinedKeys(
    of entity: String
  ) throws -> [(id: Int64, key: Value, parentRow: Int64?)] {
    try prepared.all(
      "SELECT id, object_key, parent_row FROM _syncstack_quarantine "
        + "WHERE entity = ? AND object_key IS NOT NULL", [entity]
    ) { statement in
      Value(archive: Data(statement.bytes(1))).map {
        (statement.integer(0), $0, statement.optionalInteger(2))
      }
    }.compactMap { $0 }
  }

  /// Whether an item of an entity is in the quarantine.
  package func hasQuarantined(_ entity: String) throws -> Bool {
    try prepared.hasRows("SELECT 1 FROM _syncstack_quarantine WHERE entity = ? LIMIT 1", [entity])
  }
}

extension StoreTransaction {
  /// Keeps an item, in the place of an earlier one of the same key under the same parent; of one
  /// without a key, in that of the same JSON.
  package func quarantine(_ row: QuarantinedRow) throws {
    try requireOpen()
    try makeQuarantine()
    let key: Value = row.key.isNull ? .null : .data(row.key.archive)
    let json = String(decoding: row.json, as: UTF8.self)
    let isSame = key.isNull ? "object_key IS NULL AND json = ?1" : "object_key = ?1"
    try connection.run(
      "DELETE FROM _syncstack_quarantine WHERE \(isSame) AND entity = ?2 AND parent_row IS ?3",
      [key.isNull ? .string(json) : key, row.entity, row.parent?.row])
    try connection.run(
      "INSERT INTO _syncstack_quarantine (entity, object_key, json, code, reason, path, ts_ms, "
        + "attempts, parent_entity, parent_row, parent_relationship) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        row.entity, key, json, row.code, row.reason, row.path,
        ChangeJournal.milliseconds(row.date), Int64(row.attempts), row.parent?.entity,
        row.parent?.row, row.parent?.relationship,
      ])
  }

  /// Notes that an item was tried again in vain.
  package func updateQuarantined(_ row: QuarantinedRow) throws {
    try requireOpen()
    guard try hasQuarantine else { return }
    try connection.run(
      "UPDATE _syncstack_quarantine SET json = ?, code = ?, reason = ?, attempts = attempts + 1 "
        + "WHERE id = ?", [String(decoding: row.json, as: UTF8.self), row.code, row.reason, row.id])
  }

  /// Forgets items.
  package func removeQuarantined(_ ids: [Int64]) throws {
    try requireOpen()
    guard !ids.isEmpty, try hasQuarantine else { return }
    let statement = try connection.statement("DELETE FROM _syncstack_quarantine WHERE id = ?")
    for id in ids {
      statement.bind(1, id)
      try statement.run()
    }
  }

  /// The date of rows written now.
  package var now: Date { configuration.now() }

  private func makeQuarantine() throws {
    guard try !hasQuarantine else { return }
    for statement in QuarantineTable.creation { try connection.execute(statement) }
    try Metadata(connection: connection).set(.quarantine, 1)
    forgetCounters()
  }
}

extension Connection {
  /// Gives the items in the quarantine the names of a new model, in the transaction that is open.
  func migrateQuarantine(_ match: ModelMatch) throws {
    guard try Metadata(connection: self).integer(.quarantine) == 1 else { return }
    // By number, so that entities that exchange their names do not meet.
    var renamed: [(id: Int64, column: String, name: String)] = []
    for old in match.oldEntities {
      guard let new = match.target(of: old), new.name != old.name else { continue }
      for column in ["entity", "parent_entity"] {
        try eachRow("SELECT id FROM _syncstack_quarantine WHERE \(column) = ?", [old.name]) {
          renamed.append(($0.integer(0), column, new.name))
        }
      }
    }
    for change in renamed {
      try run(
        "UPDATE _syncstack_quarantine SET \(change.column) = ? WHERE id = ?",
        [change.name, change.id])
    }
  }
}
