import SyncCore

/// The rows that read items of the parts so far have to do with, by the root entity of their table:
/// an item of a later part that holds one of them is read, because an earlier part may have changed
/// it.
///
/// ```
/// part 1 reads a, b │ part 2 reads b, c │ …
///        any a, b   │      any a, b, c, again b
/// ```
struct TouchedRows {
  /// Those that any part has touched.
  private(set) var any: [RowSet]

  /// Those that several parts have touched: of items of different parts that hold one of them none
  /// has a fingerprint.
  private(set) var again: [RowSet]

  init(_ model: ManagedObjectModel) {
    any = Array(repeating: RowSet(), count: model.entities.count)
    again = any
  }

  /// Adds the rows of a part.
  mutating func add(_ rows: [RowSet]) {
    for (table, rows) in rows.enumerated() where !rows.isEmpty {
      for row in rows.rows where !any[table].insert(row) { again[table].insert(row) }
    }
  }
}
