import Foundation
import SyncCore

/// A connection to PostgreSQL: made when it is first used, and made anew when it was lost.
///
/// A queue of its own waits for the answers, one after the other. A task that is cancelled gets no
/// answer and does not wait for one, whatever the state of the line. A statement that was
/// cancelled, or that the server does not answer in time, gives up the line, and the server is told
/// to end the statement.
final class PostgreSQLConnection: @unchecked Sendable {
  // Unchecked: the line is touched on the queue only, and freed with the last reference to this.

  private let address: PostgreSQLAddress
  private let timeout: Double
  private let queue = DispatchQueue(label: "SyncStack PostgreSQL")
  private let abandoning = DispatchQueue(label: "SyncStack PostgreSQL cancel")
  private var line: PostgreSQLLine?

  init(_ address: PostgreSQLAddress, timeout: Double) {
    self.address = address
    self.timeout = max(Seconds.clamped(timeout), 0.1)
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
    let call = PostgreSQLCall()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        call.begin(continuation)
        queue.async { [self] in
          guard !call.isCancelled else { return }
          call.end(Result { try run(statement, arguments, isRepeatable, call) })
        }
      }
    } onCancel: {
      call.cancel()
    }
  }

  // MARK: - On the queue

  private func run(
    _ statement: String, _ arguments: [String?], _ isRepeatable: Bool, _ call: PostgreSQLCall
  ) throws -> String? {
    // How often it is run again when other transactions came in between, so that nothing was done:
    // this is the usual answer to it. Each wait is drawn from twice the time of the one before, so
    // that transactions that hinder each other do not come back at the same moment.
    var left = 20
    var longest = 0.001
    while true {
      let isUsed = line != nil
      do {
        return try runOnce(statement, arguments, call)
      } catch let failure as PostgreSQLFailure {
        left -= 1
        let isLost = failure.isOfConnection && isRepeatable && isUsed
        guard left > 0, isLost || failure.isOfOthers, !call.isCancelled else { throw failure.error }
        if failure.isOfOthers {
          Thread.sleep(forTimeInterval: .random(in: 0...longest))
          longest = min(longest * 2, 0.25)
        }
      }
    }
  }

  private func runOnce(
    _ statement: String, _ arguments: [String?], _ call: PostgreSQLCall
  ) throws -> String? {
    let patience = PostgreSQLLine.Patience(silence: timeout) { call.isCancelled }
    let line = try line ?? PostgreSQLLine(address, patience)
    self.line = line
    do {
      return try line.value(statement, arguments, patience)
    } catch let failure as PostgreSQLFailure {
      if failure.isOfConnection { self.line = nil }
      throw failure
    } catch {
      line.abandon(on: abandoning)
      self.line = nil
      throw error
    }
  }
}

/// A statement and the task that waits for it; it ends once, with an answer or because it was
/// cancelled.
private final class PostgreSQLCall: Sendable {
  private struct State {
    var continuation: CheckedContinuation<String?, any Error>?
    var isCancelled = false
  }

  private let state = Locked(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func begin(_ continuation: CheckedContinuation<String?, any Error>) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.continuation = continuation }
      return state.isCancelled
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
  }

  func end(_ result: Result<String?, any Error>) {
    let continuation = state.withLock { state in
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(with: result)
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    end(.failure(CancellationError()))
  }
}
