package import SyncCore

/// The current row of a scan, without copies. Valid during the callback only.
package struct RowCursor {
  let statement: Statement
  let layout: EntityLayout

  /// Column of the result by slot.
  let columns: [Int]

  /// Index of the row's concrete entity in the model.
  package var entityIndex: Int { layout.entity.index }

  package var entity: EntityDescription { layout.entity }

  /// The row's number, which can be one.
  package let row: Int64

  /// Only where all slots are read.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` for a number that no version has.
  package var version: Int64 {
    get throws {
      let version = statement.integer(layout.table.firstColumn - 1)
      guard version.isCountable else { throw damaged("_version", version) }
      return version
    }
  }

  /// Says that a number in the row is none that a store writes.
  func damaged(_ column: String, _ value: Int64) -> StoreError {
    .damaged(layout.table.identifier.name, "row \(row)", column, value, entity: layout.entity.name)
  }

  /// The value in a slot: numbers by value, text and bytes in SQLite's memory, valid until the next
  /// row. Null for slots without column.
  package func cell(_ slot: Int) -> Cell {
    let column = columns[slot]
    return column < 0 ? .null : statement.cell(column)
  }

  /// The integer of a to-one relationship or an integer attribute, nil when there is none.
  package func integer(_ slot: Int) -> Int64? {
    let column = columns[slot]
    return column < 0 ? nil : statement.optionalInteger(column)
  }

  package func value(_ slot: Int) -> Value {
    let column = columns[slot]
    guard column >= 0 else { return .null }
    return statement.value(column, as: layout.types[slot])
  }

  /// Which of the slots hold something else than the cells, which are by slot. Passes over absent
  /// cells. Compares in place: this is the loop that decides how fast an unchanged sync is.
  ///
  /// - Complexity: O(*n*) in the number of slots and the length of their texts.
  package func differs(from cells: UnsafePointer<Cell>, among slots: [Int]) -> SlotSet {
    var result = SlotSet()
    slots.withUnsafeBufferPointer { slots in
      columns.withUnsafeBufferPointer { columns in
        for slot in slots {
          if case .absent = cells[slot].kind { continue }
          let column = columns[slot]
          if column >= 0, statement.differs(column, from: cells[slot]) { result.insert(slot) }
        }
      }
    }
    return result
  }

  /// The whole row, with values of its own.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged``.
  package func storedRow() throws -> StoredRow {
    let values = layout.types.indices.map(value)
    return StoredRow(entity: layout.entity, row: row, version: try version, values: .own(values))
  }
}

@available(*, unavailable, message: "A cursor is valid inside the callback of its scan only.")
extension RowCursor: Sendable {}
