public import Foundation
import SyncCore

/// How far remote sync has come.
public struct CloudStatus: Sendable {
  /// Records with something to send, those with a problem among them. Of edits that were saved
  /// since the latest pull or push the objects count.
  public internal(set) var waiting = 0

  /// Relationships that lead to objects that are not here yet; 0 when all that can come has come.
  public internal(set) var waitingLinks = 0

  /// Records that are not sent, or could not be used, with the reasons. Editing the object tries
  /// again.
  public internal(set) var problems: [CloudProblem] = []

  /// How many values lost to ones that did not know of them; see ``CloudEngine/conflicts``.
  public internal(set) var conflicts = 0

  /// When a pull last went through.
  public internal(set) var lastPull: Date?

  /// When a push last went through.
  public internal(set) var lastPush: Date?

  /// The error of the latest pull or push; nil when it went through.
  public internal(set) var lastError: (any Error)?

  /// Whether a pull or push is running.
  public internal(set) var isRunning = false

  /// Whether the engine was started.
  public internal(set) var isStarted = false

  /// When an engine that was started syncs next; nil while it does, and while ``lastError`` halts
  /// it until ``CloudEngine/wake()``.
  public internal(set) var nextSync: Date?
}

/// A record that is not sent, or could not be used.
public struct CloudProblem: Sendable, Hashable, CustomStringConvertible {
  /// Name of the record on the server; empty where the store cannot be read.
  public let record: String

  /// Name of the entity; empty when the record does not say.
  public let entity: String

  /// The object's row number; nil when there is no object.
  public let row: Int64?
  /// A sentence with the cause and a remedy.
  public let reason: String

  /// The zone of the record.
  let zone: String

  /// The problem in one line.
  public var description: String {
    // The store itself has neither.
    if record.isEmpty, entity.isEmpty { return reason }
    return "\(entity.isEmpty ? "Record" : entity) \(row.map { "#\($0)" } ?? record): \(reason)"
  }
}

/// Keeps the state of the engine's own work, and tells of changes.
final class CloudMonitor: Sendable {
  private struct State {
    var lastPull: Date?
    var lastPush: Date?
    var lastError: (any Error)?
    var running = 0

    /// Whether the server has answered since the latest pull or push began.
    var isHeard = false

    /// Before which the server must not be asked.
    var earliest: ContinuousClock.Instant?
  }

  private let state = Locked(State())
  private let news = Broadcast<Void>()
  private let announcer: CloudAnnouncer

  init(_ announcer: CloudAnnouncer) {
    self.announcer = announcer
  }

  func fill(_ status: inout CloudStatus) {
    let state = state.withLock { ($0.lastPull, $0.lastPush, $0.lastError, $0.running) }
    status.lastPull = state.0 ?? status.lastPull
    status.lastPush = state.1 ?? status.lastPush
    status.lastError = state.2
    status.isRunning = state.3 > 0
  }

  func began() {
    state.withLock { state in
      state.running += 1
      state.isHeard = false
    }
    tell()
  }

  func ended(_ outcome: CloudOutcome) {
    let now = Date()
    state.withLock { state in
      state.running -= 1
      state.lastError = nil
      switch outcome {
      case .pull: state.lastPull = now
      case .push: state.lastPush = now
      case .failure(let error): state.lastError = error
      }
    }
    tell()
  }

  func tell() {
    announcer.post(.cloudStatusDidChange)
    news.yield(())
  }

  /// The news now, and again at each change, unless they are the same; ends when there are none.
  func updates<News: Sendable>(
    _ news: @escaping @Sendable () -> News?,
    unless isSame: @escaping @Sendable (News, News) -> Bool = { _, _ in false }
  ) -> AsyncStream<News> {
    // Changes that are not taken in time are one.
    let changes = self.news.makeStream(.bufferingNewest(1), beginningWith: { () })
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        var last: News?
        for await _ in changes {
          guard let next = news() else { break }
          if last.map({ isSame($0, next) }) != true { continuation.yield(next) }
          last = next
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  // MARK: - The server

  var isHeard: Bool { state.withLock { $0.isHeard } }

  func hear() { state.withLock { $0.isHeard = true } }

  var earliest: ContinuousClock.Instant? { state.withLock { $0.earliest } }

  func postpone(by seconds: Double) {
    let instant = ContinuousClock.now + .seconds(seconds)
    state.withLock { state in
      state.earliest = state.earliest.map { max($0, instant) } ?? instant
    }
  }
}
