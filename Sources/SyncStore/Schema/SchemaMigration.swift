import SyncCore

/// Brings the tables of a file from one model to another, inside the transaction that is open.
///
/// A table that would look the same and hold the same stays as it is. The others are made anew, as
/// a new store would have them, and filled from the old ones: row numbers and versions are kept. So
/// a migrated file is made like a new one, after any history. Indexes, triggers and views that
/// another program laid over a table that is made anew go with it.
struct SchemaMigration {
  let match: ModelMatch
  let old: TableLayout
  let new: TableLayout

  /// Old tables that stay.
  private let keptTables: Set<Int>
  private let keptLinks: Set<Int>

  /// New tables that have to be made.
  private let madeTables: Set<Int>
  private let madeLinks: Set<Int>
  private let fills: [DefaultFill]

  init(_ match: ModelMatch, old: TableLayout, new: TableLayout) {
    self.match = match
    self.old = old
    self.new = new
    let names = OldNames(old)
    let tables = new.tables.map {
      TableCopy($0, match, old: old, new: new, names: names).unchanged
    }
    let links = new.links.map { LinkCopy($0, match, old: old, names: names)?.unchanged }
    keptTables = Set(tables.compactMap { $0?.index })
    keptLinks = Set(links.compactMap { $0?.index })
    madeTables = Set(tables.indices.filter { tables[$0] == nil })
    madeLinks = Set(links.indices.filter { links[$0] == nil })
    fills = DefaultFill.all(match, new)
  }

  /// The layout of a new model over a file of an old one: entities keep the numbers that their rows
  /// carry.
  static func layout(_ match: ModelMatch, old: TableLayout) -> TableLayout {
    var numbers: [String: Int64] = [:]
    for entity in match.newEntities {
      if let source = match.source(of: entity) { numbers[entity.name] = old[source].number }
    }
    return TableLayout(model: match.new, entityNumbers: numbers)
  }

  /// Whether rows or tables change, not only indexes and the file's record of its model.
  var isStructural: Bool {
    keptTables.count < old.tables.count || keptLinks.count < old.links.count
      || !madeTables.isEmpty || !madeLinks.isEmpty || !fills.isEmpty
  }

  /// Does it.
  ///
  /// - Parameter willRun: called before each step; an error that it throws stops the migration.
  /// - Throws: ``StoreError``; the transaction has to be rolled back then.
  func run(on connection: Connection, willRun: (String) throws -> Void) throws {
    let names = try setAside(on: connection, willRun)
    for table in new.tables where madeTables.contains(table.index) {
      try willRun("Filling table “\(table.identifier)”.")
      try connection.execute(SchemaWriter.createTable(table))
      try TableCopy(table, match, old: old, new: new, names: names).run(on: connection)
    }
    for link in new.links where madeLinks.contains(link.index) {
      try willRun("Filling table “\(link.identifier)”.")
      try connection.execute(SchemaWriter.createTable(link))
      try LinkCopy(link, match, old: old, names: names)?.run(on: connection)
    }
    for table in old.tables where !keptTables.contains(table.index) {
      try connection.execute("DROP TABLE \(names.tables[table.index])")
    }
    for link in old.links where !keptLinks.contains(link.index) {
      try connection.execute("DROP TABLE \(names.links[link.index])")
    }
    for fill in fills { try fill.run(on: connection) }
    try willRun("Making indexes.")
    try SchemaWriter(layout: new, connection: connection).updateIndexes()
    try RowSequenceMigration(match: match, old: old, new: new, connection: connection).run()
    try willRun("Checking what is unique.")
    let check = UniquenessMigrationCheck(match: match, layout: new, connection: connection)
    try check.run { madeTables.contains($0.index) || fills.map(\.table.index).contains($0.index) }
  }

  /// Moves the old tables out of the way of the new ones.
  private func setAside(
    on connection: Connection, _ willRun: (String) throws -> Void
  ) throws -> OldNames {
    var names = OldNames(old)
    try willRun("Setting the old tables aside.")
    for table in old.tables where !keptTables.contains(table.index) {
      let name = "_syncstack_old_table_\(table.index)"
      if try isSmall(table.quoted, on: connection) {
        try connection.execute(SchemaWriter.createTable(table, as: "temp.\(name)"))
        try move(table.quoted, SchemaWriter.columns(of: table), to: name, on: connection)
        // References to other objects are looked up from their side.
        for (number, index) in table.indexes.enumerated()
        where index.columns.first.map({ table.columns[$0].type == nil }) == true {
          try connection.execute(
            SchemaWriter.createIndex(index, table, as: ("temp.\(name)_\(number)", name)))
        }
      } else {
        try connection.execute("ALTER TABLE \(table.quoted) RENAME TO \(name)")
      }
      names.tables[table.index] = name
    }
    for link in old.links where !keptLinks.contains(link.index) {
      let name = "_syncstack_old_link_\(link.index)"
      if try isSmall(link.quoted, on: connection) {
        try connection.execute(SchemaWriter.createTable(link, as: "temp.\(name)"))
        try move(link.quoted, SchemaWriter.columns(of: link), to: name, on: connection)
        try connection.execute("CREATE INDEX temp.\(name)_reverse ON \(name) (target, source)")
      } else {
        try connection.execute("ALTER TABLE \(link.quoted) RENAME TO \(name)")
      }
      names.links[link.index] = name
    }
    return names
  }

  /// Whether it takes longer to rename a table than to copy its rows: SQLite parses the whole
  /// schema to rename one, some 30 microseconds for each table that there is, in which it copies
  /// some 30 rows.
  private func isSmall(_ table: String, on connection: Connection) throws -> Bool {
    let limit = 30 * (old.tables.count + old.links.count)
    let count = try connection.scalar(
      "SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT \(limit + 1))")
    return (count ?? 0) <= limit
  }

  /// Moves the rows of a table to another one, and removes it.
  private func move(
    _ table: String, _ columns: [(name: String, type: String)], to name: String,
    on connection: Connection
  ) throws {
    let columns = columns.map(\.name).joined(separator: ", ")
    try connection.execute("INSERT INTO temp.\(name) (\(columns)) SELECT \(columns) FROM \(table)")
    try connection.execute("DROP TABLE \(table)")
  }
}

/// Gives objects without a value the default of an attribute that became required.
struct DefaultFill {
  let table: Table
  private let column: Table.Column
  private let value: Value
  private let numbers: [Int64]

  static func all(_ match: ModelMatch, _ new: TableLayout) -> [DefaultFill] {
    new.tables.flatMap { table in
      table.columns.compactMap { column -> DefaultFill? in
        let declaring = match.newEntities[column.declaringIndex]
        guard let attribute = declaring.record.properties[column.slot].attribute,
          !attribute.isOptional, !attribute.defaultValue.isNull
        else { return nil }
        let filled = declaring.familyEntities.filter {
          match.source(of: column.slot, in: $0)?.isOptional == true
        }
        guard !filled.isEmpty else { return nil }
        return DefaultFill(
          table: table, column: column, value: attribute.storedDefault,
          numbers: filled.map { new[$0].number })
      }
    }
  }

  func run(on connection: Connection) throws {
    var text = "UPDATE \(table.quoted) SET \(column.quoted) = ? WHERE \(column.quoted) IS NULL"
    if table.hasEntityColumn {
      text += " AND _entity IN (\(numbers.map(String.init).joined(separator: ", ")))"
    }
    let statement = try connection.ownedStatement(text)
    statement.bind(1, value)
    try statement.run()
  }
}

/// Carries the next row numbers over to the new tables: they go on where the old ones were, and
/// never below a number that a table of that name gave out before.
struct RowSequenceMigration {
  let match: ModelMatch
  let old: TableLayout
  let new: TableLayout
  let connection: Connection

  func run() throws {
    let before = try read()
    var after = before
    // A table's number goes where its objects went; one that was removed keeps it, in case it
    // returns.
    for table in old.tables where !targets(of: table).isEmpty {
      after[table.identifier.name] = nil
    }
    for table in old.tables {
      guard let next = before[table.identifier.name] else { continue }
      for target in targets(of: table) {
        let name = new.tables[target].identifier.name
        after[name] = max(after[name] ?? 1, next)
      }
    }
    guard after != before else { return }
    try connection.execute("DELETE FROM _syncstack_sequences")
    for (name, next) in after.inKeyOrder {
      try connection.run(
        "INSERT INTO _syncstack_sequences (name, next) VALUES (?, ?)", [name, next])
    }
  }

  private func targets(of table: Table) -> Set<Int> {
    let family = match.oldEntities[table.rootIndex].familyEntities
    return Set(family.compactMap { match.target(of: $0).map { new[$0].table.index } })
  }

  private func read() throws -> [String: Int64] {
    var result: [String: Int64] = [:]
    try connection.eachRow("SELECT name, next FROM _syncstack_sequences") { statement in
      let name = statement.text(0)
      result[name] = try SequenceTable.checked(statement.integer(1), name)
    }
    return result
  }
}
