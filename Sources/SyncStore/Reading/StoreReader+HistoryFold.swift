package import SyncCore

extension StoreReader {
  /// The place up to which every durable consumer but outboxes has read: changes after it are not
  /// known to be sent. Nil when there is none.
  func acknowledgedHistory(_ outboxes: [OutboxState]) throws -> Int64? {
    try prepareToRead()
    let names = outboxes.map { OutboxTables.consumer($0.name) }
    return try historyConsumers().filter { $0.isDurable && !names.contains($0.name) }
      .map(\.token.number).min()
  }

  /// Reads on where a fold ends: changes made in this program, and not by syncs. A transaction that
  /// was read is not read again, by any author. An undo ends edits, and begins some again.
  ///
  /// Entities and properties that the model no longer has are left out.
  ///
  /// - Parameters:
  ///   - base: The extent to which former values of objects are read: more than nothing only in
  ///     stores that are open for writing, because those of earlier versions have no place for it.
  /// - Complexity: one statement; linear in the transactions since and in their local changes.
  package func readLocalHistory(
    into fold: inout HistoryFold, base: BaseExtent, through last: Int64? = nil
  ) throws {
    try prepareToRead()
    let end = try connection.scalar("SELECT max(txn) FROM _syncstack_history") ?? 0
    let latest = min(end, last ?? end)
    guard latest > fold.token.number else { return }
    let statement = try connection.statement(
      "SELECT c.entity, c.object_row, c.kind, c.columns, c.tombstone, c.txn, h.origin"
        + "\(base == .nothing ? "" : ", c.base") "
        + "FROM _syncstack_history h CROSS JOIN _syncstack_history_changes c ON c.txn = h.txn "
        + "WHERE h.txn > ?1 AND h.txn <= ?2 AND h.origin IN ('local', 'undo') "
        + "ORDER BY h.txn, c.seq",
      [fold.token.number, latest])
    defer { statement.reset() }
    var slots = ColumnNames()
    var undo = (txn: Int64(0), edits: [ManagedObjectID: [UndoneEdit]]())
    while try statement.step() {
      guard let entity = model.entity(named: statement.text(0)) else { continue }
      let kind = HistoryChange.Kind(rawValue: statement.integer(2)) ?? .update
      let rows = try HistoryRows(stored: statement.value(1), of: statement.integer(5)).rows
      let tombstones = try Tombstone.decode(
        statement.optionalText(4), count: rows.count, of: entity)
      guard statement.text(6) == TransactionInfo.Source.local.rawValue else {
        if undo.txn != statement.integer(5) {
          undo.txn = statement.integer(5)
          let edits = try undoneEdits(from: undo.txn, through: undo.txn)
          undo.edits = Dictionary(grouping: edits, by: \.id)
          fold.take(edits)
        }
        for (index, row) in rows.enumerated() {
          let id = ManagedObjectID(entity: entity, row: row)
          switch kind {
          case .insert: fold.comeBack(id)
          case .update: continue
          case .delete:
            fold.goAway(id)
            guard undo.edits[id]?.contains(where: { $0.isBegun }) == true else { continue }
            fold.add(id, .delete, slots: SlotSet(), tombstone: tombstones[index])
          }
        }
        continue
      }
      let changed = kind == .update ? slots.slots(statement.text(3), of: entity) : SlotSet()
      let isRead = base.includes(changed, of: entity)
      let bases = try Tombstone.decode(
        isRead && !statement.isNull(7) ? statement.text(7) : nil, count: rows.count, of: entity)
      for (index, row) in rows.enumerated() {
        fold.add(
          ManagedObjectID(entity: entity, row: row), kind, slots: changed,
          tombstone: tombstones[index], base: bases[index])
      }
    }
    fold.token = HistoryToken(number: latest)
  }

  /// Whether something was changed in this program after a place in the history, and not by syncs.
  package func hasLocalHistory(after token: HistoryToken) throws -> Bool {
    try prepared.scalar(
      "SELECT count(*) FROM _syncstack_history WHERE txn > \(token.number) AND origin = 'local'")
      ?? 0 > 0
  }

  /// Whether an object was made in this program, and not by a sync, as far as the history goes
  /// back.
  ///
  /// - Complexity: linear in the local changes of the history.
  package func isMadeHere(_ id: ManagedObjectID) throws -> Bool {
    var fold = HistoryFold(after: HistoryToken(number: try historyFloor()))
    try readLocalHistory(into: &fold, base: .nothing)
    return fold[id]?.kind == .insert
  }

  /// Whether an object was made after another one of its kind was deleted, as far as the history
  /// goes back.
  ///
  /// - Complexity: linear in the insertions and deletions of their entities in the history.
  package func isMade(_ id: ManagedObjectID, afterDeletionOf other: ManagedObjectID) throws -> Bool
  {
    guard let deletion = try lastTransaction(.delete, of: other),
      let insertion = try lastTransaction(.insert, of: id)
    else { return false }
    return insertion > deletion
  }

  private func lastTransaction(
    _ kind: HistoryChange.Kind, of id: ManagedObjectID
  ) throws -> Int64? {
    try prepareToRead()
    let statement = try connection.statement(
      "SELECT txn, object_row FROM _syncstack_history_changes WHERE entity = ?1 AND kind = ?2 "
        + "ORDER BY txn DESC", [id.entity.name, kind.rawValue])
    defer { statement.reset() }
    while try statement.step() {
      let number = statement.integer(0)
      let rows = try HistoryRows(stored: statement.value(1), of: number).rows
      if rows.contains(id.row) { return number }
    }
    return nil
  }
}

/// The extent to which former values of edited objects are read.
package enum BaseExtent {
  case nothing

  /// Only of objects whose lists over link tables were edited: which of their links.
  case links
  case everything

  func includes(_ slots: SlotSet, of entity: EntityDescription) -> Bool {
    switch self {
    case .nothing: false
    case .links: slots.contains { entity.properties[$0].relationship?.kind == .manyToMany }
    case .everything: true
    }
  }
}

/// Turns lists of property names into slots; most changes have one of a few lists.
struct ColumnNames {
  private var known: [Int: [String: SlotSet]] = [:]

  mutating func slots(_ names: String, of entity: EntityDescription) -> SlotSet {
    if let slots = known[entity.index]?[names] { return slots }
    var slots = SlotSet()
    for name in names.split(separator: " ") {
      if let property = entity.property(named: String(name)) { slots.insert(property.slot) }
    }
    known[entity.index, default: [:]][names] = slots
    return slots
  }
}
