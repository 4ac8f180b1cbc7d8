import SyncCore
import SyncEngine
import SyncGraph
import SyncStore
import Testing

/// What nested serializers cost: a factory that always says the same costs one load, whatever the number of parents.
@Suite struct NestedSourceCostTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The rule for the clicks of a batch.
    let clicks: Rule
  }

  private static let kinds = [
    Kind(
      testDescription: "one for all",
      clicks: .toMany("clicks") {
        SerializerBench.clicks().with { $0.groupers = [Filter("text == 'x'")] }
      }),
    Kind(
      testDescription: "equal ones",
      clicks: .toMany("clicks") { _ in
        ClickSerializer().with { $0.groupers = [Filter("text == %@", "x")] }
      }),
    Kind(
      testDescription: "without a key",
      clicks: .toMany("clicks") { _ in
        SerializerBench.clicks().with { $0.groupers = [Filter("text == %@", "x")] }
      }),
  ]

  struct ClickSerializer: Serializer {
    typealias Object = ManagedObject
    var entityName: String { "Click" }
    var identifiers: [String] { ["clickID"] }
    var mapping: Mapping { ["clickID": .int("id"), "text": .string("text")] }
  }

  private func statements(_ kind: Kind, parents: Int) throws -> [String] {
    let bench = try SerializerBench()
    try bench.insert(
      "Click", (1...50).map { ["clickID": $0, "text": $0.isMultiple(of: 2) ? "x" : "y"] })
    var serializer = SerializerBench.batches()
    serializer.mapping = ["batchID": .int("id"), "clicks": kind.clicks]
    let items = (1...parents).map { number in
      [
        "id": .integer(Int64(number)),
        "clicks": [["id": .integer(Int64(number) * 2), "text": "x"]],
      ]
        as JSONValue
    }
    let statements = try bench.stack.store.recorder.record {
      try bench.stack.sync(JSONValue.array(items), with: serializer)
    }
    #expect(try bench.objects("Batch", "batchID", links: ["clicks"]).first == "1 → 2")
    return statements.filter { $0.hasPrefix("SELECT") }
  }

  @Test(arguments: kinds) func aGroupIsLoadedOnce(kind: Kind) throws {
    let few = try statements(kind, parents: 2)
    let many = try statements(kind, parents: 20)
    #expect(many.count { $0.contains("Click") } <= few.count { $0.contains("Click") })
    #expect(many.count <= few.count + 1)
  }

  @Test func sourcesWithEqualKeysShareTheirPlan() {
    let one = ClickSerializer().with { $0.updateExisting = false }
    let other = ClickSerializer().with { $0.updateExisting = false }
    #expect(one.planKey != nil && one.planKey == other.planKey)
    #expect(ClickSerializer().with { $0.didFill = { _, _ in } }.planKey == nil)
    #expect(EntitySerializer<ManagedObject>(entityNamed: "Click").planKey == nil)
  }
}
