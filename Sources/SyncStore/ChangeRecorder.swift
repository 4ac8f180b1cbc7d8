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

  /// Inserted rows that became rows of a subentity, with its index, by table.
  private(set) var specialised: [[Int64: Int]]

  /// First row number per table that was given out in this transaction.
  private(set) var firstNewRow: [Int64]

  init(layout: TableLayout) {
    self.layout = layout
    inserted = Array(repeating: Rows(), count: layout.entities.count)
    deleted = inserted
    updates = Array(repeating: [], count: layout.tables.count)
    specialised = Array(repeating: [:], count: layout.tables.count)
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

  /// Notes that a row that was inserted is one of a subentity now.
  mutating func specialise(_ row: Int64, to entity: EntityLayout) {
    specialised[entity.table.index][row] = entity.entity.index
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
    Self.add(Update(row: row, slots: slots, entity: entity), to: &updates[table.index])
  }

  /// - Parameter cells: what was written, with the key when the caller knows it.
  mutating func update(
    _ row: Int64, of entity: EntityLayout, slots: SlotSet, _ cells: UnsafeMutablePointer<Cell>
  ) {
    guard let update = written(row, of: entity, slots: slots, cells) else { return }
    Self.add(update, to: &updates[entity.table.index])
  }

  /// Records rows of which the same slots were written.
  ///
  /// - Parameter skipped: positions of those that were not, ascending.
  mutating func update(
    _ rows: [RowVersion], except skipped: [Int], of entity: EntityLayout, slots: SlotSet,
    _ block: RowBlock, from first: Int
  ) {
    let index = entity.table.index
    var list: [Update] = []
    swap(&list, &updates[index])
    // Not for each of many small runs, which would move the list every time.
    if rows.count > list.count { list.reserveCapacity(list.count + rows.count) }
    var rest = skipped[...]
    for position in rows.indices {
      if position == rest.first {
        rest.removeFirst()
        continue
      }
      let row = rows[position].row
      if let update = written(row, of: entity, slots: slots, block[first + position]) {
        Self.add(update, to: &list)
      }
    }
    swap(&list, &updates[index])
  }

  /// What to record of a row; nothing of a new one, except that its key is another now.
  @inline(__always)
  private func written(
    _ row: Int64, of entity: EntityLayout, slots: SlotSet, _ cells: UnsafeMutablePointer<Cell>
  ) -> Update? {
    let isNew = isNew(row, in: entity.table)
    var update = Update(row: row, slots: slots, entity: entity.entity.index)
    if let slot = entity.keySlot,
      slots.contains(slot) || (!cells[slot].isAbsent && !isNew)
    {
      update.key = cells[slot].value(as: entity.types[slot])
    }
    return isNew && update.key == nil ? nil : update
  }

  @inline(__always)
  private static func add(_ update: Update, to list: inout [Update]) {
    guard let last = list.indices.last, list[last].row == update.row else {
      return list.append(update)
    }
    list[last].slots.formUnion(update.slots)
    if let entity = update.entity { list[last].entity = entity }
    if let key = update.key { list[last].key = key }
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
