import SyncCore

/// What items that were not read say all the same: to the claims, so that nothing of theirs is deleted,
/// and to the report.
extension FingerprintSet {
  /// How many matched records have each shape.
  func shapeCounts() -> [Int] {
    var counts = Array(repeating: 0, count: shapes.count)
    for record in states.indices where states[record] == .matched {
      counts[Int(records[record].shape)] += 1
    }
    return counts
  }

  /// Shows the rows of all matched records.
  func matchedRows(
    _ body: (_ entry: FingerprintShape.Entry, _ row: Int64) -> Void
  ) {
    for record in states.indices where states[record] == .matched {
      let entries = shapes[Int(records[record].shape)].entries
      let rows = rows(of: record)
      for position in entries.indices { body(entries[position], Int64(rows[position])) }
    }
  }
}

extension Claims {
  /// Notes what items that were not read mention.
  func mention(_ set: FingerprintSet, plan: MappingPlan) {
    for (shape, count) in zip(set.shapes, set.shapeCounts()) where count > 0 {
      memberCount += count * shape.memberCount
      usableItemCount += count
    }
    let tables = plan.model.entities.map(\.rootIndex)
    var sets = tables.map { mentioned[$0] ?? RowSet() }
    set.matchedRows { entry, row in sets[tables[entry.entity]].insert(row) }
    for (table, rows) in sets.enumerated() where tables[table] == table && !rows.isEmpty {
      mentioned[table] = rows
    }
  }
}

extension ChangeCount {
  /// Notes objects that were not read, because they are as they were.
  mutating func mention(_ set: FingerprintSet, plan: MappingPlan) {
    let tables = plan.model.entities.map(\.rootIndex)
    var sets = tables.map { mentioned[$0] ?? RowSet() }
    var counts = Array(repeating: 0, count: tables.count)
    set.matchedRows { entry, row in
      guard entry.isDescribed else { return }
      let table = tables[entry.entity]
      if !sets[table].contains(row) {
        sets[table].insert(row)
        counts[entry.entity] += 1
      }
    }
    for (table, rows) in sets.enumerated() where tables[table] == table && !rows.isEmpty {
      mentioned[table] = rows
    }
    for (index, count) in counts.enumerated() where count > 0 {
      report[EntityDescription(model: plan.model, index: index)].unchanged += count
    }
  }
}
