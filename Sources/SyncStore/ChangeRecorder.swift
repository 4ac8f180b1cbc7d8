import SyncCore

/// Collects what a transaction does, row by row, and makes the change set of it.
///
/// Updates may come several times for a row and without its entity or key; both are found out at the
/// end, and only for rows that need it. Rows that are new in this transaction are not recorded as
/// updated: inserted wins.
struct ChangeRecorder {
  struct Rows {
    var rows = ChangeRows()
    var keys = ChangeKeys()
  }

  struct Update {
    var row: Int64
    var slots: SlotSet
    /// Index of the concrete entity; nil when unknown.
    var entity: Int?
    /// Nil when unknown.
    var key: Value?
  }

  let layout: TableLayout
  var inserted: [Rows]
  var deleted: [Rows]
  var updates: [[Update]]

  /// First row number per table that was given out in this transaction.
  private(set) var firstNewRow: [Int64]

  init(layout: TableLayout) {
    self.layout = layout
    inserted = Array(repeating: Rows(), count: layout.entities.count)
    deleted = inserted
    updates = Array(repeating: [], count: layout.tables.count)
    firstNewRow = Array(repeating: .max, count: layout.tables.count)
  }

  /// Notes where the row numbers of new rows begin.
  mutating func willGiveOutRows(from row: Int64, in table: Table) {
    firstNewRow[table.index] = min(firstNewRow[table.index], row)
  }

  /// Whether the row came into the table in this transaction.
  func isNew(_ row: Int64, in table: Table) -> Bool { row >= firstNewRow[table.index] }

  mutating func insert(_ row: Int64, key: Value, entity: EntityLayout) {
    inserted[entity.entity.index].rows.append(row)
    if entity.keySlot != nil { inserted[entity.entity.index].keys.append(key) }
  }

  mutating func reserveInserts(_ count: Int, of entity: EntityLayout) {
    let index = entity.entity.index
    let needed = inserted[index].keys.count + count
    guard entity.keySlot != nil, needed > inserted[index].keys.capacity else { return }
    // Exactly so many the first time, when they are all that come; half as many again when there are more.
    let reserve = inserted[index].keys.count + inserted[index].keys.count / 2
    inserted[index].keys.reserveCapacity(max(needed, reserve))
  }

  mutating func delete(_ row: Int64, key: Value, entity: EntityLayout) {
    deleted[entity.entity.index].rows.append(row)
    if entity.keySlot != nil { deleted[entity.entity.index].keys.append(key) }
  }

  /// - Parameters:
  ///   - entity: the concrete entity when the caller knows it.
  ///   - key: the primary-key value that the row has now, when the caller knows it.
  mutating func update(
    _ row: Int64, in table: Table, slots: SlotSet, entity: Int? = nil, key: Value? = nil
  ) {
    // A new row's key may still change, so those updates that bring one are kept.
    if isNew(row, in: table), key == nil { return }
    let index = table.index
    if let last = updates[index].indices.last, updates[index][last].row == row {
      updates[index][last].slots.formUnion(slots)
      if let entity { updates[index][last].entity = entity }
      if let key { updates[index][last].key = key }
    } else {
      updates[index].append(Update(row: row, slots: slots, entity: entity, key: key))
    }
  }

  /// Takes back that slots of rows changed: they are as they were before the transaction.
  mutating func forget(_ slots: [Int64: SlotSet], in table: Table) {
    guard !slots.isEmpty else { return }
    let index = table.index
    for position in updates[index].indices {
      if let unchanged = slots[updates[index][position].row] {
        updates[index][position].slots.subtract(unchanged)
      }
    }
    updates[index].removeAll { $0.slots.isEmpty && slots[$0.row] != nil }
  }

  /// Row numbers of an entity's rows that came or whose slots changed, for checks before commit.
  func touched(_ table: Table, slots: SlotSet) -> [Int64] {
    var rows: [Int64] = []
    for entity in layout.entities where entity.table === table {
      rows += inserted[entity.entity.index].rows
    }
    for update in updates[table.index] where slots.contains(where: update.slots.contains) {
      rows.append(update.row)
    }
    return rows
  }

  /// Shows updated and deleted rows, in no order, some perhaps more than once; deleted ones without
  /// slots.
  func forEachChange(
    _ body: (_ table: Int, _ row: Int64, _ slots: SlotSet?) throws -> Void
  ) rethrows {
    for table in layout.tables {
      for update in updates[table.index] { try body(table.rootIndex, update.row, update.slots) }
    }
    for entity in layout.entities {
      for row in deleted[entity.entity.index].rows { try body(entity.table.rootIndex, row, nil) }
    }
  }
}
