/// Dates as they stand in JSON: ISO 8601 and Unix time, read and written by hand.
///
/// A text with a minus sign behind its first character is a date in ISO form, one that begins with
/// a slash a date of .NET and OData 2, any other text Unix time, unless it is rather a year or a
/// day without dashes. All results are whole milliseconds, cut and not rounded, counted as an
/// integer and divided last: equal texts give equal doubles, bit for bit. They are seconds since
/// 2001-01-01 UTC, as `Date` counts them.
package enum DateText {
  /// Milliseconds from 1970 to 2001.
  static let referenceMilliseconds: Int64 = 978_307_200_000

  /// Reads the text of a date; nil when it is none.
  ///
  /// ```
  /// yyyy-MM-dd [ (T|space) HH:mm [ :ss [ .fraction ] ] [ zone ] ]
  /// zone = Z | ±hh | ±hhmm | ±hh:mm, after a space too when it is a number
  ///
  /// /Date(milliseconds since 1970 [ ±hhmm ])/
  /// ```
  ///
  /// Without a zone the time is UTC. A fraction has at least one digit. Dates that are not in
  /// the calendar, hours from 24 and seconds from 60 are no dates.
  ///
  /// - Complexity: O(*n*); no allocation.
  package static func parse(_ bytes: UnsafeRawBufferPointer) -> Double? {
    if bytes.count > 4, bytes[4] == UInt8(ascii: "-") { return iso8601(bytes) }
    if bytes.first == UInt8(ascii: "/") { return dotNet(bytes) }
    guard !bytes.dropFirst().contains(UInt8(ascii: "-")), !isDayWithTime(bytes),
      let date = unix(bytes), (date * 1000 + Double(referenceMilliseconds)).magnitude >= leastText
    else { return nil }
    return date
  }

  /// Milliseconds of Unix time below which a text is none: within a year of 1970 it is rather a
  /// year (`"1981"`), a day (`"20240131"`), a flag or a count.
  private static let leastText = 365.0 * 86_400_000

  /// Whether the text has the digits of a day and a time, `20240131101500`, and no sign: as
  /// milliseconds they would lie some centuries ahead.
  private static func isDayWithTime(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count == 14 && bytes.allSatisfy { $0 &- 0x30 <= 9 }
  }

  /// Reads the text of a date; nil when it is none.
  package static func parse(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { parse(UnsafeRawBufferPointer($0)) }
  }

  // MARK: - ISO 8601

  private static func iso8601(_ bytes: UnsafeRawBufferPointer) -> Double? {
    let count = bytes.count
    guard count >= 10, let text = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return nil
    }
    let century = pair(text)
    let years = pair(text + 2)
    let month = pair(text + 5)
    let day = pair(text + 8)
    // One negative number makes all of them together negative.
    guard century | years | month | day >= 0, text[7] == UInt8(ascii: "-") else { return nil }
    let year = century &* 100 &+ years
    guard month >= 1, month <= 12, day >= 1, day <= daysInMonth(month, year) else { return nil }
    var milliseconds = daysSince1970(year, month, day) &* 86_400_000
    if count == 10 { return seconds(milliseconds) }

    guard count >= 16, text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
      text[13] == UInt8(ascii: ":")
    else { return nil }
    let hour = pair(text + 11)
    let minute = pair(text + 14)
    guard hour | minute >= 0, hour < 24, minute < 60 else { return nil }
    milliseconds &+= (hour &* 60 &+ minute) &* 60_000
    var index = 16
    if index < count, text[index] == UInt8(ascii: ":") {
      guard count >= 19, case let second = pair(text + 17), second >= 0, second < 60 else {
        return nil
      }
      milliseconds &+= second &* 1000
      index = 19
      if index < count, text[index] == UInt8(ascii: ".") {
        guard let fraction = fraction(bytes, &index) else { return nil }
        milliseconds &+= fraction
      }
    }
    if index == count { return seconds(milliseconds) }
    if index + 1 == count, text[index] | 0x20 == UInt8(ascii: "z") { return seconds(milliseconds) }
    guard let offset = zone(bytes, index) else { return nil }
    return seconds(milliseconds &- offset)
  }

  /// Two digits that are known to be in memory; negative when they are none.
  @inline(__always)
  private static func pair(_ text: UnsafePointer<UInt8>) -> Int64 {
    let tens = text[0] &- 0x30
    let ones = text[1] &- 0x30
    return tens <= 9 && ones <= 9 ? Int64(truncatingIfNeeded: tens &* 10 &+ ones) : -1
  }

  /// The first three digits of a fraction whose point stands at `index`.
  private static func fraction(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Int64? {
    index += 1
    let first = index
    var value: Int64 = 0
    while index < bytes.count, bytes[index] &- 0x30 <= 9 {
      if index - first < 3 { value = value * 10 + Int64(bytes[index] &- 0x30) }
      index += 1
    }
    switch index - first {
    case 1: return value * 100
    case 2: return value * 10
    case 0: return nil
    default: return value
    }
  }

  /// Milliseconds that a zone is ahead of UTC; nil when anything but a zone stands there.
  private static func zone(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int64? {
    var index = start
    let count = bytes.count
    if index == count { return 0 }
    if bytes[index] | 0x20 == UInt8(ascii: "z") { return index + 1 == count ? 0 : nil }
    if bytes[index] == UInt8(ascii: " ") { index += 1 }
    guard index < count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-")
    else { return nil }
    let sign: Int64 = bytes[index] == UInt8(ascii: "-") ? -1 : 1
    guard let hours = twoDigits(bytes, index + 1), hours < 24 else { return nil }
    index += 3
    if index == count { return sign * hours * 3_600_000 }
    if bytes[index] == UInt8(ascii: ":") { index += 1 }
    guard let minutes = twoDigits(bytes, index), minutes < 60, index + 2 == count else {
      return nil
    }
    return sign * (hours * 60 + minutes) * 60_000
  }

  @inline(__always)
  private static func twoDigits(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int64? {
    guard index + 2 <= bytes.count else { return nil }
    let tens = bytes[index] &- 0x30
    let ones = bytes[index + 1] &- 0x30
    return tens <= 9 && ones <= 9 ? Int64(tens &* 10 &+ ones) : nil
  }

  private static func daysInMonth(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days of the Gregorian calendar, with years that begin in March so that the leap day is the
  /// last (https://howardhinnant.github.io/date_algorithms.html).
  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    // Years have four digits, so the sums of the algorithm stay positive and small.
    let shifted = UInt32(truncatingIfNeeded: (month <= 2 ? year &- 1 : year) &+ 400)
    let era = shifted / 400
    let yearOfEra = shifted &- era &* 400
    let monthFromMarch = UInt32(truncatingIfNeeded: month > 2 ? month &- 3 : month &+ 9)
    let dayOfYear = (153 &* monthFromMarch &+ 2) / 5 &+ UInt32(truncatingIfNeeded: day) &- 1
    let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
    return Int64(era) &* 146_097 &+ Int64(dayOfEra) &- 719_468 &- 146_097
  }

  // MARK: - .NET

  /// Reads `/Date(1467298867000)/` and `/Date(1467298867000-0400)/`, whose zone is that of the
  /// writer and leaves the moment as it is
  /// (https://www.odata.org/documentation/odata-version-2-0/json-format).
  private static func dotNet(_ bytes: UnsafeRawBufferPointer) -> Double? {
    guard bytes.starts(with: "/Date(".utf8), bytes.count > 8,
      bytes.suffix(2).elementsEqual(")/".utf8)
    else { return nil }
    let inner = UnsafeRawBufferPointer(rebasing: bytes[6..<(bytes.count - 2)])
    let end = inner.dropFirst().firstIndex { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    guard zone(inner, end ?? inner.count) != nil,
      let number = NumberText(UnsafeRawBufferPointer(rebasing: inner[..<(end ?? inner.count)])),
      let magnitude = number.cut(shiftedBy: 0), magnitude < 253_402_300_800_000  // The year 10000.
    else { return nil }
    return inCalendar(number.isNegative ? -Int64(magnitude) : Int64(magnitude))
  }

  // MARK: - Unix time

  /// Reads Unix time from a number in text form, as it stands in a document; nil when the text is
  /// no number or the date beyond all reason.
  ///
  /// The magnitude tells the unit: below 10^11 seconds, below 10^14 milliseconds, below 10^17
  /// microseconds, else nanoseconds. Dates before the year 0 are none.
  ///
  /// - Complexity: O(*n*); no allocation.
  package static func unix(_ bytes: UnsafeRawBufferPointer) -> Double? {
    guard let number = NumberText(bytes), let magnitude = number.cut(shiftedBy: 0) else {
      return nil
    }
    let milliseconds = magnitude < 100_000_000_000 ? number.cut(shiftedBy: 3) : cut(magnitude)
    guard let milliseconds, let value = Int64(exactly: milliseconds) else { return nil }
    return inCalendar(number.isNegative ? -value : value)
  }

  /// The date of Unix time in seconds, milliseconds, microseconds or nanoseconds; nil before the
  /// year 0.
  package static func unix(_ number: Int64) -> Double? {
    let magnitude = number.magnitude
    if magnitude < 100_000_000_000 { return inCalendar(number * 1000) }
    let milliseconds = Int64(cut(magnitude))
    return inCalendar(number < 0 ? -milliseconds : milliseconds)
  }

  /// The date of Unix time in any of its units; nil when it is beyond all reason. The digits are
  /// those of the shortest text, so that 1.001 has one millisecond.
  package static func unix(_ number: Double) -> Double? {
    if let integer = Int64(exactly: number) { return unix(integer) }
    var text = number.description
    return text.withUTF8 { unix(UnsafeRawBufferPointer($0)) }
  }

  /// Milliseconds of a magnitude that is too large for seconds.
  private static func cut(_ magnitude: UInt64) -> UInt64 {
    if magnitude < 100_000_000_000_000 { return magnitude }
    return magnitude / (magnitude < 100_000_000_000_000_000 ? 1000 : 1_000_000)
  }

  private static func inCalendar(_ milliseconds: Int64) -> Double? {
    // 0000-01-01.
    milliseconds >= -62_167_219_200_000 ? seconds(milliseconds) : nil
  }

  private static func seconds(_ milliseconds: Int64) -> Double {
    Double(milliseconds - referenceMilliseconds) / 1000
  }
}
