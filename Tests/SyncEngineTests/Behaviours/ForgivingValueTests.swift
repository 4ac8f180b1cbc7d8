import Foundation
import SyncStack
import TestSupport
import Testing

/// Values that stand for none, and those that are none of their kind.
@Suite struct ForgivingValueTests {
  private let bench: SyncBench

  init() throws {
    bench = try SyncBench([
      EntityDraft(
        "Thing",
        [
          "id", "whole integer32", "real double", "short float", "exact decimal", "flag boolean",
          "moment date", "uuid uuid", "link uri", "text",
          .attribute("count", .integer32, isOptional: false, defaultValue: .int(7)),
          .attribute("since", .date, isOptional: false, defaultValue: .date(.distantPast)),
        ])
    ])
  }

  private static let stored = """
    [{"id": 1, "whole": 1, "real": 2.5, "short": 0.5, "exact": 3, "flag": true, "moment": "2020-01-01",
      "uuid": "0f0e0d0c-0000-4000-8000-000000000001", "link": "https://example.com", "text": "t"}]
    """

  @Test(arguments: ["whole", "real", "short", "exact", "flag", "moment", "uuid", "link"])
  func anEmptyTextIsNoValueWhereNoTextIsOne(name: String) throws {
    try bench.sync(Self.stored, "Thing")
    #expect(try bench.objects("Thing")[0].contains(" \(name)="))
    let report = try bench.sync(#"[{"id": 1, "\#(name)": ""}]"#, "Thing")
    #expect(report.findings.isEmpty)
    #expect(report["Thing"].updatedProperties == [name: 1])
    #expect(try !bench.objects("Thing")[0].contains(" \(name)="))
  }

  @Test(arguments: [
    ("moment", "true"), ("moment", "false"), ("moment", #""1981""#), ("moment", #""20240131""#),
    ("moment", "1e300"), ("moment", "[]"), ("short", "1e300"), ("short", "-1e39"),
    ("short", #""1e300""#), ("flag", #""maybe""#), ("whole", #""true""#), ("whole", #"" ""#),
  ])
  func aValueOfAnotherKindLeavesTheStoredOneAndIsTold(name: String, json: String) throws {
    try bench.sync(Self.stored, "Thing")
    let before = try bench.objects("Thing")
    let report = try bench.sync(#"[{"id": 1, "\#(name)": \#(json)}]"#, "Thing")
    #expect(report.findings(of: .refusedConversion).map(\.property) == [name])
    #expect(try bench.objects("Thing") == before)
  }

  @Test(arguments: [
    ("count", "null", "count=7"), ("count", #""""#, "count=7"), ("since", "null", "since="),
  ])
  func aRequiredAttributeWithADefaultTakesItInPlaceOfNullAndTheItemsOtherValuesStay(
    name: String, json: String, expected: String
  ) throws {
    try bench.sync(#"[{"id": 1, "text": "old", "count": 3, "since": "2020-01-01"}]"#, "Thing")
    let item = #"[{"id": 1, "text": "new", "\#(name)": \#(json)}, {"id": 2, "\#(name)": \#(json)}]"#
    let report = try bench.sync(item, "Thing")
    let objects = try bench.objects("Thing")
    #expect(objects.count == 2 && objects.allSatisfy { $0.contains(expected) })
    #expect(objects[0].contains("text=new"))
    let findings = report.findings(of: .refusedConversion)
    #expect(findings.map(\.property) == [name, name])
    #expect(findings.map(\.path) == ["$[0].\(name)", "$[1].\(name)"])
    #expect(report["Thing"].skipped == 0)
  }
}
