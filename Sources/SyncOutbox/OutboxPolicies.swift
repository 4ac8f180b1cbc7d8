/// What becomes of an update whose object the server does not have any more.
public enum OutboxGonePolicy: String, Sendable, Hashable, CaseIterable {
  /// It is kept, and listed as refused.
  case refuse
  /// The object is deleted here too.
  case deleteHere
  /// The object is sent as a new one.
  case insertAgain
}

/// What becomes of a change whose object has changed on the server.
public enum OutboxConflictPolicy: String, Sendable, Hashable, CaseIterable {
  /// The server's version is taken over as by a sync: what was edited here stays, property by property, and is sent
  /// again on top. Without the server's version the change is refused.
  case merge
  /// The edits are given up, and the server's version is taken over.
  case takeServer
  /// It is kept, and listed as refused.
  case refuse
}

/// How often and when a change is tried again in one run.
public struct OutboxRetry: Sendable, Hashable {
  /// How often a change is sent again before the run gives it up; it still waits then, for the next run.
  public var attempts: Int

  /// Seconds before the first of them; each further one waits twice as long.
  public var delay: Double

  /// The longest wait in seconds. A server that asks for more is not asked again in this run, nor in any before that time.
  public var longestDelay: Double

  /// By default some 8 to 15 seconds until a run gives a change up.
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
