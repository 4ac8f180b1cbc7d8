/// How often and when an engine comes again after a failure that may pass: no connection, a lost answer, a server
/// that is busy.
public struct CloudRetry: Sendable, Hashable {
  /// How often a request is tried again before the operation fails. What was to be sent still waits then.
  public var attempts: Int

  /// Seconds before the first of them; each further one waits twice as long.
  public var delay: Double

  /// The longest wait in seconds, except when the server asks for more.
  public var longestDelay: Double

  /// By default some 8 to 15 seconds until an operation fails: a server that is restarted is back by then.
  public init(attempts: Int = 5, delay: Double = 0.5, longestDelay: Double = 30) {
    self.attempts = max(attempts, 0)
    self.delay = max(delay, 0)
    self.longestDelay = max(longestDelay, 0)
  }

  /// Seconds before an attempt, half of them drawn so that many clients do not come at once.
  func wait(before attempt: Int) -> Double {
    let full = min(delay * Double(1 << min(max(attempt - 1, 0), 20)), longestDelay)
    return full <= 0 ? 0 : full * Double.random(in: 0.5...1)
  }
}
