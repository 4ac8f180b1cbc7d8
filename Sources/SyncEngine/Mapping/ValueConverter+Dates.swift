import SyncCore

/// Dates whose form a rule has settled.
extension ValueConverter {
  /// Converts a value where the form says which dates it takes; nil where the usual ways do.
  func settledDate(_ index: Int, of tape: JSONTape, arena: CellArena) -> Conversion? {
    guard type == .date, case .unixTime(let unit?) = form else { return nil }
    let token = tape.tokens[index]
    switch token.kind {
    case .integer:
      return date(unit.milliseconds(token.integer))
    case .number: return date(NumberText(token.bytes), in: unit)
    case .string: return date(NumberText(token.bytes), in: unit)
    case .escapedString: return date(NumberText(tape.text(index, arena: arena)), in: unit)
    default: return nil
    }
  }

  private func date(_ number: consuming NumberText?, in unit: UnixTimeUnit) -> Conversion {
    guard let number else { return .mismatch(.notADate) }
    // Of seconds their thousandths count, of smaller units no fraction.
    let magnitude = number.cut(shiftedBy: unit == .seconds ? 3 : 0).flatMap { Int64(exactly: $0) }
    let milliseconds = unit == .seconds ? magnitude : magnitude.flatMap(unit.milliseconds)
    return date(milliseconds.map { number.isNegative ? -$0 : $0 })
  }

  /// Milliseconds from 1970 beyond which no calendar goes (tc39.es/ecma262, time values).
  private static let mostMilliseconds = 8_640_000_000_000_000

  private func date(_ milliseconds: Int64?) -> Conversion {
    guard let milliseconds, milliseconds.magnitude <= ValueConverter.mostMilliseconds else {
      return .mismatch(.outOfRange)
    }
    return .cell(.real(Double(milliseconds - 978_307_200_000) / 1000))
  }
}

/// The unit of Unix time since 1970, for rules that leave nothing to its size.
public enum UnixTimeUnit: String, Sendable, Hashable, CaseIterable {
  /// Whole seconds, with or without a fraction.
  case seconds
  /// A thousand in a second, as JavaScript counts.
  case milliseconds
  /// A million in a second.
  case microseconds
  /// A billion in a second.
  case nanoseconds

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

  /// So many milliseconds in this unit, when it is a whole number; nil when it is none, or too
  /// large.
  func whole(_ milliseconds: Int64) -> Int64? {
    guard let perMillisecond else {
      return milliseconds % 1000 == 0 ? milliseconds / 1000 : nil
    }
    let (result, isTooLarge) = milliseconds.multipliedReportingOverflow(by: perMillisecond)
    return isTooLarge ? nil : result
  }
}

/// The dates that rules for ISO 8601 take: a day, a time down to the second and a zone.
///
/// ```
/// yyyy-MM-ddTHH:mm:ss[.fraction]zone      zone = Z | z | ±hh | ±hhmm | ±hh:mm
/// ```
///
/// Stricter than the dates of conventional mapping, which may lack time or zone: a rule written by
/// hand would rather report another format than store a wrong moment. Rules that convert all kinds
/// also take months, days and times without leading zero, blanks around the text, and `GMT` or
/// `UTC` as zone; a year has four digits always. ``DateText`` reads them all.
enum ZonedDateText {
  /// Seconds since 2001-01-01 UTC; nil when the text is no such date.
  ///
  /// - Complexity: O(*n*).
  static func parse(_ text: UnsafeRawBufferPointer, isStrict: Bool = false) -> Double? {
    if hasTimeAndZone(text) { return DateText.parse(text) }
    guard !isStrict else { return nil }
    return spelledOut(text).withUnsafeBytes { hasTimeAndZone($0) ? DateText.parse($0) : nil }
  }

  /// Whether day, seconds and zone begin where they should.
  private static func hasTimeAndZone(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count > 19, text[4] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
      text[16] == UInt8(ascii: ":")
    else { return false }
    var index = 19
    if text[index] == UInt8(ascii: ".") {
      repeat { index += 1 } while index < text.count && text[index] &- 0x30 <= 9
    }
    return index < text.count && "Zz+-".utf8.contains(text[index])
  }

  /// The text with two digits wherever one of a month, a day or a time stands alone, with `Z` for
  /// names of UTC, and without the blanks around it.
  private static func spelledOut(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    let blank = UInt8(ascii: " ")
    var result: [UInt8] = []
    var field = 0
    var start = 0
    for byte in text.drop(while: { $0 == blank }) {
      if byte &- 0x30 > 9, field < 6 {
        if field > 0, result.count == start + 1 { result.insert(UInt8(ascii: "0"), at: start) }
        field += 1
        start = result.count + 1
      }
      result.append(byte)
    }
    while result.last == blank { result.removeLast() }
    if result.suffix(3).elementsEqual("GMT".utf8) || result.suffix(3).elementsEqual("UTC".utf8) {
      result.replaceSubrange((result.count - 3)..., with: "Z".utf8)
    }
    return result
  }
}
