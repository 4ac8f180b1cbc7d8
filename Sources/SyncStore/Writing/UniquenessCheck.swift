import SyncCore

/// Checks the model's uniqueness constraints once, just before commit, over the touched rows. So
/// two objects may swap their values, and a new one may take the value of one that was deleted.
struct UniquenessCheck {
  let transaction: StoreTransaction

  func run() throws {
    for entity in transaction.layout.entities {
      for constraint in entity.entity.uniquenessConstraints {
        let slots = constraint.compactMap { entity.entity.property(named: $0)?.slot }
        let columns = slots.compactMap { entity.column($0)?.quoted }
        guard columns.count == constraint.count, !columns.isEmpty else { continue }
        var set = SlotSet()
        for slot in slots { set.insert(slot) }
        let touched = transaction.recorder.touched(entity.table, slots: set)
        guard !touched.isEmpty else { continue }
        if let rows = try conflict(entity, columns: columns, touched: touched) {
          throw try error(entity.entity, constraint, slots: slots, rows: rows)
        }
      }
    }
  }

  /// Two rows with the same values, or nil. Rows without a value never conflict.
  private func conflict(
    _ entity: EntityLayout, columns: [String], touched: [Int64]
  ) throws -> [Int64]? {
    let table = entity.table.quoted
    let matches = columns.map { "b.\($0) = a.\($0)" }.joined(separator: " AND ")
    let conditions = ["a.", "b."].compactMap { entity.entityCondition(prefix: $0) }
      .map { " AND " + $0 }.joined()
    var chunks = KeyChunks(
      transaction.connection,
      """
      SELECT a._row, b._row FROM \(table) a CROSS JOIN \(table) b ON \(matches) \
      AND b._row <> a._row WHERE a._row IN
      """, .rows(touched), "\(conditions) LIMIT 1")
    defer { chunks.end() }
    while let statement = try chunks.next() {
      if try statement.step() { return [statement.integer(0), statement.integer(1)].sorted() }
    }
    return nil
  }

  private func error(
    _ entity: EntityDescription, _ constraint: [String], slots: [Int], rows: [Int64]
  ) throws -> StoreError {
    let stored = try transaction.rows(entity, rows: rows)
    let keySlot = transaction.layout[entity].keySlot
    let names = stored.map { row in
      "\(row.entity.name) \(keySlot.map { row.values[$0].description } ?? "in row \(row.row)")"
    }
    let values = slots.map { stored.first?.values[$0].description ?? "" }
    let shared = zip(constraint, values).map { "\($0) “\($1)”" }.joined(separator: " and ")
    return StoreError(
      .notUnique,
      message: "\(names.joined(separator: " and ")) both have \(shared), which the model says is "
        + "unique. Change one of them, or delete one. Nothing was saved.",
      entity: entity.name, keys: keySlot.map { slot in stored.map { $0.values[slot] } } ?? [])
  }
}
