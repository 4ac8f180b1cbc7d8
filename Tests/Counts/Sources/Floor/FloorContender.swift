public import Measuring

/// The floor: a program that does this one job by hand. Keys sorted, one ordered SELECT per table
/// merged with the payload, prepared statements, one transaction.
public final class FloorContender: Contender {
  let database: FloorDatabase
  let set: DataSet

  public init(path: String, set: DataSet) throws {
    self.set = set
    database = try FloorDatabase(path: path)
    for statement in FloorContender.table(of: set).createStatements { try database.run(statement) }
  }

  public func close() throws { database.close() }

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

  static func table(of set: DataSet) -> FloorTable {
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
    let rows = table.rows
    let changes = try compare(rows.sortedByKey(), with: table)
    try delete(changes.deletes, from: table)
    try update(changes.updates, in: table)
    try insert(changes.inserts, into: table)
    var changed = Set(changes.updates.map(\.key))
    for link in table.links { try reconcile(link, changes, &changed) }
    counts.inserted += changes.inserts.count
    counts.updated += changed.count
    counts.deleted += changes.deletes.count
  }

  /// The changes of a table, in the order of its keys.
  struct Changes {
    var inserts: [KeyedRow] = []
    var updates: [KeyedRow] = []
    var deletes: [Int64] = []
  }

  /// All rows in the order of their keys.
  func select(_ table: FloorTable) throws -> FloorStatement {
    let names = table.columns.map(\.name)
    return try database.statement(
      "SELECT \(names.joined(separator: ", ")) FROM \(table.name) ORDER BY \(names[0])")
  }

  /// Merges the sorted rows of the payload with those stored.
  func compare(_ order: [KeyedRow], with table: FloorTable) throws -> Changes {
    let rows = table.rows
    let select = try select(table)
    var changes = Changes()
    var position = 0
    while try select.step() {
      let key = select.integer(0)
      while position < order.count, order[position].key < key {
        changes.inserts.append(order[position])
        position += 1
      }
      if position < order.count, order[position].key == key {
        rows.prefetch(order, after: position)
        if select.differs(from: rows[order[position].row], count: rows.width) {
          changes.updates.append(order[position])
        }
        position += 1
      } else {
        changes.deletes.append(key)
      }
    }
    changes.inserts.append(contentsOf: order[position...])
    return changes
  }

  func delete(_ keys: [Int64], from table: FloorTable) throws {
    guard !keys.isEmpty else { return }
    let statement = try database.statement(
      "DELETE FROM \(table.name) WHERE \(table.columns[0].name) = ?")
    for key in keys {
      statement.bind(1, key)
      try statement.run()
    }
  }

  func update(_ changed: [KeyedRow], in table: FloorTable) throws {
    guard !changed.isEmpty else { return }
    let assignments = table.columns.dropFirst().map { "\($0.name) = ?" }
    let statement = try database.statement(
      "UPDATE \(table.name) SET \(assignments.joined(separator: ", ")) "
        + "WHERE \(table.columns[0].name) = ?")
    let width = table.rows.width
    for position in changed.indices {
      table.rows.prefetch(changed, after: position)
      let slots = table.rows[changed[position].row]
      for column in 1..<width { statement.bind(Int32(column), slots[column]) }
      statement.bind(Int32(width), slots[0])
      try statement.run()
    }
  }

  func insert(_ new: [KeyedRow], into table: FloorTable) throws {
    guard !new.isEmpty else { return }
    let places = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
    let statement = try database.statement("INSERT INTO \(table.name) VALUES (\(places))")
    let width = table.rows.width
    for position in new.indices {
      table.rows.prefetch(new, after: position)
      let slots = table.rows[new[position].row]
      for column in 0..<width { statement.bind(Int32(column + 1), slots[column]) }
      try statement.run()
    }
  }
}
