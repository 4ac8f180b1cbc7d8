import SyncCore

/// Tells listeners the progress of one sync.
///
/// Everything is under the mutex; no listener is called while it is held.
final class ProgressFeed: Sendable {
  private struct State {
    var rate: ProgressRate?
    var continuations: [AsyncStream<SyncProgressUpdate>.Continuation] = []
    var last: SyncProgressUpdate?
  }

  private let state = Locked(State())
  private let origin = ContinuousClock.now

  private var now: Duration { origin.duration(to: .now) }

  /// Makes a sequence that ends with the sync; one that is asked for afterwards has the last
  /// update.
  func makeStream() -> AsyncStream<SyncProgressUpdate> {
    let (stream, continuation) = AsyncStream.makeStream(of: SyncProgressUpdate.self)
    let last = state.withLock { state in
      if state.last == nil { state.continuations.append(continuation) }
      return state.last
    }
    if let last {
      continuation.yield(last)
      continuation.finish()
    }
    return stream
  }

  /// Follows a step, and gives `Progress` the speed and the time left.
  func follow(_ step: SyncStep, _ progress: SyncProgress) {
    let now = now
    let isDue = state.withLock { state in
      var rate = state.rate ?? ProgressRate(now: now)
      defer { state.rate = rate }
      return rate.follow(step, at: now)
    }
    guard isDue else { return }
    tell(progress, at: now)
  }

  /// Tells the end.
  func finish(_ progress: SyncProgress) {
    tell(progress, at: now, isFinished: true)
  }

  private func tell(_ progress: SyncProgress, at now: Duration, isFinished: Bool = false) {
    let fraction = progress.fractionCompleted
    let (update, listeners) = state.withLock { state in
      var rate = state.rate ?? ProgressRate(now: now)
      let update = rate.update(fraction: fraction, at: now, isFinished: isFinished)
      state.rate = rate
      defer {
        if isFinished {
          state.last = update
          state.continuations = []
        }
      }
      return (update, state.continuations)
    }
    progress.follow(
      throughput: update.throughput.map { Int($0) }, timeRemaining: update.estimatedTimeRemaining)
    for listener in listeners {
      listener.yield(update)
      if isFinished { listener.finish() }
    }
  }
}
