import SyncCore
import SyncStore

/// Updates of rows, under their versions.
extension SaveWriter {
  /// The reasons for which a save gives up: rows that moved on, and rows that are gone.
  private struct Refusals {
    var vanished: [ManagedObjectID] = []
    var conflicts: [SaveConflict] = []
  }

  /// How many rows are written together at most: so many lie in the processor's cache.
  private static var runLength: Int { 512 }

  func update(_ objects: [ManagedObject], _ outcome: inout SaveOutcome) throws {
    var refusals = Refusals()
    outcome.versions.reserveCapacity(objects.count)
    for family in grouped(objects, by: \.binding.shape.index) {
      guard let shape = family.first?.binding.shape else { continue }
      let block = RowBlock(width: shape.kinds.count, capacity: min(family.count, Self.runLength))
      var run: [ManagedObject] = []
      var slots = SlotSet()
      for object in family where !object.committed.isNone {
        let changed = shape.columns(among: object.changed)
        if changed.isEmpty { continue }
        if changed != slots || run.count == Self.runLength {
          try update(run, slots, block, &outcome, &refusals)
          run.removeAll(keepingCapacity: true)
          slots = changed
        }
        run.append(object)
      }
      try update(run, slots, block, &outcome, &refusals)
    }
    if !refusals.vanished.isEmpty { throw VanishedRows(ids: refusals.vanished) }
    let conflicts = refusals.conflicts
    guard !conflicts.isEmpty else { return }
    let names = conflicts.prefix(10).map { "\($0.objectID)" }.joined(separator: ", ")
    throw GraphError(
      .conflict, entity: conflicts[0].objectID.entity.name, objects: conflicts.map(\.objectID),
      conflicts: conflicts,
      message: """
        \(conflicts.count) object\(conflicts.count == 1 ? "" : "s") changed in the store since this \
        context read them: \(names). Look at the error's conflicts, refresh the objects and save \
        again, or choose a merge policy.
        """)
  }

  /// Updates objects of one entity of which the same columns were edited.
  private func update(
    _ objects: [ManagedObject], _ slots: SlotSet, _ block: RowBlock,
    _ outcome: inout SaveOutcome, _ refusals: inout Refusals
  ) throws {
    guard let shape = objects.first?.binding.shape else { return }
    var filled = slots
    // For the change set, which names objects by their keys.
    if let key = shape.keyColumn { filled.insert(key) }
    let columns = columns(filled, of: shape)
    block.removeAll()
    let rows = objects.map { object in
      fill(block[block.append()], columns, object.row, outcome.rows)
      return RowVersion(row: object.rowNumber, version: object.versionAsRead)
    }
    let failed = try transaction.update(block, rows: rows, of: shape.entity, slots: slots)
    var rest = failed[...]
    for (index, object) in objects.enumerated() {
      guard index == rest.first else {
        outcome.versions.append((object, object.version + 1))
        continue
      }
      rest.removeFirst()
      guard let conflict = try resolve(object, slots, block, &outcome) else { continue }
      if conflict.stored == nil, policy.letsStoreWin {
        refusals.vanished.append(conflict.objectID)
      } else {
        refusals.conflicts.append(conflict)
      }
    }
  }

  /// Applies the merge policy to a row that moved on.
  ///
  /// - Returns: the conflict when the policy leaves it open, or the row is gone.
  private func resolve(
    _ object: ManagedObject, _ slots: SlotSet, _ block: RowBlock, _ outcome: inout SaveOutcome
  ) throws -> SaveConflict? {
    let base = object.baseAsRead
    let row = object.rowNumber
    guard
      let stored = try transaction.rows(object.entity.rootEntity, rows: [row]).first
    else { return SaveConflict(object, slots, base, nil) }
    var moved = SlotSet()
    for slot in object.home.shape.columns where stored.values[slot] != base[slot] {
      moved.insert(slot)
    }
    var written = slots
    var values = stored.values
    switch policy {
    case .error:
      if !moved.isEmpty { return SaveConflict(object, slots, base, stored.values) }
    case .storeWinsPerProperty:
      written.subtract(moved)
    case .objectWinsPerProperty:
      break
    case .storeWins:
      written = SlotSet()
    case .objectWins:
      written.formUnion(moved)
    }
    // A value that is stored already is not written: a member that is put where it is would lose
    // its place.
    for slot in written {
      if values[slot] == object.row[slot] {
        written.remove(slot)
      } else {
        values[slot] = object.row[slot]
      }
    }
    var restored = written
    restored.subtract(slots)
    try empty(&values, among: restored, of: object)
    if !written.isEmpty {
      let index = block.append()
      let columns = columns(object.home.shape.columns, of: object.home.shape)
      fill(block[index], columns, values, outcome.rows)
      try transaction.update(block, index: index, row: row, of: object.entity, slots: written)
    }
    outcome.versions.append((object, 0))
    outcome.refreshed.append(object)
    outcome.overruled.append((object, stored.values))
    return nil
  }

  /// Empties references of the row to rows that are gone: they come back for the object's sake, and
  /// were not set here.
  private func empty(
    _ values: inout RowValues, among slots: SlotSet, of object: ManagedObject
  ) throws {
    for relationship in object.home.shape.relationships
    where !relationship.isToMany && slots.contains(relationship.slot) {
      guard case .int(let target) = values[relationship.slot],
        try !transaction.missing([target], of: relationship.destination).isEmpty
      else { continue }
      values[relationship.slot] = .null
    }
  }
}

extension SaveConflict {
  /// - Parameters:
  ///   - slots: the slots that the save wants to write.
  ///   - base: the row as the context had read it.
  ///   - stored: the row as it is now; nil when it is gone.
  init(_ object: ManagedObject, _ slots: SlotSet, _ base: RowValues, _ stored: RowValues?) {
    let properties = object.entity.properties.filter(\.isColumn)
    func named(_ values: RowValues) -> [String: Value] {
      Dictionary(uniqueKeysWithValues: properties.map { ($0.name, values[$0.slot]) })
    }
    self.init(
      objectID: object.objectID, committed: named(base),
      edited: named(object.row).filter { slots.contains(object.home.shape.slots[$0.key] ?? 0) },
      stored: stored.map(named))
  }
}
