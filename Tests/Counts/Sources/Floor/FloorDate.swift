/// ISO 8601 dates in the six forms of the payload, by hand.
enum FloorDate {
  /// Milliseconds since 1970 of a valid date.
  @inline(__always)
  static func milliseconds(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int64 {
    let year = pair(text) * 100 + pair(text + 2)
    let month = pair(text + 5)
    let day = pair(text + 8)
    var result = days(year, month, day) * 86_400_000
    if count < 19 { return result }
    result += pair(text + 11) * 3_600_000 + pair(text + 14) * 60_000 + pair(text + 17) * 1000
    var index = 19
    if index < count, text[index] == UInt8(ascii: ".") {
      index += 1
      var unit: Int64 = 100
      while index < count, text[index] &- 0x30 <= 9 {
        result += Int64(text[index] &- 0x30) * unit
        unit /= 10
        index += 1
      }
    }
    guard index < count, text[index] != UInt8(ascii: "Z") else { return result }
    let sign: Int64 = text[index] == UInt8(ascii: "-") ? 1 : -1
    let hours = pair(text + index + 1)
    index += text[index + 3] == UInt8(ascii: ":") ? 4 : 3
    return result + sign * (hours * 60 + pair(text + index)) * 60_000
  }

  @inline(__always)
  private static func pair(_ text: UnsafePointer<UInt8>) -> Int64 {
    Int64(text[0] &- 0x30) &* 10 &+ Int64(text[1] &- 0x30)
  }

  /// Days of the Gregorian calendar since 1970, with years that begin in March.
  @inline(__always)
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year &- 1 : year
    let era = shifted / 400
    let yearOfEra = shifted &- era &* 400
    let dayOfYear = (153 &* (month > 2 ? month &- 3 : month &+ 9) &+ 2) / 5 &+ day &- 1
    let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
    return era &* 146_097 &+ dayOfEra &- 719_468
  }
}
