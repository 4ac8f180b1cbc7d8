import Foundation
import SyncStack
import TestSupport
import Testing

@Suite struct ExportValueTests {
  private static let half = Date(timeIntervalSinceReferenceDate: 700_000_000.25)

  private func value(
    _ type: AttributeType, _ value: Any, _ options: ExportOptions = ExportOptions()
  ) throws -> JSONValue? {
    try ExportBench([.attribute("value", type)]).exportNew(["value": value], "User", options)[
      "value"]
  }

  @Test func everyTypeHasItsForm() throws {
    #expect(try value(.integer16, 7) == 7)
    #expect(try value(.integer64, Int64.max) == .integer(.max))
    #expect(try value(.boolean, true) == true)
    #expect(try value(.double, 12.2) == 12.2)
    #expect(try value(.decimal, try #require(Decimal(string: "12.20"))) == .decimal(12.2))
    #expect(try value(.string, "text") == "text")
    let uuid = try #require(UUID(uuidString: "a0000000-0000-4000-8000-00000000000b"))
    #expect(try value(.uuid, uuid) == "A0000000-0000-4000-8000-00000000000B")
    let url = try #require(URL(string: "https://a.b/c?d=e"))
    #expect(try value(.uri, url) == "https://a.b/c?d=e")
  }

  @Test func anAttributeWithoutValueIsNullUnlessAskedOtherwise() throws {
    let bench = try ExportBench(TestModels.allTypes())
    let object = try bench.exportNew(["id": 1], "Everything")
    #expect(object.objectValue?.count == AttributeType.allCases.count)
    #expect(object["string"] == .null)
    #expect(object["transformable"] == nil)
    let short = try bench.exportNew(["id": 1], "Everything", ExportOptions(nullHandling: .omitted))
    #expect(short == ["id": 1])
  }

  @Test func datesAreUTCWithMilliseconds() throws {
    #expect(try value(.date, Self.half) == "2023-03-08T20:26:40.250Z")
    #expect(try value(.date, Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00Z")
  }

  @Test(arguments: ["", ".999"])
  func theLastMomentOfTheCalendarWhichStandsForNeverIsWritten(fraction: String) throws {
    let text = "9999-12-31T23:59:59\(fraction)Z"
    #expect(try value(.date, #require(JSONValue.string(text).dateValue)) == .string(text))
  }

  @Test func datesCanBeWrittenOtherwise() throws {
    let zone = try #require(TimeZone(secondsFromGMT: 3600))
    let whole = ExportOptions(dateFormat: .wholeSeconds(in: zone))
    #expect(try value(.date, Self.half, whole) == "2023-03-08T21:26:40+01:00")
    let utc = try #require(TimeZone(secondsFromGMT: 0))
    let plain = ExportOptions(dateFormat: .wholeSeconds(in: utc))
    #expect(try value(.date, Self.half, plain) == "2023-03-08T20:26:40Z")
    #expect(try value(.date, Self.half, ExportOptions(dateFormat: .unixTime)) == 1_678_307_200)
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = utc
    formatter.dateFormat = "dd.MM.yyyy"
    #expect(
      try value(.date, Self.half, ExportOptions(dateFormat: .formatter(formatter)))
        == "08.03.2023")
    var given = ExportOptions()
    given.dateFormatter = formatter
    #expect(try value(.date, Self.half, given) == "08.03.2023")
  }

  @Test func binaryValuesAreTheJSONTheyHold() throws {
    let bench = try ExportBench([.attribute("id", .integer64), .attribute("hobbies", .binary)])
    try bench.sync(#"{"id": 1, "hobbies": ["a", {"b": 1.50}]}"#)
    #expect(try bench.first()["hobbies"] == ["a", ["b": 1.5]])
    let text = try bench.first("User", ExportOptions(binaryFormat: .base64))["hobbies"]?.stringValue
    #expect(Data(base64Encoded: text ?? "") == Data(#"["a",{"b":1.5}]"#.utf8))
  }

  @Test(arguments: [Data(), Data([0, 255]), Data(#"{"$base64":"AA=="}"#.utf8), Data("[1 ]".utf8)])
  func bytesThatAreNoStoredJSONComeBackToo(bytes: Data) throws {
    let bench = try ExportBench([.attribute("id", .integer64), .attribute("blob", .binary)])
    let json = try bench.exportNew(["id": 1, "blob": bytes])
    #expect(json["blob"] == ["$base64": .string(bytes.base64EncodedString())])
    try bench.sync(.json(json), "User")
    let context = bench.stack.newBackgroundContext()
    let stored = try context.queueConfined {
      try context.fetch(Fetch<ManagedObject>(entityNamed: "User")).first?["blob"] as? Data
    }
    #expect(stored == bytes)
  }

  @Test func whatJSONCannotSayIsLeftOut() throws {
    #expect(try value(.double, Double.infinity) == nil)
    #expect(try value(.date, Date.distantFuture.addingTimeInterval(1e12)) == nil)
  }

  @Test func transformableValuesWithoutAWayBackAreLeftOut() throws {
    let name = "ExportValueTests.oneWay"
    TransformerRegistry.shared.register(name, forward: { Value(json: $0) })
    defer { TransformerRegistry.shared.unregister(name) }
    let bench = try ExportBench([
      .attribute("id", .integer64),
      .attribute("shape", .transformable, valueTransformerName: name),
      .attribute("other", .transformable),
    ])
    try bench.sync(#"{"id": 1, "shape": "round"}"#)
    #expect(try bench.first() == ["id": 1])
  }

  @Test func aTransformerThatFailsIsNamed() throws {
    struct Refusal: Error {}
    let name = "ExportValueTests.refusing"
    TransformerRegistry.shared.register(
      name, forward: { Value(json: $0) }, reverse: { _ in throw Refusal() })
    defer { TransformerRegistry.shared.unregister(name) }
    let bench = try ExportBench([
      .attribute("title", .string, userInfo: ["sync.valueTransformer": name])
    ])
    let error = #expect(throws: ExportError.self) { try bench.exportNew(["title": "a"]) }
    #expect(error?.property == "title")
    #expect(error?.message.contains(name) == true)
  }

  @Test func dictionariesHoldFoundationValues() throws {
    let bench = try ExportBench(TestModels.social())
    try bench.sync(#"{"id": 1, "is_active": true, "tags": [{"id": 2}]}"#)
    let context = bench.stack.newBackgroundContext()
    let summary = try context.queueConfined {
      let user = try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "User")).first)
      let dictionary = try user.exportDictionary()
      let tags = dictionary["tags"] as? [[String: Any]]
      return "\(dictionary["id"] as? Int ?? 0) \(dictionary["is_active"] as? Bool ?? false) "
        + "\(dictionary["name"] is NSNull) \(tags?.first?["id"] as? Int ?? 0)"
    }
    #expect(summary == "1 true true 2")
  }
}
