import Foundation
import SyncCore

// The tables that syncs, the history and remote sync keep beside the rows.
extension ConsistencyRule {
  /// Sets of fingerprints are about states of the store that there were, and the log tells all that
  /// was changed since.
  static func fingerprints(_ reader: StoreReader) throws -> [ConsistencyRule] {
    guard try reader.hasTable("_syncstack_print_sets") else { return [] }
    let now = "(SELECT value FROM _syncstack WHERE key = 'generation')"
    let sets = [
      ("a set has a number that is none", "id NOT BETWEEN 0 AND \(FingerprintStore.largestSet)"),
      (
        "a set is about a commit that was not made",
        "typeof(generation) <> 'integer' OR generation NOT BETWEEN 0 AND \(now)"
      ),
      (
        "the log does not say what was changed since a set was made",
        "generation BETWEEN 0 AND \(now) "
          + "AND (SELECT count(*) FROM _syncstack_print_log l WHERE l.generation > s.generation) "
          + "<> \(now) - s.generation"
      ),
    ].map { message, condition in
      ConsistencyRule(
        kind: .fingerprints, table: "_syncstack_print_sets", message: message,
        select: "SELECT id FROM _syncstack_print_sets s WHERE \(condition)",
        mend: forgetFingerprints)
    }
    let log = ConsistencyRule(
      kind: .fingerprints, table: "_syncstack_print_log",
      message: "an entry of the log cannot be read",
      select: "SELECT generation, data FROM _syncstack_print_log WHERE data IS NOT NULL",
      mend: forgetFingerprints,
      isRight: { FingerprintLogEntry.decode($0.bytes(1)) != nil })
    return sets + [log]
  }

  /// The rows that sessions keep can be read when they go on.
  static func sessions(_ reader: StoreReader) throws -> [ConsistencyRule] {
    guard try reader.hasOpenSyncs else { return [] }
    func rule(
      _ part: String, _ message: String, also column: String = "",
      where condition: String = "true", isRight: ((Statement) throws -> Bool)? = nil
    ) -> ConsistencyRule {
      ConsistencyRule(
        kind: .sessions, table: "_syncstack_open_\(part)", message: message,
        select: "SELECT sync\(column) FROM _syncstack_open_\(part) WHERE \(condition)",
        mend: { transaction, sessions in
          for session in Set(sessions).sorted() {
            for part in OpenSyncTables.parts {
              try transaction.connection.execute(
                "DELETE FROM _syncstack_open_\(part) WHERE sync = \(session)")
            }
            try transaction.connection.execute(
              "DELETE FROM _syncstack_open_syncs WHERE id = \(session)")
          }
        }, isRight: isRight)
    }
    let pages = RowSet.pieces
    return [
      rule(
        "rows", "a page is about numbers that no row has",
        where: "typeof(page) <> 'integer' "
          + "OR page NOT BETWEEN \(pages.lowerBound) AND \(pages.upperBound)"),
      rule(
        "members", "a member is none that a list can have",
        where: "NOT (\(ConsistencyText.isRow("member"))) "
          + "OR NOT (\(ConsistencyText.isCountable("value")))"),
      rule(
        "references", "a reference that waits for its object is of no object, or has no place",
        where: "NOT (\(ConsistencyText.isRow("owner"))) "
          + "OR NOT (\(ConsistencyText.isCountable("number"))) "
          + "OR NOT (\(ConsistencyText.isCountable("position")))"),
      rule(
        "references", "the key of a reference that waits for its object cannot be read",
        also: ", object_key", isRight: { Value(archive: Data($0.bytes(1))) != nil }),
    ]
      + OpenSyncTables.parts.map {
        rule(
          $0, "a row is of no session",
          where: "sync NOT IN (SELECT id FROM _syncstack_open_syncs)")
      }
  }

  /// Entries of the history can be read.
  static func history(_ reader: StoreReader) throws -> [ConsistencyRule] {
    guard try reader.hasTable("_syncstack_history") else { return [] }
    let far = Int64(1) << 53
    return [
      ConsistencyRule(
        kind: .history, table: "_syncstack_history",
        message: "a commit has a number or a time that is none",
        select: "SELECT txn FROM _syncstack_history "
          + "WHERE NOT (\(ConsistencyText.isCountable("txn"))) "
          + "OR typeof(ts_ms) <> 'integer' OR ts_ms NOT BETWEEN -\(far) AND \(far)"),
      ConsistencyRule(
        kind: .history, table: "_syncstack_history_changes", message: "a change is of no commit",
        select: "SELECT txn FROM _syncstack_history_changes "
          + "WHERE txn NOT IN (SELECT txn FROM _syncstack_history)"),
      ConsistencyRule(
        kind: .history, table: "_syncstack_history_changes",
        message: "a change holds no row numbers",
        select: "SELECT txn, object_row FROM _syncstack_history_changes",
        isRight: { (try? HistoryRows(stored: $0.value(1), of: $0.integer(0))) != nil }),
    ]
  }

  /// The tables of remote sync hold numbers of rows and times.
  static func remote(_ reader: StoreReader) throws -> [ConsistencyRule] {
    guard try reader.hasTable("_syncstack_remote_records") else { return [] }
    return [
      ConsistencyRule(
        kind: .remote, table: "_syncstack_remote_records",
        message: "a record is of an object that cannot be",
        select: "SELECT object_row FROM _syncstack_remote_records WHERE object_row IS NOT NULL "
          + "AND NOT (\(ConsistencyText.isRow("object_row")))"),
      ConsistencyRule(
        kind: .remote, table: "_syncstack_remote_zones", message: "the clock of a zone is no time",
        select: "SELECT clock FROM _syncstack_remote_zones "
          + "WHERE NOT (\(ConsistencyText.isCountable("clock")))"),
    ]
  }
}
