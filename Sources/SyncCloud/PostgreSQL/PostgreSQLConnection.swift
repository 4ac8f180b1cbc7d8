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
    try Task.checkCancellation()
    // Only a task that is cancelled ends it before its statement.
    let answer = Awaited<String?>()
    queue.async { [self] in
      guard !answer.hasEnded else { return }
      answer.end(Result { try run(statement, arguments, isRepeatable, answer) })
    }
    return try await answer.value()
  }

  // MARK: - On the queue

  private func run(
    _ statement: String, _ arguments: [String?], _ isRepeatable: Bool, _ answer: Awaited<String?>
  ) throws -> String? {
    // How often it is run again when other transactions came in between, so that nothing was done:
    // this is the usual answer to it. Each wait is drawn from twice the time of the one before, so
    // that transactions that hinder each other do not come back at the same moment.
    var left = 20
    var longest = 0.001
    while true {
      let isUsed = line != nil
      do {
        return try runOnce(statement, arguments, answer)
      } catch let failure as PostgreSQLFailure {
        left -= 1
        let isLost = failure.isOfConnection && isRepeatable && isUsed
        guard left > 0, isLost || failure.isOfOthers, !answer.hasEnded else { throw failure.error }
        if failure.isOfOthers {
          Thread.sleep(forTimeInterval: .random(in: 0...longest))
          longest = min(longest * 2, 0.25)
        }
      }
    }
  }

  private func runOnce(
    _ statement: String, _ arguments: [String?], _ answer: Awaited<String?>
  ) throws -> String? {
    let patience = PostgreSQLLine.Patience(silence: timeout) { answer.hasEnded }
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
