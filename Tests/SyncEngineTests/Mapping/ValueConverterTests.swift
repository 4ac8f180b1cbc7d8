import Foundation
import SyncStack
import TestSupport
import Testing

@Suite struct ValueConverterTests {
  /// The conversion of a JSON text, as text: a kind and the stored form, `empty`, `ignored` or the
  /// reason.
  private func converted(_ json: String, _ converter: ValueConverter) throws -> String {
    let tape = JSONTape()
    let arena = CellArena()
    var json = json
    return try json.withUTF8 { bytes in
      var scanner = JSONScanner(UnsafeRawBufferPointer(bytes), options: JSONReadingOptions())
      try scanner.scanValue(into: tape)
      switch converter.convert(0, of: tape, arena: arena) {
      case .mismatch(let reason): return "mismatch: \(reason)"
      case .cell(let cell):
        switch cell.kind {
        case .absent, .null: return "empty"
        case .integer: return "integer \(cell.integer)"
        case .real: return "real \(cell.real)"
        case .text: return "text \(String(decoding: cell.bytes, as: UTF8.self))"
        case .blob: return "blob \(String(decoding: cell.bytes, as: UTF8.self))"
        }
      }
    }
  }

  @Test(
    arguments: [
      (.integer16, "16", "integer 16"), (.integer16, "702377", "integer 702377"),
      (.integer64, "9223372036854775807", "integer 9223372036854775807"),
      (.integer64, "-9223372036854775808", "integer -9223372036854775808"),
      (.integer64, "9223372036854775808", "mismatch: outOfRange"),
      (.integer64, "9007199254740993", "integer 9007199254740993"),
      (.integer32, "2.0", "integer 2"), (.integer32, "1e3", "integer 1000"),
      (.integer32, "2.5", "mismatch: fraction"), (.integer32, "1e30", "mismatch: outOfRange"),
      (.integer32, "true", "integer 1"), (.integer32, "null", "empty"),
      (.integer32, "\"16\"", "integer 16"), (.integer32, "\"12.0\"", "integer 12"),
      (.integer32, "\"-007\"", "integer -7"), (.integer32, "\"12abc\"", "mismatch: notANumber"),
      (.integer32, "\"1,000\"", "mismatch: notANumber"),
      (.integer32, "\"+5\"", "mismatch: notANumber"),
      (.integer32, "\" 5\"", "mismatch: notANumber"),
      (.integer32, "\"\"", "mismatch: notANumber"),
      (.integer32, "\"0x10\"", "mismatch: notANumber"),
      (.integer32, "[]", "mismatch: wrongKind(SyncEngine.JSONKinds(rawValue: 8))"),
      (.integer32, "{}", "mismatch: wrongKind(SyncEngine.JSONKinds(rawValue: 16))"),
      (.double, "\"12.2\"", "real 12.2"),
      (.double, "12.2", "real 12.2"),
      (.float, "12.2", "real 12.2"), (.double, "5", "real 5.0"),
      (.double, "9007199254740993", "real 9007199254740992.0"),
      (.double, "5e-324", "real 5e-324"),
      (.double, "1.7976931348623157e308", "real 1.7976931348623157e+308"),
      (.double, "0.1e1", "real 1.0"),
      (.double, "2.2250738585072011e-308", "real 2.225073858507201e-308"),
      (.double, "1e999", "mismatch: outOfRange"), (.double, "\"nan\"", "mismatch: notANumber"),
      (.double, "false", "real 0.0"),
      (.float, "3.4028234663852886e38", "real 3.4028234663852886e+38"),
      (.float, "1e300", "mismatch: outOfRange"), (.float, "-1e39", "mismatch: outOfRange"),
      (.float, "\"1e300\"", "mismatch: outOfRange"), (.double, "1e300", "real 1e+300"),
    ] as [(AttributeType, String, String)])
  func numbersAreConverted(type: AttributeType, json: String, expected: String) throws {
    #expect(try converted(json, ValueConverter(type)) == expected)
  }

  @Test(arguments: [
    ("12.2", "text 12.2"), ("\"12.20\"", "text 12.2"), ("1e3", "text 1000"), ("0.0", "text 0"),
    ("-0.50", "text -0.5"),
    (
      "12345678901234567890123456789.012345678", "text 12345678901234567890123456789.012345678"
    ), ("true", "text 1"), ("7", "text 7"),
    ("1e400", "mismatch: outOfRange"), ("\"12abc\"", "mismatch: notANumber"),
  ])
  func decimalsKeepTheirDigitsInOneSpelling(json: String, expected: String) throws {
    #expect(try converted(json, ValueConverter(.decimal)) == expected)
  }

  @Test(
    arguments: [
      (.string, "\"a\"", "text a"), (.string, "\"\"", "text "),
      (.string, #""a\n\u00e9""#, "text a\né"), (.string, "1", "text 1"),
      (.string, "-12", "text -12"),
      (.string, "-9223372036854775808", "text -9223372036854775808"), (.string, "1.0", "text 1"),
      (.string, "1441888808000000.0", "text 1441888808000000"), (.string, "1.50", "text 1.5"),
      (.string, "1e400", "text 1e400"), (.string, "true", "text 1"), (.string, "false", "text 0"),
      (.string, "{}", "mismatch: wrongKind(SyncEngine.JSONKinds(rawValue: 16))"),
      (.string, "null", "empty"), (.boolean, "true", "integer 1"),
      (.boolean, "0", "integer 0"), (.boolean, "2", "integer 1"), (.boolean, "0.5", "integer 1"),
      (.boolean, "\"1\"", "integer 1"), (.boolean, "\"0\"", "integer 0"),
      (.boolean, "\"true\"", "integer 1"), (.boolean, "\"YES\"", "integer 1"),
      (.boolean, "\"False\"", "integer 0"), (.boolean, "\"no\"", "integer 0"),
      (.boolean, "\"2\"", "integer 1"), (.boolean, "\"maybe\"", "mismatch: notANumber"),
      (.boolean, "\"truer\"", "mismatch: notANumber"),
      (.integer32, "\"true\"", "mismatch: notANumber"),
    ] as [(AttributeType, String, String)])
  func textsAndBooleansAreConverted(type: AttributeType, json: String, expected: String) throws {
    #expect(try converted(json, ValueConverter(type)) == expected)
  }

  @Test(
    arguments: [
      (.date, "\"2001-01-01T00:00:10.123456Z\"", "real 10.123"),
      (.date, "978307210", "real 10.0"), (.date, "978307210000000.0", "real 10.0"),
      (.date, "true", "mismatch: wrongKind(SyncEngine.JSONKinds(rawValue: 4))"),
      (.date, "false", "mismatch: wrongKind(SyncEngine.JSONKinds(rawValue: 4))"),
      (.date, "\"1981\"", "mismatch: notADate"), (.date, "1e300", "mismatch: outOfRange"),
      (.date, "978307210123456789", "real 10.123"),
      (.date, "\"978307210123456789\"", "real 10.123"),
      (.date, "0", "real -978307200.0"), (.date, "\"hello\"", "mismatch: notADate"),
      (.date, "\"2014-02-30\"", "mismatch: notADate"), (.date, "null", "empty"),
      (
        .uuid, "\"e621e1f8-c36c-495a-93fc-0c247a3e6e5f\"",
        "text E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
      ),
      (.uuid, "\"e621e1f8-c36c-495a-93fc-0c247a3e6e5g\"", "mismatch: notAUUID"),
      (.uuid, "\"e621e1f8c36c-495a-93fc-0c247a3e6e5f-\"", "mismatch: notAUUID"),
      (.uuid, "5", "mismatch: wrongKind(SyncEngine.JSONKinds(rawValue: 2))"),
      (.uri, "\"https://www.example.com/a?b=c\"", "text https://www.example.com/a?b=c"),
      (.uri, "\"\"", "mismatch: notAURL"), (.uri, "\"not a url at all\"", "mismatch: notAURL"),
      (.uri, "\"/a b\"", "mismatch: notAURL"), (.uri, "\"note: a b\"", "mismatch: notAURL"),
      (.uri, "\"/a/b\"", "text /a/b"),
      (.uri, "\"https://a.b/my photo.png\"", "text https://a.b/my%20photo.png"),
      (.transformable, "[1]", "mismatch: noTransformer"),
      (.transformable, "{}", "mismatch: noTransformer"),
      (.uri, "true", "mismatch: wrongKind(SyncEngine.JSONKinds(rawValue: 4))"),
    ] as [(AttributeType, String, String)])
  func datesUUIDsAndURLsAreConverted(type: AttributeType, json: String, expected: String) throws {
    #expect(try converted(json, ValueConverter(type)) == expected)
  }

  @Test(arguments: [
    "http://a", "https://example.com/", "https://a.b/c-d_e~f?g=h&i=j+k,l", "https://a//b",
    "http://1.2.3.4/x.png", "https://-/", "https://a./b", "https://a b/c", "https://ex.com/ü",
    "https://a/b c.png", "not a url", "a: b", "%zz", "/a b",
    "mailto:a@b.c", "https://a:80/b#c", "/relative", "https://a/%41", "https:///x",
  ])
  func theShortWayForURLsGivesTheSameAsURL(text: String) throws {
    let expected = URLText.parse(text).map { "text \($0.absoluteString)" } ?? "mismatch: notAURL"
    #expect(try converted("\"\(text)\"", ValueConverter(.uri)) == expected)
  }

  @Test func binaryAttributesHoldAnyJSONValueEqualValuesAsEqualBytes() throws {
    let converter = ValueConverter(.binary)
    #expect(
      try converted(#"{"b": [1, 2.0], "a": "x"}"#, converter)
        == converted(#"{"a":"x","b":[1,2]}"#, converter))
    #expect(try converted("\"YQ==\"", converter) == "blob \"YQ==\"")
    #expect(try converted("null", converter) == "empty")
  }

  @Test func strictConvertersTakeTheirOwnKindOnlyInTheDeclaredWidth() throws {
    let number = ValueConverter(
      .integer16, form: .natural, accepts: [.number, .boolean], checksWidth: true)
    #expect(try converted("32767", number) == "integer 32767")
    #expect(try converted("32768", number) == "mismatch: outOfRange")
    #expect(try converted("\"1\"", number).hasPrefix("mismatch: wrongKind"))
    #expect(try converted("{}", number).hasPrefix("mismatch: wrongKind"))
    let date = ValueConverter(
      .date, form: .isoDate(isStrict: false), accepts: .string, checksWidth: false)
    #expect(try converted("\"\"", date) == "empty")
    #expect(try converted("\"978307210\"", date) == "mismatch: notADate")
    let data = ValueConverter(.binary, form: .base64, accepts: .string, checksWidth: false)
    #expect(try converted("\"YWJj\"", data) == "blob abc")
    #expect(try converted("\"?\"", data) == "mismatch: notBase64")
  }

  @Test func doublesAreRoundedAsTheStandardLibraryRoundsThem() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let value = Double(bitPattern: generator.next() & ~(1 << 63))
      guard value.isFinite else { continue }
      #expect(try converted("\"\(value)\"", ValueConverter(.double)) == "real \(value)")
      let short = "\(generator.next() % 100_000_000).\(generator.next() % 10_000)"
      #expect(try converted(short, ValueConverter(.double)) == "real \(Double(short) ?? -1)")
    }
  }
}
