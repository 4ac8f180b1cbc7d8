import CSQLite
import Foundation
import Measuring

/// The SQLite C API with prepared statements, over a file that GRDB made. No other program writes
/// to the file, or it would have to read pages again that it knows. The log is folded back between
/// measurements, as SyncStack folds its own after a save and not in it.
final class Floor {
  private let handle: OpaquePointer

  init(path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      throw MeasuringError("The floor cannot open \(path).")
    }
    self.handle = handle
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = NORMAL")
    try run("PRAGMA wal_autocheckpoint = 0")
  }

  deinit { sqlite3_close_v2(handle) }

  private func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw MeasuringError("The floor failed: \(String(cString: sqlite3_errmsg(handle)))")
    }
  }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw MeasuringError("The floor failed: \(String(cString: sqlite3_errmsg(handle)))")
    }
    return statement
  }

  /// Folds the log back.
  func fold() throws { try run("PRAGMA wal_checkpoint") }

  /// Writes two columns of each person in one transaction.
  func update(_ persons: [(id: Int64, name: String, age: Int64)]) throws {
    try run("BEGIN IMMEDIATE")
    let statement = try prepare("UPDATE person SET name = ?, age = ? WHERE id = ?")
    defer { sqlite3_finalize(statement) }
    for person in persons {
      var name = person.name
      let code = name.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
          sqlite3_bind_text(statement, 1, text.baseAddress, Int32(text.count), nil)
          sqlite3_bind_int64(statement, 2, person.age)
          sqlite3_bind_int64(statement, 3, person.id)
          return sqlite3_step(statement)
        }
      }
      guard code == SQLITE_DONE else { throw MeasuringError("The floor could not update.") }
      sqlite3_reset(statement)
    }
    try run("COMMIT")
  }
}
