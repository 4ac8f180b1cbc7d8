package import SyncCore

/// Reading the tables of remote sync. Every call needs the tables: see
/// ``StoreTransaction/makeRemoteTables()``.
extension StoreReader {
  /// The state of a zone; nil when it was never opened.
  package func remoteZone(_ name: String) throws -> RemoteZone? {
    try prepared.first(
      "SELECT account, generation, token, history, clock, model, enrolled, deleted, "
        + "pulled_ms, pushed_ms, witness, newest, readonly "
        + "FROM _syncstack_remote_zones WHERE name = ?", [name]
    ) { statement in
      var zone = RemoteZone(name)
      zone.account = statement.optionalText(0)
      zone.generation = statement.optionalText(1)
      zone.token = statement.optionalText(2)
      zone.history = statement.integer(3)
      zone.clock = statement.integer(4)
      guard zone.clock.isCountable else {
        throw StoreError.damaged("_syncstack_remote_zones", "zone “\(name)”", "clock", zone.clock)
      }
      zone.model = statement.optionalText(5)
      zone.isEnrolled = statement.integer(6) == 1
      zone.deleted = statement.integer(7)
      zone.lastPull = statement.optionalInteger(8)
      zone.lastPush = statement.optionalInteger(9)
      zone.witness = statement.optionalText(10)
      zone.newest = statement.integer(11)
      zone.isReadOnly = statement.integer(12) == 1
      return zone
    }
  }

  /// The names of all zones that anything is kept of.
  package func remoteZoneNames() throws -> [String] {
    try prepared.all(
      "SELECT name FROM _syncstack_remote_zones ORDER BY name"
    ) { statement in statement.text(0) }
  }

  /// The record of that name.
  package func remoteRecord(_ name: String, in zone: String) throws -> RemoteRecord? {
    try records(Self.ofName, [zone, name]).first
  }

  /// The records of that name in all zones: an object that went to another one has left one behind.
  package func remoteRecords(named name: String) throws -> [RemoteRecord] {
    try records(Self.ofNameAnywhere, [name])
  }

  /// The record of an object.
  ///
  /// - Parameter entity: the object's entity, or one above or below it.
  package func remoteRecord(of row: Int64, _ entity: EntityDescription) throws -> RemoteRecord? {
    try records(Self.ofObject, [entity.rootEntity.name, row]).first
  }

  /// The records of these names that are known, by name.
  package func remoteRecords(_ names: [String], in zone: String) throws -> [String: RemoteRecord] {
    try prepareToRead()
    let statement = try connection.statement(Self.ofName, [zone])
    defer { statement.reset() }
    var result: [String: RemoteRecord] = [:]
    result.reserveCapacity(names.count)
    for name in names {
      statement.bind(2, name)
      if try statement.step() { result[name] = try record(statement) }
      statement.reset()
    }
    return result
  }

  /// Those of some objects of an entity that have records.
  package func remoteRows(of entity: EntityDescription, among rows: [Int64]) throws -> Set<Int64> {
    try prepareToRead()
    let statement = try connection.statement(
      "SELECT 1 FROM _syncstack_remote_records WHERE root = ?1 AND object_row = ?2",
      [entity.rootEntity.name])
    defer { statement.reset() }
    return Set(
      try rows.filter { row in
        statement.reset()
        statement.bind(2, row)
        return try statement.step()
      })
  }

  /// Records with something to send and without a problem, by name.
  ///
  /// - Parameter name: begins after this one.
  package func waitingRemoteRecords(
    in zone: String, after name: String, limit: Int
  ) throws -> [RemoteRecord] {
    try records(
      Self.selecting
        + "WHERE zone = ?1 AND waiting IS NOT NULL AND problem IS NULL AND name > ?2 ORDER BY name LIMIT ?3",
      [zone, name, limit])
  }

  /// Every record, by name.
  package func allRemoteRecords(in zone: String) throws -> [RemoteRecord] {
    try records(Self.selecting + "WHERE zone = ?1 ORDER BY name", [zone])
  }

  /// Records with a problem, by name.
  package func remoteProblems(in zone: String) throws -> [RemoteRecord] {
    try few("problem", "_syncstack_remote_problems", in: zone)
  }

  /// Records of which a part is kept aside, by name.
  package func keptRemoteRecords(in zone: String) throws -> [RemoteRecord] {
    try few("kept", "_syncstack_remote_kept", in: zone)
  }

  /// How many records have something to send, those with a problem among them.
  package func countWaitingRemoteRecords(in zone: String) throws -> Int {
    try count(
      "_syncstack_remote_records INDEXED BY _syncstack_remote_waiting "
        + "WHERE waiting IS NOT NULL AND zone = ?", zone)
  }

  /// How many records have an object.
  package func countRemoteObjects(in zone: String) throws -> Int {
    try count("_syncstack_remote_records WHERE object_row IS NOT NULL AND zone = ?", zone)
  }

  /// Whether any record has something to send.
  package func hasWaitingRemoteRecords(in zone: String) throws -> Bool {
    try prepared.hasRows(
      "SELECT 1 FROM _syncstack_remote_records INDEXED BY _syncstack_remote_waiting "
        + "WHERE waiting IS NOT NULL AND zone = ? LIMIT 1", [zone])
  }

  /// Whether any link of any zone waits for its target.
  package func hasRemoteLinks() throws -> Bool {
    try prepared.hasRows("SELECT 1 FROM _syncstack_remote_links LIMIT 1")
  }

  /// How many links of a zone wait for a target that may come: one that no zone knows, or that is
  /// on its way from one to another. A known target without an object was deleted, removed here, or
  /// went out of all those zones.
  ///
  /// - Parameter zones: Those in which a target may be.
  package func countRemoteLinks(in zone: String, toObjectsOf zones: [String]) throws -> Int {
    let known = "_syncstack_remote_records r WHERE r.name = l.target AND r.zone IN zones"
    return try prepared.all(
      "WITH zones(name) AS (SELECT value FROM json_each(?1)) "
        + "SELECT count(*) FROM _syncstack_remote_links l WHERE zone = ?2 "
        + "AND NOT EXISTS (SELECT 1 FROM \(known) AND r.object_row IS NOT NULL) "
        + "AND (NOT EXISTS (SELECT 1 FROM \(known)) "
        + "OR EXISTS (SELECT 1 FROM \(known) AND r.zone = l.zone AND r.moved LIKE 'to %' "
        + "AND substr(r.moved, 4) IN zones AND NOT EXISTS (SELECT 1 "
        + "FROM _syncstack_remote_records o WHERE o.zone = substr(r.moved, 4) "
        + "AND o.name = l.target)))",
      [JSONList.names(zones), zone]
    ) { Int($0.integer(0)) }.first ?? 0
  }

  /// How many values have lost.
  package func countRemoteConflicts(in zone: String) throws -> Int {
    try count("_syncstack_remote_conflicts WHERE zone = ?", zone)
  }

  /// All links, by source.
  package func remoteLinks(in zone: String) throws -> [RemoteLink] {
    try links("zone = ?", [zone]).map(\.link)
  }

  /// Links that wait for a target, in any zone.
  package func remoteLinks(to target: String) throws -> [(zone: String, link: RemoteLink)] {
    try links("target = ?", [target])
  }

  /// Links of a record that wait.
  package func remoteLinks(from source: String, in zone: String) throws -> [RemoteLink] {
    try links("zone = ? AND source = ?", [zone, source]).map(\.link)
  }

  /// Values that lost, latest first.
  package func remoteConflicts(in zone: String, limit: Int = .max) throws -> [RemoteConflict] {
    try prepared.all(
      "SELECT id, name, entity, field, value, stamp, winner, ts_ms "
        + "FROM _syncstack_remote_conflicts WHERE zone = ?1 ORDER BY id DESC LIMIT ?2",
      [zone, limit]
    ) { statement in
      var conflict = RemoteConflict(
        name: statement.text(1), entity: statement.text(2), field: statement.text(3),
        value: statement.text(4), stamp: statement.text(5), winner: statement.text(6))
      conflict.id = statement.integer(0)
      conflict.time = statement.integer(7)
      return conflict
    }
  }

  private func count(_ source: String, _ zone: String) throws -> Int {
    try prepared.first("SELECT count(*) FROM \(source)", [zone]) { Int($0.integer(0)) }
      ?? 0
  }

  private func links(
    _ condition: String, _ values: [String]
  ) throws -> [(zone: String, link: RemoteLink)] {
    try prepared.all(
      "SELECT zone, source, field, target, entity FROM _syncstack_remote_links "
        + "WHERE \(condition) ORDER BY zone, source, field", values
    ) { statement in
      let link = RemoteLink(
        source: statement.text(1), field: statement.text(2), target: statement.text(3),
        entity: statement.text(4))
      return (statement.text(0), link)
    }
  }

  /// Records that have a value that few have, by name. Without being told, SQLite reads all records
  /// of the zone.
  private func few(_ column: String, _ index: String, in zone: String) throws -> [RemoteRecord] {
    try records(
      Self.selecting
        + "INDEXED BY \(index) WHERE zone = ?1 AND \(column) IS NOT NULL ORDER BY name",
      [zone])
  }

  private func records(_ sql: String, _ values: [any ValueConvertible]) throws -> [RemoteRecord] {
    try prepared.all(sql, values) { statement in try record(statement) }
  }

  private static let selecting =
    "SELECT zone, name, entity, object_row, tag, stamp, stamps, deletion, waiting, kept, problem, "
    + "evicted, moved FROM _syncstack_remote_records "
  private static let ofName = selecting + "WHERE zone = ?1 AND name = ?2"
  private static let ofNameAnywhere =
    selecting + "WHERE zone IN (SELECT name FROM _syncstack_remote_zones) AND name = ?1"
  private static let ofObject = selecting + "WHERE root = ?1 AND object_row = ?2"

  private func record(_ statement: Statement) throws -> RemoteRecord {
    var record = RemoteRecord(
      zone: statement.text(0), name: statement.text(1), entity: statement.text(2),
      stamp: statement.text(5))
    record.row = statement.optionalInteger(3)
    if let row = record.row, !RowNumber.isValid(row) {
      throw StoreError.damaged(
        "_syncstack_remote_records", "record “\(record.name)”", "object_row", row)
    }
    record.tag = statement.optionalText(4)
    if !statement.isNull(6) { record.stamps = RemoteStamps(statement.text(6)) }
    record.deletion = statement.optionalText(7)
    if !statement.isNull(8) { record.waiting = RemoteRecord.waiting(statement.text(8)) }
    record.kept = statement.optionalText(9)
    record.problem = statement.optionalText(10)
    record.isEvicted = statement.integer(11) == 1
    if !statement.isNull(12) { record.moved = RemoteRecord.moved(statement.text(12)) }
    return record
  }
}
