package import SyncCore

/// One-to-one relationships, which are one thing in two rows.
extension StoreTransaction {
  /// Leads a one-to-one relationship that leads nowhere to an object.
  ///
  /// - Returns: whether it led nowhere.
  package func leadBack(
    _ relationship: RelationshipDescription, of entity: EntityDescription, from row: Int64,
    to partner: Int64
  ) throws -> Bool {
    try requireOpen()
    guard let column = layout[entity].column(relationship.slot) else { return false }
    let table = layout.table(of: entity)
    let statement = try connection.statement(
      "UPDATE \(table.quoted) SET \(column.quoted) = ?1, _version = _version + 1 "
        + "WHERE _row = ?2 AND \(column.quoted) IS NULL")
    statement.bind(1, partner)
    statement.bind(2, row)
    try statement.run()
    guard connection.changes > 0 else { return false }
    recorder.update(row, in: table, slots: [relationship.slot])
    return true
  }

  /// Empties a one-to-one relationship where it leads to an object that does not lead back: whoever lost its partner
  /// to somebody else while both were written.
  ///
  /// - Parameters:
  ///   - relationship: a to-one relationship whose inverse is one too.
  ///   - entity: an entity that has it.
  ///   - rows: the objects to look at.
  /// - Returns: the objects whose relationship was emptied, ascending.
  package func settlePairs(
    _ relationship: RelationshipDescription, of entity: EntityDescription, rows: [Int64]
  ) throws -> [Int64] {
    try requireOpen()
    let partners = layout.entities[relationship.destinationIndex]
    guard !relationship.isInverseToMany, let inverse = relationship.inverseSlot,
      let column = layout[entity].column(relationship.slot), let back = partners.column(inverse)
    else { return [] }
    let table = layout.table(of: entity)
    let rows = Set(rows).sorted()
    var alone: [Int64] = []
    try KeyChunks.forEach(rows.count) { start, count, parameters in
      let statement = try connection.statement(
        "SELECT o._row FROM \(table.quoted) o JOIN \(partners.table.quoted) p "
          + "ON p._row = o.\(column.quoted) WHERE p.\(back.quoted) IS NOT o._row "
          + "AND o._row IN \(KeyChunks.placeholders(parameters)) ORDER BY o._row")
      KeyChunks.bind(rows, from: start, count: count, parameters: parameters, to: statement)
      defer { statement.reset() }
      while try statement.step() { alone.append(statement.integer(0)) }
    }
    let statement = try connection.statement(
      "UPDATE \(table.quoted) SET \(column.quoted) = NULL, _version = _version + 1 WHERE _row = ?")
    for row in alone {
      statement.bind(1, row)
      try statement.run()
      recorder.update(row, in: table, slots: [relationship.slot])
    }
    return alone
  }
}
