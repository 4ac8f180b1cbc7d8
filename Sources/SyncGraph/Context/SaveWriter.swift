import SyncCore
import SyncStore

/// Ends a save whose merge policy lets the store win: edited objects have no row any more, so that what
/// leads to them has to go first.
struct VanishedRows: Error {
  let ids: [ManagedObjectID]
}

/// What became of the objects of a save.
struct SaveOutcome {
  /// Permanent row numbers by temporary ones.
  var rows: [Int64: Int64] = [:]

  /// New versions of updated rows.
  var versions: [(object: ManagedObject, version: Int64)] = []

  /// Objects that have to read their row again: the store won.
  var refreshed: [ManagedObject] = []

  /// Objects that a child context gave up, because they are gone from its parent.
  var vanished: [ManagedObject] = []

  /// What leads to rows that are gone. Nothing was written when there is any.
  var lost = LostReferences()
}

/// Turns the unsaved objects of a context into row changes of one transaction.
///
/// The order matters: rows that are referred to come before those that refer, and whatever was moved
/// away from a deleted object has left it before the store applies the delete rules to rows.
///
/// ```
/// insert rows ─▶ update rows (version check) ─▶ links ─▶ positions ─▶ touched owners ─▶ delete rows
/// ```
struct SaveWriter {
  private let transaction: StoreTransaction
  private let policy: MergePolicy
  private let arena = CellArena()

  init(_ transaction: StoreTransaction, _ policy: MergePolicy) {
    self.transaction = transaction
    self.policy = policy
  }

  func write(
    _ inserted: [ManagedObject], _ updated: [ManagedObject], _ deleted: [ManagedObject]
  ) throws -> SaveOutcome {
    var outcome = SaveOutcome()
    outcome.lost = try LostReferences(inserted, updated, in: transaction)
    guard outcome.lost.isEmpty else { return outcome }
    // Children hand over objects that are older than others here.
    try insert(inserted.sorted { $0.rowNumber > $1.rowNumber }, &outcome)
    try update(updated, &outcome)
    if policy == .error { try DeletionConflicts(transaction: transaction).check(deleted) }
    let kept = inserted + updated
    try LinkChanges(transaction, outcome.rows).write(kept)
    try delete(deleted)
    return outcome
  }

  // MARK: - Inserting

  private func insert(_ objects: [ManagedObject], _ outcome: inout SaveOutcome) throws {
    for family in grouped(objects, by: \.binding.shape.root) {
      guard let root = family.first?.entity.rootEntity else { continue }
      // In the order of insertion, subentities mixed: that is what an unsorted fetch returns.
      let first = try transaction.reserveRows(family.count, in: root)
      for (index, object) in family.enumerated() {
        outcome.rows[object.rowNumber] = first + Int64(index)
      }
    }
    for family in grouped(objects, by: \.binding.shape.index) {
      guard let shape = family.first?.binding.shape else { continue }
      let block = RowBlock(width: shape.kinds.count, capacity: family.count)
      var rows: [Int64] = []
      for object in family {
        fill(block[block.append()], shape.columns, object.row, object, outcome.rows)
        rows.append(outcome.rows[object.rowNumber] ?? 0)
      }
      try transaction.insert(
        block, of: shape.entity, indexes: Array(0..<Int32(family.count)), rows: rows)
    }
  }

  /// Writes columns of a row into cells.
  @inline(__always)
  private func fill(
    _ cells: UnsafeMutablePointer<Cell>, _ slots: some Sequence<Int>, _ values: RowValues,
    _ object: ManagedObject, _ rows: [Int64: Int64]
  ) {
    let kinds = object.home.shape.kinds
    for slot in slots {
      switch kinds[slot] {
      case .attribute(let type):
        cells[slot] = arena.cell(values[slot], as: type)
      case .toOne, .toMany:
        guard case .int(let target) = values[slot], target < 0 else {
          cells[slot] = arena.cell(values[slot])
          continue
        }
        cells[slot] = rows[target].map { .integer($0) } ?? .null
      }
    }
  }

  // MARK: - Updating

  private func update(_ objects: [ManagedObject], _ outcome: inout SaveOutcome) throws {
    var vanished: [ManagedObjectID] = []
    var conflicts: [SaveConflict] = []
    for family in grouped(objects, by: \.binding.shape.index) {
      guard let shape = family.first?.binding.shape else { continue }
      let block = RowBlock(width: shape.kinds.count, capacity: family.count)
      let entity = shape.entity
      outcome.versions.reserveCapacity(outcome.versions.count + family.count)
      let key = shape.entity.primaryKey.flatMap { shape.columns.contains($0.slot) ? $0.slot : nil }
      for object in family where !object.committed.isNone {
        let slots = shape.columns(among: object.changed)
        guard !slots.isEmpty else { continue }
        let index = block.append()
        fill(block[index], slots, object.row, object, outcome.rows)
        // For the change set, which names objects by their keys.
        if let key { fill(block[index], CollectionOfOne(key), object.row, object, outcome.rows) }
        let row = object.rowNumber
        if try transaction.update(
          block, index: index, row: row, of: entity, slots: slots,
          expectedVersion: object.version)
        {
          outcome.versions.append((object, object.version + 1))
        } else if let conflict = try resolve(object, slots, block, &outcome) {
          if conflict.stored == nil, policy.letsStoreWin {
            vanished.append(conflict.objectID)
          } else {
            conflicts.append(conflict)
          }
        }
      }
    }
    if !vanished.isEmpty { throw VanishedRows(ids: vanished) }
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

  /// Applies the merge policy to a row that moved on.
  ///
  /// - Returns: the conflict when the policy leaves it open, or the row is gone.
  private func resolve(
    _ object: ManagedObject, _ slots: SlotSet, _ block: RowBlock, _ outcome: inout SaveOutcome
  ) throws -> SaveConflict? {
    let base = object.base
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
    for slot in written { values[slot] = object.row[slot] }
    var restored = written
    restored.subtract(slots)
    try empty(&values, among: restored, of: object)
    if !written.isEmpty {
      let index = block.append()
      fill(block[index], object.home.shape.columns, values, object, outcome.rows)
      try transaction.update(block, index: index, row: row, of: object.entity, slots: written)
    }
    outcome.versions.append((object, 0))
    outcome.refreshed.append(object)
    return nil
  }

  /// Empties what the row had and what leads to rows that are gone: it comes back for the object's sake, and
  /// nobody set it here.
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

  // MARK: - Deleting

  /// Deletes by root entity, those first that others' deny rules are about.
  private func delete(_ objects: [ManagedObject]) throws {
    let families = grouped(objects, by: \.entity.rootIndex)
    let roots = Set(families.compactMap { $0.first?.entity.rootIndex })
    var done: Set<Int> = []
    func visit(_ family: [ManagedObject]) throws {
      guard let root = family.first?.entity.rootEntity, done.insert(root.index).inserted else {
        return
      }
      for entity in root.familyEntities {
        for relationship in entity.relationships where relationship.deleteRule == .deny {
          let blocking = entity.destination(of: relationship).rootIndex
          if roots.contains(blocking),
            let other = families.first(where: { $0.first?.entity.rootIndex == blocking })
          {
            try visit(other)
          }
        }
      }
      try transaction.delete(family.map(\.rowNumber).sorted(), of: root)
    }
    for family in families { try visit(family) }
  }

  /// Groups objects by a number, in order of the numbers.
  private func grouped(
    _ objects: [ManagedObject], by key: (ManagedObject) -> Int
  ) -> [[ManagedObject]] {
    guard let first = objects.first.map(key) else { return [] }
    if objects.allSatisfy({ key($0) == first }) { return [objects] }
    return Dictionary(grouping: objects, by: key).sorted { $0.key < $1.key }.map(\.value)
  }
}

extension SaveConflict {
  /// - Parameters:
  ///   - slots: what the save wants to write.
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
