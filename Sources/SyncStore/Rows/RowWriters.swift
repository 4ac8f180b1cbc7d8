import SyncCore

/// A row as somebody has read it.
package struct RowVersion {
  let row: Int64
  let version: Int64

  package init(row: Int64, version: Int64) {
    self.row = row
    self.version = version
  }
}

/// The row writers of a store, made when first needed. Confined to the writer queue.
final class RowWriters {
  private let layout: TableLayout
  private let connection: Connection
  private var writers: [RowWriter?]

  init(layout: TableLayout, connection: Connection) {
    self.layout = layout
    self.connection = connection
    writers = Array(repeating: nil, count: layout.entities.count)
  }

  subscript(entity: EntityDescription) -> RowWriter {
    if let writer = writers[entity.index] { return writer }
    let writer = RowWriter(layout[entity], connection: connection)
    writers[entity.index] = writer
    return writer
  }
}
