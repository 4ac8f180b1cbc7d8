package import SyncCore

/// The name by which machines know an object.
package struct SharedName: Sendable, Hashable {
  package let name: String

  /// The zone in which it has that name.
  package let zone: String
}

extension StoreReader {
  /// The names of the members of an ordered to-many relationship, in their latest order; nil when
  /// there is none. Members may be missing in it, and some in it may not be here.
  package func remoteList(of owner: String, _ field: String, in zone: String) throws -> [String]? {
    try prepared.first(
      "SELECT names FROM _syncstack_remote_lists WHERE zone = ? AND owner = ? AND field = ?",
      [zone, owner, field]
    ) { $0.text(0).split(separator: " ").map(String.init) }
  }

  /// The names by which machines know objects of one table, by row; those that were never synced
  /// remotely have none.
  package func sharedNames(
    of rows: [Int64], _ entity: EntityDescription
  ) throws -> [Int64: SharedName] {
    try prepareToRead()
    guard try Metadata(connection: connection).integer(.remote) != nil else { return [:] }
    let statement = try connection.statement(
      "SELECT object_row, name, zone FROM _syncstack_remote_records WHERE root = ?1 "
        + "AND object_row IN (SELECT value FROM json_each(?2))",
      [entity.rootEntity.name, KeyChunks.list(rows)])
    defer { statement.clearBindings() }
    var result: [Int64: SharedName] = [:]
    while try statement.step() {
      result[statement.integer(0)] = SharedName(name: statement.text(1), zone: statement.text(2))
    }
    statement.reset()
    return result
  }
}

extension StoreTransaction {
  /// Keeps the order of a list. Names with blanks in them are none.
  package func setRemoteList(
    _ names: [String], of owner: String, _ field: String, in zone: String
  ) throws {
    try requireOpen()
    let usable = names.filter { !$0.utf8.contains(UInt8(ascii: " ")) }
    try connection.run(
      "INSERT OR REPLACE INTO _syncstack_remote_lists (zone, owner, field, names) "
        + "VALUES (?, ?, ?, ?)", [zone, owner, field, usable.joined(separator: " ")])
  }

  /// Forgets the orders of the lists of a record.
  package func removeRemoteLists(of owner: String, in zone: String) throws {
    try requireOpen()
    try connection.run(
      "DELETE FROM _syncstack_remote_lists WHERE zone = ? AND owner = ?", [zone, owner])
  }
}
