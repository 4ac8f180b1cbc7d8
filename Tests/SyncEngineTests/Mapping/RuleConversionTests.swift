import Foundation
import SyncStack
import TestSupport
import Testing

/// The values that each kind of rule takes, and the values that it makes of them.
@Suite struct RuleConversionTests {
  private static let types: [(String, AttributeType)] = [
    ("text", .string), ("flag", .boolean), ("short", .integer16), ("whole", .integer64),
    ("real", .double), ("exact", .decimal), ("moment", .date), ("uuid", .uuid), ("link", .uri),
    ("bytes", .binary),
  ]

  /// The outcome of a rule for a JSON value: the value of the attribute, `absent`, or the code of
  /// the error.
  private func stored(_ attribute: String, _ rule: Rule, _ json: String) throws -> String {
    let properties = RuleConversionTests.types.map { PropertyDraft.attribute($0.0, $0.1) }
    let model = try ManagedObjectModel([
      EntityDraft("Thing", [.attribute("id", .integer64)] + properties)
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    try stack.mapping(forEntityNamed: "Thing") { $0[attribute] = rule.onMismatch(.fail) }
    let sync = Sync(
      .data(Data("[{\"id\": 1, \"value\": \(json)}]".utf8)), inEntityNamed: "Thing",
      dataStack: stack)
    sync.onItemError = .fail
    do {
      try sync.run()
    } catch let error as SyncError {
      #expect(error.entity == "Thing" && error.property == attribute)
      #expect(error.path == "$[0].value")
      return error.code.rawValue
    }
    return try stack.inBackground { context in
      let thing = try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "Thing")).first)
      switch thing.value(forKey: attribute) {
      case let date as Date:
        return "\((date.timeIntervalSince1970 * 1_000_000).rounded() / 1_000_000)"
      case let data as Data: return String(decoding: data, as: UTF8.self)
      case let value?: return "\(value)"
      case nil: return "empty"
      }
    }
  }

  @Test(arguments: [
    ("text", Rule.string("value"), "\"a\"", "a"), ("text", .string("value"), "\"\"", ""),
    ("text", .string("value"), "12", "typeMismatch"),
    ("text", .string("value"), "true", "typeMismatch"),
    ("text", .string("value"), "[]", "typeMismatch"),
    ("text", .string("value"), "{}", "typeMismatch"), ("text", .string("value"), "null", "empty"),
    ("flag", .bool("value"), "true", "true"), ("flag", .bool("value"), "1", "typeMismatch"),
    ("flag", .bool("value"), "\"true\"", "typeMismatch"),
    ("whole", .int("value"), "9007199254740993", "9007199254740993"),
    ("whole", .int("value"), "2.0", "2"), ("whole", .int("value"), "2.5", "typeMismatch"),
    ("whole", .int("value"), "true", "1"), ("whole", .int("value"), "\"12\"", "typeMismatch"),
    ("whole", .int("value"), "9223372036854775808", "outOfRange"),
    ("short", .int("value"), "40000", "outOfRange"), ("short", .int("value"), "-7", "-7"),
    ("real", .int("value"), "2.5", "typeMismatch"), ("real", .int("value"), "3", "3.0"),
    ("real", .number("value"), "2.5", "2.5"), ("real", .double("value"), "0.1", "0.1"),
    ("real", .float("value"), "0.1", "0.10000000149011612"),
    ("real", .float("value"), "1e39", "outOfRange"),
    ("exact", .decimal("value"), "12345678901234567890.5", "12345678901234567890.5"),
    ("exact", .decimal("value"), "true", "typeMismatch"),
    (
      "uuid", .uuid("value"), "\"0f0e0d0c-0000-4000-8000-000000000001\"",
      "0F0E0D0C-0000-4000-8000-000000000001"
    ),
    ("uuid", .uuid("value"), "\"none\"", "typeMismatch"),
    ("link", .url("value"), "\"https://example.com/a\"", "https://example.com/a"),
    ("bytes", .base64("value"), "\"aGk=\"", "hi"),
    ("bytes", .base64("value"), "\"!\"", "typeMismatch"),
    ("bytes", .structured("value"), "{\"b\": [1, 2]}", "{\"b\":[1,2]}"),
    ("whole", .int("value"), "1e3", "1000"), ("short", .number("value"), "1.5", "typeMismatch"),
    ("real", .number("value"), "1e400", "outOfRange"),
    ("text", .raw("value"), "[]", "typeMismatch"),
    ("uuid", .raw("value"), "5", "typeMismatch"),
    ("moment", .isoDate("value"), "true", "typeMismatch"),
    ("whole", .raw("value"), "\"1\"", "typeMismatch"), ("bytes", .raw("value"), "[1]", "[1]"),
  ])
  func strictRulesTakeTheirOwnKind(attribute: String, rule: Rule, json: String, expected: String)
    throws
  {
    #expect(try stored(attribute, rule.coercing(.strict), json) == expected)
  }

  @Test(arguments: [
    ("text", Rule.string("value"), "12", "12"), ("whole", .int("value"), "\"12\"", "12"),
    ("whole", .int("value"), "\"x\"", "typeMismatch"), ("flag", .bool("value"), "1", "true"),
    ("moment", .unixTime("value"), "\"86400\"", "86400.0"),
    ("flag", .bool("value"), "\"true\"", "true"), ("flag", .bool("value"), "\"0\"", "false"),
    ("exact", .decimal("value"), "\"1101.10\"", "1101.1"),
    ("whole", .int("value"), "\"\"", "typeMismatch"),
    ("moment", .unixTime("value"), "\"\"", "invalidDate"),
    ("moment", .unixTime("value"), "true", "typeMismatch"),
    ("text", .string("value"), "{}", "typeMismatch"),
  ])
  func losslessRulesTakeValuesThatCanBeConvertedWithoutLoss(
    attribute: String, rule: Rule, json: String, expected: String
  ) throws { #expect(try stored(attribute, rule.coercing(.lossless), json) == expected) }

  @Test(arguments: [
    ("1970-01-02T00:00:00Z", "86400.0"), ("1970-01-02T00:00:00z", "86400.0"),
    ("1970-01-02T02:00:00+02:00", "86400.0"), ("1970-01-01T22:00:00-0200", "86400.0"),
    ("1970-01-02T02:00:00+02", "86400.0"), ("1970-01-02T00:00:00.25Z", "86400.25"),
    ("1970-01-02T00:00:00.123456789Z", "86400.123"), ("1970-1-2T0:0:0Z", "86400.0"),
    (" 1970-01-02T00:00:00Z ", "86400.0"), ("1970-01-02T00:00:00GMT", "86400.0"),
    ("1970-01-02T00:00:00UTC", "86400.0"), ("2000-02-29T00:00:00Z", "951782400.0"),
    ("1969-12-31T23:59:59.5Z", "-0.5"), ("", "empty"), ("1970-01-02", "86400.0"),
    ("1970-02-30", "invalidDate"),
    ("1970-01-02T00:00:00", "invalidDate"), ("1970-01-02 00:00:00Z", "invalidDate"),
    ("1970-01-02t00:00:00Z", "invalidDate"), ("1970-01-02T00:00Z", "invalidDate"),
    ("1970-01-02T00:00:00,5Z", "invalidDate"), ("1970-02-30T00:00:00Z", "invalidDate"),
    ("1900-02-29T00:00:00Z", "invalidDate"), ("1970-01-02T24:00:00Z", "invalidDate"),
    ("1970-01-02T00:00:60Z", "invalidDate"), ("1970-W01-1", "invalidDate"),
    ("86400", "invalidDate"), ("1970-01-02T00:00:00.Z", "invalidDate"),
    ("1970-01-02T00:00:00+2", "invalidDate"), ("1970-01-02T00:00:00+02:", "invalidDate"),
  ])
  func datesInISO8601HaveATimeAndAZone(text: String, expected: String) throws {
    #expect(try stored("moment", .isoDate("value"), "\"\(text)\"") == expected)
  }

  @Test func aNumberIsNoDateInISOForm() throws {
    #expect(try stored("moment", .isoDate("value").coercing(.strict), "86400") == "typeMismatch")
    #expect(try stored("moment", .unixTime("value"), "86400") == "86400.0")
    #expect(try stored("moment", .unixTime("value"), "86400500") == "86400500.0")
  }

  @Test func aCustomRuleMakesTheValue() throws {
    let rule = Rule.custom("value") { json in json.stringValue.map { Int64($0.count) } }
    #expect(try stored("whole", rule, "\"four\"") == "4")
    #expect(try stored("whole", rule, "7") == "empty")
    struct Refusal: Error, CustomStringConvertible { let description = "not that" }
    let refusing = Rule.custom("value") { _ -> Int64? in throw Refusal() }
    #expect(try stored("whole", refusing, "1") == "typeMismatch")
  }

  @Test(arguments: [
    ("text", Rule.int("value")), ("whole", .string("value")), ("real", .isoDate("value")),
    ("moment", .number("value")), ("uuid", .string("value")), ("flag", .uuid("value")),
    ("text", .base64("value")), ("moment", .custom("value") { _ -> String? in nil }),
  ])
  func aRuleThatCanNeverFillItsAttributeIsRefusedWhenItIsWritten(attribute: String, rule: Rule)
    throws
  {
    let error = #expect(throws: MappingError.self) { try stored(attribute, rule, "1") }
    #expect(error?.code == .unsuitableRule)
    #expect(error?.entity == "Thing" && error?.property == attribute)
  }
}
