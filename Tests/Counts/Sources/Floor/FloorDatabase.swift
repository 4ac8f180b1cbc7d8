import CSQLite

/// The error message of SQLite.
struct FloorError: Error, CustomStringConvertible {
  let description: String
}

/// A connection, thin.
final class FloorDatabase {
  private let handle: OpaquePointer

  init(path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      throw FloorError(description: "cannot open \(path)")
    }
    self.handle = handle
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = NORMAL")
  }

  func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  func statement(_ sql: String) throws -> FloorStatement {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil) == SQLITE_OK, let statement else {
      throw failure()
    }
    return FloorStatement(statement, self)
  }

  func failure() -> FloorError {
    FloorError(description: String(cString: sqlite3_errmsg(handle)))
  }

  func close() { sqlite3_close_v2(handle) }
}

final class FloorStatement {
  let handle: OpaquePointer
  private let database: FloorDatabase

  init(_ handle: OpaquePointer, _ database: FloorDatabase) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  @inline(__always)
  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else { throw database.failure() }
    sqlite3_reset(handle)
    return false
  }

  @inline(__always)
  func run() throws {
    while try step() {}
  }

  @inline(__always)
  func bind(_ index: Int32, _ slot: Slot) {
    switch slot.kind {
    case .null: sqlite3_bind_null(handle, index)
    case .integer: sqlite3_bind_int64(handle, index, slot.integer)
    case .real: sqlite3_bind_double(handle, index, slot.real)
    case .text:
      sqlite3_bind_text(
        handle, index, slot.bytes?.assumingMemoryBound(to: CChar.self), Int32(slot.length), nil)
    }
  }

  @inline(__always)
  func bind(_ index: Int32, _ value: Int64) {
    sqlite3_bind_int64(handle, index, value)
  }

  @inline(__always)
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// Whether the current row holds something else than the slots.
  @inline(__always)
  func differs(from slots: UnsafePointer<Slot>, count: Int) -> Bool {
    for index in 1..<count {
      let slot = slots[index]
      let column = Int32(truncatingIfNeeded: index)
      switch slot.kind {
      case .null:
        if sqlite3_column_type(handle, column) != SQLITE_NULL { return true }
      case .integer:
        if sqlite3_column_int64(handle, column) != slot.integer
          || slot.integer == 0 && sqlite3_column_type(handle, column) == SQLITE_NULL
        {
          return true
        }
      case .real:
        if sqlite3_column_double(handle, column) != slot.real
          || slot.real == 0 && sqlite3_column_type(handle, column) == SQLITE_NULL
        {
          return true
        }
      case .text:
        guard let text = sqlite3_column_text(handle, column),
          sqlite3_column_bytes(handle, column) == Int32(slot.length), let bytes = slot.bytes,
          memoryIsEqual(text, bytes, Int(slot.length))
        else { return true }
      }
    }
    return false
  }
}
