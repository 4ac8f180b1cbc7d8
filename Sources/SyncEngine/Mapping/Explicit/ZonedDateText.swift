import SyncCore

/// Reads the dates that rules for ISO 8601 take: a day, a time down to the second and a zone.
///
/// ```
/// yyyy-MM-ddTHH:mm:ss[.fraction]zone      zone = Z | z | ±hh | ±hhmm | ±hh:mm
/// ```
///
/// Stricter than the dates of conventional mapping, which may lack time or zone: whoever writes a rule by hand
/// would rather hear of another format than store a wrong moment. Of a fraction the milliseconds count. Rules that convert
/// what they can also take months, days and times without leading zero, blanks around the text, and `GMT` or `UTC` as zone;
/// a year has four digits always.
enum ZonedDateText {
  /// Seconds since 2001-01-01 UTC; nil when the text is no such date.
  ///
  /// - Complexity: O(*n*); no allocation.
  static func parse(_ text: UnsafeRawBufferPointer, isStrict: Bool = false) -> Double? {
    var reader = Reader(bytes: text)
    let two = (isStrict ? 2 : 1)...2
    if !isStrict { reader.skipBlanks() }
    guard let year = reader.number(digits: 4...4), reader.take("-"),
      let month = reader.number(digits: two), reader.take("-"),
      let day = reader.number(digits: two), reader.take("T"),
      let hour = reader.number(digits: two), reader.take(":"),
      let minute = reader.number(digits: two), reader.take(":"),
      let second = reader.number(digits: two)
    else { return nil }
    guard (1...12).contains(month), day >= 1, day <= length(ofMonth: month, year), hour < 24,
      minute < 60, second < 60
    else { return nil }
    var milliseconds = 0
    if reader.take(".") {
      guard let fraction = reader.milliseconds() else { return nil }
      milliseconds = fraction
    }
    guard let offset = reader.zone(isStrict) else { return nil }
    if !isStrict { reader.skipBlanks() }
    guard reader.isAtEnd else { return nil }
    let seconds = ((days(to: year, month, day) * 24 + hour) * 60 + minute - offset) * 60 + second
    return Double((seconds - 978_307_200) * 1000 + milliseconds) / 1000
  }

  /// Days from 1970-01-01 in the Gregorian calendar.
  private static func days(to year: Int, _ month: Int, _ day: Int) -> Int {
    // Years begin in March, so that the day that some years have more is their last one.
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

private struct Reader {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  var isAtEnd: Bool { position == bytes.count }
  private var next: UInt8 { isAtEnd ? 0 : bytes[position] }

  mutating func skipBlanks() {
    while next == UInt8(ascii: " ") { position += 1 }
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// A number of that many digits; nil when there are fewer.
  mutating func number(digits: ClosedRange<Int>) -> Int? {
    let start = position
    var value = 0
    while position - start < digits.upperBound, let digit = digit(next) {
      value = value * 10 + digit
      position += 1
    }
    return position - start >= digits.lowerBound ? value : nil
  }

  /// The first three digits of a fraction; the others are passed over.
  mutating func milliseconds() -> Int? {
    let start = position
    var value = 0
    while let digit = digit(next) {
      if position - start < 3 { value = value * 10 + digit }
      position += 1
    }
    let count = position - start
    guard count > 0 else { return nil }
    for _ in min(count, 3)..<3 { value *= 10 }
    return value
  }

  /// Minutes by which the zone is ahead of UTC; nil when there is no zone.
  mutating func zone(_ isStrict: Bool) -> Int? {
    if take("Z") || take("z") { return 0 }
    for name in ["GMT", "UTC"] as [StaticString] where !isStrict && matches(name) {
      position += name.utf8CodeUnitCount
      return 0
    }
    let isBehind = next == UInt8(ascii: "-")
    guard isBehind || next == UInt8(ascii: "+") else { return nil }
    position += 1
    guard let hours = number(digits: 2...2), hours < 24 else { return nil }
    let hasColon = take(":")
    let minutes = number(digits: 2...2)
    guard minutes != nil || !hasColon, minutes ?? 0 < 60 else { return nil }
    return (hours * 60 + (minutes ?? 0)) * (isBehind ? -1 : 1)
  }

  private func digit(_ byte: UInt8) -> Int? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }

  private func matches(_ name: StaticString) -> Bool {
    bytes.count - position >= name.utf8CodeUnitCount
      && (0..<name.utf8CodeUnitCount).allSatisfy { bytes[position + $0] == name.utf8Start[$0] }
  }
}
