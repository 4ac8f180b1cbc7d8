package import Foundation
package import SyncCore

/// The bytes of a binary attribute that are here and on the server, so that they may go here: in
/// `_syncstack_remote_bodies`, which an engine makes whose model has such attributes.
package struct RemoteBody: Sendable {
  package let zone: String

  /// The record, the field, and the stamp that the field had.
  package let record: String
  package let field: String
  package let stamp: String
  package let hash: String
  package let size: Int64

  /// When it was last asked for, in milliseconds since 1970.
  package let used: Int64

  package init(
    zone: String, record: String, field: String, stamp: String, hash: String, size: Int64,
    used: Int64
  ) {
    self.zone = zone
    self.record = record
    self.field = field
    self.stamp = stamp
    self.hash = hash
    self.size = size
    self.used = used
  }
}

extension StoreReader {
  /// Bodies that are here and on the server, the one that was not asked for for longest first.
  package func remoteBodies(in zone: String) throws -> [RemoteBody] {
    try prepared.all(
      "SELECT record, field, stamp, hash, size, used_ms FROM _syncstack_remote_bodies "
        + "WHERE zone = ? ORDER BY used_ms, record, field", [zone]
    ) { statement in
      RemoteBody(
        zone: zone, record: statement.text(0), field: statement.text(1),
        stamp: statement.text(2), hash: statement.text(3), size: statement.integer(4),
        used: statement.integer(5))
    }
  }

  /// Numbers of rows of exactly an entity of which an attribute holds so many bytes that begin with
  /// others. Bytes beyond the beginning of long values are not read.
  package func rows(
    of entity: EntityDescription, slot: Int, holding count: Int, from beginning: Data
  ) throws -> [Int64] {
    try prepareToRead()
    let target = layout[entity]
    guard let column = target.column(slot)?.quoted else { return [] }
    let family = target.table.hasEntityColumn ? "_entity = \(target.number) AND " : ""
    return try connection.all(
      "SELECT _row FROM \(target.table.identifier.quoted) WHERE \(family)CASE WHEN length(\(column)) = ?1 "
        + "THEN substr(\(column), 1, \(beginning.count)) = ?2 ELSE 0 END ORDER BY _row",
      [Int64(count), beginning]
    ) { statement in statement.integer(0) }
  }

  /// Those of some rows in which an attribute is empty. The values of the others are not read.
  package func emptyRows(
    among rows: [Int64], of entity: EntityDescription, slot: Int
  ) throws -> Set<Int64> {
    try prepareToRead()
    guard let column = layout[entity].column(slot)?.quoted else { return [] }
    return Set(
      try connection.all(
        "SELECT _row FROM \(layout[entity].table.identifier.quoted) "
          + "WHERE _row IN \(KeyChunks.listed) AND \(column) IS NULL", [KeyChunks.list(rows)]
      ) { $0.integer(0) })
  }
}

extension StoreTransaction {
  /// Makes the table unless it is there.
  package func makeRemoteBodies() throws {
    try requireOpen()
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS _syncstack_remote_bodies (zone TEXT NOT NULL, record TEXT NOT NULL, "
        + "field TEXT NOT NULL, stamp TEXT NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, "
        + "used_ms INTEGER NOT NULL, PRIMARY KEY (zone, record, field)) WITHOUT ROWID")
  }

  package func setRemoteBody(_ body: RemoteBody) throws {
    try requireOpen()
    try connection.run(
      "INSERT OR REPLACE INTO _syncstack_remote_bodies (zone, record, field, stamp, hash, size, used_ms) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?)",
      [body.zone, body.record, body.field, body.stamp, body.hash, body.size, body.used])
  }

  /// Notes that a body was asked for.
  package func touchRemoteBody(
    _ record: String, _ field: String, in zone: String, at time: Int64
  ) throws {
    try requireOpen()
    try connection.run(
      "UPDATE _syncstack_remote_bodies SET used_ms = ?4 WHERE zone = ?1 AND record = ?2 AND field = ?3",
      [zone, record, field, time])
  }

  package func removeRemoteBody(_ record: String, _ field: String, in zone: String) throws {
    try requireOpen()
    try connection.run(
      "DELETE FROM _syncstack_remote_bodies WHERE zone = ? AND record = ? AND field = ?",
      [zone, record, field])
  }
}
