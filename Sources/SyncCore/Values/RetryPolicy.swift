package import Foundation

/// How often and when an outbox or a remote sync tries a request again after a failure that may
/// pass: no connection, a lost answer, a server that is busy.
public struct RetryPolicy: Sendable, Hashable {
  /// How often a request is tried again before it is given up, for now: its changes still wait
  /// then.
  public var attempts: Int

  /// Seconds before the first of them; each further one waits twice as long.
  public var delay: Double

  /// The longest wait in seconds. When the server asks to be left alone for longer, that is not
  /// slept out: it is not asked again before that time.
  public var longestDelay: Double

  /// By default some 8 to 15 seconds until a request is given up: a server that is restarted is
  /// back by then.
  public init(attempts: Int = 5, delay: Double = 0.5, longestDelay: Double = 15) {
    self.attempts = max(attempts, 0)
    self.delay = max(delay, 0)
    self.longestDelay = max(longestDelay, 0)
  }

  /// Seconds before an attempt, half of them drawn so that many clients do not come at once.
  package func wait(before attempt: Int) -> Double { full(attempt) * Double.random(in: 0.5...1) }

  private func full(_ attempt: Int) -> Double {
    Seconds.clamped(min(delay * Double(1 << min(max(attempt - 1, 0), 20)), longestDelay))
  }

  /// Seconds that a request may wait in all: for the attempts of the policy, or as long as a server
  /// may ask for.
  package var patience: Double {
    let own = (0..<min(attempts, 1000)).reduce(0) { $0 + full($1 + 1) }
    return max(own, Seconds.clamped(longestDelay))
  }
}

/// Numbers of seconds that come from outside, such that nothing traps on them or waits for ever.
package enum Seconds {
  /// A day: a server that asks for more is asked again after that.
  private static let longest = 86_400.0

  /// At least 0, at most a day; 0 for a value that is no number.
  package static func clamped(_ seconds: Double) -> Double {
    seconds > 0 ? min(seconds, longest) : 0
  }

  /// Reads `Retry-After` and `Backoff`: digits, or the date until when
  /// (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after). Nil for everything else, `inf` and
  /// `1e30` among it.
  package static func parse(_ text: String) -> Double? {
    if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }) {
      return Double(text).map(clamped)
    }
    return date(text).map { clamped($0.timeIntervalSinceNow) }
  }

  /// Reads the date of a header, as in `Wed, 25 Nov 2026 08:18:15 GMT`.
  package static func date(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return formatter.date(from: text)
  }
}
