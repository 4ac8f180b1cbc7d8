import SyncCore

/// Recorded rows become the changes of a change set.
extension ChangeRecorder {
  /// Makes the changes per concrete entity, in model order.
  ///
  /// - Complexity: O(*n* log *n*) in the number of recorded changes; linear where rows were
  ///   recorded in ascending order. Tables without changes cost a look at each of their entities.
  mutating func finish(reading transaction: StoreTransaction) throws -> [ChangeSet.EntityChanges] {
    var result: [ChangeSet.EntityChanges] = []
    for table in layout.tables {
      let members = layout.members(of: table)
      guard hasChanges(in: table, members) else { continue }
      try cancelOut(members, transaction.token)
      for member in members { try inserted[member.entity.index].sort(transaction.token) }
      let updates = try resolvedUpdates(table, members, transaction)
      var changes: [Int: ChangeSet.EntityChanges] = [:]
      for member in members {
        changes[member.entity.index] = ChangeSet.EntityChanges(entity: member.entity)
      }
      var rest = updates.list[...]
      while let number = rest.first?.entity {
        let end = rest.firstIndex { $0.entity != number } ?? rest.endIndex
        let entity = Int(number)
        changes[entity]?.take(
          rest[..<end], of: updates, withKeys: layout.entities[entity].keySlot != nil)
        rest = rest[end...]
      }
      for (index, var changed) in changes {
        changed.inserted = inserted[index].rows
        changed.insertedKeys = inserted[index].keys
        changed.deleted = deleted[index].rows
        changed.deletedKeys = deleted[index].keys
        if !changed.isEmpty { result.append(changed) }
      }
    }
    return result.sorted(on: \.entity.index)
  }

  private func hasChanges(in table: Table, _ members: [EntityLayout]) -> Bool {
    updates[table.index].count > 0
      || members.contains {
        !inserted[$0.entity.index].rows.isEmpty || !deleted[$0.entity.index].rows.isEmpty
      }
  }

  /// Takes rows out that were inserted and deleted again.
  private mutating func cancelOut(_ members: [EntityLayout], _ token: TransactionToken) throws {
    for member in members {
      let index = member.entity.index
      try deleted[index].sort(token)
      let first = firstNewRow[member.table.index]
      guard let last = deleted[index].rows.last, last >= first else { continue }
      let gone = RowSet(deleted[index].rows.lazy.filter { $0 >= first })
      inserted[index].remove(gone)
      deleted[index].remove(gone)
    }
  }

  /// One update per row, ascending, with entity and key; without rows that came or went.
  private mutating func resolvedUpdates(
    _ table: Table, _ members: [EntityLayout], _ transaction: StoreTransaction
  ) throws -> RecordedUpdates {
    var result = RecordedUpdates()
    swap(&result, &updates[table.index])
    try result.join(transaction.token)
    var gone = RowSet()
    for member in members {
      for row in deleted[member.entity.index].rows { gone.insert(row) }
      // Those that came back under their numbers are inserted and nothing else.
      for row in inserted[member.entity.index].rows.prefix(while: { !isNew($0, in: table) }) {
        gone.insert(row)
      }
    }
    try transaction.token.checkpoint()
    if !gone.isEmpty { result.removeAll { gone.contains($0.row) } }
    // New rows have the largest numbers.
    let firstNew = result.list.firstIndex { isNew($0.row, in: table) } ?? result.count
    for update in result.list[firstNew...] {
      if let key = result.key(of: update) { replaceInsertedKey(update.row, key, members) }
    }
    result.removeAll(from: firstNew)
    try lookUp(&result, in: table, transaction)
    return result
  }

  private mutating func replaceInsertedKey(_ row: Int64, _ key: Value, _ members: [EntityLayout]) {
    for member in members {
      let index = member.entity.index
      let rows = inserted[index].rows
      let place = firstPlace(among: rows.count) { rows[$0] < row }
      if place < rows.count, rows[place] == row {
        if !inserted[index].keys.isEmpty { inserted[index].keys.replace(at: place, by: key) }
        return
      }
    }
  }

  /// Reads entity and key of rows where the writer did not know them. Rows that are not there were
  /// never updated.
  private func lookUp(
    _ updates: inout RecordedUpdates, in table: Table, _ transaction: StoreTransaction
  ) throws {
    let hasKeys = layout.members(of: table).contains { $0.keySlot != nil }
    let isSingle = !table.hasEntityColumn
    var unknown: [Int64] = []
    // By index: a list that is held twice is copied when it changes.
    for index in 0..<updates.count {
      let update = updates.list[index]
      if isSingle, update.entity < 0 { updates.setEntity(table.rootIndex, at: index) }
      if !isSingle && update.entity < 0 || hasKeys && update.key < 0 { unknown.append(update.row) }
    }
    guard !unknown.isEmpty else { return }
    let root = layout.entities[table.rootIndex]
    let slots = isSingle || root.keySlot != nil ? root.keySlot.map { [$0] } ?? [] : nil
    var position = 0
    try transaction.scan(root.entity, .rows(unknown), slots: slots) { cursor in
      let row = cursor.row
      while updates.list[position].row < row {
        position += 1
      }
      updates.setEntity(cursor.entityIndex, at: position)
      updates.setKey(cursor.layout.keySlot.map(cursor.value) ?? .null, at: position)
    }
    updates.removeAll { $0.entity < 0 || (hasKeys && $0.key < 0) }
  }
}

extension ChangeRecorder.Rows {
  fileprivate mutating func remove(_ gone: RowSet) {
    var kept = ChangeRecorder.Rows()
    for (index, row) in rows.enumerated() where !gone.contains(row) {
      kept.rows.append(row)
      if !keys.isEmpty { kept.keys.append(keys[index]) }
    }
    self = kept
  }

  fileprivate mutating func sort(_ token: TransactionToken) throws {
    try token.checkpoint()
    guard !rows.isAscending else { return }
    let order = RowOrder.ascending(rows.numbers)
    try token.checkpoint()
    rows.reorder(order)
    if !keys.isEmpty { keys.reorder(order) }
  }
}

extension ChangeSet.EntityChanges {
  /// Takes updates of the entity's own objects.
  fileprivate mutating func take(
    _ updates: ArraySlice<ChangeRecorder.Update>, of recorded: RecordedUpdates,
    withKeys hasKeys: Bool
  ) {
    updated.append(contentsOf: updates.lazy.map { ($0.row, $0.slots) })
    guard hasKeys else { return }
    if updatedKeys.isEmpty, updates.count == recorded.count, let keys = recorded.allKeys {
      updatedKeys = keys
      return
    }
    for update in updates { updatedKeys.append(recorded.key(of: update) ?? .null) }
  }
}
