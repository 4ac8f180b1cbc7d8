public import Foundation
import SyncCore

/// How dates are written.
public struct ExportDateFormat: Sendable {
  private let write: @Sendable (Date) -> JSONValue?

  /// The formatter that it was made of, if any.
  private(set) var formatter: DateFormatter?

  /// Writes dates with a function; nil leaves the attribute out.
  public init(_ write: @escaping @Sendable (Date) -> String?) {
    self.write = { date in write(date).map { .string($0) } }
  }

  private init(json: @escaping @Sendable (Date) -> JSONValue?) {
    write = json
  }

  /// ISO 8601 in UTC, with milliseconds where there are any: `2016-01-09T12:40:08.250Z`. The default: a
  /// sync reads the same date, to the millisecond.
  public static let iso8601 = ExportDateFormat(json: { date in
    // A year of four digits, or nobody reads it.
    let isWritable = (-63_145_526_400..<252_423_993_599.9995).contains(
      date.timeIntervalSinceReferenceDate)
    return isWritable ? .string(DateText.iso8601(date)) : nil
  })

  /// Whole seconds in a time zone, `yyyy-MM-dd'T'HH:mm:ssZZZZZ`: `2016-01-09T13:40:08+01:00`. What earlier
  /// frameworks write by default, in the zone of the process. A fraction of a second is lost.
  public static func wholeSeconds(in zone: TimeZone = .current) -> ExportDateFormat {
    ExportDateFormat { date in
      guard date.timeIntervalSinceReferenceDate.magnitude < 1e15 else { return nil }
      return DateText.iso8601(date, secondsFromGMT: zone.secondsFromGMT(for: date))
    }
  }

  /// Seconds since 1970 as a number. A fraction of a second is lost.
  public static let unixTime = ExportDateFormat(json: { date in
    Int64(exactly: date.timeIntervalSince1970.rounded(.down)).map { .integer($0) }
  })

  /// What a formatter writes. Whether a sync can read it depends on the formatter.
  public static func formatter(_ formatter: DateFormatter) -> ExportDateFormat {
    var format = ExportDateFormat { formatter.string(from: $0) }
    format.formatter = formatter
    return format
  }

  /// The JSON of a date; nil when the format cannot say it.
  func json(_ date: Date) -> JSONValue? { write(date) }
}
