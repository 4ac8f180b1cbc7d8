import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

@Suite(.timeLimit(.minutes(5))) struct ValueTests {
  /// Values of each type that something on the way could change.
  static let values: [AttributeType: [Value]] = {
    let integers: [Value] = [0, -1, .int(.max), .int(.min), .int(1 << 53), .int(1 << 53 + 1)]
    let doubles: [Value] =
      [
        0, .double(-0.0), 0.1, 1, -1.5, 1e15, 1e300, .double(.leastNonzeroMagnitude),
        .double(.infinity),
        .double(-.infinity), 123_456_789.123_456_78, .double(.greatestFiniteMagnitude),
        .double(809 / 7), .double(0.1 + 0.2), .double(1 / 3), .double(2 / 3e5),
        999_999_999_999_999.9,
      ] + (1...40).map { .double(Double($0 * 7919) / 13) }
    return [
      .integer16: integers, .integer32: integers, .integer64: integers,
      .decimal: ["0", "1.1", "-12345678901234567890.123456789", "1e40"].map {
        .decimal(Decimal(string: $0) ?? 0)
      },
      .double: doubles, .float: doubles,
      .string: [
        "", "a", "null \u{0} inside", "é e\u{301}", "👩‍🚀", "\\ \" / \n \u{7f} \u{1f}", "\u{2028}",
        .string(String(repeating: "x", count: 100_000)), "\u{fffe}",
      ],
      .boolean: [true, false],
      .date: [0, 0.1, -1e10, 777_777_777.123_456_7, 1e12].map {
        .date(Date(timeIntervalSinceReferenceDate: $0))
      },
      .binary: [
        .data(Data()), .data(Data(repeating: 7, count: 50_000)), .data(Data([0, 255, 1])),
      ],
      .uuid: [.uuid(UUID())],
      .uri: ["file:///a%20b/%C3%BC", "https://example.org/?q=a%20b#c"].compactMap {
        URL(string: $0).map(Value.url)
      },
      .transformable: ["text", 5, .data(Data([1, 2])), .double(-0.0), true],
    ]
  }()

  private static func form(_ value: Value) -> Data { value.archive }

  private func roundTrip(_ transport: any CloudTransport) async throws {
    let (here, there) = (try Client(transport), try Client(transport))
    let longest = Self.values.values.map(\.count).max() ?? 0
    for index in 0..<longest {
      var object: [String: Value] = [:]
      for (type, values) in Self.values where index < values.count {
        object[CloudModels.name(of: type)] = values[index]
      }
      try here.insert("Every", object)
    }
    try here.insert("Every", [:])
    try await here.engine.push()
    try await there.engine.pull()
    let pulled = try there.rows("Every")
    for row in try here.rows("Every") {
      let record = try #require(try here.record("Every", row.row))
      let other = try #require(try there.row(record.name))
      let found = try #require(pulled.first { $0.row == other })
      for (slot, value) in row.values.array.enumerated() {
        let property = row.entity.properties[slot]
        #expect(Self.form(found.values[slot]) == Self.form(value), "\(property.name) \(value)")
      }
    }
    // And back, each value in the place of another one.
    for row in pulled { try there.update("Every", row.row, Self.others) }
    try await settle([there, here], fresh: transport)
    #expect(try here.rows("Every").count == longest + 1)
  }

  private static var others: [String: Value] {
    values.reduce(into: [:]) { $0[CloudModels.name(of: $1.key)] = $1.value.last ?? .null }
  }

  @Test func everyTypeGoesOutAndBackInMemory() async throws {
    try await roundTrip(MemoryTransport())
  }

  @Test(arguments: TestServer.available(.memory, .postgres, .database))
  func everyTypeGoesOutAndBackOnARealServer(_ kind: TestServer.Kind) async throws {
    try await roundTrip(try await TestServer.server(kind))
  }

  @Test(arguments: AttributeType.allCases)
  func whatIsNoneOfATypeIsRefused(_ type: AttributeType) {
    let wrong: [JSONValue] = [["q", "1"], ["r", "a", "B"], [:], ["n", "x"], ["b", "%"]]
    for json in wrong where FieldCoding.decode(json, as: type) != nil {
      Issue.record("\(json) was taken for a \(type.rawValue).")
    }
  }

  @Test(arguments: [
    ("1795232914360-abcdefgh", true), ("1795232914360-abcdefg", false),
    ("1795232914360-Abcdefgh", false), ("179523291436x-abcdefgh", false), ("", false),
  ])
  func onlyStampsAreTakenForStamps(_ text: String, _ isStamp: Bool) {
    #expect((Stamp(text) != nil) == isStamp)
  }

  @Test func aStampIsLaterThanAllThatWereMadeOrSeen() throws {
    var clock = StampClock(writer: "aaaaaaaa")
    let first = clock.next(at: 1000)
    #expect(first.text == "0000000001000-aaaaaaaa")
    let second = clock.next(at: 1000)
    #expect(second > first)
    clock.see(try #require(Stamp("0000000009000-zzzzzzzz")))
    #expect(clock.next(at: 1000) > (try #require(Stamp("0000000009000-zzzzzzzz"))))
  }
}
