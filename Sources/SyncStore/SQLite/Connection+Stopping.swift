import CSyncStackSQLite

/// How work on a connection ends early.
extension Connection {
  /// Lets SQLite ask every so many steps of a statement whether the transaction was stopped
  /// (https://www.sqlite.org/c3ref/progress_handler.html): some ten microseconds apart, and a
  /// hundredth of a per cent of them.
  func registerProgressHandler() {
    sqlite3_progress_handler(
      handle, 1000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().isStopped ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Waits for other connections and processes, as SQLite's own time limit does, but in steps of at
  /// most ten milliseconds, so that a transaction that was stopped waits no longer
  /// (https://www.sqlite.org/c3ref/busy_handler.html).
  func registerBusyHandler() {
    sqlite3_busy_handler(
      handle,
      { context, count in
        guard let context else { return 0 }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().waits(Int(count))
          ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Waits a while.
  ///
  /// - Parameter count: How often it has waited for the same lock.
  /// - Returns: Whether to try again.
  private func waits(_ count: Int) -> Bool {
    let step = min(count + 1, 10)
    // 1 + 2 + … + 10 milliseconds, then ten each time.
    let waited = count <= 10 ? count * (count + 1) / 2 : 55 + (count - 10) * 10
    guard !isStopped, waited + step <= busyMilliseconds else { return false }
    sqlite3_sleep(Int32(step))
    return !isStopped
  }

  private var isStopped: Bool { token?.isStopped ?? false }
}

/// Reaches into a connection from other threads to stop the statement it runs.
struct ConnectionInterrupter: @unchecked Sendable {
  // The pointer is only passed to sqlite3_interrupt, which other threads may call as long as the
  // connection is open; the owner sees to that (https://www.sqlite.org/c3ref/interrupt.html).
  private let handle: OpaquePointer

  init(_ connection: Connection) {
    handle = connection.handle
  }

  func interrupt() {
    sqlite3_interrupt(handle)
  }
}
