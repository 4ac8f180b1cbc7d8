import Foundation

/// The forms in which filters look at values.
extension Value {
  /// The text of a value that is stored as text; nil for others.
  @usableFromInline package var text: String? {
    switch self {
    case .string(let text): text
    case .uuid(let uuid): uuid.uuidString
    case .url(let url): url.absoluteString
    default: nil
    }
  }

  /// The value that the store would give back: SQLite has no not-a-number, and columns lose the
  /// sign of zero.
  var storable: Value {
    guard case .double(let double) = self else { return self }
    return double.isNaN ? .null : (double == 0 ? .double(0) : self)
  }

  /// Seconds since 2001 as a date.
  var asDate: Value {
    switch self {
    case .int(let seconds): .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case .double(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
    default: self
    }
  }
}
