import Foundation
import SyncCore

/// The commits in the history, as change sets.
extension StoreReader {
  /// The commits after a generation, oldest first; nil when the history does not tell of all of it.
  ///
  /// - Parameters:
  ///   - generation: The latest commit that is known.
  ///   - latest: The latest one there is.
  /// - Complexity: linear in the changes; reads the keys of objects that are still there.
  func commits(after generation: Int64, through latest: Int64) throws -> [ChangeSet]? {
    // Each commit has a number of its own, here and there, and later ones stand further down.
    var found: [(txn: Int64, changes: ChangeSet)] = []
    try connection.eachRow(
      "SELECT txn, generation, ts_ms, author, context, origin FROM _syncstack_history "
        + "ORDER BY txn DESC LIMIT ?", [latest - generation]
    ) { statement in
      guard statement.integer(1) > generation else { return }
      var changes = ChangeSet(
        author: statement.optionalText(3), contextName: statement.optionalText(4),
        generation: statement.integer(1),
        date: Date(timeIntervalSince1970: Double(statement.integer(2)) / 1000))
      changes.source = HistorySource(rawValue: statement.text(5)) ?? .local
      found.append((statement.integer(0), changes))
    }
    guard Int64(found.count) == latest - generation else { return nil }
    return try found.reversed().map { txn, changes in
      var changes = changes
      changes.entities = try entityChanges(of: txn)
      return changes
    }
  }

  private func entityChanges(of txn: Int64) throws -> [ChangeSet.EntityChanges] {
    var changes: [Int: ChangeSet.EntityChanges] = [:]
    var names = ColumnNames()
    try connection.eachRow(
      "SELECT entity, object_row, kind, columns, tombstone FROM _syncstack_history_changes "
        + "WHERE txn = ? ORDER BY seq", [txn]
    ) { statement in
      guard let entity = model.entity(named: statement.text(0)) else { return }
      let rows = try HistoryRows(stored: statement.value(1), of: txn).rows
      var change = changes[entity.index] ?? ChangeSet.EntityChanges(entity: entity)
      switch HistoryChange.Kind(rawValue: statement.integer(2)) ?? .update {
      case .insert: for row in rows { change.inserted.append(row) }
      case .update:
        let slots = names.slots(statement.text(3), of: entity)
        change.updated += rows.map { ($0, slots) }
      case .delete:
        for row in rows { change.deleted.append(row) }
        guard let key = entity.primaryKey else { break }
        let tombstones = try Tombstone.decode(
          statement.optionalText(4), count: rows.count, of: entity)
        for tombstone in tombstones { change.deletedKeys.append(tombstone[key.name] ?? .null) }
      }
      changes[entity.index] = change
    }
    return try changes.inKeyOrder.map { _, change in
      var change = change
      change.updated = change.updated.sorted(on: \.row)
      change.insertedKeys = try keys(of: change.inserted.numbers, change.entity)
      change.updatedKeys = try keys(of: change.updated.map(\.row), change.entity)
      return change
    }
  }

  /// The primary keys of objects as they are now; null for those that are gone.
  private func keys(of rows: [Int64], _ entity: EntityDescription) throws -> ChangeKeys {
    var result = ChangeKeys()
    guard let slot = entity.primaryKey?.slot, !rows.isEmpty else { return result }
    var known: [Int64: Value] = [:]
    known.reserveCapacity(rows.count)
    try scan(entity, .rows(rows), slots: layout[entity].table.hasEntityColumn ? nil : [slot]) {
      known[$0.row] = $0.value(slot)
    }
    for row in rows { result.append(known[row] ?? .null) }
    return result
  }
}
