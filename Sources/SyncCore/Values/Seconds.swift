package import Foundation

/// Numbers of seconds that come from outside, such that nothing traps on them or waits for ever.
package enum Seconds {
  /// A day: whoever asks for more is asked again after that.
  private static let longest = 86_400.0

  /// At least 0, at most a day; 0 for what is no number.
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
