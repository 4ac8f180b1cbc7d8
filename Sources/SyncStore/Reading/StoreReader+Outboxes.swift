import Foundation
package import SyncCore

/// How far an outbox has come.
package struct OutboxState: Sendable, Equatable {
  package let name: String

  /// The transaction of the history up to which its entries tell everything.
  package var history: Int64

  /// Another number whenever something is to be sent no more, or again.
  package var revision: Int64
}

extension StoreReader {
  /// All outboxes of the store, by name.
  package func outboxes() throws -> [OutboxState] {
    try prepareToRead()
    guard try Metadata(connection: connection).integer(.outboxes) == 1 else { return [] }
    return try connection.all(
      "SELECT name, history, revision FROM _syncstack_outboxes ORDER BY name"
    ) { statement in
      OutboxState(
        name: statement.text(0), history: statement.integer(1), revision: statement.integer(2))
    }
  }

  package func outbox(_ name: String) throws -> OutboxState? {
    try outboxes().first { $0.name == name }
  }

  /// Shows the entries of an outbox in the order in which they came, without their shipments. Those
  /// of entities that the model no longer has are left out.
  ///
  /// - Parameter base: The extent to which former values of the objects are read.
  /// - Complexity: linear in the entries.
  package func readOutbox(
    _ name: String, base: BaseExtent = .nothing, _ body: (OutboxEntry) throws -> Void
  ) throws {
    let statement = try entryStatement(
      "outbox = ?1 ORDER BY number", [name], withJSON: false, base: base)
    defer { statement.reset() }
    var columns = ColumnNames()
    while try statement.step() {
      if let entry = try entry(statement, &columns, base: base) { try body(entry) }
    }
  }

  /// The entry of an outbox for an object.
  package func outboxEntry(_ id: ManagedObjectID, in name: String) throws -> OutboxEntry? {
    let statement = try entryStatement(
      "outbox = ?1 AND root = ?2 AND object_row = ?3", [name, id.entity.rootEntity.name, id.row])
    defer { statement.reset() }
    var columns = ColumnNames()
    return try statement.step() ? entry(statement, &columns) : nil
  }

  /// The entries sent under one idempotency key: an object, and the objects nested in it.
  package func outboxEntries(sentAs key: String, in name: String) throws -> [OutboxEntry] {
    let statement = try entryStatement("idempotency = ?1 AND outbox = ?2", [key, name])
    defer { statement.reset() }
    var columns = ColumnNames()
    var result: [OutboxEntry] = []
    while try statement.step() {
      if let entry = try entry(statement, &columns) { result.append(entry) }
    }
    return result
  }

  /// The entries of an outbox, and edits in the history that it has not read yet, an object each.
  package func pendingEntries(of name: String) throws -> [OutboxEntry] {
    guard let state = try outbox(name) else { return [] }
    try requireHistory(after: HistoryToken(number: state.history))
    var order: [ManagedObjectID] = []
    var entries: [ManagedObjectID: OutboxEntry] = [:]
    try readOutbox(name) { entry in
      order.append(entry.id)
      entries[entry.id] = entry
    }
    var fold = HistoryFold(after: HistoryToken(number: state.history))
    try readLocalHistory(into: &fold, base: .everything)
    for later in fold.entries {
      if entries[later.id] == nil { order.append(later.id) }
      entries[later.id, default: OutboxEntry(later.id)].add(later)
    }
    return order.compactMap { entries[$0] }.filter { $0.edit != nil }
  }

  private func entryStatement(
    _ condition: String, _ values: [any ValueConvertible], withJSON: Bool = true,
    base: BaseExtent = .everything
  ) throws -> Statement {
    try prepareToRead()
    let json = withJSON ? "json, changed" : "NULL, NULL"
    let bases = base == .nothing ? "NULL, NULL" : "base, sent_base"
    return try connection.statement(
      "SELECT number, entity, object_row, kind, columns, tombstone, sent_kind, sent_columns, "
        + "idempotency, tries, earliest_ms, refusal, \(json), \(bases) FROM _syncstack_outbox_entries "
        + "WHERE \(condition)", values)
  }

  private func entry(
    _ statement: Statement, _ columns: inout ColumnNames, base extent: BaseExtent = .everything
  ) throws -> OutboxEntry? {
    let number = statement.integer(0)
    guard let entity = model.entity(named: statement.text(1)) else { return nil }
    let row = statement.integer(2)
    guard RowNumber.isValid(row) else {
      throw StoreError.damaged("_syncstack_outbox_entries", "entry \(number)", "object_row", row)
    }
    var entry = OutboxEntry(ManagedObjectID(entity: entity, row: row))
    entry.number = number
    func edit(_ column: Int) throws -> OutboxEntry.Edit? {
      guard let code = statement.optionalInteger(column) else { return nil }
      guard let kind = HistoryChange.Kind(rawValue: code) else {
        throw StoreError.damaged("_syncstack_outbox_entries", "entry \(number)", "kind", code)
      }
      let slots = columns.slots(statement.text(column + 1), of: entity)
      let base = column == 3 ? 14 : 15
      let isRead = extent.includes(slots, of: entity) && !statement.isNull(base)
      return OutboxEntry.Edit(
        kind, slots: kind == .update ? slots : SlotSet(),
        base: isRead ? try Tombstone.decode(statement.text(base), of: entity) : [:])
    }
    if !entry.readWaiting(statement.optionalInteger(3)) { entry.waiting = try edit(3) }
    if !statement.isNull(5) {
      entry.tombstone = try Tombstone.decode(statement.text(5), of: entity)
    }
    if let sent = try edit(6) {
      entry.sent = OutboxEntry.Shipment(
        sent, json: statement.text(12), changedJSON: statement.text(13),
        idempotencyKey: statement.text(8))
    }
    entry.tries = statement.integer(9)
    entry.earliest = statement.optionalInteger(10)
    entry.refusal = statement.optionalText(11)
    return entry
  }
}
