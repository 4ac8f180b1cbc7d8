import Dispatch
import SyncCore

/// A connection to PostgreSQL: made when it is first used, and made anew when it was lost.
///
/// A queue of its own waits for the answers, one after the other. A task that is cancelled, and an
/// answer that does not come in time, cancel the statement on the server; the connection is given
/// up then, so that a cancellation that comes late meets nobody else's statement.
final class PostgreSQLConnection: @unchecked Sendable {
  // Unchecked: the connection is touched on the queue only, and while nobody else has it.

  /// Why a statement that runs is to end.
  private enum Stop: Sendable { case cancelled, late }

  /// The statement that runs. Unchecked: a pointer that is used under a lock only.
  private struct Running: @unchecked Sendable {
    /// Nil before and after.
    var canceller: LibPQ.Canceller?
    var stop: Stop?
  }

  private let address: PostgreSQLAddress
  private let timeout: Double
  private let queue = DispatchQueue(label: "SyncStack PostgreSQL")
  private var connection: LibPQ.Connection?

  init(_ address: PostgreSQLAddress, timeout: Double) {
    self.address = address
    self.timeout = max(Seconds.clamped(timeout), 0.1)
  }

  deinit {
    guard let connection else { return }
    try? LibPQ.load().finish(connection)
  }

  /// Runs a statement, and gives the first value of its first row.
  ///
  /// - Parameter isRepeatable: Whether it may be run once more when the connection turns out to be
  ///   lost.
  /// - Returns: The value; nil for SQL's null, and for a statement that gives no rows.
  /// - Throws: ``CloudError``; `CancellationError`.
  func value(
    _ statement: String, _ arguments: [String?], isRepeatable: Bool = true
  ) async throws -> String? {
    try Task.checkCancellation()
    let running = Shared(Running())
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [self] in
          continuation.resume(
            with: Result { try run(statement, arguments, isRepeatable, running) })
        }
      }
    } onCancel: {
      // Elsewhere: telling the server may take as long as a connection does, and whoever cancels
      // may be the main queue.
      DispatchQueue.global().async { Self.end(running, .cancelled) }
    }
  }

  // MARK: - On the queue

  private func run(
    _ statement: String, _ arguments: [String?], _ isRepeatable: Bool, _ running: Shared<Running>
  ) throws -> String? {
    let isUsed = connection != nil
    do {
      return try runOnce(statement, arguments, running)
    } catch let failure as PostgreSQLFailure
      where failure.isOfConnection && isRepeatable && isUsed
    {
      return try runAgain(statement, arguments, running)
    } catch let failure as PostgreSQLFailure where failure.isOfOthers {
      // Somebody else's transaction came in between, and nothing was done: this is the usual answer
      // to it.
      return try runAgain(statement, arguments, running)
    } catch let failure as PostgreSQLFailure {
      throw failure.error
    }
  }

  private func runAgain(
    _ statement: String, _ arguments: [String?], _ running: Shared<Running>
  ) throws -> String? {
    var left = 20
    while true {
      do {
        return try runOnce(statement, arguments, running)
      } catch let failure as PostgreSQLFailure {
        left -= 1
        guard failure.isOfOthers, left > 0 else { throw failure.error }
      }
    }
  }

  private func runOnce(
    _ statement: String, _ arguments: [String?], _ running: Shared<Running>
  ) throws -> String? {
    let library = try LibPQ.load()
    let connection = try connection ?? address.connect(library)
    self.connection = connection
    let watchdog = DispatchWorkItem { Self.end(running, .late) }
    let canceller = library.getCancel(connection)
    let isStopped = running.withLock { running in
      running.canceller = canceller
      return running.stop != nil
    }
    defer {
      watchdog.cancel()
      running.withLock { $0.canceller = nil }
      if let canceller { library.freeCancel(canceller) }
    }
    guard !isStopped else { throw CancellationError() }
    DispatchQueue.global().asyncAfter(deadline: .now() + timeout, execute: watchdog)
    let texts = CTexts(arguments)
    let result = texts.withPointer {
      library.execParams(
        connection, statement, CInt(arguments.count), nil, $0, nil, nil, 0)
    }
    defer { library.clear(result) }
    let stop = running.withLock { running in
      running.canceller = nil
      return running.stop
    }
    if stop != nil { close(library) }
    let status = library.resultStatus(result)
    guard let result, status == LibPQ.tuplesOK || status == LibPQ.commandOK else {
      if stop == .cancelled { throw CancellationError() }
      if stop == .late { throw Self.late(timeout) }
      let failure = PostgreSQLFailure(
        result, connection, library, hiding: address.password)
      if failure.isOfConnection { close(library) }
      throw failure
    }
    guard library.ntuples(result) > 0, library.getisnull(result, 0, 0) == 0,
      let value = library.getvalue(result, 0, 0)
    else {
      return nil
    }
    let length = Int(library.getlength(result, 0, 0))
    return String(
      decoding: UnsafeRawBufferPointer(start: value, count: length), as: UTF8.self)
  }

  private func close(_ library: LibPQ) {
    if let connection { library.finish(connection) }
    connection = nil
  }

  // MARK: - From anywhere

  /// Has the server end the statement, if it still runs.
  private static func end(_ running: Shared<Running>, _ reason: Stop) {
    running.withLock { running in
      guard running.stop == nil else { return }
      running.stop = reason
      guard let canceller = running.canceller, let library = try? LibPQ.load() else { return }
      // Under the lock, so that nobody frees it meanwhile.
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
        guard let text = text.baseAddress else { return }
        _ = library.cancel(canceller, text, 256)
      }
    }
  }

  private static func late(_ seconds: Double) -> CloudError {
    CloudError(
      .unreachable,
      message: "PostgreSQL did not answer within \(seconds) seconds. Sync again later.")
  }
}

/// A value under a lock that several hold.
private final class Shared<Value: Sendable>: Sendable {
  private let value: Locked<Value>

  init(_ value: Value) { self.value = Locked(value) }

  func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    value.withLock { body(&$0) }
  }
}
