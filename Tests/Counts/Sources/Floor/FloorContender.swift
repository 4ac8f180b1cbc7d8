public import Measuring

/// The floor: what a program costs that does this one job by hand. Keys sorted, one ordered SELECT per
/// table merged with the payload, prepared statements, one transaction.
public final class FloorContender: Contender {
  private let database: FloorDatabase
  private let set: DataSet

  public init(path: String, set: DataSet) throws {
    self.set = set
    database = try FloorDatabase(path: path)
    for statement in FloorContender.table(of: set).createStatements { try database.run(statement) }
  }

  public func close() throws {
    database.close()
  }

  public func sync(_ payload: UnsafeRawBufferPointer) throws -> Counts {
    let table = FloorContender.table(of: set)
    let escapes = EscapeArena()
    var scanner = FloorScanner(payload, escapes: escapes)
    scanner.readObjects(into: table)
    var counts = Counts()
    try database.run("BEGIN IMMEDIATE")
    try reconcile(table, &counts)
    var childCounts = Counts()
    for child in table.children { try reconcile(child, &childCounts) }
    if set == .users { counts.add(childCounts) }
    try database.run("COMMIT")
    return counts
  }

  private static func table(of set: DataSet) -> FloorTable {
    switch set {
    case .users:
      let notes = FloorTable(
        "notes", [("id", .integer), ("text", .text), ("created_at", .date)],
        parentColumn: "user_id")
      return FloorTable(
        "users",
        [
          ("id", .integer), ("name", .text), ("email", .text), ("phone", .text), ("city", .text),
          ("bio", .text), ("created_at", .date), ("updated_at", .date), ("score", .real),
          ("is_active", .boolean),
        ], children: [("notes", notes)])
    case .books:
      let chapters = FloorTable(
        "chapters", [("id", .integer), ("title", .text), ("pages", .integer)],
        parentColumn: "book_id", positionColumn: "position")
      return FloorTable(
        "books",
        [("id", .integer), ("title", .text), ("author", .text), ("published_at", .date)],
        children: [("chapters", chapters)])
    case .documents:
      return FloorTable(
        "documents",
        [
          ("id", .integer), ("title", .text), ("body", .text), ("created_at", .date),
          ("pages", .integer),
        ],
        links: [
          ("tags_ids", LinkRows("document_tags")), ("people_ids", LinkRows("document_people")),
        ])
    }
  }

  // MARK: - Rows

  private func reconcile(_ table: FloorTable, _ counts: inout Counts) throws {
    let order = table.rows.sortedByKey()
    let names = table.columns.map(\.name)
    let select = try database.statement(
      "SELECT \(names.joined(separator: ", ")) FROM \(table.name) ORDER BY \(names[0])")
    var inserts: [UInt32] = []
    var updates: [UInt32] = []
    var deletes: [Int64] = []
    var position = 0
    let rows = table.rows
    let width = rows.width
    while try select.step() {
      let key = select.integer(0)
      while position < order.count, rows[Int(order[position])][0].integer < key {
        inserts.append(order[position])
        position += 1
      }
      if position < order.count, rows[Int(order[position])][0].integer == key {
        if select.differs(from: rows[Int(order[position])], count: width) {
          updates.append(order[position])
        }
        position += 1
      } else {
        deletes.append(key)
      }
    }
    inserts.append(contentsOf: order[position...])
    try delete(deletes, from: table)
    try update(updates, in: table)
    try insert(inserts, into: table)
    var changed = Set(updates.map { rows[Int($0)][0].integer })
    for link in table.links {
      try reconcile(link, inserted: inserts, deleted: deletes, table, &changed)
    }
    counts.inserted += inserts.count
    counts.updated += changed.count
    counts.deleted += deletes.count
  }

  private func delete(_ keys: [Int64], from table: FloorTable) throws {
    guard !keys.isEmpty else { return }
    let statement = try database.statement(
      "DELETE FROM \(table.name) WHERE \(table.columns[0].name) = ?")
    for key in keys {
      statement.bind(1, key)
      try statement.run()
    }
  }

  private func update(_ indexes: [UInt32], in table: FloorTable) throws {
    guard !indexes.isEmpty else { return }
    let assignments = table.columns.dropFirst().map { "\($0.name) = ?" }
    let statement = try database.statement(
      "UPDATE \(table.name) SET \(assignments.joined(separator: ", ")) "
        + "WHERE \(table.columns[0].name) = ?")
    let width = table.rows.width
    for index in indexes {
      let slots = table.rows[Int(index)]
      for column in 1..<width { statement.bind(Int32(column), slots[column]) }
      statement.bind(Int32(width), slots[0])
      try statement.run()
    }
  }

  private func insert(_ indexes: [UInt32], into table: FloorTable) throws {
    guard !indexes.isEmpty else { return }
    let places = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
    let statement = try database.statement("INSERT INTO \(table.name) VALUES (\(places))")
    let width = table.rows.width
    for index in indexes {
      let slots = table.rows[Int(index)]
      for column in 0..<width { statement.bind(Int32(column + 1), slots[column]) }
      try statement.run()
    }
  }

  // MARK: - Links

  /// Merges the sorted pairs of the payload with those stored. Notes whose links changed, but for rows
  /// that came or went.
  private func reconcile(
    _ link: LinkRows, inserted: [UInt32], deleted: [Int64], _ table: FloorTable,
    _ changed: inout Set<Int64>
  ) throws {
    var pairs = link.sources.indices.map {
      KeyedRow(key: UInt64(link.sources[$0]) << 32 | UInt64(link.targets[$0]), row: 0)
    }
    RadixSort.sort(&pairs)
    var added: [UInt64] = []
    var removed: [UInt64] = []
    let select = try database.statement(
      "SELECT source, target FROM \(link.name) ORDER BY source, target")
    var position = 0
    while try select.step() {
      let key = UInt64(select.integer(0)) << 32 | UInt64(select.integer(1))
      while position < pairs.count, pairs[position].key < key {
        added.append(pairs[position].key)
        position += 1
      }
      if position < pairs.count, pairs[position].key == key {
        position += 1
      } else {
        removed.append(key)
      }
    }
    for pair in pairs[position...] { added.append(pair.key) }
    try write(removed, "DELETE FROM \(link.name) WHERE source = ? AND target = ?")
    try write(added, "INSERT INTO \(link.name) VALUES (?, ?)")
    let isNew = Set(inserted.map { table.rows[Int($0)][0].integer }).union(deleted)
    for pair in added + removed where !isNew.contains(Int64(pair >> 32)) {
      changed.insert(Int64(pair >> 32))
    }
  }

  private func write(_ pairs: [UInt64], _ sql: String) throws {
    guard !pairs.isEmpty else { return }
    let statement = try database.statement(sql)
    for pair in pairs {
      statement.bind(1, Int64(pair >> 32))
      statement.bind(2, Int64(pair & 0xFFFF_FFFF))
      try statement.run()
    }
  }
}
