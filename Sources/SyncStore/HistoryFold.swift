package import SyncCore

/// What happened to each object since a place in the history, several changes of one made one:
///
/// | before \ then | updated | deleted |
/// |---|---|---|
/// | inserted | inserted | nothing |
/// | updated | updated, the properties of both | deleted |
///
/// Row numbers are never used again, so nothing follows a deletion.
package struct HistoryFold: Sendable {
  /// What came of the changes of one object.
  package struct Entry: Sendable {
    package let id: ManagedObjectID
    package var kind: HistoryChange.Kind

    /// The slots that changed, of an updated object.
    package var slots: SlotSet

    /// What the history keeps of a deleted object.
    package var tombstone: [String: Value]
  }

  /// In the order in which the objects were changed first.
  private var order: [ManagedObjectID] = []
  private var entriesByID: [ManagedObjectID: Entry] = [:]

  /// The last transaction that was read.
  package private(set) var token: HistoryToken

  /// Begins after a place in the history.
  package init(after token: HistoryToken) {
    self.token = token
  }

  /// Whether nothing is left to tell.
  package var isEmpty: Bool { entriesByID.isEmpty }

  /// What is left, in the order in which the objects were changed first.
  package var entries: some Sequence<Entry> { order.lazy.compactMap { entriesByID[$0] } }

  mutating func add(
    _ id: ManagedObjectID, _ kind: HistoryChange.Kind, slots: SlotSet,
    tombstone: [String: Value], at token: HistoryToken
  ) {
    self.token = token
    guard var entry = entriesByID[id] else {
      order.append(id)
      entriesByID[id] = Entry(id: id, kind: kind, slots: slots, tombstone: tombstone)
      return
    }
    switch (entry.kind, kind) {
    case (.insert, .delete):
      entriesByID[id] = nil
      return
    case (_, .delete):
      entry.kind = .delete
      entry.slots = SlotSet()
      entry.tombstone = tombstone
    case (.update, _):
      entry.slots.formUnion(slots)
    case (.insert, _), (.delete, _):
      return
    }
    entriesByID[id] = entry
  }
}

extension StoreReader {
  /// The place up to which every durable consumer has read: what lies after it is not known to be
  /// sent. Without a durable consumer nothing is.
  package func acknowledgedHistory() throws -> HistoryToken {
    try prepareToRead()
    let number = try connection.scalar(
      "SELECT min(txn) FROM _syncstack_history_consumers WHERE durable = 1")
    return HistoryToken(number: number ?? 0)
  }

  /// Reads on where a fold ends: what was changed in this program, and not by syncs.
  ///
  /// Entities and properties that the model no longer has are left out.
  ///
  /// - Complexity: one statement; linear in the transactions since and in their local changes.
  package func readLocalHistory(into fold: inout HistoryFold) throws {
    try prepareToRead()
    let statement = try connection.statement(
      "SELECT h.txn, c.entity, c.object_row, c.kind, c.columns, c.tombstone "
        + "FROM _syncstack_history h CROSS JOIN _syncstack_history_changes c ON c.txn = h.txn "
        + "WHERE h.txn > ?1 AND h.origin = 'local' ORDER BY h.txn, c.seq")
    statement.bind(1, fold.token.number)
    defer { statement.reset() }
    var slots = ColumnNames()
    while try statement.step() {
      guard let entity = model.entity(named: statement.text(1)) else { continue }
      let kind = HistoryChange.Kind(rawValue: statement.integer(3)) ?? .update
      let rows = HistoryRows(stored: statement.value(2)).rows
      let tombstones = try Tombstone.decode(
        statement.isNull(5) ? nil : statement.text(5), count: rows.count, of: entity)
      let changed = kind == .update ? slots.slots(statement.text(4), of: entity) : SlotSet()
      let token = HistoryToken(number: statement.integer(0))
      for (row, tombstone) in zip(rows, tombstones) {
        fold.add(
          ManagedObjectID(entity: entity, row: row), kind, slots: changed, tombstone: tombstone,
          at: token)
      }
    }
  }
}

/// Turns lists of property names into slots; most changes have one of a few lists.
private struct ColumnNames {
  private var known: [Int: [String: SlotSet]] = [:]

  mutating func slots(_ names: String, of entity: EntityDescription) -> SlotSet {
    if let slots = known[entity.index]?[names] { return slots }
    var slots = SlotSet()
    for name in names.split(separator: " ") {
      if let property = entity.property(named: String(name)) { slots.insert(property.slot) }
    }
    known[entity.index, default: [:]][names] = slots
    return slots
  }
}
