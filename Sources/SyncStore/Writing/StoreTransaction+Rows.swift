package import SyncCore

extension StoreTransaction {
  /// Reserves consecutive row numbers, which are never given out again, even after deletions.
  ///
  /// - Returns: the first of them.
  package func reserveRows(_ count: Int, in entity: EntityDescription) throws -> Int64 {
    try requireOpen()
    let table = layout.table(of: entity)
    let first = try sequence.take(count, in: table)
    recorder.willGiveOutRows(from: first, in: table)
    return first
  }

  /// Inserts rows of a block; absent cells are stored as null. Stored owners of theirs have changed
  /// with that.
  ///
  /// - Parameters:
  ///   - entity: the concrete entity.
  ///   - indexes: which rows of the block, in the order in which they are written: ascending row
  ///     numbers are fastest.
  ///   - rows: their row numbers, in the order of the indexes, from ``reserveRows(_:in:)``.
  package func insert(
    _ block: RowBlock, of entity: EntityDescription, indexes: [Int32],
    rows: UnsafePointer<Int64>
  ) throws {
    try requireOpen()
    let target = layout[entity]
    do {
      try writers[entity].insert(block, indexes: indexes, rows: rows)
    } catch let error as StoreError {
      guard error.isOfTakenRow else { throw error.about(entity.name) }
      throw StoreError.damaged(
        "_syncstack_sequences", "the row of “\(target.table.identifier.name)”",
        "next is a number that a row of the table has", entity: entity.name)
    }
    recorder.reserveInserts(indexes.count, of: target)
    recorder.insert(rows, of: target, block, indexes)
    recordOwners(ofNew: indexes, in: block, target)
  }

  /// Writes slots of a row and raises its version.
  ///
  /// A to-one relationship that changes loses its position in the ordered inverse; set it
  /// afterwards with ``setPositions(_:of:positions:)``. One that leads to the owner that it led to
  /// keeps it. Those that the row belonged to and those
  /// that it belongs to now have changed with that.
  ///
  /// - Parameters:
  ///   - index: the row of the block that holds the new values.
  ///   - entity: the concrete entity.
  ///   - slots: the slots that change; absent cells among them become null.
  /// - Returns: false when there is no such row.
  @discardableResult
  package func update(
    _ block: RowBlock, index: Int, row: Int64, of entity: EntityDescription, slots: SlotSet
  ) throws -> Bool {
    try requireOpen()
    try keepBase(of: [row], in: entity, slots: slots)
    let owners = try owners(of: [row], layout[entity], slots)
    do {
      guard try writers[entity].update(block[index], row: row, slots: slots) else { return false }
    } catch let error as StoreError {
      throw error.about(entity.name)
    }
    recorder.update(row, of: layout[entity], slots: slots, block, index)
    recordOwners(owners, of: [row], except: []) { _ in block[index] }
    return true
  }

  /// Writes the same slots of rows, as ``update(_:index:row:of:slots:)`` does for one: nothing is
  /// asked for each of them that is the same for all. Those that are not there are passed over.
  ///
  /// - Parameters:
  ///   - indexes: the rows of the block that hold new values, in the order of the others.
  ///   - entity: the concrete entity of all of them.
  package func update(
    _ block: RowBlock, indexes: [Int32], rows: [Int64], of entity: EntityDescription,
    slots: SlotSet
  ) throws {
    try requireOpen()
    try keepBase(of: rows, in: entity, slots: slots)
    let owners = try owners(of: rows, layout[entity], slots)
    let missing: [Int]
    do {
      missing = try writers[entity].update(block, indexes: indexes, rows: rows, slots: slots)
    } catch let error as StoreError {
      throw error.about(entity.name)
    }
    recorder.update(
      rows.count, except: missing, of: layout[entity], slots: slots, block,
      row: { rows[$0] }, index: { Int(indexes[$0]) })
    recordOwners(owners, of: rows, except: missing) { block[Int(indexes[$0])] }
  }

  /// Writes the same slots of rows that still have the versions that are expected of them.
  ///
  /// - Parameters:
  ///   - block: holds the new values, in the order of the rows.
  ///   - entity: the concrete entity of all of them.
  /// - Returns: positions of those that moved on or are gone, ascending. They are as they were.
  package func update(
    _ block: RowBlock, rows: [RowVersion], of entity: EntityDescription,
    slots: SlotSet
  ) throws -> [Int] {
    try requireOpen()
    let numbers = rows.map(\.row)
    try keepBase(of: numbers, in: entity, slots: slots)
    let owners = try owners(of: numbers, layout[entity], slots)
    let failed: [Int]
    do {
      failed = try writers[entity].update(block, rows: rows, slots: slots, token)
    } catch let error as StoreError {
      throw error.about(entity.name)
    }
    recorder.update(
      rows.count, except: failed, of: layout[entity], slots: slots, block,
      row: { numbers[$0] }, index: { $0 })
    recordOwners(owners, of: numbers, except: failed) { block[$0] }
    return failed
  }

  /// Rows of an entity's table that came, or of which one of the slots changed, ascending; among
  /// them some of its relatives perhaps, and some that are gone.
  package func touchedRows(
    of entity: EntityDescription, slots: SlotSet, withNew: Bool = true
  ) -> [Int64] {
    let table = layout.table(of: entity)
    return Set(recorder.touched(table, slots: slots, withNew: withNew)).sorted()
  }

  /// The first object of which this transaction has emptied a to-one relationship.
  ///
  /// - Parameters:
  ///   - entity: the entity that declares the relationship.
  ///   - withNew: whether objects that came in this transaction are looked at.
  package func emptied(
    _ relationship: RelationshipDescription, in entity: EntityDescription, withNew: Bool
  ) throws -> (id: ManagedObjectID, key: Value?)? {
    let slot = relationship.slot
    let rows = touchedRows(of: entity, slots: [slot], withNew: withNew)
    guard !rows.isEmpty else { return nil }
    var first: (id: ManagedObjectID, key: Value?)?
    try scan(entity, .rows(rows)) { cursor in
      guard (cursor.integer(slot) ?? 0) == 0, first.map({ cursor.row < $0.id.row }) ?? true else {
        return
      }
      let key = cursor.layout.keySlot.map(cursor.value)
      first = (ManagedObjectID(entity: cursor.entity, row: cursor.row), key)
    }
    return first
  }

  /// Deletes rows with all rows that the delete rules take along, and clears references to them.
  ///
  /// - Parameters:
  ///   - entity: the entity of the rows or one above it.
  ///   - survives: Says of an object that a cascade reaches whether it stays; it forgets the object
  ///     that led to it.
  /// - Throws: ``StoreError`` with ``StoreError/Code/deletionDenied`` that names the objects in the
  ///   way. Nothing was changed by this call then.
  @discardableResult
  package func delete(
    _ rows: [Int64], of entity: EntityDescription,
    survives: ((_ row: Int64, _ entity: EntityDescription) -> Bool)? = nil
  ) throws -> DeletionSummary {
    try delete([(entity, rows)], survives: survives)
  }

  /// Deletes rows of several entities at once, so that none is in the way of another one.
  ///
  /// - Parameters: as for the form of one entity.
  /// - Throws: as that one.
  @discardableResult
  package func delete(
    _ rows: [(entity: EntityDescription, rows: [Int64])],
    survives: ((_ row: Int64, _ entity: EntityDescription) -> Bool)? = nil
  ) throws -> DeletionSummary {
    try requireOpen()
    var planner = DeletePlanner(transaction: self, survives: survives)
    for (entity, rows) in rows { try planner.collect(rows, of: entity) }
    try planner.checkDenyRules()
    return try planner.apply()
  }

  /// Says that about so many rows will be inserted. When they outweigh the rows of the table, its
  /// secondary indexes are dropped and built again before they are needed, at the latest before
  /// commit, inside the same transaction. Not to be called from inside a scan.
  ///
  /// - Parameter ascending: Slots whose values come in order: their indexes stay.
  package func prepareBulkInsert(
    _ entity: EntityDescription, count: Int, ascending: [Int] = []
  ) throws {
    try requireOpen()
    let target = layout[entity]
    try lateIndexes.prepare(
      target.table, count: count, ascending: ascending.map { target.ordinals[$0] })
    recorder.reserveInserts(count, of: target)
  }

  /// Says that about so many rows will be written in no order of their tables and indexes.
  package func expectRows(_ count: Int) {
    connection.expectRows(count)
  }

  /// Slots of an entity by which an index of its table is sorted.
  package func leadingSlots(of entity: EntityDescription) -> [Int] {
    let target = layout[entity]
    let leading = Set(target.table.indexes.compactMap(\.columns.first))
    return target.columnSlots.filter { leading.contains(target.ordinals[$0]) }
  }
}
