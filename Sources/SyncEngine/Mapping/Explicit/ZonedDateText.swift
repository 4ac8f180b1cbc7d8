import SyncCore

/// The dates that rules for ISO 8601 take: a day, a time down to the second and a zone.
///
/// ```
/// yyyy-MM-ddTHH:mm:ss[.fraction]zone      zone = Z | z | ±hh | ±hhmm | ±hh:mm
/// ```
///
/// Stricter than the dates of conventional mapping, which may lack time or zone: whoever writes a rule by hand
/// would rather hear of another format than store a wrong moment. Rules that convert what they can also take months,
/// days and times without leading zero, blanks around the text, and `GMT` or `UTC` as zone; a year has four digits
/// always. ``DateText`` reads them all.
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

  /// The text with two digits wherever one of a month, a day or a time stands alone, with `Z` for names of UTC, and
  /// without the blanks around it.
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
