import Foundation
import SyncCore

/// The rows and links of a transaction go into the history, as far as they came out otherwise.
extension EarlierRows {
  /// Keeps what a transaction has changed under its number in the history.
  ///
  /// - Complexity: linear in the changed rows; two statements for each table of the store.
  func keep(of transaction: StoreTransaction, _ txn: Int64, at date: Date) throws {
    var writer = ValueWriter(connection: connection, txn: txn)
    for table in layout.tables { try keepRows(of: table, transaction, in: &writer) }
    for link in layout.links { try keepLinks(of: link, transaction, in: &writer) }
    try writer.finish(layout.model) { entity, columns in names(of: columns, entity) }
    try writer.add(transaction.undoneEdits)
    try ValueJournal(connection: connection).keep(txn, bytes: writer.bytes, at: date)
  }

  private func keepRows(
    of table: Table, _ transaction: StoreTransaction, in writer: inout ValueWriter
  ) throws {
    let columns = columns(table)
    let earlier = columns.map { "e.\($0)" }.joined(separator: ", ")
    let later = columns.map { "m.\($0)" }.joined(separator: ", ")
    let statement = try connection.statement(
      "SELECT \(earlier), \(later) FROM \(name(table)) e "
        + "LEFT JOIN main.\(table.quoted) m ON m._row = e._row ORDER BY e._row")
    defer { statement.reset() }
    var current = layout.entities[table.rootIndex]
    var places = columnPlaces(of: current)
    let returned = returnedRows(of: table, transaction.recorder)
    var count = 0
    while try statement.step() {
      count += 1
      if count % TransactionToken.stride == 0 { try transaction.token.checkpoint() }
      let row = statement.integer(0)
      guard !transaction.recorder.isNew(row, in: table), !returned.contains(row) else { continue }
      if table.hasEntityColumn, statement.integer(1) != current.number {
        current = try layout.entity(numbered: statement.integer(1), in: table, row: row)
        places = columnPlaces(of: current)
      }
      let isGone = statement.isNull(columns.count)
      var changed = SlotSet()
      for (column, place, reference) in places {
        let isOther = [place, reference ?? place].contains {
          statement.differs($0, from: statement.cell(columns.count + $0))
        }
        if isGone || isOther { changed.insert(column) }
      }
      guard !changed.isEmpty else { continue }
      try writer.add(
        isGone ? .deleted : .changed, current.entity, row, columns: changed,
        names: names(of: changed, current.entity)
      ) { former in
        for (column, place, _) in places where changed.contains(column) {
          former.append(statement.cell(place))
        }
      }
    }
  }

  /// Rows that came back under their old numbers, and were not there when the transaction began.
  private func returnedRows(of table: Table, _ recorder: ChangeRecorder) -> RowSet {
    var result = RowSet()
    for member in layout.members(of: table) {
      let gone = RowSet(recorder.deleted[member.entity.index].rows)
      for row in recorder.inserted[member.entity.index].rows
      where !recorder.isNew(row, in: table) && !gone.contains(row) {
        result.insert(row)
      }
    }
    return result
  }

  /// The columns of an entity, by number, and where they stand in a result: those of its
  /// properties, and the places of its objects in ordered lists. Such a place counts as changed,
  /// too, when its list has another owner, to which the column `reference` leads.
  private func columnPlaces(
    of entity: EntityLayout
  ) -> [(column: Int, place: Int, reference: Int?)] {
    let table = entity.table
    let width = entity.ordinals.count
    let first = table.firstColumn
    var result: [(column: Int, place: Int, reference: Int?)] = entity.columnSlots.map {
      ($0, first + entity.ordinals[$0], nil)
    }
    for (index, position) in table.positions.enumerated() {
      guard let slot = entity.ordinals.firstIndex(of: position.reference) else { continue }
      result.append((width + slot, first + table.columns.count + index, first + position.reference))
    }
    return result
  }

  private func names(of columns: SlotSet, _ entity: EntityDescription) -> String {
    let properties = entity.properties
    return columns.map { column in
      column < properties.count
        ? properties[column].name
        : properties[column - properties.count].name + ValueJournal.placeMark
    }.joined(separator: " ")
  }

  private func keepLinks(
    of link: LinkTable, _ transaction: StoreTransaction, in writer: inout ValueWriter
  ) throws {
    let firsts = firstNewRows(link, transaction.recorder)
    let entity = layout.entities[link.sourceEntity].entity
    let statement = try connection.statement(
      "SELECT e.source, e.target, e.is_there, \(positions(link, of: "e")), l.source IS NOT NULL, "
        + "\(positions(link, of: "l")) FROM \(name(link)) e LEFT JOIN main.\(link.quoted) l "
        + "ON l.source = e.source AND l.target = e.target ORDER BY e.source, e.target")
    defer { statement.reset() }
    while try statement.step() {
      let source = statement.integer(0)
      guard source < firsts.source, statement.integer(1) < firsts.target else { continue }
      guard (2...4).contains(where: { statement.differs($0, from: statement.cell($0 + 3)) }) else {
        continue
      }
      let columns: SlotSet = [link.sourceSlot]
      try writer.add(
        .link, entity, source, columns: columns, names: names(of: columns, entity)
      ) { former in for column in 1...4 { former.append(statement.cell(column)) } }
    }
  }
}
