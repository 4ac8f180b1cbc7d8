import Foundation
import SyncCore
import Testing

struct DateTextTests {
  /// Seconds since 1970 of a date in UTC, by Foundation.
  private static func utc(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0
  ) throws -> Double {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    let parts = DateComponents(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    return try #require(calendar.date(from: parts)).timeIntervalSinceReferenceDate
  }

  private static func expected(_ seconds1970: Int64, _ milliseconds: Int64) -> Double {
    Double((seconds1970 - 978_307_200) * 1000 + milliseconds) / 1000
  }

  @Test(
    arguments: [
      ("2014-01-02", 1_388_620_800, 0),
      ("2016-01-09T12:40:08", 1_452_343_208, 0),
      ("2009-10-09 12:40:08", 1_255_092_008, 0),
      ("2014-03-30T09:13:10Z", 1_396_170_790, 0),
      ("2014-01-01T12:40:08+00:00", 1_388_580_008, 0),
      ("2014-01-01T12:40:08+0200", 1_388_572_808, 0),
      ("2017-11-02T17:27:52.2Z", 1_509_643_672, 200),
      ("2017-12-22T18:10:14.07Z", 1_513_966_214, 70),
      ("2016-01-09T12:40:08.12", 1_452_343_208, 120),
      ("2015-06-23T19:04:19.911Z", 1_435_086_259, 911),
      ("2017-12-22T18:10:14.070", 1_513_966_214, 70),
      ("2015-06-23T14:40:08.123+02:00", 1_435_063_208, 123),
      ("2015-09-10T12:40:08.123+0000", 1_441_888_808, 123),
      ("2015-09-10T12:40:08.123456Z", 1_441_888_808, 123),
      ("2014-01-02T12:40:08.123000+00:00", 1_388_666_408, 123),
      // Better than the original.
      ("2015-09-10T12:40:08.123-0200", 1_441_896_008, 123),
      ("2015-09-10T12:40:08.123+0200", 1_441_881_608, 123),
      ("2015-09-10T12:40:08.1239Z", 1_441_888_808, 123),
      ("2015-09-10T12:40:08.12399Z", 1_441_888_808, 123),
      ("2015-09-10T12:40:08.1239999Z", 1_441_888_808, 123),
      ("2015-09-10T12:40:08.12399999Z", 1_441_888_808, 123),
      ("2014-01-02T12:40:08.1234567890Z", 1_388_666_408, 123),
      ("2014-01-02T12:40:08.123456789012345678901234567890+00:00", 1_388_666_408, 123),
      ("2015-09-10T12:40:08.123999999Z", 1_441_888_808, 123),
      ("2015-09-10T12:40:08.123999", 1_441_888_808, 123),
      ("2015-09-10T12:40:08.1+02:00", 1_441_881_608, 100),
      ("2015-09-10T12:40:08+02", 1_441_881_608, 0),
      ("2015-09-10T12:40", 1_441_888_800, 0),
      ("2015-09-10T12:40Z", 1_441_888_800, 0),
      ("2015-09-10t12:40:08z", 1_441_888_808, 0),
      ("2015-09-10 12:40:08Z", 1_441_888_808, 0),
      ("2015-09-10 12:40:08+02:00", 1_441_881_608, 0),
      ("2015-09-10 12:40:08 +0200", 1_441_881_608, 0),
      ("2016-02-29T23:59:59.999Z", 1_456_790_399, 999),
      ("1969-12-31T23:59:59.500Z", -1, 500),
      ("0001-01-01", -62_135_596_800, 0),
      ("9999-12-31T23:59:59Z", 253_402_300_799, 0),
      // Of .NET and OData 2.
      ("/Date(1467298867123)/", 1_467_298_867, 123),
      ("/Date(1467298867000-0400)/", 1_467_298_867, 0),
      ("/Date(1467298867000+0000)/", 1_467_298_867, 0),
      ("/Date(-500)/", -1, 500),
      ("/Date(0)/", 0, 0),
    ] as [(String, Int64, Int64)])
  func everyShapeOfTheTableIsRead(text: String, seconds: Int64, milliseconds: Int64) {
    #expect(DateText.parse(text) == DateTextTests.expected(seconds, milliseconds))
  }

  @Test(arguments: [
    "2014-01-02T00:monster…+00:00", "2014-02-30", "2015-02-29", "1900-02-29", "2014-13-01",
    "2014-00-10", "2014-01-00", "0000-00-00", "2014-01-32", "2014-04-31", "2014-1-2", "2014-01",
    "2014-01-02T", "2014-01-02T12", "2014-01-02T12:4", "2014-01-02T12:40:", "2014-01-02T12:40:0",
    "2014-01-02T24:00:00Z", "2014-01-02T12:60:00Z", "2014-01-02T12:00:60Z",
    "2014-01-02T12:40:08.", "2014-01-02T12:40:08.Z", "2014-01-02T12:40:08Zx",
    "2014-01-02T12:40:08+", "2014-01-02T12:40:08+2",
    "2014-01-02T12:40:08+020", "2014-01-02T12:40:08+02:", "2014-01-02T12:40:08+02:0",
    "2014-01-02T12:40:08+02:000", "2014-01-02T12:40:08+24:00", "2014-01-02T12:40:08 ",
    "2014-01-02Z", "-2014-01-02", "a-b", "1-2", "1e-5", "--", "2014-01-02X12:40:08",
    "", "hello", "20140101T000000Z", "-", "+", ".", "1.", "1e", "12abc", "1,000", " 1", "1 ", "٣",
    "NaN", "inf", "0x10", "1e30", "99999999999999999999999",
    // A day of 1970 or near it: a year, a day without dashes, a flag.
    "0", "1", "-1", "60", "1981", "20240131", "20240131.5", "31535999", "-31535999", "1.001",
    // A day and a time without dashes.
    "20240131101500", "99999999999999",
    // Before the year 0.
    "-62167219201", "-99999999999",
    "/Date()/", "/Date(x)/", "/Date(1467298867000)", "/Date(1467298867000", "/Date(1 )/",
    "/Date(1467298867000+)/", "/Date(1467298867000+00)x/", "/Date(-99999999999999)/",
    "/Date(99999999999999999999)/", "/", "//", "/Date(", "/date(0)/", "/Date(--1)/",
  ])
  func textThatIsNoDateGivesNone(text: String) {
    #expect(DateText.parse(text) == nil)
  }

  @Test(
    arguments: [
      ("1441888808", 1_441_888_808, 0), ("1441888808000000", 1_441_888_808, 0),
      ("1441888808000000.0", 1_441_888_808, 0), ("1441888808123", 1_441_888_808, 123),
      ("1441888808123456", 1_441_888_808, 123), ("1441888808123456789", 1_441_888_808, 123),
      ("-1441888808123456789", -1_441_888_809, 877), ("31536000", 31_536_000, 0),
      ("-31536000", -31_536_000, 0), ("-62167219200", -62_167_219_200, 0),
      ("-1441888808", -1_441_888_808, 0), ("31536001.5", 31_536_001, 500),
      ("99999999999999999", 99_999_999_999, 999), ("100000000000000000", 100_000_000, 0),
      ("9223372036854775807", 9_223_372_036, 854),
      ("1441888808.1239", 1_441_888_808, 123), ("1.441888808e9", 1_441_888_808, 0),
      ("99999999999", 99_999_999_999, 0), ("100000000000", 100_000_000, 0),
      ("9999999999999", 9_999_999_999, 999), ("100000000000000", 100_000_000, 0),
      ("981173106000", 981_173_106, 0),
    ] as [(String, Int64, Int64)])
  func unixTimeIsReadByItsMagnitude(text: String, seconds: Int64, milliseconds: Int64) throws {
    #expect(DateText.parse(text) == DateTextTests.expected(seconds, milliseconds))
    // Beyond 2^53 a double has not all digits.
    if let number = Double(text), number.magnitude < 0x1p53 {
      #expect(DateText.unix(number) == DateTextTests.expected(seconds, milliseconds))
    }
    if let integer = Int64(text) {
      #expect(DateText.unix(integer) == DateTextTests.expected(seconds, milliseconds))
    }
  }

  @Test func numbersBeyondReasonAreNoDates() {
    #expect(DateText.unix(Double.nan) == nil)
    #expect(DateText.unix(Double.infinity) == nil)
    #expect(DateText.unix(1e300) == nil)
    #expect(DateText.unix(Int64.min + 1) == DateTextTests.expected(-9_223_372_037, 146))
    #expect(DateText.unix(Int64.min) == DateTextTests.expected(-9_223_372_037, 146))
  }

  @Test(arguments: [0, 1, -1, 60, 1981, 20_240_131, 31_535_999] as [Int64])
  func aSmallNumberIsUnixTimeWhateverTheSameTextWouldBe(number: Int64) {
    #expect(DateText.unix(number) == DateTextTests.expected(number, 0))
    #expect(DateText.unix(Double(number)) == DateTextTests.expected(number, 0))
  }

  @Test func agreesWithTheCalendarOverFourCenturies() throws {
    for year in stride(from: 1801, through: 2199, by: 7) {
      for (month, day) in [(1, 1), (2, 28), (3, 1), (7, 31), (12, 31)] {
        let text =
          "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)T01:02:03Z"
        let seconds = try DateTextTests.utc(year, month, day, 1, 2, 3)
        #expect(DateText.parse(text) == seconds)
        #expect(DateText.iso8601(Date(timeIntervalSinceReferenceDate: seconds)) == text)
      }
    }
  }

  @Test(arguments: [
    "2016-01-09T12:40:08Z", "2016-01-09T12:40:08.001Z", "1969-12-31T23:59:59.999Z",
    "1582-10-15T00:00:00Z", "0000-03-01T00:00:00.120Z", "9999-12-31T23:59:59.999Z",
    "2000-02-29T00:00:00Z",
  ])
  func aWrittenDateIsReadBack(text: String) throws {
    let seconds = try #require(DateText.parse(text))
    #expect(DateText.iso8601(Date(timeIntervalSinceReferenceDate: seconds)) == text)
  }

  @Test func datesFarAwayAreWrittenWithoutStopping() {
    #expect(DateText.iso8601(.distantPast) == "0000-12-30T00:00:00Z")
    #expect(
      DateText.iso8601(Date(timeIntervalSince1970: 253_402_300_800)) == "+10000-01-01T00:00:00Z")
    #expect(DateText.iso8601(Date(timeIntervalSince1970: .infinity)) == "no date")
    #expect(DateText.iso8601(Date(timeIntervalSince1970: 1e300)) == "no date")
    #expect(DateText.iso8601(Date(timeIntervalSince1970: 1e300), secondsFromGMT: 0) == "no date")
  }

  @Test(arguments: [
    (0, "2016-01-09T12:40:08Z"), (3600, "2016-01-09T13:40:08+01:00"),
    (-12600, "2016-01-09T09:10:08-03:30"), (43_200, "2016-01-10T00:40:08+12:00"),
  ])
  func zonesAreWrittenWithHoursAndMinutes(zone: Int, text: String) {
    let date = Date(timeIntervalSince1970: 1_452_343_208.999)
    #expect(DateText.iso8601(date, secondsFromGMT: zone) == text)
  }

  @Test func textCutAnywhereNeverStopsTheProcess() {
    let bytes = Array("2015-06-23 14:40:08.123456 +02:00".utf8)
    for start in bytes.indices {
      for end in start...bytes.count {
        // A block of its own, so that a sanitizer sees a read beyond the end.
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: end - start, alignment: 1)
        block.copyBytes(from: bytes[start..<end])
        _ = DateText.parse(UnsafeRawBufferPointer(block))
        block.deallocate()
      }
    }
  }
}
