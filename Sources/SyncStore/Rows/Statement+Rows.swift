import SyncCore

/// Where row numbers and entities leave SQLite. All layers above calculate with row numbers, so
/// they are checked here, once.
extension Statement {
  /// The row number in a column.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` for one that no row can have.
  @inline(__always)
  func row(_ column: Int, of table: Table) throws -> Int64 {
    let row = integer(column)
    guard RowNumber.isValid(row) else {
      throw StoreError.damaged(table.identifier.name, "row \(row)", "_row", row)
    }
    return row
  }
}

extension LinkTable {
  /// Says that a number at one end of a pair is none that a row can have.
  ///
  /// - Parameter column: Where it stands; the other end is in the other column.
  func damaged(_ column: String, _ row: Int64, beside other: Int64) -> StoreError {
    let place = column == "source" ? "target \(other)" : "source \(other)"
    return .damaged(identifier.name, "the pair with \(place)", column, row)
  }
}

extension TableLayout {
  /// The entity whose rows carry a number in `_entity` of a table.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` when the table holds no such entity.
  func entity(numbered number: Int64, in table: Table, row: Int64) throws -> EntityLayout {
    guard let entity = entity(numbered: number), entity.table === table else {
      throw StoreError.damaged(table.identifier.name, "row \(row)", "_entity", number)
    }
    return entity
  }
}
