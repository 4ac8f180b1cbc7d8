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

  typealias Update = RecordedUpdates.Update

  let layout: TableLayout
  var inserted: [Rows]
  var deleted: [Rows]
  var updates: [RecordedUpdates]

  /// First row number per table that was given out in this transaction.
  private(set) var firstNewRow: [Int64]

  init(layout: TableLayout) {
    self.layout = layout
    inserted = Array(repeating: Rows(), count: layout.entities.count)
    deleted = inserted
    updates = Array(repeating: RecordedUpdates(), count: layout.tables.count)
    firstNewRow = Array(repeating: .max, count: layout.tables.count)
  }

  /// Notes where the row numbers of new rows begin.
  mutating func willGiveOutRows(from row: Int64, in table: Table) {
    firstNewRow[table.index] = min(firstNewRow[table.index], row)
  }

  /// Whether the row came into the table in this transaction.
  func isNew(_ row: Int64, in table: Table) -> Bool { row >= firstNewRow[table.index] }

  /// Records new rows.
  ///
  /// - Parameter indexes: the rows of the block that were written, in the order of the row numbers.
  mutating func insert(
    _ rows: UnsafePointer<Int64>, of entity: EntityLayout, _ block: RowBlock, _ indexes: [Int32]
  ) {
    // Taken out meanwhile: in its place each row would have the list looked at anew.
    var list = Rows()
    swap(&list, &inserted[entity.entity.index])
    for position in indexes.indices { list.rows.append(rows[position]) }
    if let slot = entity.keySlot {
      let type = entity.types[slot]
      for index in indexes { list.keys.append(block[Int(index)][slot].value(as: type)) }
    }
    swap(&list, &inserted[entity.entity.index])
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

  /// Records that slots of a row changed, whose key is not known.
  ///
  /// - Parameter entity: the concrete entity when the caller knows it.
  mutating func update(_ row: Int64, in table: Table, slots: SlotSet, entity: Int? = nil) {
    if isNew(row, in: table) { return }
    updates[table.index].add(Update(row: row, slots: slots, entity: entity), key: nil)
  }

  /// - Parameter index: the row of the block that was written, with the key when the caller knows it.
  mutating func update(
    _ row: Int64, of entity: EntityLayout, slots: SlotSet, _ block: RowBlock, _ index: Int
  ) {
    guard let (update, key) = written(row, of: entity, slots: slots, block, index) else { return }
    updates[entity.table.index].add(update, key: key)
  }

  /// Records rows of which the same slots were written.
  ///
  /// - Parameter skipped: positions of those that were not, ascending.
  mutating func update(
    _ rows: [RowVersion], except skipped: [Int], of entity: EntityLayout, slots: SlotSet,
    _ block: RowBlock, from first: Int
  ) {
    let index = entity.table.index
    var list = RecordedUpdates()
    swap(&list, &updates[index])
    // Not for each of many small runs, which would move the list every time.
    if rows.count > list.count { list.reserveCapacity(list.count + rows.count) }
    var rest = skipped[...]
    for position in rows.indices {
      if position == rest.first {
        rest.removeFirst()
        continue
      }
      let written = written(rows[position].row, of: entity, slots: slots, block, first + position)
      if let (update, key) = written { list.add(update, key: key) }
    }
    swap(&list, &updates[index])
  }

  /// What was written of a row; nothing of a new one, except that its key is another now.
  ///
  /// Does not add it: a method that takes a part of the recorder by `inout` gets a copy of that part, and
  /// to copy a list for each of its entries is quadratic.
  @inline(__always)
  private func written(
    _ row: Int64, of entity: EntityLayout, slots: SlotSet, _ block: RowBlock, _ index: Int
  ) -> (update: Update, key: Value?)? {
    let isNew = isNew(row, in: entity.table)
    var key: Value?
    // The block may be that of a superentity, which has no cell for a key of the entity's own.
    if let slot = entity.keySlot, slot < block.width {
      let cell = block[index][slot]
      if slots.contains(slot) || (!cell.isAbsent && !isNew) {
        key = cell.value(as: entity.types[slot])
      }
    }
    guard !isNew || key != nil else { return nil }
    return (Update(row: row, slots: slots, entity: entity.entity.index), key)
  }

  /// Row numbers of an entity's rows that came or whose slots changed, for checks before commit.
  func touched(_ table: Table, slots: SlotSet) -> [Int64] {
    var rows: [Int64] = []
    for entity in layout.members(of: table) { rows += inserted[entity.entity.index].rows }
    for update in updates[table.index].list where slots.contains(where: update.slots.contains) {
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
      for update in updates[table.index].list {
        try body(table.rootIndex, update.row, update.slots)
      }
    }
    for entity in layout.entities {
      for row in deleted[entity.entity.index].rows { try body(entity.table.rootIndex, row, nil) }
    }
  }
}
