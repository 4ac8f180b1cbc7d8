import SyncCore

/// Creates the parts of a layout: tables, indexes and our own bookkeeping.
struct SchemaWriter {
  let layout: TableLayout
  let connection: Connection

  /// Creates everything, in the transaction that is open.
  func create() throws {
    for statement in SchemaWriter.bookkeeping { try connection.execute(statement) }
    for table in layout.tables {
      try connection.execute(SchemaWriter.createTable(table))
      for index in table.indexes { try connection.execute(SchemaWriter.createIndex(index, table)) }
    }
    for link in layout.links {
      try connection.execute(SchemaWriter.createTable(link))
      try connection.execute(SchemaWriter.createReverseIndex(link))
    }
  }

  /// Creates indexes that the file does not have and drops those of ours that the model no longer
  /// asks for: indexes are no part of the stored data.
  func updateIndexes() throws {
    let wanted = Dictionary(
      layout.tables.flatMap { table in
        table.indexes.map { ($0.identifier.name, SchemaWriter.createIndex($0, table)) }
      } + layout.links.map { ($0.reverseIndex.name, SchemaWriter.createReverseIndex($0)) },
      uniquingKeysWith: { first, _ in first })
    let names = Set(layout.tables.map(\.identifier.name) + layout.links.map(\.identifier.name))
    var present: [String: String] = [:]
    try connection.eachRow(
      "SELECT name, sql, tbl_name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    ) { if names.contains($0.text(2)) { present[$0.text(0)] = $0.text(1) } }
    for (name, sql) in present.inKeyOrder
    where wanted[name] != sql && name.hasSuffix("_index") {
      try connection.execute("DROP INDEX \(Identifier(name).quoted)")
    }
    for (name, sql) in wanted.inKeyOrder where present[name] != sql {
      try connection.execute(sql)
    }
  }

  // MARK: - Text

  /// Names and values about the file itself, and the next row number of each table.
  static let bookkeeping = [
    "CREATE TABLE _syncstack (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    "CREATE TABLE _syncstack_sequences (name TEXT PRIMARY KEY, next INTEGER NOT NULL) "
      + "WITHOUT ROWID",
  ]

  /// - Parameter name: The name of the table, quoted, when that is not its own; `temp.name` for one
  ///   that goes away with the connection.
  static func createTable(_ table: Table, as name: String? = nil) -> String {
    let columns = columns(of: table).map { "\($0.name) \($0.type)" }
    return "CREATE TABLE \(name ?? table.quoted) (\(columns.joined(separator: ", ")))"
  }

  /// Quoted name, type and constraint of each column of a table.
  static func columns(of table: Table) -> [(name: String, type: String)] {
    var columns = [("_row", "INTEGER PRIMARY KEY")]
    if table.hasEntityColumn { columns.append(("_entity", "INTEGER NOT NULL")) }
    columns.append(("_version", "INTEGER NOT NULL DEFAULT 1"))
    columns += table.columns.map { ($0.quoted, typeName($0)) }
    return columns + table.positions.map { ($0.quoted, "INTEGER") }
  }

  private static func typeName(_ column: Table.Column) -> String {
    switch column.storage {
    case .integer: "INTEGER"
    case .real: "REAL"
    // The order of decimals is said by each statement: a collation of ours in the schema would keep
    // other programs from sorting, grouping and checking the file.
    case .text, .decimalText: "TEXT"
    case .blob: "BLOB"
    }
  }

  /// - Parameter names: The names of index and table, quoted, when these are not their own.
  static func createIndex(
    _ index: Table.Index, _ table: Table, as names: (index: String, table: String)? = nil
  ) -> String {
    let columns = zip(index.columns, index.isAscending).map { ordinal, isAscending in
      table.columns[ordinal].quoted + (isAscending ? "" : " DESC")
    }
    return
      "CREATE INDEX \(names?.index ?? index.identifier.quoted) ON \(names?.table ?? table.quoted) "
      + "(\(columns.joined(separator: ", ")))"
  }

  static func createTable(_ link: LinkTable, as name: String? = nil) -> String {
    let columns = columns(of: link).map { "\($0.name) \($0.type)" }
    return "CREATE TABLE \(name ?? link.quoted) (\(columns.joined(separator: ", ")), "
      + "PRIMARY KEY (source, target)) WITHOUT ROWID"
  }

  /// Name, type and constraint of each column of a link table.
  static func columns(of link: LinkTable) -> [(name: String, type: String)] {
    var columns = [("source", "INTEGER NOT NULL"), ("target", "INTEGER NOT NULL")]
    if link.isSourceOrdered { columns.append(("source_position", "INTEGER")) }
    if link.isTargetOrdered { columns.append(("target_position", "INTEGER")) }
    return columns
  }

  static func createReverseIndex(_ link: LinkTable) -> String {
    "CREATE INDEX \(link.reverseIndex.quoted) ON \(link.quoted) (target, source)"
  }

  static func dropIndex(_ identifier: Identifier) -> String {
    "DROP INDEX \(identifier.quoted)"
  }
}
