import SyncCore
import SyncStore

/// Writes the decisions of matching and linking: new rows, changed slots, links and orders.
///
/// ```
/// cells of the object + references + defaults ─▶ output, a portion at a time ─▶ store
/// ```
///
/// New objects have their row numbers and references before the first one is written, so the order
/// of entities does not matter and no row is written twice.
final class ChangeWriter: PartPhase {
  let planner: LinkPlanner
  let work: PartWork
  let total: Int

  init(_ planner: LinkPlanner) {
    self.planner = planner
    work = planner.work
    total = planner.matches.count
  }

  var batches: [MatchedBatch] { planner.batches }

  /// Rows between two checkpoints.
  private static let portion = 512

  /// Rows to be written: values of the payload, and the targets of their to-one relationships.
  private struct Output {
    let batch: MatchedBatch
    let references: LinkedReferences
    /// The first so many rows are those of the objects; each is used again for later ones.
    let buffer: RowBlock
    var rows: [Int64] = []
    private let valueCount: Int
    private let describedCount: Int

    init(_ batch: MatchedBatch, _ references: LinkedReferences) {
      self.batch = batch
      self.references = references
      buffer = RowBlock(width: batch.node.columns.count)
      valueCount = batch.node.columns.valueCount
      describedCount = batch.matches.count
    }

    var isFull: Bool { rows.count == ChangeWriter.portion }

    /// The numbers of the rows.
    var indexes: [Int32] {
      isFull ? ChangeWriter.numbers : Array(ChangeWriter.numbers.prefix(rows.count))
    }

    /// Adds an object, and returns its cells.
    @inline(__always)
    mutating func append(_ object: Int32, row: Int64) -> UnsafeMutablePointer<Cell> {
      let index = rows.count < buffer.count ? rows.count : buffer.append()
      rows.append(row)
      let cells = buffer[index]
      if Int(object) < describedCount {
        // As bytes: cell by cell it takes twice as long.
        UnsafeMutableRawPointer(cells).copyMemory(
          from: batch.cells(object), byteCount: valueCount * MemoryLayout<Cell>.stride)
      } else {
        cells.update(repeating: .absent, count: valueCount)
      }
      references.fill(cells, of: object)
      return cells
    }
  }

  private static let numbers = Array(0..<Int32(portion))

  // MARK: - Insert

  /// Writes the new objects, entity after entity, in payload order.
  func insert() throws {
    var completed = 0
    for batch in batches {
      let count = batch.matches.reduce(0) { $0 + (ChangeWriter.isInserted($1) ? 1 : 0) }
      if count > 0 { try insert(count, of: batch, &completed) }
    }
  }

  @inline(__always)
  private static func isInserted(_ match: Match) -> Bool {
    match.flags.contains(.inserted) && !match.flags.contains(.folded)
  }

  private func insert(_ count: Int, of batch: MatchedBatch, _ completed: inout Int) throws {
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
    var output = Output(batch, planner.references[batch.number])
    func write() throws {
      try transaction.insert(
        output.buffer, of: batch.entity, indexes: output.indexes, rows: output.rows)
      completed += output.rows.count
      try control.advance(.insert, to: completed, of: total)
      output.rows.removeAll(keepingCapacity: true)
    }
    let matches = batch.matches
    for index in matches.indices where ChangeWriter.isInserted(matches[index]) {
      let cells = output.append(Int32(index), row: matches[index].row)
      for (slot, cell) in defaults where cells[slot].isAbsent { cells[slot] = cell }
      if output.isFull { try write() }
    }
    if !output.rows.isEmpty { try write() }
    withExtendedLifetime(arena) {}
  }

  /// Whether the integers of a slot come in order: keys that a payload sorts by, or references to
  /// objects that were numbered in the order in which these stand.
  private func isAscending(_ slot: Int, in batch: MatchedBatch) -> Bool {
    let column = planner.references[batch.number].said(slot)
    if column == nil, batch.node.columns.toOne.contains(slot) { return false }
    var latest = column == nil ? Int64.min : 1
    for index in batch.matches.indices where ChangeWriter.isInserted(batch.matches[index]) {
      let integer: Int64
      if let column {
        integer = column[index]
      } else {
        let cell = batch.cells(index)[slot]
        guard case .integer = cell.kind else { return false }
        integer = cell.integer
      }
      guard integer >= latest else { return false }
      latest = integer
    }
    return true
  }

  // MARK: - Update

  /// Writes the slots that differ, and nothing else.
  func update() throws {
    var completed = 0
    for batch in batches where !batch.matches.isEmpty || batch.stored.count > 0 {
      let references = planner.references[batch.number]
      var run = UpdateRun(Output(batch, references))
      let matches = batch.matches
      for index in matches.indices {
        completed += 1
        if completed % SyncControl.stride == 0 {
          try control.advance(.update, to: completed, of: total)
        }
        let match = matches[index]
        guard match.stored >= 0, !match.flags.contains(.folded) else { continue }
        if let slots = planner.differences(Int32(index), match, in: batch, references) {
          try update(Int32(index), match.stored, slots, &run)
        }
      }
      for (object, slots) in try references.beside(control) {
        try update(object, references.stored(object), slots, &run)
      }
      try write(&run)
    }
  }

  /// Objects of one entity, one behind the other, of which the same slots differ. Written together,
  /// so that nothing is asked for each of them that is the same for all.
  private struct UpdateRun {
    var output: Output
    var slots = SlotSet()
    /// Index of the concrete entity.
    var entity = -1

    init(_ output: Output) { self.output = output }
  }

  @inline(__always)
  private func update(
    _ object: Int32, _ stored: Int32, _ changed: SlotSet, _ run: inout UpdateRun
  ) throws {
    let batch = run.output.batch
    let row = batch.stored.rows[stored]
    let slots = try edits.map { try writable(changed, of: row, object, run.output, $0) } ?? changed
    if slots.isEmpty { return }
    let entity = batch.concreteEntityIndex(ofStored: stored)
    if run.output.isFull || run.slots != slots || run.entity != entity {
      try write(&run)
      run.slots = slots
      run.entity = entity
    }
    _ = run.output.append(object, row: row)
  }

  /// Of slots that differ those that were not edited here. The payload's values of the others are
  /// kept: there an edit goes back to when it is reverted.
  private func writable(
    _ changed: SlotSet, of row: Int64, _ object: Int32, _ output: Output, _ edits: UnsentEdits
  ) throws -> SlotSet {
    let entity = output.batch.entity
    let slots = edits.writable(changed, of: row, entity)
    var kept = changed
    kept.subtract(slots)
    guard !kept.isEmpty else { return slots }
    var single = Output(output.batch, output.references)
    let cells = single.append(object, row: row)
    let values = kept.map { ($0, cells[$0].value(as: entity.properties[$0].attribute?.type)) }
    try transaction.keepServerValues(
      Dictionary(values) { first, _ in first }, of: ManagedObjectID(entity: entity, row: row))
    return slots
  }

  private func write(_ run: inout UpdateRun) throws {
    guard !run.output.rows.isEmpty else { return }
    let entity = EntityDescription(model: run.output.batch.entity.model, index: run.entity)
    try transaction.update(
      run.output.buffer, indexes: run.output.indexes, rows: run.output.rows, of: entity,
      slots: run.slots)
    run.output.rows.removeAll(keepingCapacity: true)
  }
}
