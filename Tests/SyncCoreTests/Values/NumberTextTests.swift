import Foundation
import SyncCore
import Testing

struct NumberTextTests {
  private func number<Result>(_ text: String, _ body: (NumberText) -> Result?) -> Result? {
    var text = text
    return text.withUTF8 { NumberText(UnsafeRawBufferPointer($0)).flatMap(body) }
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("16", 16), ("+7", 7), ("007", 7), ("1.0", 1), ("12e2", 1200),
      ("120e-1", 12), ("9223372036854775807", .max), ("-9223372036854775808", .min),
      ("9223372036854775807.000", .max), ("9223372036854775808", nil), ("1.5", nil),
      ("1e19", nil), ("1e-1", nil), ("1000000000000000000000", nil),
      ("1000000000000000000000e-3", 1_000_000_000_000_000_000), ("0e99999999999999999999", 0),
      ("1e99999999999999999999", nil), ("-9223372036854775809", nil),
    ] as [(String, Int64?)])
  func wholeNumbersWithin64BitsAreIntegers(text: String, value: Int64?) {
    #expect(number(text) { $0.integer } == value)
  }

  @Test(arguments: [
    "12.2", "0.1", "-0.0000001", "12345678901234567890.123456789",
    "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001",
    "-1234567890123456789.1234567890123456789", "18446744073709551616",
  ])
  func decimalsKeepTheirDigits(text: String) {
    #expect(number(text) { $0.decimal } == Decimal(string: text))
    #expect(number(text) { $0.decimal?.canonicalText } == text)
  }

  @Test(arguments: ["1234567890123456789012345678901234567891", "1e400", "1e-400", "1e121"])
  func whatADecimalCannotHoldIsNone(text: String) {
    #expect(number(text) { $0.decimal } == nil)
  }

  @Test(arguments: [
    "0", "0.1", "1e22", "1e23", "123456.789e-5", "9007199254740993", "1.7976931348623157e308",
    "5e-324", "2.2250738585072011e-308", "0.1000000000000000055511151231257827", "1e400",
    "-1e400", "1e-400", "123456789012345678901234567890",
  ])
  func doublesAreTheNearest(text: String) {
    #expect(number(text) { $0.double } == Double(text))
  }

  @Test(arguments: [
    "", "-", "+", ".", "1.", "e5", "1e", "1e+", " 1", "1 ", "12abc", "1,000", "0x1", "NaN", "--1",
    "1.2.3",
  ])
  func otherTextIsNoNumber(text: String) {
    #expect(number(text) { $0 } == nil)
  }
}

/// UUIDs are read without Foundation's parser, and the same ones.
@Suite struct UUIDTextTests {
  @Test(arguments: [
    "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9dad-11D1-80b4-00C04FD430C8",
  ])
  func takesDigitsOfEitherCase(_ text: String) {
    #expect(UUIDText.parse(text) == UUID(uuidString: text))
    #expect(UUIDText.parse(text)?.uuidString == text.uppercased())
  }

  @Test(arguments: [
    "", "6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b810-9dad-11d1-80b4-00c04fd430c88",
    "6ba7b8109dad11d180b400c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430cg",
    "6ba7b81-09dad-11d1-80b4-00c04fd430c8", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c\u{e9}", "+6a7b810-9dad-11d1-80b4-00c04fd430c8",
    " 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  ])
  func takesNothingElse(_ text: String) {
    #expect(UUIDText.parse(text) == nil)
  }

  @Test func takesWhatItWrites() {
    for _ in 0..<200 {
      let id = UUID()
      #expect(UUIDText.parse(id.uuidString) == id)
      #expect(UUIDText.parse(id.uuidString.lowercased()) == id)
    }
  }
}
