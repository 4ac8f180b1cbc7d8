import SyncCore

extension StoreReader {
  /// The edits that undos have ended and begun again, in the order of the commits.
  func undoneEdits(from first: Int64, through last: Int64) throws -> [UndoneEdit] {
    guard try ValueJournal(connection: connection).exists() else { return [] }
    var slots = ColumnNames()
    var result: [UndoneEdit] = []
    try connection.eachRow(
      "SELECT txn, kind, entity, columns, object_row, former FROM _syncstack_history_values "
        + "WHERE txn BETWEEN ? AND ? AND kind IN (4, 5) ORDER BY txn, seq", [first, last]
    ) { statement in
      guard let entity = model.entity(named: statement.text(2)) else { return }
      let columns = statement.text(3)
      let extent: UndoneEdit.Extent =
        switch columns {
        case UndoneEdit.insertionMark: .insertion
        case UndoneEdit.deletionMark: .deletion
        default: .properties(slots.slots(columns, of: entity))
        }
      let outbox = String(decoding: statement.bytes(5), as: UTF8.self)
      let isBegun = statement.integer(1) == ValueJournal.Kind.begun.rawValue
      for row in try HistoryRows(stored: statement.value(4), of: statement.integer(0)).rows {
        result.append(
          UndoneEdit(
            id: ManagedObjectID(entity: entity, row: row), isBegun: isBegun, extent: extent,
            outbox: outbox))
      }
    }
    return result
  }

  /// The objects that were made here, and of which some commits have a deletion made here.
  ///
  /// - Complexity: linear in the insertions and deletions in the history.
  func objectsMadeAndDeletedHere(
    deletedFrom first: Int64, through last: Int64
  ) throws -> Set<ManagedObjectID> {
    var (made, deleted): (Set<ManagedObjectID>, Set<ManagedObjectID>) = ([], [])
    try connection.eachRow(
      "SELECT c.entity, c.object_row, c.kind, c.txn FROM _syncstack_history h "
        + "CROSS JOIN _syncstack_history_changes c ON c.txn = h.txn WHERE h.origin = 'local' "
        + "AND (c.kind = 0 AND h.txn <= ?2 OR c.kind = 2 AND h.txn BETWEEN ?1 AND ?2)",
      [first, last]
    ) { statement in
      guard let entity = model.entity(named: statement.text(0)) else { return }
      let rows = try HistoryRows(stored: statement.value(1), of: statement.integer(3)).rows
      let ids = rows.lazy.map { ManagedObjectID(entity: entity, row: $0) }
      if statement.integer(2) == HistoryChange.Kind.insert.rawValue {
        made.formUnion(ids)
      } else {
        deleted.formUnion(ids)
      }
    }
    return made.intersection(deleted)
  }
}
