import Foundation

/// Dates of the payload's six forms.
enum PayloadDates {
  /// As one would write it: one format style after the other.
  static func parse(_ text: String) throws -> Date {
    for style in styles {
      // To the millisecond, as dates are stored; else half of all dates would differ in a bit.
      if let date = try? style.parse(text) {
        return Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded() / 1000)
      }
    }
    throw CocoaError(.formatting)
  }

  private static let styles: [Date.ISO8601FormatStyle] = [
    .iso8601,
    Date.ISO8601FormatStyle(includingFractionalSeconds: true),
    Date.ISO8601FormatStyle().year().month().day(),
    Date.ISO8601FormatStyle().year().month().day().time(includingFractionalSeconds: false),
    Date.ISO8601FormatStyle(dateTimeSeparator: .space).year().month().day()
      .time(includingFractionalSeconds: false),
  ]

  /// By hand, from the bytes.
  static func fast(_ text: String) -> Date {
    var text = text
    return text.withUTF8 { bytes in
      func pair(_ index: Int) -> Int { Int(bytes[index] &- 48) * 10 + Int(bytes[index + 1] &- 48) }
      let year = pair(0) * 100 + pair(2)
      let month = pair(5)
      let shifted = month <= 2 ? year - 1 : year
      let yearOfEra = shifted % 400
      let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + pair(8) - 1
      let days =
        shifted / 400 * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        - 719_468
      var milliseconds = days * 86_400_000
      guard bytes.count >= 19 else {
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      }
      milliseconds += pair(11) * 3_600_000 + pair(14) * 60_000 + pair(17) * 1000
      var index = 19
      if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
        milliseconds += Int(bytes[20] &- 48) * 100 + pair(21)
        index = 23
      }
      if index < bytes.count, bytes[index] != UInt8(ascii: "Z") {
        let minutes =
          pair(index + 1) * 60 + pair(bytes[index + 3] == UInt8(ascii: ":") ? index + 4 : index + 3)
        milliseconds -= (bytes[index] == UInt8(ascii: "-") ? -minutes : minutes) * 60_000
      }
      return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
  }

  static func decoder(_ parse: @escaping @Sendable (String) throws -> Date) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .custom { decoder in
      try parse(try decoder.singleValueContainer().decode(String.self))
    }
    return decoder
  }
}
