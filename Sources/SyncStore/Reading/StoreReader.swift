package import SyncCore

/// Reads rows over one connection. Confined to the call that it was handed to.
///
/// ## At a glance
/// - Fetching: ``fetch(_:)``, ``fetchIdentifiers(_:)``, ``count(_:)``, ``fetchValues(_:)``
/// - Firing faults: ``rows(_:rows:)``, ``members(of:in:owners:)``
/// - Walking rows without copies: ``scan(_:_:slots:orderedBy:_:)``
package class StoreReader {
  package let layout: TableLayout
  let connection: Connection

  init(layout: TableLayout, connection: Connection) {
    self.layout = layout
    self.connection = connection
  }

  package var model: ManagedObjectModel { layout.model }

  /// Called before each read; a transaction that was ended throws.
  func prepareToRead() throws {}

  /// The connection, for a read.
  var prepared: Connection {
    get throws {
      try prepareToRead()
      return connection
    }
  }

  /// Called before a read that an index of the table serves.
  func prepareToLookUp(_ table: Table) throws {
    try prepareToRead()
  }

  /// Called before a read that the reverse index of a link table serves.
  func prepareToLookUp(_ link: LinkTable) throws {
    try prepareToRead()
  }

  /// Runs a body that reads tables as a whole, each once, before anything is written: they do not
  /// fill the cache.
  package func readingThrough<T>(_ body: () throws -> T) rethrows -> T {
    try connection.readingThrough(body)
  }

  // MARK: - Walking rows

  /// Shows rows of an entity and its subentities to a callback, one after the other.
  ///
  /// Large lists of keys or rows are cut into pieces, each in the order asked for. The callback
  /// must not change rows of the entity's table.
  ///
  /// - Parameters:
  ///   - slots: the slots that the cursor will be asked for; nil is all. Fewer is faster.
  ///   - order: a slot to sort by; nil is the order of insertion.
  ///   - isOrdered: whether the order matters. Where rows are found by something else than their
  ///     numbers, to sort them costs as much as to find them.
  package func scan(
    _ entity: EntityDescription, _ selection: RowSelection, slots: [Int]? = nil,
    orderedBy order: Int? = nil, isOrdered: Bool = true, _ body: (RowCursor) throws -> Void
  ) throws {
    let target = layout[entity]
    switch selection {
    case .all, .rows, .listed: try prepareToRead()
    case .keys, .references, .empty, .filter: try prepareToLookUp(target.table)
    }
    let scanner = RowScanner(
      connection: connection, layout: layout, target: target, slots: slots, order: order,
      isOrdered: isOrdered)
    try scanner.scan(selection, body)
  }

  /// Reads rows by number, ascending, in one statement; those that do not exist are left out.
  package func rows(_ entity: EntityDescription, rows: [Int64]) throws -> [StoredRow] {
    var pages = RowPages(layout[entity], in: layout)
    try scan(entity, .listed(rows)) { try pages.append($0) }
    return pages.take().flatMap { page in (0..<page.count).map { page[$0] } }
  }

  /// About how many rows the entity's table holds: the highest row number, so at least as many as
  /// there are. For choosing between a scan and look-ups.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` when that is none that a row can
  ///   have.
  /// - Complexity: O(log *n*).
  package func estimatedCount(of entity: EntityDescription) throws -> Int {
    try prepareToRead()
    let table = layout[entity].table
    return try connection.first("SELECT max(_row) FROM \(table.quoted)") { statement in
      statement.isNull(0) ? nil : Int(clamping: try statement.row(0, of: table))
    } ?? 0
  }

  /// Whether rows are found by the values of a slot without reading the whole table.
  package func hasIndex(on slot: Int, of entity: EntityDescription) -> Bool {
    let layout = layout[entity]
    return layout.table.indexes.contains { $0.columns.first == layout.ordinals[slot] }
  }

  /// The row numbers among others that no object of the entity's table has.
  ///
  /// - Parameter rows: ascending, each once.
  /// - Complexity: O(*n*); one statement of look-ups, or one scan when the rows are many of those
  ///   there are.
  package func missing(_ rows: [Int64], of entity: EntityDescription) throws -> [Int64] {
    guard !rows.isEmpty else { return [] }
    let root = entity.rootEntity
    let isScan =
      try rows.count > 512 && rows.count * StoreReader.scanShare >= estimatedCount(of: root)
    var missing: [Int64] = []
    var next = 0
    try scan(root, isScan ? .all : .listed(rows), slots: []) { cursor in
      while next < rows.count, rows[next] < cursor.row {
        missing.append(rows[next])
        next += 1
      }
      if next < rows.count, rows[next] == cursor.row { next += 1 }
    }
    return missing + rows[next...]
  }
}

@available(*, unavailable, message: "A reader is confined to the call that it was handed to.")
extension StoreReader: Sendable {}
