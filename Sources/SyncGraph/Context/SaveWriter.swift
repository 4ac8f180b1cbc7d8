import SyncCore
import SyncStore

/// Ends a save whose merge policy lets the store win: edited objects have no row any more, so that
/// references to them have to go first.
struct VanishedRows: Error {
  let ids: [ManagedObjectID]
}

/// The results of a save for its objects.
struct SaveOutcome {
  /// Permanent row numbers by temporary ones.
  var rows: [Int64: Int64] = [:]

  /// New versions of updated rows.
  var versions: [(object: ManagedObject, version: Int64)] = []

  /// Objects that have to read their row again: the store won.
  var refreshed: [ManagedObject] = []

  /// Objects whose row was changed elsewhere, with the row as it is now.
  var overruled: [(object: ManagedObject, stored: RowValues)] = []

  /// Objects that a child context gave up, because they are gone from its parent.
  var vanished: [ManagedObject] = []

  /// References to rows that are gone. Nothing was written when there is any.
  var lost = LostReferences()
}

/// Turns the unsaved objects of a context into row changes of one transaction.
///
/// The order matters: rows that are referred to come before those that refer, and objects moved
/// away from a deleted one have left it before the store applies the delete rules to rows.
///
/// ```
/// insert rows ─▶ update rows (version check) ─▶ pairs ─▶ links ─▶ positions ─▶ delete rows ─▶ check
/// ```
struct SaveWriter {
  let transaction: StoreTransaction
  let policy: MergePolicy
  private let arena = CellArena()

  func write(
    _ inserted: [ManagedObject], _ updated: [ManagedObject], _ deleted: [ManagedObject]
  ) throws -> SaveOutcome {
    var outcome = SaveOutcome()
    transaction.expectRows(inserted.count + updated.count + deleted.count)
    outcome.lost = try LostReferences(inserted, updated, in: transaction)
    guard outcome.lost.isEmpty else { return outcome }
    // Children hand over objects that are older than others here.
    try insert(inserted.sorted(on: { -$0.rowNumber }), &outcome)
    try update(updated, &outcome)
    // Changes written from here on to rows that will go are none of another writer.
    if policy == .error { try DeletionConflicts(transaction: transaction).check(deleted) }
    try settlePairs([inserted, updated].joinedLists, &outcome)
    try LinkChanges(transaction: transaction, rows: outcome.rows)
      .write([inserted, updated].joinedLists)
    try delete(deleted)
    try RequiredReferences(transaction: transaction)
      .check(withNew: !deleted.isEmpty || !outcome.refreshed.isEmpty)
    return outcome
  }

  // MARK: - Inserting

  private func insert(_ objects: [ManagedObject], _ outcome: inout SaveOutcome) throws {
    for family in grouped(objects, by: \.binding.shape.root) {
      guard let root = family.first?.entity.rootEntity else { continue }
      // In the order of insertion, subentities mixed: an unsorted fetch returns that order.
      let first = try transaction.reserveRows(family.count, in: root)
      for (index, object) in family.enumerated() {
        outcome.rows[object.rowNumber] = first + Int64(index)
      }
    }
    for family in grouped(objects, by: \.binding.shape.index) {
      guard let shape = family.first?.binding.shape else { continue }
      let block = RowBlock(width: shape.kinds.count, capacity: family.count)
      let columns = columns(shape.columns, of: shape)
      var rows: [Int64] = []
      for object in family {
        fill(block[block.append()], columns, object.row, outcome.rows)
        rows.append(outcome.rows[object.rowNumber] ?? 0)
      }
      try transaction.insert(
        block, of: shape.entity, indexes: Array(0..<Int32(family.count)), rows: rows)
    }
  }

  // MARK: - Cells

  /// A column that is written, and its kind.
  typealias Column = (slot: Int, kind: EntityShape.Kind)

  func columns(_ slots: some Sequence<Int>, of shape: EntityShape) -> [Column] {
    slots.map { ($0, shape.kinds[$0]) }
  }

  /// Writes columns of a row into cells.
  ///
  /// - Parameter rows: permanent row numbers by temporary ones.
  func fill(
    _ cells: UnsafeMutablePointer<Cell>, _ columns: [Column], _ values: RowValues,
    _ rows: [Int64: Int64]
  ) {
    let values = values.array
    for (slot, kind) in columns {
      switch kind {
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
  func grouped(_ objects: [ManagedObject], by key: (ManagedObject) -> Int) -> [[ManagedObject]] {
    guard let first = objects.first.map(key) else { return [] }
    if objects.allSatisfy({ key($0) == first }) { return [objects] }
    return Dictionary(grouping: objects, by: key).inKeyOrder.map(\.value)
  }

  /// Makes both sides of each pair that a save wrote agree, for any state of this context: it may
  /// have read the two objects at two times, so that it wrote one side alone.
  ///
  /// A one-to-one relationship is one thing in two rows, and a merge policy decides row by row.
  /// When either was changed elsewhere, pairs whose sides agree stand; an object that leads to one
  /// that was given to another leads to none.
  ///
  /// Objects that will be deleted lose the partners that they lost here: their delete rules are not
  /// about those.
  ///
  /// - Parameter objects: those whose rows were written.
  func settlePairs(_ objects: [ManagedObject], _ outcome: inout SaveOutcome) throws {
    var pairs = WrittenPairs()
    func part(_ object: ManagedObject, _ relationship: RelationshipShape, _ values: RowValues) {
      guard case .int(let partner) = values[relationship.slot],
        let inverse = object.entity.inverse(of: relationship.description)
      else { return }
      pairs.part(inverse, of: partner)
    }
    let overruled = Set(outcome.overruled.map { ObjectIdentifier($0.object) })
    for object in objects where !object.home.shape.oneToOnes.isEmpty {
      let isWhole = object.isInserted || overruled.contains(ObjectIdentifier(object))
      for relationship in object.home.shape.oneToOnes
      where isWhole || object.changed.contains(relationship.slot) {
        pairs.write(
          relationship.description, of: outcome.rows[object.rowNumber] ?? object.rowNumber)
        if !object.isInserted { part(object, relationship, object.baseAsRead) }
      }
    }
    // Those that were paired with overruled objects in the store may have lost them here.
    for (object, stored) in outcome.overruled {
      for relationship in object.home.shape.oneToOnes { part(object, relationship, stored) }
    }
    guard !pairs.isEmpty else { return }
    let written = try transaction.settle(pairs)
    guard !written.isEmpty else { return }
    let known = Set(outcome.refreshed.map(ObjectIdentifier.init))
    outcome.refreshed += objects.filter {
      written[$0.root]?.contains(outcome.rows[$0.rowNumber] ?? $0.rowNumber) == true
        && !known.contains(ObjectIdentifier($0))
    }
  }
}
