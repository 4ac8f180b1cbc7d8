import Foundation
import SyncCore

/// What sessions and stopped imports keep can be read by whoever goes on with them.
struct SessionRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.sessions

  private struct Part {
    let table: String

    /// A select of the number of the session for each row that cannot be read.
    let select: String
    let message: String
  }

  private var parts: [Part] {
    let pages = RowSet.pieces
    let wrong = [
      Part(
        table: "_syncstack_open_rows",
        select: "SELECT sync FROM _syncstack_open_rows WHERE typeof(page) <> 'integer' "
          + "OR page NOT BETWEEN \(pages.lowerBound) AND \(pages.upperBound)",
        message: "a page is about numbers that no row has"),
      Part(
        table: "_syncstack_open_members",
        select:
          "SELECT sync FROM _syncstack_open_members WHERE NOT (\(ConsistencyText.isRow("member"))) "
          + "OR NOT (\(ConsistencyText.isCountable("value")))",
        message: "a member is none that a list can have"),
      Part(
        table: "_syncstack_open_references",
        select:
          "SELECT sync FROM _syncstack_open_references WHERE NOT (\(ConsistencyText.isRow("owner"))) "
          + "OR NOT (\(ConsistencyText.isCountable("number"))) "
          + "OR NOT (\(ConsistencyText.isCountable("position")))",
        message: "a reference that waits for its object is of no object, or has no place"),
    ]
    let lost = OpenSyncTables.parts.map { part in
      Part(
        table: "_syncstack_open_\(part)",
        select: "SELECT sync FROM _syncstack_open_\(part) "
          + "WHERE sync NOT IN (SELECT id FROM _syncstack_open_syncs)",
        message: "a row is of no session")
    }
    return wrong + lost
  }

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    guard try reader.hasOpenSyncs else { return [] }
    var result = try parts.compactMap { part -> ConsistencyProblem? in
      let found = try reader.look(part.select)
      guard found.count > 0 else { return nil }
      return ConsistencyProblem(
        kind, part.table, count: found.count, examples: found.examples, part.message)
    }
    let unreadable = try unreadableKeys(reader)
    if !unreadable.isEmpty {
      result.append(
        ConsistencyProblem(
          kind, "_syncstack_open_references", count: unreadable.count,
          examples: Array(unreadable.prefix(5)),
          "the key of a reference that waits for its object cannot be read"))
    }
    return result
  }

  /// The sessions of references whose keys cannot be read, one for each reference.
  private func unreadableKeys(_ reader: StoreReader) throws -> [Int64] {
    let statement = try reader.connection.ownedStatement(
      "SELECT sync, object_key FROM _syncstack_open_references")
    var result: [Int64] = []
    while try statement.step() {
      if Value(archive: Data(statement.bytes(1))) == nil { result.append(statement.integer(0)) }
    }
    return result
  }

  func repair(_ transaction: StoreTransaction) throws {
    guard try transaction.hasOpenSyncs else { return }
    var sessions = Set(try unreadableKeys(transaction))
    for part in parts { sessions.formUnion(try transaction.integers(part.select)) }
    for session in sessions.sorted() {
      for part in OpenSyncTables.parts {
        try transaction.connection.execute(
          "DELETE FROM _syncstack_open_\(part) WHERE sync = \(session)")
      }
      try transaction.connection.execute("DELETE FROM _syncstack_open_syncs WHERE id = \(session)")
    }
  }
}
