import SyncCore

/// Says which steps of a sync are passed on: those at which something begins, and of the others as many as
/// anybody can follow. There is one every few hundred objects, several thousand in a second.
struct StepPace {
  private var lastTold = Duration.zero

  /// Time between two steps inside a phase.
  static let interval = Duration.milliseconds(20)

  mutating func isDue(_ step: SyncStep, at now: Duration) -> Bool {
    guard step.begins || now - lastTold >= StepPace.interval else {
      return false
    }
    lastTold = now
    return true
  }
}
