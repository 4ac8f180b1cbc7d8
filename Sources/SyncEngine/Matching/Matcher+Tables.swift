import Dispatch
import SyncCore
import SyncStore

/// Reading of whole tables, by two threads where they are large: one reads with the transaction, the other beside it.
extension Matcher {
  func read(_ tables: [WholeTable]) throws {
    guard let helper = reading.helper, tables.reduce(0, { $0 + $1.count }) >= helper.leastCount,
      tables.allSatisfy({ $0.batch.stored.count == 0 }), let beside = transaction.besideRows
    else {
      for table in tables {
        try read(
          table.batch, .all, RowSearch(table.batch.staged), mayRepeat: table.batch.stored.count > 0)
      }
      return
    }
    try transaction.readingThrough { try read(tables, helper, beside) }
  }

  private func read(_ tables: [WholeTable], _ helper: SecondReader, _ beside: ReadingBeside) throws
  {
    let searches = tables.map { RowSearch($0.batch.staged) }
    var pieces: [TablePiece] = []
    // The first rows show in which order the others will come: whether keys have to be looked for at all.
    let first = min(helper.pieceSize, Matcher.sampleSize)
    for (number, table) in tables.enumerated() {
      try read(table.batch, .within(.min...Int64(first)), searches[number], mayRepeat: false)
      let size = max(helper.pieceSize, table.count / Matcher.pieceLimit)
      pieces += TablePiece.pieces(of: table, number: number, from: first + 1, size: size)
    }
    for table in tables { table.batch.setIndexesShared(true) }
    defer { for table in tables { table.batch.setIndexesShared(false) } }
    let work = TableWork(tables, pieces, beside, control)
    helper.queue.async { work.run() }
    let own = try work.pieces.finish { number in
      let piece = pieces[number]
      try read(
        tables[piece.table].batch, .within(piece.rows), searches[piece.table], mayRepeat: false)
    }
    for (number, loaded) in work.loaded.enumerated() {
      assert(loaded.starts.count == pieces[own...].count { $0.table == number })
      try take(loaded)
    }
  }

  /// Rows of each table that are read before the work is shared.
  private static let sampleSize = 256

  /// Pieces of a table: most numbers may be those of rows that are gone.
  private static let pieceLimit = 512

  /// Takes over what another thread has read, which comes behind everything that was read here.
  private func take(_ loaded: LoadedRows) throws {
    var end = LoadedRows.Start(row: loaded.rows.count, difference: loaded.differences.count)
    for start in loaded.starts.reversed() {
      try control.checkpoint()
      take(loaded, from: start, to: end)
      end = start
    }
  }

  private func take(_ loaded: LoadedRows, from start: LoadedRows.Start, to end: LoadedRows.Start) {
    let batch = loaded.batch
    let hasReferences = batch.staged.references.count > 0
    var stored = Int32(loaded.add(start.row..<end.row))
    var difference = start.difference
    var nextDifferent = difference < end.difference ? loaded.differences[difference].row : -1
    for index in start.row..<end.row {
      let row = loaded.rows[index]
      attach(stored, to: row.head, in: batch) {
        index == nextDifferent ? loaded.differences[difference].slots : SlotSet()
      }
      if index == nextDifferent {
        difference += 1
        nextDifferent = difference < end.difference ? loaded.differences[difference].row : -1
      }
      if hasReferences { refer(row.reference, to: stored, in: batch) }
      stored += 1
    }
  }
}

/// What another thread does of the reading of whole tables. It looks at batches that the sync adds nothing to meanwhile,
/// and changes nothing but what it makes, which belongs to the sync when the pieces are finished.
private final class TableWork: @unchecked Sendable {
  let pieces: SharedPieces
  let loaded: [LoadedRows]
  private let list: [TablePiece]
  private let beside: ReadingBeside
  private let control: SyncControl

  init(
    _ tables: [WholeTable], _ list: [TablePiece], _ beside: ReadingBeside, _ control: SyncControl
  ) {
    pieces = SharedPieces(count: list.count)
    loaded = tables.map { LoadedRows($0.batch) }
    self.list = list
    self.beside = beside
    self.control = control
  }

  func run() {
    pieces.work { next in
      try beside.read { reader in
        while let number = next() {
          try loaded[list[number].table].read(list[number], from: reader, control)
        }
      }
    }
  }
}
