package import SyncCore

/// Fingerprints: a sync keeps them of the items it has stored, so that an item that comes again
/// unchanged need not be read.
extension StoreReader {
  /// The number of the last commit.
  package func generation() throws -> Int64 {
    try prepareToRead()
    return try Metadata(connection: connection).integer(.generation) ?? 0
  }

  /// The set of fingerprints of one kind of sync, or nil.
  package func fingerprintSet(_ key: ContentFingerprint) throws -> FingerprintSetRecord? {
    try prepareToRead()
    return try FingerprintStore(connection: connection).set(key)
  }

  /// Shows the parts of a set, in order; the bytes are valid during the call.
  ///
  /// - Parameter areMany: Whether they may fill the cache, which is of no use to them.
  package func readFingerprints(
    of id: Int64, areMany: Bool = false,
    _ body: (_ number: Int, _ bytes: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try prepareToRead()
    let store = FingerprintStore(connection: connection)
    guard areMany else { return try store.readParts(of: id, body) }
    try readingThrough { try store.readParts(of: id, body) }
  }

  /// The rows that changed after a generation, or nil when that is not known. Rows of tables that
  /// no set is about are not in it.
  package func fingerprintChanges(after generation: Int64) throws -> [FingerprintChange]? {
    try prepareToRead()
    return try FingerprintStore(connection: connection).changes(after: generation)
  }

  /// How many rows the entity has, subentities included.
  ///
  /// - Complexity: O(*n*), but of the smallest index, which is some milliseconds for a million
  ///   rows.
  package func rowCount(of entity: EntityDescription) throws -> Int {
    try prepareToRead()
    let target = layout[entity]
    let condition = target.entityCondition().map { " WHERE \($0)" } ?? ""
    return Int(
      try connection.scalar("SELECT count(*) FROM \(target.table.quoted)\(condition)") ?? 0)
  }

  /// Visits the row numbers of an entity and its subentities, in no order: SQLite finds them
  /// fastest in an index mostly, a tenth of the table.
  package func rowNumbers(of entity: EntityDescription, _ body: (Int64) throws -> Void) throws {
    try prepareToRead()
    let target = layout[entity]
    let condition = target.entityCondition().map { " WHERE \($0)" } ?? ""
    let statement = try connection.statement("SELECT _row FROM \(target.table.quoted)\(condition)")
    defer { statement.reset() }
    while try statement.step() { try body(try statement.row(0, of: target.table)) }
  }
}
