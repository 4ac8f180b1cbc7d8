import SyncStack
import TestSupport
import Testing

/// Everything that syncs of conventional mapping offer works for serializers too.
@Suite struct SerializerCallTests {
  private let bench: SerializerBench
  private let serializer = SerializerBench.batches()

  init() throws { bench = try SerializerBench() }

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
    let json: JSONValue = [["id": 1, "info": ["name": "a"]]]
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

  @Test func largePayloadsTakeTheSameWayInParts() throws {
    let items = (1...3000).map { ["id": .integer(Int64($0)), "info": ["name": "n"]] as JSONValue }
    let report = try bench.stack.sync(JSONValue.array(items), with: serializer)
    #expect(report.inserted == 3000)
    let half = Array(items.prefix(2000))
    let second = try bench.stack.sync(JSONValue.array(half), with: serializer)
    #expect(second.deleted == 1000 && second.unchanged == 2000)
  }
}
