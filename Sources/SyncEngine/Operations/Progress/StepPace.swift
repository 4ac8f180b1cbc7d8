import SyncCore

/// Says which steps of a sync are passed on: those at which something begins, and of the others as many as
/// anybody can follow. There is one every few hundred objects, several thousand in a second.
///
/// A class, because a lock that a closure holds is a type that the runtime would have to make first.
final class StepPace: Sendable {
  private let begin = ContinuousClock.now
  private let lastTold = Locked(Duration.zero)

  /// Time between two steps inside a phase.
  static let interval = Duration.milliseconds(20)

  func isDue(_ step: SyncStep) -> Bool {
    isDue(step, at: begin.duration(to: .now))
  }

  func isDue(_ step: SyncStep, at now: Duration) -> Bool {
    lastTold.withLock { lastTold in
      guard step.begins || now - lastTold >= StepPace.interval else { return false }
      lastTold = now
      return true
    }
  }
}
