package import SyncCore

extension StoreTransaction {
  /// Opens an outbox, and makes it when there is none: its first entries are the edits in the
  /// history.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/unsupported`` when the store keeps no history.
  package func openOutbox(_ name: String) throws {
    try requireOpen()
    try requireHistory()
    if try Metadata(connection: connection).integer(.outboxes) != 1 {
      for statement in OutboxTables.statements { try connection.execute(statement) }
      try Metadata(connection: connection).set(.outboxes, 1)
    }
    guard try outbox(name) == nil else { return }
    try set(OutboxState(name: name, history: historyFloor(), revision: 0))
  }

  /// Forgets an outbox with its entries. Unsent edits are then not protected from syncs any more,
  /// unless another consumer has to send them.
  package func removeOutbox(_ name: String) throws {
    try requireOpen()
    guard try outbox(name) != nil else { return }
    try forgetOutbox(name)
    try removeHistoryConsumer(named: OutboxTables.consumer(name))
  }

  /// Forgets an outbox, but not that it reads the history.
  func forgetOutbox(_ name: String) throws {
    for (table, column) in [("outbox_entries", "outbox"), ("outboxes", "name")] {
      try connection.run("DELETE FROM _syncstack_\(table) WHERE \(column) = ?", [name])
    }
    changesUnsent = true
    unsent.clear()
  }

  /// Takes later edits into the entries of an outbox, and notes that it has read so far.
  ///
  /// - Parameter takes: Whether an object of which it keeps nothing is for it.
  /// - Complexity: that of the later commits.
  package func drainHistory(
    intoOutbox name: String, where takes: (ManagedObjectID) -> Bool = { _ in true }
  ) throws {
    guard var state = try outbox(name) else { return }
    try requireHistory(after: HistoryToken(number: state.history))
    var fold = HistoryFold(after: HistoryToken(number: state.history))
    try readLocalHistory(into: &fold, base: .everything)
    guard fold.token.number > state.history else { return }
    for later in fold.entries {
      let before = try outboxEntry(later.id, in: name)
      guard before != nil || takes(later.id) else { continue }
      var entry = before ?? OutboxEntry(later.id)
      entry.add(later)
      if entry.isOver { try remove(entry, name) } else { try write(entry, name) }
    }
    state.history = fold.token.number
    try set(state)
  }

  /// Takes later edits into the entries of an outbox, at most once in a transaction: nothing is
  /// edited here as long as it goes on.
  func drainOnce(_ name: String) throws {
    if drained.insert(name).inserted { try drainHistory(intoOutbox: name) }
  }

  /// Notes that the outboxes that have read everything before a commit, that of an undo, need not
  /// read it: their entries have been changed as it demands.
  func passOverInOutboxes(_ txn: Int64) throws {
    for var outbox in try outboxes() where drained.contains(outbox.name) {
      outbox.history = txn
      try set(outbox)
    }
  }

  /// Keeps the entry of an outbox for an object; one that has nothing to send is forgotten.
  ///
  /// - Parameter before: The kept entry.
  package func setOutboxEntry(_ entry: OutboxEntry, before: OutboxEntry, in name: String) throws {
    try requireOpen()
    guard !entry.hasSameEdit(as: before) else {
      return try entry.isOver ? remove(entry, name) : write(entry, name)
    }
    guard var state = try outbox(name) else { return }
    // The fold reads the history up to here first, or it would read an edit that is taken out of
    // it later.
    let unsent = try unsentHistory()
    if entry.isOver { try remove(entry, name) } else { try write(entry, name) }
    state.revision += 1
    try set(state)
    changesUnsent = true
    unsent?.replace(entry.id, with: entry.edit == nil ? nil : entry, revision: state.revision)
  }

  /// Changes the entry that an outbox keeps.
  package func change(
    _ before: OutboxEntry, in name: String, _ body: (inout OutboxEntry) -> Void
  ) throws {
    var entry = before
    body(&entry)
    try setOutboxEntry(entry, before: before, in: name)
  }

  private func set(_ state: OutboxState) throws {
    try connection.run(
      "INSERT OR REPLACE INTO _syncstack_outboxes (name, history, revision) VALUES (?, ?, ?)",
      [state.name, state.history, state.revision])
    let consumer = OutboxTables.consumer(state.name)
    let known = try historyConsumers().first { $0.name == consumer }
    guard known?.token.number != state.history else { return }
    try setHistoryConsumer(
      HistoryConsumer(name: consumer, token: HistoryToken(number: state.history), isDurable: true))
  }

  private func remove(_ entry: OutboxEntry, _ name: String) throws {
    try connection.run(
      "DELETE FROM _syncstack_outbox_entries WHERE outbox = ? AND root = ? AND object_row = ?",
      [name, entry.id.entity.rootEntity.name, entry.id.row])
  }

  private func write(_ entry: OutboxEntry, _ name: String) throws {
    let entity = entry.id.entity
    func names(_ edit: OutboxEntry.Edit?) -> String? {
      edit.map { $0.slots.map { entity.properties[$0].name }.joined(separator: " ") }
    }
    func base(_ edit: OutboxEntry.Edit?) throws -> String? {
      try edit.flatMap { try Tombstone.encode($0.base, of: entity, keepsNulls: true) }
    }
    // A conflict is about the object's place among the others, never about a new number.
    try connection.run(
      "INSERT INTO _syncstack_outbox_entries (outbox, entity, root, object_row, kind, columns, "
        + "tombstone, sent_kind, sent_columns, json, changed, idempotency, tries, earliest_ms, refusal, "
        + "base, sent_base) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        + "ON CONFLICT (outbox, root, object_row) DO UPDATE SET entity = excluded.entity, "
        + "kind = excluded.kind, columns = excluded.columns, tombstone = excluded.tombstone, "
        + "sent_kind = excluded.sent_kind, sent_columns = excluded.sent_columns, json = excluded.json, "
        + "changed = excluded.changed, idempotency = excluded.idempotency, tries = excluded.tries, "
        + "earliest_ms = excluded.earliest_ms, refusal = excluded.refusal, base = excluded.base, "
        + "sent_base = excluded.sent_base",
      [
        name, entity.name, entity.rootEntity.name, entry.id.row, entry.waitingCode,
        names(entry.waiting), try Tombstone.encode(entry.tombstone, of: entity),
        entry.sent?.edit.kind.rawValue, names(entry.sent?.edit), entry.sent?.json,
        entry.sent?.changedJSON, entry.sent?.idempotencyKey, entry.tries, entry.earliest,
        entry.refusal, try base(entry.waiting), try base(entry.sent?.edit),
      ])
  }
}
