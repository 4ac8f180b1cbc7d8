import SyncCore

extension ChangeJournal {
  /// Gives entities and properties in the history the names of a new model, and values kept of
  /// deleted objects its types, in the transaction that is open. Names that the new model no longer
  /// has stay.
  ///
  /// - Complexity: reads the changes of entities where something was renamed or converted.
  func migrate(_ match: ModelMatch) throws {
    guard try exists() else { return }
    var changes:
      [(txn: Int64, sequence: Int64, entity: String, columns: String?, kept: [String?])] = []
    let base = try hasBase() ? "base" : "NULL"
    for old in match.oldEntities {
      guard let new = match.target(of: old) else { continue }
      let names = MigrationPlanner.names(old, new, match)
      let isRenamed = old.name != new.name || names.contains { $0 != $1 }
      guard isRenamed || match.convertsAttributes(of: new) else { continue }
      try connection.eachRow(
        "SELECT txn, seq, columns, tombstone, \(base), object_row FROM _syncstack_history_changes "
          + "WHERE entity = ?", [old.name]
      ) { statement in
        let columns = statement.text(2).split(separator: " ").map {
          names[String($0)] ?? String($0)
        }
        let rows = try HistoryRows(stored: statement.value(5), of: statement.integer(0)).rows
        let kept = try (3...4).map { column in
          try statement.isNull(column)
            ? nil
            : Tombstone.renamed(
              statement.text(column), count: rows.count, of: old, as: new, names: names,
              keepsNulls: column == 4)
        }
        changes.append(
          (
            statement.integer(0), statement.integer(1), new.name,
            statement.isNull(2) ? nil : columns.joined(separator: " "), kept
          ))
      }
    }
    // Only now, so that entities that exchange their names do not meet.
    for change in changes {
      try connection.run(
        "UPDATE _syncstack_history_changes SET entity = ?, columns = ?, tombstone = ? "
          + "WHERE txn = ? AND seq = ?",
        [change.entity, change.columns, change.kept[0], change.txn, change.sequence])
      guard let base = change.kept[1] else { continue }
      try connection.run(
        "UPDATE _syncstack_history_changes SET base = ? WHERE txn = ? AND seq = ?",
        [base, change.txn, change.sequence])
    }
  }
}

extension ModelMatch {
  /// Whether attributes of an entity of the new model have other types than before.
  func convertsAttributes(of entity: EntityDescription) -> Bool {
    entity.attributes.contains { attribute in
      source(of: attribute.slot, in: entity)?.attribute?.type ?? attribute.type != attribute.type
    }
  }
}

extension Tombstone {
  /// The kept values of so many objects, by the names of a new model and in its types.
  static func renamed(
    _ text: String, count: Int = 1, of old: EntityDescription, as new: EntityDescription,
    names: [String: String], keepsNulls: Bool = false
  ) throws -> String? {
    let texts = try decode(text, count: count, of: old).map { values in
      var kept: [String: Value] = [:]
      for (name, value) in values {
        let newName = names[name] ?? name
        let conversion = old.attribute(named: name).flatMap { before in
          new.attribute(named: newName).flatMap { ValueConversion(from: before.type, to: $0.type) }
        }
        kept[newName] = conversion?.convert(value) ?? value
      }
      return try encode(kept, of: new, keepsNulls: keepsNulls)
    }
    return joined(texts)
  }
}
