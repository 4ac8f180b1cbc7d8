/// The failures of an operation since the last good answer.
struct CloudPatience: Sendable {
  /// Attempts that have failed, one after the other.
  private(set) var failures = 0

  /// Whether nothing was waited for the last of them yet.
  var isDue = false

  /// Seconds that were waited.
  var waited = 0.0

  mutating func fail() {
    failures += 1
    isDue = true
  }
}
