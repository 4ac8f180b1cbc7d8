import SyncCore
import SyncStore

/// A table that is read as a whole.
struct WholeTable {
  let batch: MatchedBatch
  /// About how many rows it has: their highest number.
  let count: Int
}

/// A range of the rows of such a table.
struct TablePiece {
  let table: Int
  let rows: ClosedRange<Int64>

  /// Cuts the rows from a number on into pieces.
  static func pieces(of table: WholeTable, number: Int, from first: Int, size: Int) -> [TablePiece]
  {
    let starts = Array(stride(from: first, to: max(table.count, first) + 1, by: size))
    return starts.enumerated().map { position, start in
      // The last one has whatever else there is.
      let end = position + 1 < starts.count ? Int64(start + size - 1) : .max
      return TablePiece(table: number, rows: Int64(start)...end)
    }
  }
}

/// Rows of a table as another thread has read them: piece after piece, the last rows first. Used by that thread until
/// it is through, and then by the sync.
final class LoadedRows {
  struct Row: BitwiseCopyable {
    let number: Int64
    /// The first occurrence of its key and the reference to it, or -1.
    let head: Int32
    let reference: Int32
  }

  /// What a row and its occurrence say differently.
  struct Difference {
    let row: Int
    let slots: SlotSet
  }

  let batch: MatchedBatch
  let rows = PlainArray<Row>()
  /// Destinations of the to-one columns, row after row.
  let references = PlainArray<Int64>(capacity: 1)
  let columnCount: Int
  let entities = PlainArray<Int16>(capacity: 1)
  private(set) var differences: [Difference] = []
  private let search: RowSearch

  /// A piece that was read: where its rows and differences begin.
  struct Start {
    let row: Int
    let difference: Int
  }

  private(set) var starts: [Start] = []

  init(_ batch: MatchedBatch) {
    self.batch = batch
    search = RowSearch(batch.staged)
    columnCount = batch.node.columns.toOne.count
  }

  /// Reads a piece. When this throws, nothing of it is left.
  func read(_ piece: TablePiece, from reader: StoreReader, _ control: SyncControl) throws {
    let start = Start(row: rows.count, difference: differences.count)
    do {
      try read(piece.rows, from: reader, control)
      starts.append(start)
    } catch {
      rows.removeAll(from: start.row)
      differences.removeSubrange(start.difference...)
      references.removeAll(from: start.row * columnCount)
      if !entities.isEmpty { entities.removeAll(from: start.row) }
      throw error
    }
  }

  private func read(
    _ numbers: ClosedRange<Int64>, from reader: StoreReader, _ control: SyncControl
  ) throws {
    let toOneSlots = batch.node.columns.toOne
    let hasFamily = !batch.entity.subentities.isEmpty
    let hasReferences = batch.staged.references.count > 0
    var count = 0
    try reader.scan(batch.entity, .within(numbers), slots: search.slots) { cursor in
      count += 1
      if count % SyncControl.stride == 0 { try control.checkpoint() }
      let head = search.head(cursor)
      if search.isCertain(head) {
        let slots = search.difference(cursor, head)
        if !slots.isEmpty { differences.append(Difference(row: rows.count, slots: slots)) }
      }
      rows.append(
        Row(
          number: cursor.row, head: head, reference: hasReferences ? search.reference(cursor) : -1))
      if hasFamily { entities.append(Int16(cursor.entityIndex)) }
      for slot in toOneSlots { references.append(cursor.integer(slot) ?? 0) }
    }
  }

  /// Adds rows to those of the batch.
  ///
  /// - Returns: The index of the first.
  func add(_ range: Range<Int>) -> Int {
    let stored = batch.stored
    let first = stored.rows.count
    var last = stored.rows.last ?? .min
    for row in UnsafeBufferPointer(rebasing: rows.elements[range]) {
      if row.number <= last { stored.isAscending = false }
      last = row.number
      stored.rows.append(row.number)
      stored.occurrences.append(-1)
    }
    stored.entities.append(entities, range)
    stored.append(references, of: range)
    return first
  }
}

@available(*, unavailable, message: "Loaded rows belong to one thread at a time.")
extension LoadedRows: Sendable {}
