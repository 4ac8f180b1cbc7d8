import SyncCore

/// Collects the changes of a transaction, row by row, and makes the change set of them.
///
/// Updates may come several times for a row and without its entity or key; both are found out at
/// the end, and only for rows that need it. Rows that are new in this transaction are not recorded
/// as updated: inserted wins.
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
    // Exactly so many the first time, when they are all that come; half as many again when there
    // are more.
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

  /// - Parameter index: the row of the block that was written, with the key when the caller knows
  ///   it.
  mutating func update(
    _ row: Int64, of entity: EntityLayout, slots: SlotSet, _ block: RowBlock, _ index: Int
  ) {
    update(1, except: [], of: entity, slots: slots, block, row: { _ in row }, index: { _ in index })
  }

  /// Records rows of which the same slots were written.
  ///
  /// - Parameters:
  ///   - skipped: positions of those that were not, ascending.
  ///   - row: the number of the row at a position.
  ///   - index: the row of the block that was written there.
  @inline(__always)
  mutating func update(
    _ count: Int, except skipped: [Int], of entity: EntityLayout, slots: SlotSet, _ block: RowBlock,
    row: (Int) -> Int64, index: (Int) -> Int
  ) {
    let table = entity.table.index
    let firstNew = firstNewRow[table]
    var list = RecordedUpdates()
    swap(&list, &updates[table])
    // Not for each of many small runs, which would move the list every time.
    if count > list.count { list.reserveCapacity(list.count + count) }
    // The block may be that of a superentity, which has no cell for a key of the entity's own.
    let keySlot = entity.keySlot.flatMap { $0 < block.width ? $0 : nil }
    let type = keySlot.flatMap { entity.types[$0] }
    let setsKey = keySlot.map(slots.contains) ?? false
    var rest = skipped[...]
    for position in 0..<count {
      if position == rest.first {
        rest.removeFirst()
        continue
      }
      let row = row(position)
      var key: Value?
      if let keySlot {
        let cell = block[index(position)][keySlot]
        if setsKey || (!cell.isAbsent && row < firstNew) { key = cell.value(as: type) }
      }
      // Nothing is recorded of a new row, except that its key is another now.
      guard row < firstNew || key != nil else { continue }
      list.add(Update(row: row, slots: slots, entity: entity.entity.index), key: key)
    }
    swap(&list, &updates[table])
  }

  /// Row numbers of an entity's rows that came or whose slots changed, for checks before commit.
  func touched(_ table: Table, slots: SlotSet, withNew: Bool = true) -> [Int64] {
    var rows: [Int64] = []
    if withNew {
      for entity in layout.members(of: table) { rows += inserted[entity.entity.index].rows }
    }
    for update in updates[table.index].list
    where slots.contains(where: update.slots.contains) && (withNew || !isNew(update.row, in: table))
    {
      rows.append(update.row)
    }
    return rows
  }

  /// Updated and deleted rows, by the root entity of their table, and those of them that were
  /// deleted or in which one of some slots changed.
  ///
  /// - Parameters:
  ///   - slots: by root entity.
  ///   - checkpoint: Called every now and then.
  func changedRows(
    _ slots: [SlotSet], _ checkpoint: () throws -> Void
  ) throws -> (any: [RowSet], strongly: [RowSet]) {
    var any = Array(repeating: RowSet(), count: slots.count)
    var strongly = any
    for table in layout.tables {
      let list = updates[table.index].list
      try any[table.rootIndex].insert(list.count) { index in
        if index % TransactionToken.stride == 0 { try checkpoint() }
        return list[index].row
      }
      try strongly[table.rootIndex].insert(list.count) { index in
        if index % TransactionToken.stride == 0 { try checkpoint() }
        return list[index].slots.isDisjoint(with: slots[table.rootIndex]) ? 0 : list[index].row
      }
    }
    for entity in layout.entities {
      let rows = deleted[entity.entity.index].rows
      for (index, row) in rows.enumerated() {
        if index % TransactionToken.stride == 0 { try checkpoint() }
        any[entity.table.rootIndex].insert(row)
        strongly[entity.table.rootIndex].insert(row)
      }
    }
    return (any, strongly)
  }
}
