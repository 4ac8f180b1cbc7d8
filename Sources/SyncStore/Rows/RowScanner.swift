import SyncCore

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
    switch selection {
    case .all:
      try run(connection.statement(select()), body)
    case .empty(let slot):
      guard let column = target.column(slot) else { return try scan(.all, body) }
      try run(connection.statement(select(where: "\(column.quoted) IS NULL")), body)
    case .rows(let rows):
      try scan(rows: sortedUnique(rows), column: "_row", body)
    case .listed(let rows) where rows.count > 512:
      let statement = try connection.statement(select(where: "_row IN \(KeyChunks.listed)"))
      statement.bind([KeyChunks.list(rows)])
      defer { statement.clearBindings() }
      try run(statement, body)
    case .listed(let rows):
      try scan(.rows(rows), body)
    case .references(let slot, let rows):
      guard let column = target.column(slot) else { return }
      try scan(rows: sortedUnique(rows), column: column.quoted, body)
    case .keys(let slot, let keys):
      guard let column = target.column(slot) else { return }
      try KeyChunks.forEach(keys.count) { start, count, parameters in
        let statement = try connection.statement(
          select(where: "\(column.quoted) IN \(KeyChunks.placeholders(parameters))"))
        KeyChunks.bind(keys, from: start, count: count, parameters: parameters, to: statement)
        defer { statement.clearBindings() }
        try run(statement, body)
      }
    case .filter(let filter):
      try scan(filter: filter, body)
    }
  }

  private func scan(
    rows: [Int64], column: String, _ body: (RowCursor) throws -> Void
  ) throws {
    try KeyChunks.forEach(rows.count) { start, count, parameters in
      let statement = try connection.statement(
        select(where: "\(column) IN \(KeyChunks.placeholders(parameters))"))
      KeyChunks.bind(rows, from: start, count: count, parameters: parameters, to: statement)
      try run(statement, body)
    }
  }

  private func scan(filter: Filter, _ body: (RowCursor) throws -> Void) throws {
    let condition = try SelectBuilder(layout: layout).condition(filter, for: target.entity)
    let statement = try connection.statement(select(where: condition.text))
    statement.bind(condition.bindings)
    defer { statement.clearBindings() }
    try run(statement, body)
  }

  private func sortedUnique(_ rows: [Int64]) -> [Int64] {
    var result = rows
    if !zip(rows, rows.dropFirst()).allSatisfy({ $0 < $1 }) {
      result.sort()
      var last: Int64?
      result.removeAll { row in
        defer { last = row }
        return row == last
      }
    }
    return result
  }

  // MARK: - Text

  private func select(where condition: String? = nil) -> String {
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
    guard isOrdered else { return "SELECT \(list) FROM \(table.quoted)\(filter)" }
    let key = order.flatMap { target.column($0) }.map { column in
      column.quoted + (column.storage == .decimalText ? SQLBuilder.decimalCollation : "") + ", "
    }
    return "SELECT \(list) FROM \(table.quoted)\(filter) ORDER BY \(key ?? "")_row"
  }

  // MARK: - Rows

  /// Steps through a statement that selects what ``select(where:)`` lists.
  func run(_ statement: Statement, _ body: (RowCursor) throws -> Void) throws {
    defer { statement.reset() }
    let chosen = slots.map(columnMap)
    var current = target
    var columns = chosen ?? target.resultColumns
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

  /// Columns by slot when only some are read; subentities share the slots of the target.
  private func columnMap(_ slots: [Int]) -> [Int] {
    let width =
      layout.entities[target.table.rootIndex].entity.familyEntities
      .map { $0.record.properties.count }.max() ?? 0
    var map = [Int](repeating: -1, count: width)
    // Whoever says what it reads does not ask for the version.
    var next = target.table.hasEntityColumn ? 2 : 1
    for slot in slots where target.column(slot) != nil {
      map[slot] = next
      next += 1
    }
    return map
  }
}
