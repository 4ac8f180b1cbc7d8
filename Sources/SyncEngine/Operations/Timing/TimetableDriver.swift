import SyncCore

/// Carries out the steps of a ``Timetable``, from its start until it is stopped.
///
/// Everything that changes is under the mutex. Tasks are cancelled without it.
package final class TimetableDriver: Sendable {
  private struct State {
    var timetable: Timetable

    /// Waits for the time of the next turn.
    var alarm: Task<Void, Never>?
    var work: Task<Void, Never>?

    /// Listen to commits and to live signals.
    var listeners: [Task<Void, Never>] = []
  }

  private let state: Locked<State>
  private let now: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Does the work, and says how that ended.
  private let work: @Sendable () async -> Timetable.Event

  /// Runs when the time of the next turn is another one.
  private let tell: @Sendable () -> Void

  package init(
    _ pace: Timetable.Pace, _ clock: some Clock<Duration>, tell: @escaping @Sendable () -> Void,
    work: @escaping @Sendable () async -> Timetable.Event
  ) {
    let origin = clock.now
    now = { origin.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
    state = Locked(State(timetable: Timetable(pace)))
    self.tell = tell
    self.work = work
  }

  /// How long it is until the next turn; nil when none is waited for.
  package var pause: Duration? {
    let now = now()
    return state.withLock { $0.timetable.next }.map { max($0 - now, .zero) }
  }

  package var pace: Timetable.Pace { state.withLock { $0.timetable.pace } }

  package func send(_ event: Timetable.Event) {
    let now = now()
    let (action, stale) = state.withLock { state in
      let action = state.timetable.take(event, at: now)
      let alarm = state.alarm
      switch action {
      case .none: return (action, Task<Void, Never>?.none)
      case .rest: state.alarm = nil
      case .wait(let time):
        state.alarm = Task { [weak self, sleep] in
          guard (try? await sleep(time)) != nil, !Task.isCancelled else { return }
          self?.send(.due)
        }
      case .work:
        state.alarm = nil
        state.work = Task { [weak self, work] in
          let end = await work()
          self?.send(end)
        }
      }
      return (action, alarm)
    }
    stale?.cancel()
    if action != .none { tell() }
  }

  /// Listens until it is stopped.
  package func listen(_ body: @escaping @Sendable (TimetableDriver) async -> Void) {
    let listener = Task { await body(self) }
    let isStopped = state.withLock { state in
      if state.timetable.isStarted { state.listeners.append(listener) }
      return !state.timetable.isStarted
    }
    if isStopped { listener.cancel() }
  }

  /// Waits on the driver's clock; comes back earlier when the task is cancelled.
  package func rest(for time: Duration) async {
    try? await sleep(now() + time)
  }

  /// Ends for good, and cancels the work in flight.
  ///
  /// - Returns: The task that was working; it ends soon.
  @discardableResult
  package func stop() -> Task<Void, Never>? {
    let now = now()
    let (tasks, work) = state.withLock { state in
      _ = state.timetable.take(.stopped, at: now)
      let work = state.work
      let tasks = state.listeners + [state.alarm, work].compactMap(\.self)
      (state.listeners, state.alarm, state.work) = ([], nil, nil)
      return (tasks, work)
    }
    for task in tasks { task.cancel() }
    return work
  }
}
