/// What Unix time counts since 1970, for rules that leave nothing to its size.
public enum UnixTimeUnit: String, Sendable, Hashable, CaseIterable {
  case seconds, milliseconds, microseconds, nanoseconds

  /// How many there are in a millisecond; nil for seconds, of which it is a part.
  private var perMillisecond: Int64? {
    switch self {
    case .seconds: nil
    case .milliseconds: 1
    case .microseconds: 1000
    case .nanoseconds: 1_000_000
    }
  }

  /// The milliseconds in a whole number of them, cut; nil when there are too many.
  func milliseconds(_ number: Int64) -> Int64? {
    guard let perMillisecond else {
      let (result, isTooLarge) = number.multipliedReportingOverflow(by: 1000)
      return isTooLarge ? nil : result
    }
    return number / perMillisecond
  }

  /// What so many milliseconds are in this unit, when it is a whole number; nil when it is none, or too large.
  func whole(_ milliseconds: Int64) -> Int64? {
    guard let perMillisecond else {
      return milliseconds % 1000 == 0 ? milliseconds / 1000 : nil
    }
    let (result, isTooLarge) = milliseconds.multipliedReportingOverflow(by: perMillisecond)
    return isTooLarge ? nil : result
  }
}
