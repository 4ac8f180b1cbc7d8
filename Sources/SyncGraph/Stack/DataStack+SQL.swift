import Dispatch
public import SyncCore
public import SyncStore

/// SQL for the questions that filters cannot put: reports, window functions, joins of one's own.
extension DataStack {
  /// The answer to one statement of SQL that reads, from the last commit.
  ///
  /// ```swift
  /// let rows = try stack.rows(
  ///   "SELECT name, count(*) AS number FROM User WHERE age > ? GROUP BY name", [18])
  /// for row in rows { print(row["name"] ?? .null, try row.value("number", as: Int.self)) }
  /// ```
  ///
  /// Tables and columns have the names of the model, and values are stored as the page *The file*
  /// says; `_row` is the number of an object, and a to-one relationship that of the other one.
  /// Unsaved changes of contexts are not seen. Inside a sync of the same store, in a delegate or a
  /// serializer, the rows written so far are.
  ///
  /// It reads beside a write that runs, on a connection that cannot write; a store in memory has
  /// one connection only, so the call waits for the write there. All rows are in memory at the end:
  /// `LIMIT` bounds them. Any thread may call it. It cannot be stopped; the `async` form can.
  ///
  /// - Parameters:
  ///   - sql: One SELECT, WITH … SELECT or VALUES, with `?` in the place of each argument.
  ///   - arguments: A value for each placeholder; a date becomes the seconds that the file holds.
  /// - Returns: The rows in the order of the statement.
  /// - Throws: `StoreError`: with the code `invalidQuery` for another statement than one that
  ///   reads, for several, and when SQLite does not understand it; with `closed` when the stack was
  ///   closed.
  public func rows(_ sql: String, _ arguments: [any ValueConvertible] = []) throws -> [SQLRow] {
    let values = arguments.map(\.storedValue)
    return try store.read { try $0.rows(sql, values) }
  }

  /// The answer to one statement of SQL that reads, without holding the caller's thread; see the
  /// form that is not `async`. A cancelled task ends the statement where it is, within some
  /// milliseconds.
  ///
  /// - Throws: as the form that is not `async`, and `CancellationError`.
  public func rows(
    _ sql: String, _ arguments: [any ValueConvertible] = []
  ) async throws -> [SQLRow] {
    let (store, values) = (try store, arguments.map(\.storedValue))
    let token = TransactionToken()
    // A queue of its own has a thread when long statements have taken those of the global ones.
    let queue = DispatchQueue(label: "SyncStack.rows")
    do {
      return try await withTaskCancellationHandler {
        try await queue.result {
          if token.isStopped { throw CancellationError() }
          return try store.read { try $0.rows(sql, values, token: token) }
        }
      } onCancel: {
        store.interrupt(token)
      }
    } catch let error as StoreError where error.code == .interrupted && token.isStopped {
      throw CancellationError()
    }
  }
}
