import SyncCore

/// Connections that read beside the writer. Each belongs to one reader at a time.
final class ReaderPool: Sendable {
  /// A connection on its way between threads, used by one of them at a time.
  private struct Idle: @unchecked Sendable {
    // Taken out of the pool under its mutex before use and put back after use.
    let connection: Connection
  }

  private struct State {
    var idle: [Idle] = []
    var isClosed = false
  }

  private let path: String
  private let options: Connection.Options
  private let isReadOnly: Bool
  private let recorder: StatementRecorder
  private let state = Locked(State())

  /// More idle connections than this are closed.
  private let limit = 4

  init(path: String, _ configuration: StoreConfiguration, _ recorder: StatementRecorder) {
    self.path = path
    self.recorder = recorder
    isReadOnly = configuration.isReadOnly
    options = Connection.Options(mode: .reader, busyTimeout: configuration.busyTimeout)
  }

  /// Runs the body with a reader that sees one state of the database throughout.
  func read<T>(layout: TableLayout, _ body: (StoreReader) throws -> T) throws -> T {
    let connection = try take()
    defer { giveBack(connection) }
    try connection.beginDeferred()
    defer { connection.endRead() }
    return try body(StoreReader(layout: layout, connection: connection))
  }

  /// The options with which the next reader is opened.
  private func nextOptions() throws -> Connection.Options {
    guard isReadOnly else { return options }
    var options = options
    options.mode = try ReadOnlyFile(path).mode()
    return options
  }

  private func take() throws -> Connection {
    let idle = try state.withLock { state -> Idle? in
      if state.isClosed { throw StoreError.closed }
      return state.idle.popLast()
    }
    if let idle { return idle.connection }
    let connection = try Connection(path: path, options: try nextOptions(), recorder: recorder)
    connection.measurePages()
    return connection
  }

  private func giveBack(_ connection: Connection) {
    let idle = Idle(connection: connection)
    let isKept = state.withLock { state in
      guard !state.isClosed, state.idle.count < limit else { return false }
      state.idle.append(idle)
      return true
    }
    if !isKept { connection.close() }
  }

  /// Closes idle readers now, and those in use when they come back.
  func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for reader in idle { reader.connection.close() }
  }
}
