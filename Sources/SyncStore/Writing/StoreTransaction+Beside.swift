package import SyncCore

/// Reads what was committed last, on any thread, while a transaction that sees the same goes on.
///
/// Nobody else can commit while a transaction may write, so a reader that begins meanwhile sees what the transaction
/// saw when it began (https://www.sqlite.org/wal.html#concurrency). What the transaction has written itself, the
/// reader does not see: whoever asks for it knows that this is nothing, and writes nothing until the reader is
/// through.
package struct ReadingBeside: Sendable {
  fileprivate let readers: ReaderPool
  fileprivate let layout: TableLayout

  /// Runs the body with a reader that sees one state throughout, for what is read once and in order.
  package func read<T>(_ body: (StoreReader) throws -> T) throws -> T {
    try readers.read(layout: layout) { reader in
      try reader.connection.readingOnce { try body(reader) }
    }
  }
}

extension StoreTransaction {
  /// What reads rows beside the transaction; nil when it has changed some, or nobody can.
  package var besideRows: ReadingBeside? {
    connection.totalChanges == changesBefore ? beside : nil
  }

  /// What reads the links of a many-to-many relationship beside the transaction; nil when it has written some, or
  /// nobody can.
  package func besideLinks(
    of relationship: RelationshipDescription, in entity: EntityDescription
  ) -> ReadingBeside? {
    guard case .link(let end) = layout.storage(of: relationship, in: entity),
      !writtenLinks.contains(end.table.index)
    else { return nil }
    return beside
  }

  /// Runs a body that reads tables or lists as a whole, each once, before the transaction writes anything.
  package func readingThrough<T>(_ body: () throws -> T) rethrows -> T {
    guard connection.totalChanges == changesBefore else { return try body() }
    return try connection.readingThrough(body)
  }

  private var beside: ReadingBeside? {
    readers.map { ReadingBeside(readers: $0, layout: layout) }
  }
}
