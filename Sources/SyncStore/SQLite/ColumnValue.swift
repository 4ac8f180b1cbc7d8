import CSyncStackSQLite

/// What a column of the current row holds, valid until the next step.
///
/// Takes the value once and asks that: each call that names a column checks the statement anew. A
/// connection without mutexes makes no difference between protected values and these
/// (https://www.sqlite.org/c3ref/value.html).
struct ColumnValue {
  private let handle: OpaquePointer?

  @inline(__always)
  init(_ statement: Statement, _ column: Int) {
    handle = sqlite3_column_value(statement.handle, Int32(truncatingIfNeeded: column))
  }

  @inline(__always)
  var isNull: Bool { sqlite3_value_type(handle) == SQLITE_NULL }

  @inline(__always)
  var integer: Int64 { sqlite3_value_int64(handle) }

  @inline(__always)
  var real: Double { sqlite3_value_double(handle) }

  /// Text or bytes where SQLite keeps them; numbers as text.
  @inline(__always)
  var bytes: UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(handle)
    let count = Int(sqlite3_value_bytes(handle))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }
}
