package import SyncCore

extension StoreReader {
  /// Reads the rows that a plan asks for, in its order.
  ///
  /// - Throws: ``FilterError`` when filter or order make no sense for the entity; ``StoreError``.
  package func fetch(_ plan: FetchPlan) throws -> [StoredRow] {
    try fetchPages(plan).flatMap { page in (0..<page.count).map { page[$0] } }
  }

  /// Reads the rows that a plan asks for, in its order, many to a page. None is empty.
  ///
  /// - Throws: as ``fetch(_:)``.
  package func fetchPages(_ plan: FetchPlan) throws -> [RowPage] {
    try prepareToFetch(plan)
    let select = try SelectBuilder(layout: layout).rows(plan)
    let scanner = RowScanner(
      connection: connection, layout: layout, target: layout[plan.entity], slots: nil, order: nil)
    var pages = RowPages(layout[plan.entity], in: layout)
    try scanner.run(KeyChunks(connection, select.text, .values(select.bindings))) {
      try pages.append($0)
    }
    return pages.take()
  }

  /// Reads the identifiers of the objects that a plan asks for, in its order.
  package func fetchIdentifiers(_ plan: FetchPlan) throws -> [ManagedObjectID] {
    try prepareToFetch(plan)
    let statement = try statement(SelectBuilder(layout: layout).identifiers(plan))
    defer {
      statement.reset()
      statement.clearBindings()
    }
    let target = layout[plan.entity]
    var current = target
    var result: [ManagedObjectID] = []
    while try statement.step() {
      let row = try statement.row(0, of: target.table)
      if target.table.hasEntityColumn {
        let number = statement.integer(1)
        if number != current.number {
          current = try layout.entity(numbered: number, in: target.table, row: row)
        }
      }
      result.append(ManagedObjectID(entity: current.entity, row: row))
    }
    return result
  }

  /// Counts the objects that a plan asks for.
  package func count(_ plan: FetchPlan) throws -> Int {
    try prepareToFetch(plan)
    let statement = try statement(SelectBuilder(layout: layout).count(plan))
    defer {
      statement.reset()
      statement.clearBindings()
    }
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  /// Reads the values that a plan asks for: one list per object or group, in the order of its
  /// columns.
  package func fetchValues(_ plan: FetchPlan) throws -> [[Value]] {
    try prepareToFetch(plan)
    let (sql, columns) = try SelectBuilder(layout: layout).values(plan)
    let statement = try statement(sql)
    defer {
      statement.reset()
      statement.clearBindings()
    }
    var result: [[Value]] = []
    while try statement.step() {
      let row = try columns.enumerated().map { index, column in
        // Read as it is stored, because a sum that is too large is a double.
        column.isWholeSum
          ? try column.checked(statement.value(index)) : statement.value(index, as: column.type)
      }
      result.append(row)
    }
    return result
  }

  // MARK: - Statements

  /// The prepared statement of a text, with its values bound.
  private func statement(_ sql: SQLText) throws -> Statement {
    let statement = try connection.statement(sql.text)
    statement.bind(sql.bindings)
    return statement
  }

  /// A filter may look up rows of any table.
  private func prepareToFetch(_ plan: FetchPlan) throws {
    try prepareToRead()
    guard plan.filter != nil || !plan.sort.isEmpty else { return }
    for table in layout.tables { try prepareToLookUp(table) }
    for link in layout.links { try prepareToLookUp(link) }
  }
}
