import SyncCore

/// A clock that moves when a test says so.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var time: Duration

    func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }

    func duration(to other: Instant) -> Duration { other.time - time }

    static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
  }

  private struct State {
    var now = Instant(time: .zero)
    var next = 0
    var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var watchers: [(until: Instant?, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  var now: Instant { state.withLock { $0.now } }

  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
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

  /// Returns when somebody sleeps until a time since the beginning; nil is any time.
  func sleeper(until time: Duration?) async {
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

  /// The time until which somebody sleeps, the earliest first.
  var deadline: Duration? {
    state.withLock { $0.sleepers.values.map(\.until.time).min() }
  }

  /// Moves on to a time since the beginning, and wakes all who slept until then.
  func move(to time: Duration) {
    let woken = state.withLock { state in
      state.now = max(state.now, Instant(time: time))
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { $0.key < $1.key }.map(\.value.continuation)
    }
    for sleeper in woken { sleeper.resume() }
  }
}
