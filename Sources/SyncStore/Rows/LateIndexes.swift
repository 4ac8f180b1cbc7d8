import SyncCore

/// Secondary indexes that were dropped for a bulk insert or a large deletion and are built again
/// when first needed, at the latest before commit, inside the same transaction: a rollback brings
/// them back as well.
///
/// Building an index over sorted keys at the end takes 0.6 to 0.7 of the time of a whole import
/// that keeps it up to date row by row. An index whose keys come in order is kept: each goes to its
/// end, which costs half of building it. A deletion takes the entries out of an index one by one,
/// in the order of the rows: where keys come in no order, each is on a page of its own, and there
/// may be more of them than SQLite keeps.
struct LateIndexes {
  let layout: TableLayout
  let connection: Connection
  let hasLog: Bool
  /// The dropped indexes, by table.
  private(set) var tables: [Int: [Table.Index]] = [:]
  private(set) var links = Set<Int>()

  /// Below this many rows dropping and building costs more than it saves.
  private let minimum = 2000

  /// Drops the indexes of a table when so many new rows outweigh its present ones.
  ///
  /// - Parameter ascending: Ordinals of columns whose values come in order.
  mutating func prepare(_ table: Table, count: Int, ascending: [Int]) throws {
    guard count >= minimum, tables[table.index] == nil else { return }
    let late = table.indexes.filter { index in
      !(index.columns.first.map(ascending.contains) ?? false)
    }
    guard !late.isEmpty else { return }
    guard try rowSpan(of: table) < count else { return }
    try drop(late, of: table)
  }

  /// Drops the indexes of a table before half of its rows, or more, are deleted.
  mutating func prepareDeletion(_ table: Table, count: Int) throws {
    guard count >= minimum, tables[table.index] == nil, !table.indexes.isEmpty,
      try rowSpan(of: table) <= 2 * count
    else { return }
    try drop(table.indexes, of: table)
  }

  /// How many rows a table may hold: never fewer than it does, and found at once.
  private func rowSpan(of table: Table) throws -> Int64 {
    let (last, first) = try (end("max", of: table) ?? 0, end("min", of: table) ?? 1)
    return last - first + 1
  }

  /// The first or last row number of a table; nil when it is empty.
  private func end(_ function: String, of table: Table) throws -> Int64? {
    try connection.first("SELECT \(function)(_row) FROM \(table.quoted)") { statement in
      statement.isNull(0) ? nil : try statement.row(0, of: table)
    }
  }

  private mutating func drop(_ indexes: [Table.Index], of table: Table) throws {
    for index in indexes { try connection.execute(SchemaWriter.dropIndex(index.identifier)) }
    tables[table.index] = indexes
  }

  /// Drops the reverse index of a link table when so many new pairs outweigh its present ones.
  mutating func prepare(_ link: LinkTable, count: Int) throws {
    guard count >= minimum, !links.contains(link.index) else { return }
    let held = try connection.scalar(
      "SELECT count(*) FROM (SELECT 1 FROM \(link.quoted) LIMIT \(count))")
    guard (held ?? 0) < count else { return }
    try connection.execute(SchemaWriter.dropIndex(link.reverseIndex))
    links.insert(link.index)
  }

  mutating func restore(_ table: Table) throws {
    guard let late = tables[table.index] else { return }
    try build {
      for index in late { try connection.execute(SchemaWriter.createIndex(index, table)) }
    }
    tables[table.index] = nil
  }

  mutating func restore(_ link: LinkTable) throws {
    guard links.contains(link.index) else { return }
    try build { try connection.execute(SchemaWriter.createReverseIndex(link)) }
    links.remove(link.index)
  }

  mutating func restoreAll() throws {
    for index in tables.keys.sorted() { try restore(layout.tables[index]) }
    for index in links.sorted() { try restore(layout.links[index]) }
  }

  /// Building an index can be undone alone, so a page that leaves SQLite's cache meanwhile is
  /// written twice: to the log, and to a file of pages that the statement changes. So pages written
  /// before go to the log first.
  private func build(_ body: () throws -> Void) throws {
    if hasLog { try connection.flushCache() }
    try connection.sortingInSmallPieces(body)
  }
}
