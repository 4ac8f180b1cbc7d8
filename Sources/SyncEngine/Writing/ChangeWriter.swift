import SyncCore
import SyncStore

/// Writes what matching and linking decided: new rows, changed slots, links and orders.
///
/// New objects have their row numbers and references before the first one is written, so the order
/// of entities does not matter and no row is written twice.
final class ChangeWriter: PartPhase {
  let work: PartWork
  let matches: Matches
  let total: Int
  private var completed = 0

  init(_ matches: Matches, _ work: PartWork) {
    self.work = work
    self.matches = matches
    total = matches.count
  }

  var batches: [MatchedBatch] { matches.batches }

  // MARK: - Insert

  /// Writes the new objects, entity after entity, in payload order.
  func insert() throws {
    completed = 0
    for batch in batches {
      let count = batch.occurrences.reduce(0) { $0 + (ChangeWriter.isInserted($1) ? 1 : 0) }
      if count > 0 { try insert(count, of: batch) }
    }
  }

  @inline(__always)
  private static func isInserted(_ occurrence: Match) -> Bool {
    occurrence.flags.contains(.inserted) && !occurrence.flags.contains(.folded)
  }

  private func insert(_ count: Int, of batch: MatchedBatch) throws {
    guard !batch.entity.isAbstract else {
      throw SyncError(
        .invalidRequest, entity: batch.entity.name,
        message: """
          Entity “\(batch.entity.name)” is abstract, so no object of it can be made. Sync one of its \
          subentities, or say by the user info sync.typeKey which key of an item tells its subentity.
          """)
    }
    let arena = CellArena()
    let properties = batch.node.entity.properties
    let defaults = batch.node.columns.defaults.map {
      (slot: $0.slot, cell: arena.cell($0.value, as: properties[$0.slot].attribute?.type))
    }
    let ascending = transaction.leadingSlots(of: batch.entity).filter { isAscending($0, in: batch) }
    try transaction.prepareBulkInsert(batch.entity, count: count, ascending: ascending)
    // A portion at a time, so that nothing is held of all of them.
    var indexes: [Int32] = []
    var rows: [Int64] = []
    func write() throws {
      try transaction.insert(batch.block, of: batch.entity, indexes: indexes, rows: rows)
      completed += indexes.count
      try control.advance(.insert, to: completed, of: total)
      indexes.removeAll(keepingCapacity: true)
      rows.removeAll(keepingCapacity: true)
    }
    for index in batch.occurrences.indices where ChangeWriter.isInserted(batch.occurrences[index]) {
      let cells = batch.block[index]
      for (slot, cell) in defaults where cells[slot].isAbsent { cells[slot] = cell }
      indexes.append(Int32(index))
      rows.append(batch.occurrences[index].row)
      if indexes.count == ChangeWriter.portion { try write() }
    }
    if !indexes.isEmpty { try write() }
    withExtendedLifetime(arena) {}
  }

  /// Whether the integers of a slot come in order: keys that a payload sorts by, or references to
  /// objects that were numbered in the order in which these stand.
  private func isAscending(_ slot: Int, in batch: MatchedBatch) -> Bool {
    var latest = Int64.min
    for index in batch.occurrences.indices where ChangeWriter.isInserted(batch.occurrences[index]) {
      let cell = batch.block[index][slot]
      guard case .integer = cell.kind, cell.integer >= latest else { return false }
      latest = cell.integer
    }
    return true
  }

  /// Rows between two checkpoints.
  private static let portion = 512

  // MARK: - Update

  /// Writes the slots that differ, and nothing else.
  func update() throws {
    var completed = 0
    var run = UpdateRun()
    for batch in batches {
      let attributes = batch.node.columns.attributeSet
      // Taken out of the batch: there each of them would be asked whether somebody changes it.
      let (occurrences, differences) = (batch.occurrences, batch.differences)
      let entities = batch.stored.entities
      for index in occurrences.indices {
        completed += 1
        if completed % SyncControl.stride == 0 {
          try control.advance(.update, to: completed, of: total)
        }
        let occurrence = occurrences[index]
        guard occurrence.stored >= 0, !occurrence.flags.contains(.folded) else { continue }
        guard occurrence.link >= 0 else { continue }
        var slots = differences[Int(occurrence.link)]
        // Linking needs no permission: whoever lists an object may update itself.
        if !occurrence.flags.contains(.active) { slots.subtract(attributes) }
        if let edits, !slots.isEmpty {
          let writable = edits.writable(slots, of: occurrence.row, batch.entity)
          slots.subtract(writable)
          if !slots.isEmpty { try keepServerValues(slots, of: occurrence.row, index, in: batch) }
          slots = writable
        }
        if slots.isEmpty { continue }
        let entity = entities.isEmpty ? batch.entity.index : Int(entities[occurrence.stored])
        if run.count == ChangeWriter.portion || run.slots != slots || run.entity != entity {
          try write(&run, of: batch)
          run.slots = slots
          run.entity = entity
        }
        run.indexes.append(Int32(index))
        run.rows.append(occurrence.row)
      }
      try write(&run, of: batch)
    }
  }

  /// What the payload says where an edit stays that was not sent yet: there it goes back to when it
  /// is reverted.
  private func keepServerValues(
    _ slots: SlotSet, of row: Int64, _ index: Int, in batch: MatchedBatch
  ) throws {
    let properties = batch.entity.properties
    let values = slots.map { slot in
      (slot, batch.block[index][slot].value(as: properties[slot].attribute?.type))
    }
    try transaction.keepServerValues(
      Dictionary(values) { first, _ in first }, of: ManagedObjectID(entity: batch.entity, row: row))
  }

  /// Objects of one entity, one behind the other, of which the same slots differ. Written together,
  /// so that nothing is asked for each of them that is the same for all.
  private struct UpdateRun {
    var slots = SlotSet()
    /// Index of the concrete entity.
    var entity = -1
    var indexes: [Int32] = []
    var rows: [Int64] = []

    var count: Int { indexes.count }
  }

  private func write(_ run: inout UpdateRun, of batch: MatchedBatch) throws {
    guard run.count > 0 else { return }
    let entity = EntityDescription(model: batch.entity.model, index: run.entity)
    try transaction.update(
      batch.block, indexes: run.indexes, rows: run.rows, of: entity, slots: run.slots)
    run.indexes.removeAll(keepingCapacity: true)
    run.rows.removeAll(keepingCapacity: true)
  }
}
