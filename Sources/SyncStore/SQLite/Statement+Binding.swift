import CSyncStackSQLite
import Foundation
import SyncCore

/// Values for the placeholders of a statement.
extension Statement {
  @inline(__always)
  func bind(_ index: Int32, _ value: Int64) {
    note(sqlite3_bind_int64(handle, index, value))
  }

  func bindNull(_ index: Int32) {
    note(sqlite3_bind_null(handle, index))
  }

  /// Binds the value of a cell without copying it: the cell's memory has to stay until the
  /// statement has run and its bindings were replaced or cleared. Absent is stored as null.
  @inline(__always)
  func bind(_ index: Int32, _ cell: Cell) {
    switch cell.kind {
    case .integer:
      note(sqlite3_bind_int64(handle, index, cell.integer))
    case .real:
      note(sqlite3_bind_double(handle, index, cell.real))
    case .text where cell.length == Cell.longest, .blob where cell.length == Cell.longest:
      note(SQLITE_TOOBIG)
    case .text:
      // SQLite takes a missing address for null, which empty text is not.
      let start = cell.bytes.baseAddress ?? Statement.nothing
      note(
        sqlite3_bind_text64(
          handle, index, start.assumingMemoryBound(to: CChar.self), UInt64(cell.length), nil,
          UInt8(SQLITE_UTF8)))
    case .blob:
      note(
        sqlite3_bind_blob64(
          handle, index, cell.bytes.baseAddress ?? Statement.nothing, UInt64(cell.length), nil))
    case .absent, .null:
      note(sqlite3_bind_null(handle, index))
    }
  }

  /// Binds a value; text and data are copied.
  func bind(_ index: Int32, _ value: Value) {
    switch value {
    case .null: bindNull(index)
    case .bool(let value): bind(index, Int64(value ? 1 : 0))
    case .int(let value): bind(index, value)
    case .double(let value): note(sqlite3_bind_double(handle, index, value))
    case .date(let value):
      note(sqlite3_bind_double(handle, index, value.timeIntervalSinceReferenceDate))
    case .decimal(let value): bind(index, value.canonicalText)
    case .string(let value): bind(index, value)
    case .uuid(let value): bind(index, value.uuidString)
    case .url(let value): bind(index, value.absoluteString)
    case .data(let value):
      value.withUnsafeBytes { bytes in
        note(
          sqlite3_bind_blob64(
            handle, index, bytes.baseAddress ?? Statement.nothing, UInt64(bytes.count),
            Statement.transient))
      }
    }
  }

  /// Binds text; it is copied.
  func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      let start = bytes.baseAddress.map(UnsafeRawPointer.init) ?? Statement.nothing
      note(
        sqlite3_bind_text64(
          handle, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
          Statement.transient, UInt8(SQLITE_UTF8)))
    }
  }

  /// Binds values to the placeholders in order.
  func bind(_ values: [Value]) {
    for (index, value) in values.enumerated() { bind(Int32(index + 1), value) }
  }

  /// Binds texts to the first placeholders in order; they are copied.
  func bind(_ texts: [String?]) {
    for (index, text) in texts.enumerated() {
      if let text { bind(Int32(index + 1), text) } else { bindNull(Int32(index + 1)) }
    }
  }

  /// Forgets all bindings, so that no address of a batch stays in a cached statement.
  func clearBindings() {
    sqlite3_clear_bindings(handle)
  }

  @inline(__always)
  private func note(_ code: Int32) {
    if code != SQLITE_OK, bindFailure == SQLITE_OK { bindFailure = code }
  }

  /// An address for empty text and data.
  private static var nothing: UnsafeRawPointer {
    UnsafeRawPointer(("" as StaticString).utf8Start)
  }

  /// Tells SQLite to copy (SQLITE_TRANSIENT, which is a cast that Swift cannot import).
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
