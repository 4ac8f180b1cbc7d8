import CSyncStackSQLite
import SyncCore
import Synchronization

/// A prepared statement. Confined to the queue of its connection.
///
/// ```swift
/// statement.bind(1, row)
/// while try statement.step() { … statement.integer(0) … }
/// statement.reset()
/// ```
final class Statement {
  let sql: String
  let handle: OpaquePointer
  private let connection: OpaquePointer
  private let recorder: StatementRecorder

  /// Whether the statement has been stepped and not been reset.
  private(set) var isActive = false

  /// The first failure of a bind since the last step.
  var bindFailure = SQLITE_OK

  /// Prepares one statement.
  ///
  /// - Throws: ``StoreError`` when the text is not one valid statement.
  @inline(never)
  init(_ sql: String, connection: OpaquePointer, recorder: StatementRecorder, isKept: Bool) throws {
    var handle: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil)
    guard code == SQLITE_OK, let handle else {
      if let error = FilterError(limitIn: connection, code) { throw error }
      throw StoreError.sqlite(code, on: connection, sql: sql)
    }
    self.sql = sql
    self.handle = handle
    self.connection = connection
    self.recorder = recorder
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

  /// Runs a statement that returns no rows, and resets it. A call costs nothing beside the
  /// statement, where a copy of all this at each of 175 places cost time to compile.
  @inline(never)
  func run() throws {
    while try step() {}
  }

  /// Happens once a run, not once a row, so it is called where ``step()`` is inlined.
  @inline(never)
  private func begin() throws {
    if bindFailure != SQLITE_OK {
      let error = StoreError.sqlite(bindFailure, on: connection, sql: sql)
      bindFailure = SQLITE_OK
      throw error
    }
    recorder.willExecute(sql)
    isActive = true
  }

  @inline(never)
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
}

@available(*, unavailable, message: "A statement is confined to the queue of its connection.")
extension Statement: Sendable {}

/// Counts the statements of all connections of a store, and keeps their texts when asked to.
///
/// Counters are atomic; the texts are in a mutex that is taken only while recording.
package final class StatementRecorder: Sendable {
  private let executedCount = Atomic<Int>(0)
  private let isRecording = Atomic<Bool>(false)
  private let texts = Locked<[String]>([])

  package init() {}

  /// How many statements were run.
  package var executed: Int { executedCount.load(ordering: .relaxed) }

  /// Runs a closure and returns the texts of the statements that were run meanwhile, in order.
  package func record(_ body: () throws -> Void) rethrows -> [String] {
    texts.withLock { $0.removeAll() }
    isRecording.store(true, ordering: .relaxed)
    defer { isRecording.store(false, ordering: .relaxed) }
    try body()
    return texts.withLock { $0 }
  }

  @inline(__always)
  func willExecute(_ sql: @autoclosure () -> String) {
    executedCount.wrappingAdd(1, ordering: .relaxed)
    if isRecording.load(ordering: .relaxed) {
      let sql = sql()
      texts.withLock { $0.append(sql) }
    }
  }
}

/// Prepared statements of one connection by their text. Preparing costs ten times as much as
/// running, so nothing that runs more than once is prepared twice.
///
/// Keeps a bounded number: filters with different shapes would pile up otherwise.
struct StatementCache {
  private var statements: [String: (statement: Statement, use: Int)] = [:]
  private var clock = 0
  private let limit = 400

  /// The cached statement of that text when it is not running.
  mutating func idleStatement(_ sql: String) -> Statement? {
    guard let index = statements.index(forKey: sql) else { return nil }
    let statement = statements.values[index].statement
    guard !statement.isActive else { return nil }
    clock += 1
    statements.values[index].use = clock
    return statement
  }

  /// Whether a statement of that text is kept already.
  func contains(_ sql: String) -> Bool { statements[sql] != nil }

  mutating func insert(_ statement: Statement) {
    if statements.count >= limit { evict() }
    clock += 1
    statements[statement.sql] = (statement, clock)
  }

  mutating func removeAll() {
    statements.removeAll()
  }

  /// Drops the half that was not used for the longest time.
  private mutating func evict() {
    let uses = statements.values.map(\.use).sorted()
    let median = uses[uses.count / 2]
    statements = statements.filter { $0.value.use > median || $0.value.statement.isActive }
  }
}
