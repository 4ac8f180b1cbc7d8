import CSyncStackSQLite
import SyncCore

extension StoreError {
  /// The error that a connection reports for its latest call, as users of a store meet it.
  ///
  /// - Parameter code: the code that the call returned, for connections that were never opened.
  static func sqlite(_ code: Int32, on connection: OpaquePointer?, sql: String? = nil) -> StoreError
  {
    let latest = connection.map(sqlite3_extended_errcode) ?? code
    let code = latest == SQLITE_OK ? code : latest
    let text = connection.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(code)
    let message = text.map { String(cString: $0) } ?? "error"
    let (kind, sentence) = explain(code, message)
    return StoreError(kind, message: sentence, sqliteCode: code, sql: sql)
  }

  /// Advice when another connection or process holds the store.
  package static let busyAdvice =
    "Try again when the other one has finished, or give a longer busy time limit."

  /// Advice when something writes through a store that was opened for reading.
  package static let readOnlyAdvice =
    "If the store was opened for reading only, open it without that option."

  private static func explain(_ code: Int32, _ message: String) -> (Code, String) {
    switch code & 0xff {
    case SQLITE_FULL:
      (
        .full,
        "There is no room left for the store (\(message)). Nothing was changed. Free some space, "
          + "or raise the size limit, and try again."
      )
    case SQLITE_BUSY, SQLITE_LOCKED:
      (
        .busy,
        "The store is in use by another connection or process (\(message)). Nothing was changed. "
          + busyAdvice
      )
    case SQLITE_READONLY:
      (
        .readOnly,
        "The store cannot be written (\(message)). Check the permissions of the file and of its "
          + "folder. " + readOnlyAdvice
      )
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
      (
        .cannotOpen,
        "The store cannot be opened (\(message)). Check that its folder exists and may be written."
      )
    case SQLITE_NOTADB:
      (
        .notADatabase,
        "The file of the store is not a SQLite database. Give another path, or remove the file."
      )
    case SQLITE_CORRUPT:
      (
        .notADatabase,
        "The file of the store is damaged (\(message)). Restore it from a copy, or remove it."
      )
    case SQLITE_IOERR:
      (
        .failed,
        "The file of the store cannot be read or written (\(message), SQLite code \(code)). Check that "
          + "its disk works and has room, and that no limit is set for the size of files (ulimit -f)."
      )
    case SQLITE_INTERRUPT:
      (.interrupted, "The work in the store was interrupted. Nothing was changed.")
    default:
      (.failed, "The store failed: \(message) (SQLite code \(code)).")
    }
  }

  /// Whether a row was inserted under a number that another one has.
  var isOfTakenRow: Bool {
    // SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_ROWID, which are no constants in Swift
    // (https://www.sqlite.org/rescode.html).
    sqliteCode == SQLITE_CONSTRAINT | 6 << 8 || sqliteCode == SQLITE_CONSTRAINT | 10 << 8
  }

  /// The same error about objects of an entity.
  func about(_ entity: String) -> StoreError {
    guard self.entity == nil else { return self }
    return StoreError(
      code, message: message, entity: entity, keys: keys, obstacles: obstacles,
      sqliteCode: sqliteCode, sql: sql)
  }

  /// The same error with the place of the store in its message.
  func at(_ path: String) -> StoreError {
    guard !path.isEmpty, !message.contains(path) else { return self }
    return StoreError(
      code, message: "\(path): \(message)", entity: entity, keys: keys,
      obstacles: obstacles, sqliteCode: sqliteCode, sql: sql)
  }
}

/// Numbers in a file that no version of the library writes: another program did, or the disk
/// failed.
extension StoreError {
  /// - Parameters:
  ///   - table: Name of the table.
  ///   - place: Which row it is: `row 7`, `source 1, target 2`.
  ///   - column: Where the number stands.
  @inline(never)
  static func damaged(
    _ table: String, _ place: String, _ column: String, _ value: Int64, entity: String? = nil
  ) -> StoreError {
    damaged(table, place, "\(column) is \(value), which no store writes", entity: entity)
  }

  /// - Parameter what: The damage, as the end of a sentence.
  static func damaged(
    _ table: String, _ place: String, _ what: String, entity: String? = nil
  ) -> StoreError {
    StoreError(
      .damaged,
      message:
        "Table “\(table)” is damaged: in \(place), \(what). Another program wrote to the file, or "
        + "its disk failed. Restore it from a copy, or let stack.checkConsistency() or “syncstack check” say "
        + "what is wrong with it and what can be repaired.",
      entity: entity)
  }
}

extension Int64 {
  /// The number, where it is so far from the ends of its type that it can be counted on: versions,
  /// positions, generations.
  var isCountable: Bool { self >= 0 && self <= .max / 2 }
}
