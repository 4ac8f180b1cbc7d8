import Dispatch
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
    /// How many are on loan.
    var used = 0
    var isClosed = false
    var isSuspended = false
    /// Those that wait until it goes on.
    var waiting: [DispatchSemaphore] = []
    /// The one that waits until none is on loan.
    var returned: DispatchSemaphore?
  }

  /// What becomes of a request for a reader.
  private enum Loan {
    case idle(Idle)
    case none
    case suspended
  }

  private let path: String
  private let options: Connection.Options
  private let isReadOnly: Bool
  private let recorder: StatementRecorder
  private let mayWait: @Sendable () -> Bool
  private let state = Locked(State())

  /// More idle connections than this are closed.
  private let limit = 4

  init(path: String, _ configuration: StoreConfiguration, _ recorder: StatementRecorder) {
    self.path = path
    self.recorder = recorder
    isReadOnly = configuration.isReadOnly
    mayWait = configuration.mayWait
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
    var loan = try borrow()
    while case .suspended = loan {
      // One that must not wait reads all the same: its connection is closed right behind it.
      let insists = !mayWait()
      if !insists { wait() }
      loan = try borrow(insists: insists)
    }
    if case .idle(let idle) = loan { return idle.connection }
    do {
      let connection = try Connection(path: path, options: try nextOptions(), recorder: recorder)
      connection.measurePages()
      return connection
    } catch {
      noteReturn()
      throw error
    }
  }

  private func borrow(insists: Bool = false) throws -> Loan {
    try state.withLock { state in
      if state.isClosed { throw StoreError.closed }
      if state.isSuspended, !insists { return .suspended }
      state.used += 1
      return state.idle.popLast().map { .idle($0) } ?? .none
    }
  }

  /// Waits until the store goes on.
  private func wait() {
    let semaphore = DispatchSemaphore(value: 0)
    let isWaiting = state.withLock { state in
      if state.isSuspended { state.waiting.append(semaphore) }
      return state.isSuspended
    }
    if isWaiting { semaphore.wait() }
  }

  private func giveBack(_ connection: Connection) {
    let idle = Idle(connection: connection)
    let isKept = state.withLock { state in
      guard !state.isClosed, !state.isSuspended, state.idle.count < limit else { return false }
      state.idle.append(idle)
      return true
    }
    if !isKept { connection.close() }
    noteReturn()
  }

  private func noteReturn() {
    let returned = state.withLock { state in
      state.used -= 1
      guard state.used == 0 else { return nil as DispatchSemaphore? }
      defer { state.returned = nil }
      return state.returned
    }
    returned?.signal()
  }

  /// Closes all readers, those in use when they come back, and has others wait. Returns when none
  /// is open.
  func suspend() {
    let semaphore = DispatchSemaphore(value: 0)
    let isWaiting = state.withLock { state in
      state.isSuspended = true
      if state.used > 0 { state.returned = semaphore }
      return state.used > 0
    }
    closeIdle()
    if isWaiting { semaphore.wait() }
  }

  /// Lets those that wait go on.
  func resume() {
    let (waiting, returned) = state.withLock { state in
      state.isSuspended = false
      defer { (state.waiting, state.returned) = ([], nil) }
      return (state.waiting, state.returned)
    }
    for semaphore in waiting { semaphore.signal() }
    returned?.signal()
  }

  /// Closes those that are not in use.
  func closeIdle() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for reader in idle { reader.connection.close() }
  }

  /// Closes idle readers now, and those in use when they come back.
  func close() {
    state.withLock { $0.isClosed = true }
    closeIdle()
  }
}
