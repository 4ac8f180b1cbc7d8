import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import TestSupport
import Testing

/// Everything that syncs of conventional mapping offer works for serializers too.
@Suite struct SerializerCallTests {
  private let bench: SerializerBench
  private let serializer = SerializerBench.batches()

  init() throws {
    bench = try SerializerBench()
  }

  final class Shelf: ManagedObject {
    @Attribute var code: String?
    @Attribute var label: String?
  }

  struct ShelfSerializer: Serializer, Hashable {
    typealias Object = Shelf
    let key: String
    var identifiers: [String] { ["code"] }
    var mapping: Mapping { ["code": .string([.key(key)]), "label": .string("l")] }
  }

  @Test func aSerializerIsAStructOfItsOwn() async throws {
    let stack = try DataStack(model: ManagedObjectModel(Shelf.self), store: .inMemory)
    let report = try await stack.sync(
      ["data": ["shelves": [["c": "A", "l": "one"], ["c": "B"]]]] as JSONValue,
      with: ShelfSerializer(key: "c"), at: "data.shelves")
    #expect(report.inserted == 2)
    try await stack.sync([["k": "B", "l": "two"]] as JSONValue, with: ShelfSerializer(key: "k"))
    let context = stack.newBackgroundContext()
    let labels = try await context.perform { try context.fetch(Fetch<Shelf>()).map(\.label) }
    #expect(labels == ["two"])
  }

  @Test func allFormsRunTheSame() async throws {
    let json = [["id": 1, "info": ["name": "a"]]] as JSONValue
    _ = try bench.stack.newBackgroundContext().performAndWait {
      try bench.stack.sync(json, with: serializer)
    }
    try await bench.stack.sync(json, with: serializer)
    let result = await withCheckedContinuation { continuation in
      bench.stack.sync(json, with: serializer) { continuation.resume(returning: $0) }
    }
    #expect(try result.get().unchanged == 1)
    let context = bench.stack.newBackgroundContext()
    #expect(try await context.sync(json, with: serializer).unchanged == 1)
    let operation = Sync(.json(json), with: serializer, dataStack: bench.stack)
    await withCheckedContinuation { continuation in
      operation.whenFinished { _ in continuation.resume() }
      operation.start()
    }
    #expect(try operation.result?.get().unchanged == 1)
    #expect(operation.entityName == "Batch")
  }

  @Test func aDryRunStoresNothing() throws {
    let sync = Sync(.json([["id": 1]]), with: serializer, dataStack: bench.stack)
    sync.isDryRun = true
    sync.start()
    #expect(try sync.result?.get().inserted == 1)
    #expect(try bench.objects("Batch", "batchID").isEmpty)
  }

  @Test func aSyncPerBatchGivesWhatAWholeOneGives() throws {
    try bench.insert("Batch", [["batchID": 1], ["batchID": 99]])
    let items = (1...25).map { ["id": .integer(Int64($0)), "info": ["name": "n"]] as JSONValue }
    let sync = Sync(.json(.array(items)), with: serializer, dataStack: bench.stack)
    sync.transaction = .perBatch(4)
    sync.start()
    let report = try #require(try sync.result?.get())
    #expect(report.inserted == 24 && report.updated == 1 && report.deleted == 1)
  }

  @Test func aSessionDecidesDeletionsAtItsEnd() async throws {
    try bench.insert("Batch", [["batchID": 1], ["batchID": 2], ["batchID": 3]])
    let session = try SyncSession(with: serializer, dataStack: bench.stack)
    try await session.sync([["id": 1]] as JSONValue)
    try await session.sync([["id": 2]] as JSONValue)
    #expect(try bench.objects("Batch", "batchID") == ["1", "2", "3"])
    try await session.finish()
    #expect(try bench.objects("Batch", "batchID") == ["1", "2"])
  }

  @Test func unfitItemsGoToTheQuarantineAndComeBack() async throws {
    let sync = Sync(
      .json([["id": 1], ["id": "x", "info": ["name": "b"]]]), with: serializer,
      dataStack: bench.stack)
    sync.onItemError = .quarantine
    #expect(try await bench.stack.sync(sync).quarantined == 1)
    var items = try bench.stack.quarantine.items()
    items[0].json = Data("{\"id\": 2, \"info\": {\"name\": \"b\"}}".utf8)
    try await bench.stack.quarantine.replay(items, with: serializer)
    #expect(try bench.objects("Batch", "batchID", "name") == ["1 nil", "2 b"])
  }

  @Test func childrenOfAParentAreTheScope() throws {
    try bench.stack.sync([["id": 1], ["id": 2]] as JSONValue, with: serializer)
    try bench.insert("Click", [["clickID": 9, "text": "of nobody"]])
    let context = bench.stack.newBackgroundContext()
    let clicks = SerializerBench.clicks()
    try context.performAndWait {
      let parent = try #require(
        try context.fetch(Fetch<ManagedObject>(entityNamed: "Batch", "batchID == 1")).first)
      try context.sync(
        [["id": 5], ["id": 6]] as JSONValue, with: clicks, parent: parent,
        parentRelationship: "clicks")
      try context.sync(
        [["id": 6], ["id": 9]] as JSONValue, with: clicks, parent: parent,
        parentRelationship: "clicks")
    }
    #expect(try bench.objects("Click", "clickID", links: ["batch"]) == ["6 → 1", "9 → 1"])
  }

  @Test func largePayloadsTakeTheSameWayInParts() throws {
    let items = (1...3000).map { ["id": .integer(Int64($0)), "info": ["name": "n"]] as JSONValue }
    let report = try bench.stack.sync(JSONValue.array(items), with: serializer)
    #expect(report.inserted == 3000)
    let half = Array(items.prefix(2000))
    let second = try bench.stack.sync(JSONValue.array(half), with: serializer)
    #expect(second.deleted == 1000 && second.unchanged == 2000)
  }
}
