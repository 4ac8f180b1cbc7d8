import Foundation
import SyncStack
import Testing

/// The costs of nested serializers: a factory that always says the same costs one load, whatever
/// the number of parents.
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
    let serializer = SerializerBench.batches(["batchID": .int("id"), "clicks": kind.clicks])
    let items = (1...parents).map { number in
      [
        "id": .integer(Int64(number)),
        "clicks": [["id": .integer(Int64(number) * 2), "text": "x"]],
      ]
        as JSONValue
    }
    let statements = try bench.stack.store.recorder.record {
      try bench.sync(.array(items), with: serializer)
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

  /// Batches that each know their own clicks alone, with keys that are theirs alone, synced again
  /// and again.
  @Test(arguments: [3, 40], [true, false])
  func groupsOfParentsKeepEqualKeysApart(parents: Int64, areCopies: Bool) throws {
    let bench = try SerializerBench()
    let clicks = SerializerBench.clicks()
    let serializer = SerializerBench.batches([
      "batchID": .int("id"),
      "clicks": .toMany("clicks") { parent in
        let id = parent["id"]?.integerValue ?? 0
        return (areCopies ? clicks : SerializerBench.clicks()).with {
          $0.groupers = [
            Filter("batch.batchID == %@ AND SUBQUERY(groups, $g, $g.batchID > 0).@count == 0", id)
          ]
        }
      },
    ])
    func items(_ text: String) -> JSONValue {
      .array(
        (1...parents).map { id in
          ["id": .integer(id), "clicks": [["id": 0, "text": .string("\(text)\(id)")], ["id": 1]]]
        })
    }
    #expect(try bench.sync(items("a"), with: serializer).count(of: .outsideGroup) == 0)
    var report = SyncReport()
    let statements = try bench.stack.store.recorder.record {
      report = try bench.sync(items("b"), with: serializer)
    }
    #expect(report["Click"].updated == Int(parents) && report["Click"].inserted == 0)
    #expect(report["Click"].unchanged == Int(parents) && report["Click"].deleted == 0)
    #expect(
      try bench.objects("Click", "clickID", "text", links: ["batch"]).filter { $0.hasPrefix("0") }
        == (1...parents).map { "0 b\($0) → \($0)" }.sorted())
    #expect(statements.count { $0.hasPrefix("SELECT") } < 32)
  }

  /// Counts how often a closure was asked. Equal to itself alone.
  private final class Asked: Sendable, Hashable {
    let count = Locked(0)

    static func == (one: Asked, other: Asked) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Clicks with groups that are asked for once by a reader of the clicks.
    var mapping: Mapping {
      [
        "clickID": .int("id"),
        "groups": .toMany("groups") {
          self.count.withLock { $0 += 1 }
          return SerializerBench.batches()
        },
      ]
    }
  }

  private struct AskingSerializer: Serializer, Hashable {
    typealias Object = ManagedObject
    let asked: Asked
    var entityName: String { "Click" }
    var identifiers: [String] { ["clickID"] }
    var mapping: Mapping { asked.mapping }
  }

  /// A group for each parent is no mapping for each parent: the plan that reads the objects is
  /// compiled once.
  @Test(arguments: [true, false]) func groupsOfParentsAreOneMapping(hasKey: Bool) throws {
    let bench = try SerializerBench()
    let asked = Asked()
    var plain = SerializerBench.clicks()
    plain.mapping = asked.mapping
    let (keyless, keyed) = (plain, AskingSerializer(asked: asked))
    let serializer = SerializerBench.batches([
      "batchID": .int("id"),
      "clicks": .toMany("clicks") { parent in
        let id = parent["id"]?.integerValue ?? 0
        func limit(_ clicks: inout EntitySerializer<ManagedObject>) {
          clicks.groupers = [Filter("batch.batchID == %@", id)]
        }
        return hasKey ? keyed.with(limit) : keyless.with(limit)
      },
    ])
    let items = (1...Int64(20)).map { id -> JSONValue in
      let group: JSONValue = .array([["id": 99]])
      return ["id": .integer(id), "clicks": [["id": 0, "groups": group, "more": true]]]
    }
    let report = try bench.sync(.array(items), with: serializer)
    #expect(asked.count.withLock(\.self) == 1)
    #expect(report["Click"].inserted == 20 && report["Click"].unusedKeys == ["more": 20])
  }

  /// Without an index each batch reads the whole table, and the report says why.
  @Test(arguments: [1_500, 10], [true, false])
  func batchesThatReadWholeTablesAreNamed(rows: Int, hasBatches: Bool) throws {
    let bench = try SerializerBench()
    try bench.insert("Click", (1...rows).map { ["clickID": $0, "text": "\($0)"] })
    let sync = Sync(
      .json(.array((1...40).map { ["id": .integer($0), "text": "a"] as JSONValue })),
      with: SerializerBench.clicks(), dataStack: bench.stack)
    sync.operations = [.insert, .update]
    if hasBatches { sync.transaction = .perBatch(10) }
    let report = try sync.run()
    #expect(report["Click"].updated == min(rows, 40))
    let remarks = report.findings(of: .mappingRemark)
    #expect(remarks.map(\.property) == (hasBatches && rows > 1_000 ? ["clickID"] : []))
  }

  /// A page of a large table asks the group about the rows of the page, not about all.
  @Test func fewItemsDoNotReadTheirWholeGroup() throws {
    let bench = try SerializerBench()
    let serializer = SerializerBench.batches([
      "batchID": .int("id"), "branch": .int("branch"), "name": .string("name"),
    ]).with {
      $0.groupers = [Filter("branch == 1")]
      $0.deleteMissing = false
    }
    func item(_ id: Int64, branch: Int64 = 1, _ name: String = "a") -> JSONValue {
      ["id": .integer(id), "branch": .integer(branch), "name": .string(name)]
    }
    try bench.sync(.array((1...1_200).map { item($0, branch: $0 % 2) }), with: serializer)
    var report = SyncReport()
    let statements = try bench.stack.store.recorder.record {
      report = try bench.sync(
        [item(1, "b"), item(2, "b"), item(5_000), item(5_001, branch: 2)], with: serializer)
    }
    #expect(report["Batch"].updated == 1 && report["Batch"].inserted == 3)
    #expect(report.findings(of: .outsideGroup).map(\.key) == ["5001"])
    let conditions = statements.compactMap {
      $0.components(separatedBy: " WHERE ").dropFirst().last
    }
    #expect(conditions.filter { $0.contains("branch") } == [])
  }

  @Test func sourcesWithEqualKeysShareTheirPlan() {
    let one = ClickSerializer().with { $0.updateExisting = false }
    let other = ClickSerializer().with { $0.updateExisting = false }
    #expect(one.planKey != nil && one.planKey == other.planKey)
    #expect(ClickSerializer().with { $0.didFill = { _, _ in } }.planKey == nil)
    #expect(EntitySerializer<ManagedObject>(entityNamed: "Click").planKey == nil)
  }
}
