import Foundation
import SyncStack
import TestSupport
import Testing

/// Syncs of serializers that are resumed, streamed, paged and limited give the same as one sync.
@Suite struct SerializerRunTests {
  private static let items: [JSONValue] = (1...40).map { number in
    let id = Int64(number)
    return [
      "id": .integer(id), "name": .string("n\(number)"),
      "clicks": [["id": .integer(id * 10), "text": "a"], ["id": .integer(id % 7)]],
    ]
  }

  private static func serializer() -> EntitySerializer<ManagedObject> {
    SerializerBench.batchesWithClicks().with {
      $0.validators = [{ $0["id"] == 13 ? nil : $0 }]
      $0.didFill = { object, item in
        try object.setValue(item["name"]?.stringValue?.count, forKey: "branch")
      }
    }
  }

  private static func stored(_ bench: SerializerBench) throws {
    try bench.sync(
      [
        ["id": 3, "name": "old", "clicks": [["id": 30], ["id": 999]]], ["id": 77, "clicks": []],
      ], with: SerializerBench.batchesWithClicks())
  }

  private func objects(_ bench: SerializerBench) throws -> [String] {
    try bench.objects("Batch", "batchID", "name", "branch", links: ["clicks"])
      + bench.objects("Click", "clickID", "text", links: ["batch"])
  }

  /// The store after one sync of everything.
  private func expected() throws -> [String] {
    let bench = try SerializerBench()
    try Self.stored(bench)
    try bench.sync(.array(Self.items), with: Self.serializer())
    return try objects(bench)
  }

  @Test(arguments: [false, true]) func aKeptSessionGoesOnAfterARestart(isNamed: Bool) async throws {
    let folder = try TemporaryFolder()
    let first = try SerializerBench(.sqlite(folder.file()))
    try Self.stored(first)
    let name = isNamed ? "daily" : nil
    let session = try SyncSession(with: Self.serializer(), dataStack: first.stack, name: name)
    try await session.sync(JSONValue.array(Array(Self.items[..<15])))
    guard isNamed else {
      try await session.sync(JSONValue.array(Array(Self.items[15...])))
      try await session.finish()
      #expect(try objects(first) == expected())
      return
    }
    try first.stack.close()
    let second = try SerializerBench(.sqlite(folder.file()))
    let again = try SyncSession(with: Self.serializer(), dataStack: second.stack, name: name)
    try await again.sync(JSONValue.array(Array(Self.items[15...])))
    try await again.finish()
    #expect(try objects(second) == expected())
    try second.stack.close()
  }

  @Test(arguments: [true, false]) func streamsGiveWhatTheTextGives(isInLines: Bool) async throws {
    let bench = try SerializerBench()
    try Self.stored(bench)
    let text =
      isInLines
      ? Self.items.map { String(decoding: $0.data(), as: UTF8.self) }.joined(separator: "\n")
      : String(decoding: JSONValue.array(Self.items).data(), as: UTF8.self)
    let chunks = AsyncStream { continuation in
      var rest = Data(text.utf8)[...]
      while !rest.isEmpty {
        continuation.yield(Data(rest.prefix(97)))
        rest = rest.dropFirst(97)
      }
      continuation.finish()
    }
    let sync = Sync(.chunks(chunks), with: Self.serializer(), dataStack: bench.stack)
    try await bench.stack.sync(sync)
    #expect(try objects(bench) == expected())
  }

  @Test func anUnfitNestedObjectPutsItsItemIntoTheQuarantine() async throws {
    let bench = try SerializerBench()
    let sync = Sync(
      .json([["id": 1], ["id": 2, "clicks": [["id": 20], ["id": "x"]]]]), with: Self.serializer(),
      dataStack: bench.stack)
    sync.onItemError = .quarantine
    let report = try await bench.stack.sync(sync)
    #expect(report.quarantined == 1)
    var items = try bench.stack.quarantine.items()
    #expect(items.map(\.path) == ["$[1]"])
    #expect(items[0].reason.contains("clickID") && items[0].reason.contains("Click"))
    items[0].json = Data("{\"id\": 2, \"clicks\": [{\"id\": 20}, {\"id\": 21}]}".utf8)
    try await bench.stack.quarantine.replay(items, with: Self.serializer())
    #expect(try bench.objects("Click", "clickID", links: ["batch"]) == ["20 → 2", "21 → 2"])
  }

  @Test(
    arguments: [
      (nil, ["4 y → 1", "5 z → 1"]), ("text != 'y'", ["2 y → 1", "4 y → 1", "5 z → 1"]),
    ]
      as [(String?, [String])])
  func belowAParentItsOwnChildrenAreTheScopeAndTheGroupOfTheSerializerLimitsThem(
    group: String?, expected: [String]
  ) throws {
    let bench = try SerializerBench()
    try bench.sync(
      [
        [
          "id": 1,
          "clicks": [["id": 1, "text": "x"], ["id": 2, "text": "y"], ["id": 5, "text": "x"]],
        ]
      ], with: SerializerBench.batchesWithClicks())
    let context = bench.stack.newBackgroundContext()
    let clicks = SerializerBench.clicks().with { $0.groupers = group.map { [Filter($0)] } ?? [] }
    try context.performAndWait {
      let parent = try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "Batch")).first)
      try context.sync(
        [["id": 5, "text": "z"], ["id": 4, "text": "y"]] as JSONValue, with: clicks,
        parent: parent, parentRelationship: "clicks")
    }
    #expect(try bench.objects("Click", "clickID", "text", links: ["batch"]) == expected)
  }
}
