import Foundation
import SyncStack
import TestSupport
import Testing

/// Dates whose form a rule has settled: one spelling of ISO 8601, one unit of Unix time.
@Suite struct DateRuleTests {
  private let stack: DataStack

  init() throws { stack = try DataStack.inMemory(["Thing: id, moment date"]) }

  /// Seconds since 1970, `empty`, or `refused`.
  private func stored(_ rule: Rule, _ json: String) throws -> String {
    try stack.mapping(forEntityNamed: "Thing") { $0["moment"] = rule }
    let report = try stack.sync(
      JSONValue(parsing: "[{\"id\": 1, \"value\": \(json)}]"), inEntityNamed: "Thing")
    if report.count(of: .refusedConversion) > 0 { return "refused" }
    return try stack.inBackground { context in
      let thing = try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "Thing")).first)
      let date = thing.value(forKey: "moment") as? Date
      return date.map { "\(($0.timeIntervalSince1970 * 1_000_000).rounded() / 1_000_000)" }
        ?? "empty"
    }
  }

  @Test(arguments: [
    ("1970-01-02T00:00:00Z", "86400.0", "86400.0"), ("", "empty", "empty"),
    ("1970-01-02T02:00:00+02:00", "86400.0", "86400.0"),
    ("1970-01-02T00:00:00.25z", "86400.25", "86400.25"),
    ("1970-1-2T0:0:0Z", "refused", "86400.0"), ("1970-01-02T0:00:00Z", "refused", "86400.0"),
    (" 1970-01-02T00:00:00Z ", "refused", "86400.0"),
    ("1970-01-02T00:00:00GMT", "refused", "86400.0"),
    ("1970-01-02T00:00:00UTC", "refused", "86400.0"),
    ("14-07-06T00:00:00Z", "refused", "refused"), ("70-01-02T00:00:00Z", "refused", "refused"),
    ("1970-01-02T00:00:00", "refused", "refused"),
    ("1970-02-30T00:00:00Z", "refused", "refused"),
    ("1970\\u002D01-02T00:00:00Z", "86400.0", "86400.0"),
  ])
  func strictDatesHaveOneSpellingLosslessOnesSeveral(
    _ text: String, _ strict: String, _ lossless: String
  ) throws {
    #expect(try stored(.isoDate("value").coercing(.strict), "\"\(text)\"") == strict)
    #expect(try stored(.isoDate("value").coercing(.lossless), "\"\(text)\"") == lossless)
  }

  @Test(arguments: [
    (UnixTimeUnit.seconds, "86400", "86400.0"), (.seconds, "86400.25", "86400.25"),
    (.seconds, "-1", "-1.0"), (.seconds, "200000000000", "200000000000.0"),
    (.milliseconds, "86400", "86.4"), (.milliseconds, "-500", "-0.5"),
    (.milliseconds, "1700000000123", "1700000000.123"), (.milliseconds, "2.9", "0.002"),
    (.microseconds, "86400500000", "86400.5"),
    (.nanoseconds, "1700000000123456789", "1700000000.123"),
    (.milliseconds, "9000000000000000000", "refused"),
    (.seconds, "9223372036854775807", "refused"),
    (.milliseconds, "true", "refused"), (.milliseconds, "\"86400\"", "86.4"),
    (.milliseconds, "\"1970-01-02\"", "refused"), (.milliseconds, "null", "empty"),
  ])
  func unixTimeOfAUnitIsNothingElse(_ unit: UnixTimeUnit, _ json: String, _ expected: String) throws
  {
    #expect(try stored(.unixTime("value", unit), json) == expected)
  }

  @Test(arguments: UnixTimeUnit.allCases) func exportedValuesComeBack(_ unit: UnixTimeUnit) throws {
    try stack.mapping(forEntityNamed: "Thing") { $0["moment"] = .unixTime("at", unit) }
    let dates = [0, 0.001, 1, 86400.25, -0.5, 1_700_000_000.123, 90_000_000, 4e9].map {
      Date(timeIntervalSince1970: $0)
    }
    try stack.inBackground { context in
      for (id, date) in dates.enumerated() {
        let thing = try context.insert(entityNamed: "Thing")
        thing["id"] = id
        thing["moment"] = date
      }
      try context.save()
    }
    let exported = try stack.export("Thing")
    // A unit has its own nearest number of each date: a date that comes back once stays.
    try stack.sync(exported, inEntityNamed: "Thing")
    #expect(try stack.export("Thing") == exported)
    #expect(try stack.sync(exported, inEntityNamed: "Thing").isUnchanged)
    #expect(exported.arrayValue?.count == dates.count)
  }

  @Test func aFileNamesTheUnit() throws {
    try stack.addMapping(["Thing": ["moment": ["unixTime": "at", "unit": "milliseconds"]]])
    try stack.sync([["id": 1, "at": 500]] as JSONValue, inEntityNamed: "Thing")
    let exported = try stack.export("Thing")
    #expect(exported[0]?["at"] == 500)
    for rule: JSONValue in [
      ["unixTime": "at", "unit": "days"], ["isoDate": "at", "unit": "seconds"],
    ] {
      expectError("MappingError", "unreadableRule", "Thing.moment", "unit") {
        try stack.addMapping(["Thing": ["moment": rule]])
      }
    }
  }
}
