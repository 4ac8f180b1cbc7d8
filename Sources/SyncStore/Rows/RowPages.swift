import SyncCore

/// Makes the pages of one read. The first is small, because most reads want few rows.
struct RowPages {
  private var full: [RowPage] = []
  private var current: RowPage?
  private let slots: Int

  /// - Parameter layout: the entity that is read; rows of its subentities come too.
  init(_ layout: EntityLayout, in tables: TableLayout) {
    slots =
      layout.table.hasEntityColumn
      ? layout.entity.familyEntities.map { tables[$0].types.count }.max() ?? layout.types.count
      : layout.types.count
  }

  /// Adds the current row of a scan.
  ///
  /// - Throws: as ``RowPage/append(_:)``.
  mutating func append(_ cursor: RowCursor) throws {
    if let current, try current.append(cursor) { return }
    let capacity = min(RowPage.fullCount, (current?.count ?? 1) * 8)
    finish()
    let page = RowPage(slots: slots, capacity: capacity)
    _ = try page.append(cursor)
    current = page
  }

  private mutating func finish() {
    guard let page = current else { return }
    page.close()
    full.append(page)
    current = nil
  }

  /// The pages, in the order of the rows.
  mutating func take() -> [RowPage] {
    finish()
    return full
  }
}
