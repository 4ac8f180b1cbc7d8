import SyncCore

/// Inserts and updates rows of one concrete entity. Keeps its statements, so that a later
/// transaction of the same store prepares nothing. Confined to the writer queue.
final class RowWriter {
  let layout: EntityLayout
  private let connection: Connection
  private let slots: [Int]

  /// Rows per INSERT. 20 to 50 cost two thirds of one at a time (performance notes of the project);
  /// fewer when rows are wide, because SQLite limits parameters.
  private let rowsPerInsert: Int
  private var insertOne: Statement?
  private var insertMany: Statement?
  private var append: Statement?
  private var findLast: Statement?

  private let updates: UpdateStatements

  init(_ layout: EntityLayout, connection: Connection) {
    self.layout = layout
    self.connection = connection
    slots = layout.columnSlots
    updates = UpdateStatements(layout, connection: connection)
    rowsPerInsert = layout.columnSlots.count <= 64 ? 32 : (layout.columnSlots.count <= 512 ? 16 : 1)
  }

  // MARK: - Inserting

  /// Writes rows of a block in the order of the indexes, which is that of their numbers.
  func insert(_ block: RowBlock, indexes: [Int32], rows: UnsafePointer<Int64>) throws {
    var position = try appendRows(block, indexes: indexes, rows: rows)
    if rowsPerInsert > 1, indexes.count - position >= rowsPerInsert {
      let statement = try insertMany ?? makeInsert(rows: rowsPerInsert)
      insertMany = statement
      defer { statement.clearBindings() }
      while indexes.count - position >= rowsPerInsert {
        var parameter: Int32 = 1
        for place in position..<position + rowsPerInsert {
          bind(block[Int(indexes[place])], row: rows[place], to: statement, &parameter)
        }
        try statement.run()
        position += rowsPerInsert
      }
    }
    guard position < indexes.count else { return }
    let statement = try insertOne ?? makeInsert(rows: 1)
    insertOne = statement
    defer { statement.clearBindings() }
    for place in position..<indexes.count {
      var parameter: Int32 = 1
      bind(block[Int(indexes[place])], row: rows[place], to: statement, &parameter)
      try statement.run()
    }
  }

  /// Writes rows whose numbers follow the largest one of the table, and each other: SQLite gives
  /// them those numbers by itself, and then looks for none of them.
  ///
  /// - Returns: How many of the first rows were written.
  private func appendRows(
    _ block: RowBlock, indexes: [Int32], rows: UnsafePointer<Int64>
  ) throws -> Int {
    guard rowsPerInsert > 1, indexes.count >= rowsPerInsert,
      layout.table.hasEntityColumn || !slots.isEmpty
    else { return 0 }
    let first = rows[0]
    guard try lastRow() == first - 1 else { return 0 }
    var count = 1
    while count < indexes.count, rows[count] == first + Int64(count) { count += 1 }
    count -= count % rowsPerInsert
    guard count > 0 else { return 0 }
    let statement = try append ?? makeInsert(rows: rowsPerInsert, numbersRows: false)
    append = statement
    defer { statement.clearBindings() }
    for start in stride(from: 0, to: count, by: rowsPerInsert) {
      var parameter: Int32 = 1
      for place in start..<start + rowsPerInsert {
        bind(block[Int(indexes[place])], row: nil, to: statement, &parameter)
      }
      try statement.run()
      let last = rows[start + rowsPerInsert - 1]
      guard connection.lastInsertedRow == last else {
        throw StoreError(
          .unsupported, message: "\(layout.table.quoted): row \(last) got another number.")
      }
    }
    return count
  }

  /// The largest row number of the table; 0 when it is empty.
  private func lastRow() throws -> Int64 {
    let statement =
      try findLast ?? connection.ownedStatement("SELECT max(_row) FROM \(layout.table.quoted)")
    findLast = statement
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInteger(0) ?? 0 : 0
  }

  @inline(__always)
  private func bind(
    _ cells: UnsafeMutablePointer<Cell>, row: Int64?, to statement: Statement,
    _ parameter: inout Int32
  ) {
    if let row {
      statement.bind(parameter, row)
      parameter += 1
    }
    if layout.table.hasEntityColumn {
      statement.bind(parameter, layout.number)
      parameter += 1
    }
    for slot in slots {
      statement.bind(parameter, cells[slot])
      parameter += 1
    }
  }

  /// INSERT OR ROLLBACK, because a plain multi-row INSERT opens a statement journal
  /// (https://www.sqlite.org/tempfiles.html#statement_journal_files), which costs more than the
  /// rows save. Only a row number given out twice could make it fail.
  private func makeInsert(rows: Int, numbersRows: Bool = true) throws -> Statement {
    var columns = numbersRows ? ["_row"] : []
    if layout.table.hasEntityColumn { columns.append("_entity") }
    columns += slots.compactMap { layout.column($0)?.quoted }
    let tuple = KeyChunks.placeholders(columns.count)
    let tuples = Array(repeating: tuple, count: rows).joined(separator: ", ")
    return try connection.ownedStatement(
      "INSERT OR ROLLBACK INTO \(layout.table.quoted) (\(columns.joined(separator: ", "))) "
        + "VALUES \(tuples)")
  }

  // MARK: - Updating

  /// Sets slots of a row and raises its version.
  ///
  /// - Returns: whether there was such a row.
  func update(
    _ cells: UnsafeMutablePointer<Cell>, row: Int64, slots changed: SlotSet
  ) throws -> Bool {
    let update = try updates.update(changed, expectsVersion: false)
    defer { update.statement.clearBindings() }
    return try write(cells, row, nil, update)
  }

  /// Sets the same slots of rows and raises their versions.
  ///
  /// - Parameters:
  ///   - indexes: the rows of the block that hold the new values, in the order of the others.
  /// - Returns: positions of the rows that are not there.
  func update(
    _ block: RowBlock, indexes: [Int32], rows: [Int64], slots changed: SlotSet
  ) throws -> [Int] {
    let update = try updates.update(changed, expectsVersion: false)
    defer { update.statement.clearBindings() }
    var missing: [Int] = []
    for position in rows.indices
    where try !write(block[Int(indexes[position])], rows[position], nil, update) {
      missing.append(position)
    }
    return missing
  }

  /// Sets the same slots of rows that still have the versions that are expected, and raises those.
  ///
  /// - Parameter block: holds the new values, in the order of the rows.
  /// - Returns: positions of the rows that moved on or are gone.
  func update(
    _ block: RowBlock, rows: [RowVersion], slots changed: SlotSet,
    _ token: TransactionToken
  ) throws -> [Int] {
    let update = try updates.update(changed, expectsVersion: true)
    // Each row binds the same parameters as the one before, so none of its values is left.
    defer { update.statement.clearBindings() }
    var failed: [Int] = []
    for position in rows.indices {
      if position % TransactionToken.stride == 0 { try token.checkpoint() }
      let row = rows[position]
      if try !write(block[position], row.row, row.version, update) {
        failed.append(position)
      }
    }
    return failed
  }

  @inline(__always)
  private func write(
    _ cells: UnsafeMutablePointer<Cell>, _ row: Int64, _ version: Int64?,
    _ update: UpdateStatements.Update
  ) throws -> Bool {
    let statement = update.statement
    var parameter: Int32 = 1
    for slot in update.slots {
      statement.bind(parameter, cells[slot])
      parameter += 1
    }
    statement.bind(parameter, row)
    if let version { statement.bind(parameter + 1, version) }
    try statement.run()
    return connection.changes > 0
  }
}

/// A row as it was read.
package struct RowVersion {
  let row: Int64
  let version: Int64

  package init(row: Int64, version: Int64) {
    self.row = row
    self.version = version
  }
}

/// The row writers of a store, made when first needed. Confined to the writer queue.
final class RowWriters {
  private let layout: TableLayout
  private let connection: Connection
  private var writers: [RowWriter?]

  init(layout: TableLayout, connection: Connection) {
    self.layout = layout
    self.connection = connection
    writers = Array(repeating: nil, count: layout.entities.count)
  }

  subscript(entity: EntityDescription) -> RowWriter {
    if let writer = writers[entity.index] { return writer }
    let writer = RowWriter(layout[entity], connection: connection)
    writers[entity.index] = writer
    return writer
  }
}
