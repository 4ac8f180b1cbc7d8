import CSyncStackSQLite
import Foundation
import SyncCore

/// A prepared statement. Confined to the queue of its connection.
///
/// ```swift
/// statement.bind(1, row)
/// while try statement.step() { … statement.integer(0) … }
/// statement.reset()
/// ```
final class Statement {
  let sql: String
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  private let recorder: StatementRecorder

  /// Whether the statement has been stepped and not been reset.
  private(set) var isActive = false

  /// The first failure of a bind since the last step.
  private var bindFailure = SQLITE_OK

  /// Prepares one statement.
  ///
  /// - Throws: ``StoreError`` when the text is not one valid statement.
  init(_ sql: String, connection: OpaquePointer, recorder: StatementRecorder, isKept: Bool) throws {
    var handle: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil)
    guard code == SQLITE_OK, let handle else {
      throw StoreError.sqlite(code, on: connection, sql: sql)
    }
    self.sql = sql
    self.handle = handle
    self.connection = connection
    self.recorder = recorder
    recorder.didPrepare()
  }

  deinit {
    sqlite3_finalize(handle)
  }

  // MARK: - Running

  /// Moves to the next row.
  ///
  /// - Returns: false when there are no more rows; the statement is reset then.
  @inline(__always)
  func step() throws -> Bool {
    if !isActive { try begin() }
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    try finish(code)
    return false
  }

  /// Runs a statement that returns no rows, and resets it.
  @inline(__always)
  func run() throws {
    while try step() {}
  }

  private func begin() throws {
    if bindFailure != SQLITE_OK {
      let error = StoreError.sqlite(bindFailure, on: connection, sql: sql)
      bindFailure = SQLITE_OK
      throw error
    }
    recorder.willExecute(sql)
    isActive = true
  }

  private func finish(_ code: Int32) throws {
    isActive = false
    if code == SQLITE_DONE {
      sqlite3_reset(handle)
      return
    }
    // The message belongs to the connection and has to be read before the reset.
    let error = StoreError.sqlite(code, on: connection, sql: sql)
    let message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? ""
    sqlite3_reset(handle)
    // A pattern that came from data: the same error as in memory.
    if message.hasPrefix(SQLFunction.badPattern) {
      try TextPattern.check(String(message.dropFirst(SQLFunction.badPattern.count)))
    }
    throw error
  }

  /// Ends a run early.
  func reset() {
    guard isActive else { return }
    isActive = false
    sqlite3_reset(handle)
  }

  // MARK: - Binding

  var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  @inline(__always)
  func bind(_ index: Int32, _ value: Int64) {
    note(sqlite3_bind_int64(handle, index, value))
  }

  func bindNull(_ index: Int32) {
    note(sqlite3_bind_null(handle, index))
  }

  /// Binds what a cell says without copying it: the cell's memory has to stay until the statement
  /// has run and its bindings were replaced or cleared. Absent is stored as null.
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

  // MARK: - Reading columns of the current row

  var columnCount: Int { Int(sqlite3_column_count(handle)) }

  func columnName(_ column: Int) -> String {
    sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? ""
  }

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
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(real(column))
    case SQLITE_TEXT: .text(bytes(column))
    case SQLITE_BLOB: .blob(bytes(column))
    default: .null
    }
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

@available(*, unavailable, message: "A statement is confined to the queue of its connection.")
extension Statement: Sendable {}
