import Foundation

/// How often a request is made again, and after which time.
///
/// The time doubles from failure to failure, and a random half of it is left out, so that the many
/// clients of a server that was down do not all come back at once. A server that says when it wants to
/// be asked again is not asked before.
struct RetryPolicy: Sendable {
  /// Requests in all, the first one counted.
  var attempts = 5
  var firstDelay = Duration.milliseconds(500)
  /// Nobody waits longer than this, whatever the server says.
  var longestDelay = Duration.seconds(60)
  /// From 0 up to 1.
  var random: @Sendable () -> Double = { .random(in: 0..<1) }

  /// The time to wait before the next attempt; nil when there should be none.
  func delay(afterAttempt attempt: Int, _ error: FeedError) -> Duration? {
    guard attempt < attempts, error.isWorthRetrying else { return nil }
    let doubled = firstDelay * (1 << min(attempt - 1, 30))
    let backOff = min(doubled, longestDelay) * (1 - random() / 2)
    guard let asked = error.retryAfter else { return backOff }
    return asked <= longestDelay ? max(asked, backOff) : nil
  }
}

extension Duration {
  /// The time that a `Retry-After` header gives, in seconds or as a date; nil for anything else.
  init?(retryAfter text: String, now: Date = Date()) {
    if let seconds = Int(text), seconds >= 0 {
      self = .seconds(seconds)
      return
    }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    guard let date = format.date(from: text) else { return nil }
    self = .seconds(max(0, date.timeIntervalSince(now)))
  }
}
