package import SyncCore

/// One-to-one relationships, which are one thing in two rows.
extension StoreTransaction {
  /// Leads partners that lead nowhere back to the objects that lead to them.
  ///
  /// - Parameters:
  ///   - relationship: a to-one relationship whose inverse is one too.
  ///   - entity: an entity that has it.
  ///   - rows: the objects to look at.
  /// - Returns: the partners that were led back.
  package func leadPartnersBack(
    _ relationship: RelationshipDescription, of entity: EntityDescription, rows: [Int64]
  ) throws -> [Int64] {
    guard let pair = PairColumns(relationship, of: entity, in: layout) else { return [] }
    var alone: [(row: Int64, partner: Int64)] = []
    try forEachPair(pair, among: rows, where: "p.\(pair.inverse.quoted) IS NULL") {
      alone.append(($0, $1))
    }
    let destination = entity.destination(of: relationship)
    try keepBase(of: alone.map(\.partner), in: destination, slots: [pair.inverseSlot])
    for (row, partner) in alone {
      try write(row, to: pair.inverse, slot: pair.inverseSlot, of: partner, in: pair.partners)
    }
    return alone.map(\.partner)
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
    guard let pair = PairColumns(relationship, of: entity, in: layout) else { return [] }
    var alone: [Int64] = []
    try forEachPair(pair, among: rows, where: "p.\(pair.inverse.quoted) IS NOT o._row") { row, _ in
      alone.append(row)
    }
    try keepBase(of: alone, in: entity, slots: [relationship.slot])
    for row in alone {
      try write(nil, to: pair.column, slot: relationship.slot, of: row, in: pair.table)
    }
    return alone
  }

  /// Calls a closure with objects and the partners that they lead to, in the order of the objects.
  private func forEachPair(
    _ pair: PairColumns, among rows: [Int64], where condition: String,
    _ body: (Int64, Int64) -> Void
  ) throws {
    try requireOpen()
    let rows = Set(rows).sorted()
    try KeyChunks.forEach(rows.count) { start, count, parameters in
      let statement = try connection.statement(
        "SELECT o._row, p._row FROM \(pair.table.quoted) o JOIN \(pair.partners.quoted) p "
          + "ON p._row = o.\(pair.column.quoted) WHERE \(condition) "
          + "AND o._row IN \(KeyChunks.placeholders(parameters)) ORDER BY o._row")
      KeyChunks.bind(rows, from: start, count: count, parameters: parameters, to: statement)
      defer { statement.reset() }
      while try statement.step() { body(statement.integer(0), statement.integer(1)) }
    }
  }

  private func write(
    _ partner: Int64?, to column: Table.Column, slot: Int, of row: Int64, in table: Table
  ) throws {
    let statement = try connection.statement(
      "UPDATE \(table.quoted) SET \(column.quoted) = ?1, _version = _version + 1 WHERE _row = ?2")
    if let partner { statement.bind(1, partner) } else { statement.bindNull(1) }
    statement.bind(2, row)
    try statement.run()
    recorder.update(row, in: table, slots: [slot])
  }
}

/// The two columns of a one-to-one relationship, as seen from one side.
private struct PairColumns {
  let table: Table
  let column: Table.Column
  let partners: Table
  let inverse: Table.Column
  let inverseSlot: Int

  /// - Returns: nil when the relationship is none.
  init?(
    _ relationship: RelationshipDescription, of entity: EntityDescription, in layout: TableLayout
  ) {
    let partners = layout.entities[relationship.destinationIndex]
    guard !relationship.isInverseToMany, let inverseSlot = relationship.inverseSlot,
      let column = layout[entity].column(relationship.slot),
      let inverse = partners.column(inverseSlot)
    else { return nil }
    table = layout.table(of: entity)
    self.column = column
    self.partners = partners.table
    self.inverse = inverse
    self.inverseSlot = inverseSlot
  }
}
