import Dispatch
import Foundation
import SyncCore

/// An open connection to PostgreSQL.
///
/// No call waits for a server that stands still: it ends when the line has been silent for as long
/// as ``Patience/silence`` says, and soon after ``Patience/isCancelled`` has become true. The line
/// is of no use then, because the answer may still come: ``abandon(on:)`` it.
final class PostgreSQLLine: @unchecked Sendable {
  // Unchecked: one queue has it.

  /// How long a call waits.
  struct Patience: Sendable {
    /// Seconds without anything heard from the server.
    let silence: Double
    let isCancelled: @Sendable () -> Bool

    /// Milliseconds between two looks at ``isCancelled``.
    static let slice = 100

    var late: CloudError {
      CloudError(
        .unreachable,
        message: "PostgreSQL did not answer within \(silence) seconds. Sync again later.")
    }
  }

  let library: LibPQ
  let connection: LibPQ.Connection
  private let password: String?

  /// Connects. Libpq looks up names and signs in on a thread of its own, which is left behind when
  /// that takes too long; libpq ends it after its `connect_timeout`.
  ///
  /// - Throws: ``PostgreSQLFailure``; ``CloudError`` when the server is silent;
  ///   `CancellationError`.
  init(_ address: PostgreSQLAddress, _ patience: Patience) throws {
    library = try LibPQ.load()
    password = address.password
    let arrival = Arrival(library)
    DispatchQueue(label: "SyncStack PostgreSQL connect").async { [library] in
      arrival.come(Result { try address.connect(library, within: patience.silence) })
    }
    connection = try arrival.wait(patience, times: address.hosts)
    _ = library.setnonblocking(connection, 1)
  }

  deinit {
    library.finish(connection)
  }

  /// Runs a statement, and gives the first value of its first row.
  ///
  /// - Returns: The value; nil for SQL's null, and for a statement that gives no rows.
  /// - Throws: ``PostgreSQLFailure``; ``CloudError`` when the server is silent;
  ///   `CancellationError`.
  func value(_ statement: String, _ arguments: [String?], _ patience: Patience) throws -> String? {
    let texts = CTexts(arguments)
    let isSent = texts.withPointer {
      library.sendQueryParams(connection, statement, CInt(arguments.count), nil, $0, nil, nil, 0)
    }
    guard isSent == 1 else { throw failure(nil) }
    try send(patience)
    var last: LibPQ.Result?
    defer { library.clear(last) }
    while true {
      try receive(patience)
      guard let result = library.getResult(connection) else { break }
      // The first error says more than the errors that follow from it.
      if isGood(last) || last == nil {
        library.clear(last)
        last = result
      } else {
        library.clear(result)
      }
    }
    guard let last, isGood(last) else { throw failure(last) }
    guard library.ntuples(last) > 0, library.getisnull(last, 0, 0) == 0,
      let value = library.getvalue(last, 0, 0)
    else { return nil }
    let length = Int(library.getlength(last, 0, 0))
    return String(decoding: UnsafeRawBufferPointer(start: value, count: length), as: UTF8.self)
  }

  /// Has the server end the statement that may still run.
  ///
  /// - Parameter queue: Where that is done: a server that stands still keeps a thread waiting.
  func abandon(on queue: DispatchQueue) {
    let canceller = Canceller(library: library, pointer: library.getCancel(connection))
    queue.async { canceller.cancel() }
  }

  // MARK: - Waiting

  private func isGood(_ result: LibPQ.Result?) -> Bool {
    [LibPQ.tuplesOK, LibPQ.commandOK].contains(library.resultStatus(result))
  }

  private func failure(_ result: LibPQ.Result?) -> PostgreSQLFailure {
    PostgreSQLFailure(result, connection, library, hiding: password)
  }

  /// Sends the rest that libpq could not hand to the socket at once.
  private func send(_ patience: Patience) throws {
    while true {
      switch library.flush(connection) {
      case 0: return
      case 1:
        if try wait(patience, writes: true).isReadable { _ = library.consumeInput(connection) }
      default: throw failure(nil)
      }
    }
  }

  /// Reads until a whole result is there.
  private func receive(_ patience: Patience) throws {
    while library.isBusy(connection) == 1 {
      _ = try wait(patience, writes: false)
      // The result reports a lost line; the return value would add nothing.
      _ = library.consumeInput(connection)
    }
  }

  private func wait(_ patience: Patience, writes: Bool) throws -> SocketState {
    let end = ContinuousClock.now + .seconds(patience.silence)
    while true {
      if patience.isCancelled() { throw CancellationError() }
      let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
      guard left > 0 else { throw patience.late }
      let state = SocketState.wait(
        for: library.socket(connection), writes: writes,
        milliseconds: CInt(min(left.rounded(.up), Double(Patience.slice))))
      if state.isReadable || state.isWritable { return state }
    }
  }
}

/// Ends a statement from outside. Unchecked: one queue uses it, once.
private struct Canceller: @unchecked Sendable {
  let library: LibPQ
  let pointer: LibPQ.Canceller?

  func cancel() {
    guard let pointer else { return }
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      guard let text = text.baseAddress else { return }
      _ = library.cancel(pointer, text, 256)
    }
    library.freeCancel(pointer)
  }
}

/// A connection that is being made, and that one side waits for until it is left.
private final class Arrival: Sendable {
  /// Unchecked: one side at a time has it.
  private struct Made: @unchecked Sendable { let connection: LibPQ.Connection }

  private enum State: Sendable {
    case expected
    case here(Result<Made, any Error>)
    case left
  }

  private let library: LibPQ
  private let state = Locked(State.expected)
  private let bell = DispatchSemaphore(value: 0)

  init(_ library: LibPQ) { self.library = library }

  func come(_ result: Result<LibPQ.Connection, any Error>) {
    let result = result.map(Made.init)
    let isLeft = state.withLock { state in
      if case .left = state { return true }
      state = .here(result)
      return false
    }
    if isLeft, case .success(let made) = result { library.finish(made.connection) }
    bell.signal()
  }

  /// - Parameter times: How many hosts are tried, one after the other.
  func wait(_ patience: PostgreSQLLine.Patience, times: Int) throws -> LibPQ.Connection {
    // As libpq, not less than two seconds: to sign in takes several answers.
    let end = ContinuousClock.now + .seconds(max(patience.silence, 2) * Double(times))
    while bell.wait(timeout: .now() + .milliseconds(PostgreSQLLine.Patience.slice)) == .timedOut {
      let isCancelled = patience.isCancelled()
      guard isCancelled || ContinuousClock.now >= end else { continue }
      let isHere = state.withLock { state in
        if case .here = state { return true }
        state = .left
        return false
      }
      if isHere { break }
      throw isCancelled ? CancellationError() : patience.late
    }
    guard case .here(let result) = state.withLock({ $0 }) else { throw patience.late }
    return try result.get().connection
  }
}
