import SyncCore

extension ChangeJournal {
  /// Gives entities and properties in the history the names of a new model, and what is kept of
  /// deleted objects its types, in the transaction that is open. What the new model no longer has
  /// keeps its old name.
  ///
  /// - Complexity: reads the changes of entities where something was renamed or converted.
  func migrate(_ match: ModelMatch) throws {
    guard try exists() else { return }
    var changes:
      [(txn: Int64, sequence: Int64, entity: String, columns: String?, tombstone: String?)] =
        []
    for old in match.oldEntities {
      guard let new = match.target(of: old) else { continue }
      let names = MigrationPlanner.names(old, new, match)
      let isRenamed = old.name != new.name || names.contains { $0 != $1 }
      guard isRenamed || hasConversions(new, match) else { continue }
      let statement = try connection.statement(
        "SELECT txn, seq, columns, tombstone, object_row FROM _syncstack_history_changes "
          + "WHERE entity = ?")
      statement.bind(1, old.name)
      defer { statement.reset() }
      while try statement.step() {
        let columns = statement.text(2).split(separator: " ").map {
          names[String($0)] ?? String($0)
        }
        changes.append(
          (
            statement.integer(0), statement.integer(1), new.name,
            statement.isNull(2) ? nil : columns.joined(separator: " "),
            statement.isNull(3)
              ? nil
              : try tombstone(
                statement.text(3),
                count: HistoryRows(stored: statement.value(4), of: statement.integer(0)).rows
                  .count,
                of: old, as: new, names: names)
          ))
      }
    }
    // Only now, so that entities that exchange their names do not meet.
    for change in changes {
      let statement = try connection.statement(
        "UPDATE _syncstack_history_changes SET entity = ?, columns = ?, tombstone = ? "
          + "WHERE txn = ? AND seq = ?")
      statement.bind(1, change.entity)
      statement.bind(2, change.columns.map(Value.string) ?? .null)
      statement.bind(3, change.tombstone.map(Value.string) ?? .null)
      statement.bind(4, change.txn)
      statement.bind(5, change.sequence)
      try statement.run()
    }
  }

  private func hasConversions(_ entity: EntityDescription, _ match: ModelMatch) -> Bool {
    entity.attributes.contains { attribute in
      match.source(of: attribute.slot, in: entity)?.attribute?.type ?? attribute.type
        != attribute.type
    }
  }

  private func tombstone(
    _ text: String, count: Int, of old: EntityDescription, as new: EntityDescription,
    names: [String: String]
  ) throws -> String? {
    let texts = try Tombstone.decode(text, count: count, of: old).map { values in
      var kept: [String: Value] = [:]
      for (name, value) in values {
        let newName = names[name] ?? name
        let conversion = old.attribute(named: name).flatMap { before in
          new.attribute(named: newName).flatMap { ValueConversion(from: before.type, to: $0.type) }
        }
        kept[newName] = conversion?.convert(value) ?? value
      }
      return try Tombstone.encode(kept, of: new)
    }
    return Tombstone.joined(texts)
  }
}
