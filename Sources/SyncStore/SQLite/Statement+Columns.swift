import CSyncStackSQLite
import Foundation
import SyncCore

/// The columns of the current row.
extension Statement {
  @inline(__always)
  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  @inline(__always)
  func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(column))
  }

  /// The integer of the column, or nil for null.
  @inline(__always)
  func optionalInteger(_ column: Int) -> Int64? {
    let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: column))
    return sqlite3_value_type(value) == SQLITE_NULL ? nil : sqlite3_value_int64(value)
  }

  func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

  @inline(__always)
  func real(_ column: Int) -> Double {
    sqlite3_column_double(handle, Int32(column))
  }

  /// Text or bytes of the column where SQLite keeps them, until the next step.
  ///
  /// For text too, asks for the blob: that never converts and never terminates
  /// (https://www.sqlite.org/c3ref/column_blob.html).
  @inline(__always)
  func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }

  func text(_ column: Int) -> String {
    String(decoding: bytes(column), as: UTF8.self)
  }

  /// The column as it is stored, without copies; valid until the next step.
  @inline(__always)
  func cell(_ column: Int) -> Cell {
    let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: column))
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case SQLITE_TEXT: return .text(Statement.bytes(value))
    case SQLITE_BLOB: return .blob(Statement.bytes(value))
    default: return .null
    }
  }

  @inline(__always)
  private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value)
    let count = Int(sqlite3_value_bytes(value))
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }

  /// Whether a cell, which must not be absent, says something else than the column holds.
  ///
  /// Takes the value once and asks that: each call that names a column checks the statement anew. A
  /// connection without mutexes makes no difference between protected values and these
  /// (https://www.sqlite.org/c3ref/value.html).
  @inline(__always)
  func differs(_ column: Int, from cell: Cell) -> Bool {
    let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: column))
    let type = sqlite3_value_type(value)
    switch cell.kind {
    case .text, .blob:
      let isText = if case .text = cell.kind { true } else { false }
      guard type == (isText ? SQLITE_TEXT : SQLITE_BLOB) else { return true }
      let count = Int(sqlite3_value_bytes(value))
      guard count == cell.length else { return true }
      guard count > 0, let start = sqlite3_value_blob(value),
        let other = UnsafeRawPointer(bitPattern: UInt(cell.word))
      else { return false }
      return memcmp(start, other, count) != 0
    case .integer:
      let integer = Int64(bitPattern: cell.word)
      if type == SQLITE_INTEGER { return sqlite3_value_int64(value) != integer }
      return type != SQLITE_FLOAT || sqlite3_value_double(value) != Double(integer)
    case .real:
      let real = Double(bitPattern: cell.word)
      // SQLite keeps not-a-number as null (https://www.sqlite.org/quirks.html).
      if real.isNaN { return type != SQLITE_NULL }
      guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { return true }
      return sqlite3_value_double(value) != real
    case .absent, .null:
      return type != SQLITE_NULL
    }
  }

  /// The column as a value of an attribute type; nil type is a reference.
  func value(_ column: Int, as type: AttributeType?) -> Value {
    let stored = sqlite3_column_type(handle, Int32(column))
    guard stored != SQLITE_NULL else { return .null }
    guard let type else { return .int(integer(column)) }
    switch type {
    case .integer16, .integer32, .integer64: return .int(integer(column))
    case .boolean: return .bool(integer(column) != 0)
    case .double, .float: return .double(real(column))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: real(column)))
    case .string: return .string(text(column))
    case .binary: return .data(Data(bytes(column)))
    case .transformable: return Value(storedBytes: Data(bytes(column)), as: type)
    case .decimal, .uuid, .uri: return Value(storedText: text(column), as: type)
    }
  }

  /// The column by its storage alone, for results that are not properties.
  func value(_ column: Int) -> Value {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .int(integer(column))
    case SQLITE_FLOAT: .double(real(column))
    case SQLITE_TEXT: .string(text(column))
    case SQLITE_BLOB: .data(Data(bytes(column)))
    default: .null
    }
  }
}

/// The value in a column of the current row, valid until the next step.
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
