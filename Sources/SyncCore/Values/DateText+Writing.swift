package import Foundation

extension DateText {
  /// The date in UTC: `2016-01-09T12:40:08Z`, with `.123` when it has milliseconds.
  ///
  /// Dates outside of the years 0 to 9999 have a sign and as many digits as they need.
  package static func iso8601(_ date: Date) -> String {
    let interval = (date.timeIntervalSinceReferenceDate * 1000).rounded()
    guard let milliseconds = Int64(exactly: interval), milliseconds.magnitude < 1 << 60 else {
      return "no date"
    }
    return text(milliseconds + referenceMilliseconds, zone: 0, withMilliseconds: true)
  }

  /// The date in whole seconds, cut, in a zone: `2016-01-09T13:40:08+01:00`, `Z` for UTC.
  package static func iso8601(_ date: Date, secondsFromGMT: Int) -> String {
    let interval = date.timeIntervalSinceReferenceDate.rounded(.down)
    guard let seconds = Int64(exactly: interval), seconds.magnitude < 1 << 50 else {
      return "no date"
    }
    return text(
      seconds * 1000 + referenceMilliseconds, zone: Int64(secondsFromGMT), withMilliseconds: false)
  }

  private static func text(_ milliseconds: Int64, zone: Int64, withMilliseconds: Bool) -> String {
    let local = milliseconds + zone * 1000
    let days = Int64((Double(local) / 86_400_000).rounded(.down))
    let inDay = local - days * 86_400_000
    let (year, month, day) = civil(days)
    var output: [UInt8] = []
    output.reserveCapacity(32)
    if year < 0 || year > 9999 { output.append(UInt8(ascii: year < 0 ? "-" : "+")) }
    append(year < 0 ? -year : year, width: 4, to: &output)
    append("-", month, to: &output)
    append("-", day, to: &output)
    append("T", inDay / 3_600_000, to: &output)
    append(":", inDay / 60_000 % 60, to: &output)
    append(":", inDay / 1000 % 60, to: &output)
    if withMilliseconds, inDay % 1000 != 0 {
      output.append(UInt8(ascii: "."))
      append(inDay % 1000, width: 3, to: &output)
    }
    if zone == 0 {
      output.append(UInt8(ascii: "Z"))
    } else {
      let minutes = abs(zone) / 60
      append(zone < 0 ? "-" : "+", minutes / 60, to: &output)
      append(":", minutes % 60, to: &output)
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func append(_ mark: Unicode.Scalar, _ value: Int64, to output: inout [UInt8]) {
    output.append(UInt8(ascii: mark))
    append(value, width: 2, to: &output)
  }

  private static func append(_ value: Int64, width: Int, to output: inout [UInt8]) {
    let digits = String(value).utf8
    output.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, width - digits.count)))
    output.append(contentsOf: digits)
  }
}
