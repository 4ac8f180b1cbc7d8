package import SyncCore

/// Runs the selects of a scan and shows each row to a callback.
struct RowScanner {
  let connection: Connection
  let layout: TableLayout
  let target: EntityLayout

  /// The slots to read; nil is all of them.
  let slots: [Int]?

  /// The slot to sort by; nil is the order of the rows.
  let order: Int?

  /// Whether rows have to come in order.
  var isOrdered = true

  func scan(_ selection: RowSelection, _ body: (RowCursor) throws -> Void) throws {
    if let chunks = try chunks(selection) { try run(chunks, body) }
  }

  /// The statements of a selection; nil when nothing is selected.
  private func chunks(_ selection: RowSelection) throws -> KeyChunks? {
    switch selection {
    case .all: return select()
    case .empty(let slot):
      return select(where: target.column(slot).map { "\($0.quoted) IS NULL" })
    case .rows(let rows): return select(where: "_row IN", .rows(sortedUnique(rows)))
    case .listed(let rows): return select(where: "_row IN", .listed(sortedUnique(rows)))
    case .references(let slot, let rows):
      return target.column(slot).map {
        select(where: "\($0.quoted) IN", .rows(sortedUnique(rows)))
      }
    case .keys(let slot, let keys):
      return target.column(slot).map { select(where: "\($0.quoted) IN", .cells(keys)) }
    case .filter(let filter):
      let condition = try SelectBuilder(layout: layout).condition(filter, for: target.entity)
      return select(where: condition.text, .values(condition.bindings))
    }
  }

  private func sortedUnique(_ rows: [Int64]) -> [Int64] {
    if zip(rows, rows.dropFirst()).allSatisfy(<) { return rows }
    var result: [Int64] = []
    result.reserveCapacity(rows.count)
    for row in rows.sorted() where row != result.last { result.append(row) }
    return result
  }

  // MARK: - Text

  private func select(
    where condition: String? = nil, _ keys: KeyChunks.Keys = .values([])
  ) -> KeyChunks {
    let table = target.table
    let list: String
    if let slots {
      let system = table.hasEntityColumn ? ["_row", "_entity"] : ["_row"]
      list = (system + slots.compactMap { target.column($0)?.quoted }).joined(separator: ", ")
    } else {
      list = table.selectList()
    }
    let conditions = [target.entityCondition(), condition].compactMap { $0 }
    let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    let select = "SELECT \(list) FROM \(table.quoted)\(filter)"
    guard isOrdered else { return KeyChunks(connection, select, keys) }
    let key = order.flatMap { target.column($0) }.map { column in
      column.quoted + (column.storage == .decimalText ? SQLBuilder.decimalCollation : "") + ", "
    }
    return KeyChunks(connection, select, keys, " ORDER BY \(key ?? "")_row")
  }

  // MARK: - Rows

  /// Steps through statements that select the columns of ``select(where:_:)``.
  func run(_ chunks: KeyChunks, _ body: (RowCursor) throws -> Void) throws {
    var chunks = chunks
    defer { chunks.end() }
    let chosen = slots.map(columnMap)
    var current = target
    var columns = chosen ?? target.resultColumns
    while let statement = try chunks.next() {
      while try statement.step() {
        let row = try statement.row(0, of: target.table)
        if target.table.hasEntityColumn, case let number = statement.integer(1),
          number != current.number
        {
          current = try layout.entity(numbered: number, in: target.table, row: row)
          columns = chosen ?? current.resultColumns
        }
        try body(RowCursor(statement: statement, layout: current, columns: columns, row: row))
      }
    }
  }

  /// Columns by slot when only some are read; subentities share the slots of the target.
  private func columnMap(_ slots: [Int]) -> [Int] {
    let width =
      layout.entities[target.table.rootIndex].entity.familyEntities
      .map { $0.record.properties.count }.max() ?? 0
    var map = [Int](repeating: -1, count: width)
    // A reader that names its slots does not ask for the version.
    var next = target.table.hasEntityColumn ? 2 : 1
    for slot in slots where target.column(slot) != nil {
      map[slot] = next
      next += 1
    }
    return map
  }
}

/// Which rows of an entity a scan visits.
package enum RowSelection {
  case all

  /// Row numbers; those that do not exist are passed over.
  case rows([Int64])

  /// The same in one statement, however many there are.
  case listed([Int64])

  /// Rows whose attribute holds one of the keys. The memory of the cells has to stay during the
  /// scan.
  case keys(slot: Int, [Cell])

  /// Rows whose to-one relationship leads to one of the row numbers.
  case references(slot: Int, [Int64])

  /// Rows whose to-one relationship leads nowhere, or whose attribute has no value.
  case empty(slot: Int)
  case filter(Filter)
}
