import SyncCore

/// A clock that moves when a test says so.
public final class ManualClock: Clock {
  public struct Instant: InstantProtocol {
    public var time: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }

    public func duration(to other: Instant) -> Duration { other.time - time }

    public static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
  }

  private struct State {
    var now = Instant(time: .zero)
    var next = 0
    var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var watchers: [(until: Instant?, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  public init() {}

  public var now: Instant { state.withLock { $0.now } }

  public var minimumResolution: Duration { .nanoseconds(1) }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (isOver, watchers) = state.withLock { state in
          if Task.isCancelled || deadline <= state.now {
            return (true, [CheckedContinuation<Void, Never>]())
          }
          state.sleepers[number] = (deadline, continuation)
          let told = state.watchers.filter { $0.until == nil || $0.until == deadline }
          state.watchers.removeAll { $0.until == nil || $0.until == deadline }
          return (false, told.map(\.continuation))
        }
        if isOver { continuation.resume(with: Result { try Task.checkCancellation() }) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Returns when a task sleeps until a time since the beginning; nil is any time.
  public func sleeper(until time: Duration?) async {
    let until = time.map(Instant.init)
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleepers.values.contains(where: { until == nil || $0.until == until }) {
          return true
        }
        state.watchers.append((until, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// The earliest time until which a task sleeps.
  public var deadline: Duration? {
    state.withLock { $0.sleepers.values.map(\.until.time).min() }
  }

  /// Moves on to a time since the beginning, and wakes all sleepers that are due.
  public func move(to time: Duration) {
    let woken = state.withLock { state in
      state.now = max(state.now, Instant(time: time))
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { $0.key < $1.key }.map(\.value.continuation)
    }
    for sleeper in woken { sleeper.resume() }
  }
}
