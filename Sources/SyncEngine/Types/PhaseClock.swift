/// Measures phases, one after the other.
struct PhaseClock {
  private(set) var durations: [String: Double] = [:]
  private var last = ContinuousClock.now

  mutating func end(_ phase: SyncPhase) {
    let now = ContinuousClock.now
    let duration = last.duration(to: now).components
    durations[phase.rawValue, default: 0] +=
      Double(duration.seconds) + Double(duration.attoseconds) / 1e18
    last = now
  }
}
