/// ISO 8601 dates in the six forms of the payload, by hand.
enum FloorDate {
  /// Milliseconds since 1970 of a valid date; goes on behind its last character.
  @inline(__always)
  static func milliseconds(_ text: inout UnsafePointer<UInt8>) -> Int64 {
    let year = pair(text) &* 100 &+ pair(text + 2)
    var result = days(year, pair(text + 5), pair(text + 8)) &* 86_400_000
    text += 10
    if text.pointee == UInt8(ascii: "\"") { return result }
    result &+= pair(text + 1) &* 3_600_000 &+ pair(text + 4) &* 60_000 &+ pair(text + 7) &* 1000
    text += 9
    if text.pointee == UInt8(ascii: ".") {
      text += 1
      var unit: Int64 = 100
      while text.pointee &- 0x30 <= 9 {
        result &+= Int64(text.pointee &- 0x30) &* unit
        unit /= 10
        text += 1
      }
    }
    switch text.pointee {
    case UInt8(ascii: "Z"):
      text += 1
    case UInt8(ascii: "+"):
      result &-= zone(&text)
    case UInt8(ascii: "-"):
      result &+= zone(&text)
    default: break
    }
    return result
  }

  /// Milliseconds of an offset, with or without a colon.
  @inline(__always)
  private static func zone(_ text: inout UnsafePointer<UInt8>) -> Int64 {
    let hours = pair(text + 1)
    text += text[3] == UInt8(ascii: ":") ? 4 : 3
    defer { text += 2 }
    return (hours &* 60 &+ pair(text)) &* 60_000
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
