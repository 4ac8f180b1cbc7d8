/// How far a sync is, as ``Sync/progressUpdates`` tells it.
public struct SyncProgressUpdate: Sendable, Hashable {
  /// The phase that runs; nil before the first.
  public let phase: SyncPhase?

  /// Bytes of the payload that were read in the phase *parse*, records in the others.
  public let completed: Int

  /// Of how many.
  public let total: Int

  /// Share of the whole sync that is done, from 0 to 1. Never falls.
  public let fraction: Double

  /// The units of the present phase in a second: bytes in the phase *parse*, records in the others;
  /// nil until it can be estimated.
  public let throughput: Double?

  /// Seconds that the rest will take if it goes on like this; nil until there is something to go
  /// by.
  public let estimatedTimeRemaining: Double?

  /// Whether this is the last one.
  public let isFinished: Bool
}

extension SyncProgressUpdate: CustomStringConvertible {
  /// Phase, share and the time left, as in `insert 4096 of 10000, 43 %, 2 s left`.
  public var description: String {
    var text = "\(phase?.rawValue ?? "waiting") \(completed) of \(total)"
    text += ", \(Int((fraction * 100).rounded(.down))) %"
    if let left = estimatedTimeRemaining { text += ", \(Int(left.rounded(.up))) s left" }
    return text
  }
}

/// Turns steps and the time at which they come into updates.
struct ProgressRate {
  private let start: Duration
  private var phaseStart: Duration
  /// The step that came last; nil before the first.
  private(set) var latest: SyncStep?
  private var fraction = 0.0
  private var lastTold: Duration?

  /// Time between two updates inside a phase.
  static let interval = Duration.milliseconds(100)

  /// - Parameter now: Time on any clock that does not run backwards.
  init(now: Duration) {
    start = now
    phaseStart = now
  }

  /// Takes a step in.
  ///
  /// - Returns: Whether it is time to tell: a phase begins, or a tenth of a second has passed.
  mutating func follow(_ step: SyncStep, at now: Duration) -> Bool {
    if step.begins || latest?.phase != step.phase { phaseStart = now }
    latest = step
    if !step.begins, let lastTold, now - lastTold < ProgressRate.interval { return false }
    lastTold = now
    return true
  }

  /// The next update.
  mutating func update(
    fraction share: Double, at now: Duration, isFinished: Bool = false
  ) -> SyncProgressUpdate {
    fraction = max(fraction, min(share, 1))
    let inPhase = (now - phaseStart).seconds
    let elapsed = (now - start).seconds
    let completed = latest?.completed ?? 0
    let hasRate = inPhase > 0 && completed > 0
    let hasEstimate = elapsed > 0 && fraction > 0
    return SyncProgressUpdate(
      phase: latest?.phase, completed: completed, total: latest?.total ?? 0, fraction: fraction,
      throughput: hasRate ? Double(completed) / inPhase : nil,
      estimatedTimeRemaining: isFinished
        ? 0 : hasEstimate ? elapsed * (1 - fraction) / fraction : nil,
      isFinished: isFinished)
  }
}

extension Duration {
  /// The duration in seconds.
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
