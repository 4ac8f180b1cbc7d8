import SyncCore

/// The fingerprints that syncs keep beside the rows: items that a sync need not read again when
/// they come again.
///
/// ```
/// _syncstack_print_sets   one row per set: its syncs, its generation, its tables
/// _syncstack_fingerprints       the set's fingerprints, in parts of some thousand; the engine decides their content
/// _syncstack_print_log    rows changed since the oldest set was made, a row per generation
/// ```
///
/// A set says something about rows as they were at its generation. Every write adds to
/// the log, in ``StoreTransaction/finish()``, the one place where writes end; so the log names the
/// rows about which a set counts no longer. A gap in the log, from a program that does not keep
/// one, shows by the numbers, and the set counts for nothing.
///
/// The tables are made when the first set is kept. Nothing that was written long before is written
/// again at the end of a transaction: when SQLite has moved such a page from its cache to the log
/// meanwhile, it reads all of the log behind that page once more to add it up anew.
struct FingerprintStore {
  let connection: Connection

  private static let partTable =
    "CREATE TABLE IF NOT EXISTS _syncstack_fingerprints (id INTEGER PRIMARY KEY, data BLOB NOT NULL)"

  private static let endTables = [
    "CREATE TABLE IF NOT EXISTS _syncstack_print_sets (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, "
      + "generation INTEGER NOT NULL, tables INTEGER NOT NULL, head BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS _syncstack_print_log (generation INTEGER PRIMARY KEY, data BLOB)",
  ]

  /// Parts of a set have consecutive numbers from here.
  private static let partsPerSet: Int64 = 1 << 24

  /// The largest number of a set whose parts have numbers.
  static let largestSet = Int64.max / partsPerSet - 1

  /// Sets of different syncs that are kept; the one that is behind most goes first.
  private static let setLimit: Int64 = 64

  /// Generations that the log covers. A set that is behind further goes.
  private static let logLimit: Int64 = 4096

  /// Rows that one transaction lists in the log; one that changed more says only that it did.
  private static let rowLimit = 20_000

  /// The oldest generation of all sets, or nil when there is none.
  func oldestGeneration() throws -> Int64? {
    try Metadata(connection: connection).integer(.fingerprints)
  }

  // MARK: - Reading

  func set(_ key: ContentFingerprint) throws -> FingerprintSetRecord? {
    guard try oldestGeneration() != nil else { return nil }
    let statement = try connection.statement(
      "SELECT id, generation, head FROM _syncstack_print_sets WHERE key = ?")
    defer { statement.reset() }
    return try FingerprintStore.withBytes(of: key) { bytes in
      statement.bind(1, .blob(bytes))
      defer { statement.clearBindings() }
      guard try statement.step() else { return nil }
      let (id, generation) = (try checkedSet(statement.integer(0)), statement.integer(1))
      guard generation.isCountable else {
        throw StoreError.damaged("_syncstack_print_sets", "row \(id)", "generation", generation)
      }
      return FingerprintSetRecord(id: id, generation: generation, head: Array(statement.bytes(2)))
    }
  }

  /// The number of a set as it was read.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` for one whose parts cannot have
  ///   numbers.
  private func checkedSet(_ id: Int64) throws -> Int64 {
    guard id >= 0, id <= FingerprintStore.largestSet else {
      throw StoreError.damaged("_syncstack_print_sets", "row \(id)", "id", id)
    }
    return id
  }

  func readParts(
    of id: Int64, _ body: (_ number: Int, _ bytes: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let first = id * FingerprintStore.partsPerSet
    try connection.eachRow(
      "SELECT id, data FROM _syncstack_fingerprints WHERE id >= ? AND id < ? ORDER BY id",
      [first, first + FingerprintStore.partsPerSet]
    ) { try body(Int($0.integer(0) - first), $0.bytes(1)) }
  }

  /// The rows that changed after a generation, or nil when that is not known: part of the log is
  /// gone, or damaged.
  func changes(after generation: Int64) throws -> [FingerprintChange]? {
    let now = try Metadata(connection: connection).integer(.generation) ?? 0
    if now == generation { return [] }
    let statement = try connection.statement(
      "SELECT data FROM _syncstack_print_log WHERE generation > ?", [generation])
    defer { statement.reset() }
    var changes: [FingerprintChange] = []
    var count: Int64 = 0
    while try statement.step() {
      count += 1
      guard !statement.isNull(0), let entry = FingerprintLogEntry.decode(statement.bytes(0)) else {
        return nil
      }
      changes.append(contentsOf: entry)
    }
    return count == now - generation ? changes : nil
  }

  // MARK: - Writing

  /// The number of a key's set, a new one when there is none.
  ///
  /// - Parameter taken: The largest number that the transaction has given already; 0 is none.
  func makeSet(_ key: ContentFingerprint, above taken: Int64) throws -> Int64 {
    if let known = try set(key) { return known.id }
    try connection.execute(FingerprintStore.partTable)
    let part = try connection.scalar("SELECT max(id) FROM _syncstack_fingerprints") ?? 0
    let last = max(taken, part / FingerprintStore.partsPerSet)
    guard last < FingerprintStore.largestSet else {
      throw StoreError.damaged("_syncstack_fingerprints", "row \(part)", "id", part)
    }
    guard try oldestGeneration() != nil else { return last + 1 }
    let set = try connection.scalar("SELECT max(id) FROM _syncstack_print_sets") ?? 0
    return try checkedSet(max(last, checkedSet(set)) + 1)
  }

  /// Writes a part of a set; nil removes it.
  ///
  /// - Parameter isNew: Whether there is no such part. To replace one, SQLite keeps the pages that
  ///   it has to take back if that fails, even those that leave its cache meanwhile.
  func writePart(
    _ number: Int, of id: Int64, _ bytes: UnsafeRawBufferPointer?, isNew: Bool
  ) throws {
    let row = id * FingerprintStore.partsPerSet + Int64(number)
    guard let bytes else {
      return try connection.run("DELETE FROM _syncstack_fingerprints WHERE id = ?", [row])
    }
    let statement = try connection.statement(
      "INSERT \(isNew ? "" : "OR REPLACE ")INTO _syncstack_fingerprints (id, data) VALUES (?, ?)")
    statement.bind(1, row)
    statement.bind(2, .blob(bytes))
    defer { statement.clearBindings() }
    try statement.run()
  }

  /// Removes all parts of a set.
  func clear(_ id: Int64) throws {
    try connection.run(
      "DELETE FROM _syncstack_fingerprints WHERE id >= ? AND id < ?",
      [id * FingerprintStore.partsPerSet, (id + 1) * FingerprintStore.partsPerSet])
  }

  /// Notes the changes of a transaction, for all sets but those that it kept itself.
  ///
  /// - Parameter oldest: ``oldestGeneration()``, before the transaction.
  func finish(
    _ changes: [ChangeSet.EntityChanges], generation: Int64, oldest: Int64?,
    kept: [KeptFingerprintSet]
  ) throws {
    guard oldest != nil || !kept.isEmpty else { return }
    if oldest == nil { try FingerprintStore.endTables.forEach(connection.execute) }
    if !changes.isEmpty, let tables = try tables(besides: kept.map(\.id)) {
      try log(changes, generation: generation, tables: tables)
    }
    for set in kept { try write(set, generation: generation) }
    if !kept.isEmpty {
      try removeSets(
        "ORDER BY generation DESC, id DESC LIMIT -1 OFFSET ?", FingerprintStore.setLimit)
    }
    if !kept.isEmpty || generation - (oldest ?? generation) > FingerprintStore.logLimit {
      try trim(generation: generation)
    }
  }

  private func write(_ kept: KeptFingerprintSet, generation: Int64) throws {
    let statement = try connection.statement(
      "INSERT INTO _syncstack_print_sets (id, key, generation, tables, head) VALUES (?, ?, ?, ?, ?) "
        + "ON CONFLICT (id) DO UPDATE SET "
        + "generation = excluded.generation, tables = excluded.tables, head = excluded.head")
    defer { statement.clearBindings() }
    try FingerprintStore.withBytes(of: kept.key) { key in
      try kept.head.withUnsafeBytes { head in
        statement.bind(1, kept.id)
        statement.bind(2, .blob(key))
        statement.bind(3, generation)
        statement.bind(4, kept.tables)
        statement.bind(5, .blob(head))
        try statement.run()
      }
    }
  }

  /// The tables that other sets are about; nil when there is none.
  private func tables(besides ids: [Int64]) throws -> Int64? {
    var result: Int64?
    try connection.eachRow("SELECT tables, id FROM _syncstack_print_sets") {
      if !ids.contains($0.integer(1)) { result = (result ?? 0) | $0.integer(0) }
    }
    return result
  }

  private func log(_ changes: [ChangeSet.EntityChanges], generation: Int64, tables: Int64) throws {
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO _syncstack_print_log (generation, data) VALUES (?, ?)")
    statement.bind(1, generation)
    defer { statement.clearBindings() }
    guard
      let words = FingerprintLogEntry.encode(
        changes, tables: tables, limit: FingerprintStore.rowLimit)
    else {
      statement.bindNull(2)
      return try statement.run()
    }
    try words.withUnsafeBytes { bytes in
      statement.bind(2, .blob(bytes))
      try statement.run()
    }
  }

  /// - Parameter selection: Which sets, in SQL.
  private func removeSets(_ selection: String, _ value: Int64) throws {
    let ids = try connection.all("SELECT id FROM _syncstack_print_sets \(selection)", [value]) {
      try checkedSet($0.integer(0))
    }
    for id in ids {
      try clear(id)
      try connection.execute("DELETE FROM _syncstack_print_sets WHERE id = \(id)")
    }
  }

  /// Forgets entries that no set needs, and sets that are too far behind.
  private func trim(generation: Int64) throws {
    try removeSets("WHERE generation < ?", generation - FingerprintStore.logLimit)
    let metadata = Metadata(connection: connection)
    let oldest = try connection.scalar("SELECT min(generation) FROM _syncstack_print_sets")
    try connection.run("DELETE FROM _syncstack_print_log WHERE generation <= ?", [oldest ?? .max])
    if let oldest {
      try metadata.set(.fingerprints, oldest)
    } else {
      try metadata.remove(.fingerprints)
    }
  }

  /// Forgets everything: the numbers in it mean something else from now on.
  func removeAll() throws {
    guard try oldestGeneration() != nil else { return }
    try forgetAll()
  }

  /// Forgets all sets, under any content of the tables.
  func forgetAll() throws {
    try connection.execute(FingerprintStore.partTable)
    try FingerprintStore.endTables.forEach(connection.execute)
    for table in ["print_sets", "fingerprints", "print_log"] {
      try connection.execute("DELETE FROM _syncstack_\(table)")
    }
    try Metadata(connection: connection).remove(.fingerprints)
  }

  private static func withBytes<T>(
    of key: ContentFingerprint, _ body: (UnsafeRawBufferPointer) throws -> T
  ) rethrows -> T {
    try withUnsafeBytes(of: (key.low, key.high), body)
  }
}
