import SyncCore

/// Tells listeners the progress of one sync.
final class ProgressFeed: Sendable {
  private let updates = Broadcast<SyncProgressUpdate>()
  private let rate = Locked<ProgressRate?>(nil)
  private let origin = ContinuousClock.now

  private var now: Duration { origin.duration(to: .now) }

  /// Makes a sequence that ends with the sync; one that is asked for afterwards has the last
  /// update.
  func makeStream() -> AsyncStream<SyncProgressUpdate> { updates.makeStream() }

  /// Follows a step, and gives `Progress` the speed and the time left.
  func follow(_ step: SyncStep, _ progress: SyncProgress) {
    let now = now
    let isDue = rate.withLock { kept in
      var rate = kept ?? ProgressRate(now: now)
      defer { kept = rate }
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
    let update = rate.withLock { kept in
      var rate = kept ?? ProgressRate(now: now)
      defer { kept = rate }
      return rate.update(fraction: fraction, at: now, isFinished: isFinished)
    }
    progress.follow(
      throughput: update.throughput.map { Int($0) }, timeRemaining: update.estimatedTimeRemaining)
    if isFinished { updates.finish(update) } else { updates.yield(update) }
  }
}
