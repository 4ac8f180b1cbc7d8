import SyncCore

/// Does what a ``CloudTimetable`` says, from when an engine is started until it is stopped.
///
/// Everything that changes is under the mutex. Tasks are cancelled without it.
final class CloudDriver: Sendable {
  private struct State {
    var timetable: CloudTimetable

    /// Waits for the time of the next sync.
    var alarm: Task<Void, Never>?
    var work: Task<Void, Never>?

    /// Listen to commits and to live signals.
    var listeners: [Task<Void, Never>] = []
  }

  private let state: Locked<State>
  private let now: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Syncs, and says how that ended.
  private let sync: @Sendable () async -> CloudTimetable.Event

  /// Runs when the time of the next sync is another one.
  private let tell: @Sendable () -> Void

  init(
    _ pace: CloudPace, _ clock: some Clock<Duration>, tell: @escaping @Sendable () -> Void,
    sync: @escaping @Sendable () async -> CloudTimetable.Event
  ) {
    let origin = clock.now
    now = { origin.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
    state = Locked(State(timetable: CloudTimetable(pace)))
    self.tell = tell
    self.sync = sync
  }

  /// How long it is until the next sync; nil when none is waited for.
  var pause: Duration? {
    let now = now()
    return state.withLock { $0.timetable.next }.map { max($0 - now, .zero) }
  }

  func send(_ event: CloudTimetable.Event) {
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
      case .sync:
        state.alarm = nil
        state.work = Task { [weak self, sync] in
          let end = await sync()
          self?.send(end)
        }
      }
      return (action, alarm)
    }
    stale?.cancel()
    if action != .none { tell() }
  }

  /// Listens until it is stopped.
  func listen(_ body: @escaping @Sendable (CloudDriver) async -> Void) {
    let listener = Task { await body(self) }
    let isStopped = state.withLock { state in
      if state.timetable.isStarted { state.listeners.append(listener) }
      return !state.timetable.isStarted
    }
    if isStopped { listener.cancel() }
  }

  /// Follows the live signals of a server; comes back when the line has ended, and asks then for
  /// what came meanwhile.
  func follow(
    _ first: AsyncStream<Void>, again: @escaping @Sendable () -> AsyncStream<Void>?
  ) {
    let pace = state.withLock { $0.timetable.pace }
    send(.listening(true))
    listen { driver in
      var line = Optional(first)
      while let current = line {
        for await _ in current { driver.send(.signalled) }
        driver.send(.listening(false))
        try? await driver.sleep(driver.now() + pace.shortest)
        line = Task.isCancelled ? nil : again()
        if line != nil {
          driver.send(.listening(true))
          driver.send(.signalled)
        }
      }
    }
  }

  /// Ends for good, and cancels what is in flight.
  ///
  /// - Returns: What was working; it ends soon.
  @discardableResult
  func stop() -> Task<Void, Never>? {
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
