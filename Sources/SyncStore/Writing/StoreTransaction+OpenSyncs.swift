package import Foundation
import SyncCore

/// Keeping of syncs that are not over, in the transaction of the part that they have come to.
extension StoreTransaction {
  /// Leaves a sync open.
  ///
  /// - Parameter head: The small facts of it, in the place of the former ones; nil leaves it and
  ///   the revision as they are.
  /// - Returns: The sync as it stands now, with a head its revision one more than before.
  package func keepOpen(_ kind: String, _ name: String, head: Data?) throws -> OpenSync {
    try requireOpen()
    if try !hasOpenSyncs {
      for table in OpenSyncTables.creation { try connection.execute(table) }
    }
    try connection.run(
      // An identifier never comes again, so an ended sync is not taken for another one of its name.
      "INSERT INTO _syncstack_open_syncs (id, kind, name, revision, head) "
        + "VALUES (random() & 0x1FFFFFFFFFFFFF, ?1, ?2, ?4, coalesce(?3, x'')) "
        + "ON CONFLICT (kind, name) "
        + "DO UPDATE SET revision = revision + ?4, head = coalesce(?3, head)",
      [kind, name, head, Int64(head == nil ? 0 : 1)])
    guard let sync = try openSync(kind, name) else {
      throw StoreError(.failed, message: "The sync that was just kept is not there.")
    }
    return sync
  }

  /// Forgets an open sync and everything that its parts said.
  package func forget(_ sync: OpenSync) throws {
    try requireOpen()
    try forgetParts(of: sync)
    try connection.run("DELETE FROM _syncstack_open_syncs WHERE id = ?", [sync.id])
  }

  /// Forgets the parts of an open sync, but not the sync.
  package func forgetParts(of sync: OpenSync) throws {
    for part in OpenSyncTables.parts {
      try connection.run("DELETE FROM _syncstack_open_\(part) WHERE sync = ?", [sync.id])
    }
  }

  /// Writes pages of sets of row numbers in the place of the former ones.
  package func write(_ pages: [OpenSync.RowPage], of sync: OpenSync) throws {
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO _syncstack_open_rows (sync, name, page, bits) VALUES (?, ?, ?, ?)")
    for page in pages {
      var data = Data(capacity: page.words.count * 8)
      for word in page.words {
        withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
      }
      statement.bind(1, sync.id)
      statement.bind(2, page.set)
      statement.bind(3, Int64(page.page))
      statement.bind(4, .data(data))
      try statement.run()
    }
  }

  /// Adds members to lists, and takes others out first.
  package func write(
    _ members: [OpenSync.Member], removing removed: [OpenSync.Member], of sync: OpenSync
  ) throws {
    let deletion = try connection.statement(
      "DELETE FROM _syncstack_open_members WHERE sync = ? AND list = ? AND member = ?")
    for member in removed {
      deletion.bind(1, sync.id)
      deletion.bind(2, member.list)
      deletion.bind(3, member.row)
      try deletion.run()
    }
    let insertion = try connection.statement(
      "INSERT OR REPLACE INTO _syncstack_open_members (sync, list, member, value) "
        + "VALUES (?, ?, ?, ?)")
    for member in members {
      insertion.bind(1, sync.id)
      insertion.bind(2, member.list)
      insertion.bind(3, member.row)
      insertion.bind(4, member.value)
      try insertion.run()
    }
  }

  /// Adds references, and takes others out first, by their numbers.
  package func write(
    _ references: [OpenSync.Reference], removing removed: [Int64], of sync: OpenSync
  ) throws {
    let deletion = try connection.statement(
      "DELETE FROM _syncstack_open_references WHERE sync = ? AND number = ?")
    for number in removed {
      deletion.bind(1, sync.id)
      deletion.bind(2, number)
      try deletion.run()
    }
    for reference in references {
      try connection.run(
        "INSERT OR REPLACE INTO _syncstack_open_references (sync, number, owner, entity, relationship, "
          + "destination, object_key, owner_key, position, flags) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
          sync.id, reference.number, reference.owner, reference.ownerEntity,
          reference.relationship, reference.destination, reference.key.archive,
          reference.ownerKey, reference.position, reference.flags,
        ])
    }
  }

  /// Writes pages with names. A mark that is nil stays as it was.
  package func write(_ pages: [OpenSync.Page], of sync: OpenSync) throws {
    let statement = try connection.statement(
      "INSERT INTO _syncstack_open_pages (sync, name, stored, begun, mark) VALUES (?1, ?2, ?3, ?4, ?5) "
        + "ON CONFLICT (sync, name) DO UPDATE SET stored = max(stored, ?3), begun = ?4, "
        + "mark = coalesce(?5, mark)")
    for page in pages {
      statement.bind(1, sync.id)
      statement.bind(2, page.name)
      statement.bind(3, Int64(page.isStored ? 1 : 0))
      statement.bind(4, Int64(page.isBegun ? 1 : 0))
      statement.bind(5, page.mark.map(Value.string) ?? .null)
      try statement.run()
    }
  }
}
