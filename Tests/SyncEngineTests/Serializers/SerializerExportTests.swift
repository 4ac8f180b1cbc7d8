import Foundation
import SyncStack
import TestSupport
import Testing

/// Exports through serializers write JSON that the same serializer reads.
@Suite struct SerializerExportTests {
  private let bench: SerializerBench

  init() throws { bench = try SerializerBench() }

  /// Syncs items, exports them by every way, and syncs the exports.
  private func roundTrip(
    _ json: JSONValue, _ serializer: some PlanSource, expected: JSONValue? = nil,
    in stack: DataStack
  ) throws {
    try stack.sync(json, with: serializer)
    let exported = try stack.export(with: serializer)
    #expect(exported == expected ?? json)
    try stack.inBackground { context in
      #expect(try context.export(with: serializer) == exported)
      let name = serializer.mappingSource.entityName
      for (index, object) in try context.fetch(Fetch<ManagedObject>(entityNamed: name)).enumerated()
      {
        #expect(try object.export(with: serializer) == exported[index])
      }
    }
    #expect(try stack.sync(exported, with: serializer).isUnchanged)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let attribute: String
    let rule: Rule
    let values: [JSONValue]

    init(_ attribute: String, _ rule: Rule, _ values: JSONValue...) {
      (self.attribute, self.rule, self.values) = (attribute, rule, values)
    }

    var testDescription: String { "\(rule.path) in \(attribute)" }
  }

  @Test(arguments: [
    Case("string", .string(["a", "b"]), "text", "", nil),
    Case("boolean", .bool("v"), true, false, nil),
    Case("integer16", .bool("v"), true, false),
    Case("integer64", .int(["list", 2]), 9_007_199_254_740_993, -1, nil),
    Case("double", .int("v"), 2, nil),
    Case("boolean", .int("v"), true),
    Case("double", .number(["v.w"]), 2.5, 3, nil),
    Case("integer32", .double("v"), 7),
    Case("float", .float("v"), 0.5, nil),
    Case("decimal", .decimal("v"), .decimal(Decimal(string: "1.2345678901234567890123") ?? 0), nil),
    Case("boolean", .decimal("v"), 1, 0),
    Case("date", .isoDate("v"), "2026-11-24T09:30:00.250Z", "1969-01-01T00:00:00Z", nil),
    Case("date", .unixTime("v"), 86400.25, 0, 90_000_000_000, nil),
    Case("uuid", .uuid("v"), "7B6E1D5C-8A0F-4E5B-9B1D-0C6A5F2E3D4C", nil),
    Case("uri", .url("v"), "https://example.org/a?b=c", nil),
    Case("binary", .base64("v"), "AAEC", nil),
    Case("binary", .structured("v"), ["a": [1, 2, nil]], "text", nil),
    Case("binary", .raw("v"), ["k": 1], nil),
    Case("string", .raw("v"), "x", nil),
    Case("date", .raw("v"), "2026-11-24T09:30:00Z"),
    Case("integer64", .raw("v"), 5),
    Case(
      "string",
      .custom("v") {
        $0.stringValue?.uppercased()
      } encode: {
        .string($0.lowercased())
      }, "word", nil),
  ])
  func everyKindOfRulePutsBackTheValuesThatItTakes(_ test: Case) throws {
    let stack = try DataStack(model: TestModels.allTypes(), store: .inMemory)
    let serializer = EntitySerializer(entityNamed: "Everything").by(
      "id", ["id": .int(["key", "id"]), test.attribute: test.rule])
    let items = test.values.enumerated().map { index, value in
      var item = JSONObject()
      item["key"] = ["id": .integer(Int64(index))]
      return JSONValue.object(placed(value, at: test.rule.path.steps, in: item))
    }
    try roundTrip(.array(items), serializer, in: stack)
  }

  /// An item with a value at a path of keys, or in the third place of a list.
  private func placed(
    _ value: JSONValue, at steps: [JSONPath.Step], in item: JSONObject
  ) -> JSONObject {
    var item = item
    let inner = steps.dropFirst().reversed().reduce(value) { inner, step in
      switch step {
      case .key(let key): [key: inner]
      case .position(let count): .array(Array(repeating: .null, count: count) + [inner])
      case .each: .array([inner])
      }
    }
    if case .key(let key)? = steps.first { item[key] = inner }
    return item
  }

  @Test func nestedSerializersWriteTheirObjects() throws {
    let serializer = SerializerBench.batches([
      "batchID": .int("id"),
      "clicks": .toMany(["all", "clicks"]) {
        SerializerBench.clicks().with {
          $0.mapping["groups"] = .toMany("groups") {
            SerializerBench.batches(["batchID": .int([])])
          }
          $0.mapping["batch"] = .toOne("owner") { SerializerBench.batches() }.whenMissing(.fail)
        }
      },
    ])
    let json: JSONValue = [
      [
        "id": 1,
        "all": [
          "clicks": [
            ["id": 10, "text": "a", "groups": [1, 2]], ["id": 11, "text": nil, "groups": []],
          ]
        ],
      ],
      ["id": 2, "all": ["clicks": []]],
    ]
    try roundTrip(json, serializer, in: bench.stack)
  }

  @Test func aNestedObjectStandsWhereItsRuleReadsIt() throws {
    let departments = SerializerBench.departments()
    let serializer = SerializerBench.employees([
      "employeeID": .int("id"),
      "department": .toOne(["jobs", 0, "at"]) { departments }.whenMissing(.fail),
    ])
    try roundTrip(
      [
        ["id": 1, "jobs": [["at": ["id": 5, "name": "Lab"]]]], ["id": 2, "jobs": [["at": nil]]],
      ], serializer, in: bench.stack)
  }

  @Test func aSourceForEachParentSeesWhatIsWrittenOfIt() throws {
    let serializer = SerializerBench.batches([
      "batchID": .int("id"), "name": .string("kind"),
      "clicks": .toMany("clicks") { parent in
        let key: JSONPath = parent["kind"] == "old" ? "t" : "text"
        return SerializerBench.clicks(["clickID": .int("id"), "text": .string(key)])
      },
    ])
    try roundTrip(
      [
        ["id": 1, "kind": "old", "clicks": [["id": 1, "t": "x"]]],
        ["id": 2, "kind": "new", "clicks": [["id": 2, "text": "y"]]],
      ], serializer, in: bench.stack)
  }

  @Test func objectsThatLeadToEachOtherAreWrittenOnce() throws {
    @Sendable func employees() -> EntitySerializer<ManagedObject> {
      EntitySerializer(entityNamed: "Employee").with {
        $0.identifiers = ["employeeID"]
        $0.deleteMissing = false
        $0.mapping = [
          "employeeID": .int("id"), "name": .string("name").whenMissing(.fail),
          "manager": .toOne("manager") { employees() },
        ]
      }
    }
    try bench.sync(
      [
        ["id": 1, "name": "a", "manager": ["id": 2, "name": "b"]],
        ["id": 2, "name": "b", "manager": ["id": 1, "name": "a"]],
      ], with: employees())
    let exported = try bench.stack.export(with: employees(), where: "employeeID == 1")
    #expect(
      exported == [
        [
          "id": 1, "name": "a",
          "manager": ["id": 2, "name": "b", "manager": ["id": 1, "name": "a"]],
        ]
      ])
    #expect(try bench.sync(exported, with: employees()).isUnchanged)
  }

  @Test func theGroupIsWhatIsWritten() throws {
    try bench.insert(
      "Batch",
      [["batchID": 1, "branch": 1], ["batchID": 2, "branch": 2], ["batchID": 3, "branch": 1]])
    let serializer = SerializerBench.batches(["batchID": .int([])]).with {
      $0.groupers = [Filter("branch == 1")]
    }
    #expect(try bench.stack.export(with: serializer) == [1, 3])
    #expect(try bench.stack.export(with: serializer, where: "batchID > 1") == [3])
    #expect(try bench.stack.export(with: serializer, sortedBy: ["-batchID"]) == [3, 1])
    let folder = try TemporaryFolder()
    let url = folder.file("ids.json")
    #expect(try bench.stack.export(with: serializer, to: url) == 2)
    #expect(try JSONValue(parsing: Data(contentsOf: url)) == [1, 3])
  }

  @Test func conventionsStandBelowSerializersAndTheReverse() throws {
    let model = try ManagedObjectModel(
      NestedSerializerTests.Owner.self, NestedSerializerTests.Pet.self)
    let stack = try DataStack(model: model, store: .inMemory)
    try stack.sync(
      [["number": 1, "called": "Rex", "owner": ["id": 5, "name": "Ada"]]] as JSONValue,
      with: NestedSerializerTests.PetSerializer())
    let pets = try stack.export(with: NestedSerializerTests.PetSerializer())
    #expect(pets == [["number": 1, "called": "Rex", "owner": ["id": 5, "name": "Ada"]]])
    try stack.mapping(for: NestedSerializerTests.Owner.self) {
      $0["pets"] = .toMany(["all", "pets"]) { NestedSerializerTests.PetSerializer() }
    }
    let owners = try stack.export("Owner")
    #expect(
      owners == [["id": 5, "name": "Ada", "all": ["pets": [["number": 1, "called": "Rex"]]]]])
    #expect(try stack.export(with: Conventional("Owner")) == owners)
    #expect(try stack.sync(owners, inEntityNamed: "Owner").isUnchanged)
  }

  @Test(
    arguments: [
      (["name": .custom(["info", "name"]) { $0.stringValue }], "Batch", "name", "$.info.name"),
      (["name": .string([])], "Batch", "name", "$"),
      (["name": .string([0])], "Batch", "name", "$[0]"),
      (
        [
          "clicks": .toMany("clicks") {
            SerializerBench.clicks().with { $0.mapping["text"] = .custom("t") { $0.stringValue } }
          }
        ], "Click", "text", "$.t"
      ),
    ] as [(Mapping, String, String, String)])
  func aRuleWithoutAWayBackIsNamedWhenThePlanIsCompiled(
    rules: Mapping, entity: String, property: String, path: String
  ) throws {
    var serializer = SerializerBench.batches(["batchID": .int("id")])
    for name in rules.properties { serializer.mapping[name] = rules[name] }
    let error = try thrown(ExportError.self) { _ = try bench.stack.export(with: serializer) }
    #expect(error?.code == .irreversibleRule)
    #expect(error?.entity == entity && error?.property == property && error?.path == path)
  }

  /// Reports of an employee, each level with a serializer of its own.
  struct Level: Serializer, Hashable {
    typealias Object = ManagedObject
    let number: Int
    var entityName: String { "Employee" }
    var identifiers: [String] { ["employeeID"] }
    var mapping: Mapping {
      [
        "employeeID": .int([.key("id\(number)")]),
        "reports": .toMany("reports") { Level(number: number + 1) },
      ]
    }
  }

  @Test func serializersThatDifferAtEachLevelEnd() throws {
    let items: JSONValue = [
      ["id0": 1, "reports": [["id1": 2, "reports": [["id2": 3, "reports": []]]]]]
    ]
    let serializer = Level(number: 0).with { $0.groupers = [Filter("manager == nil")] }
    try bench.sync(items, with: serializer)
    #expect(try bench.stack.export(with: serializer) == items)
    #expect(try bench.sync(items, with: serializer).isUnchanged)
  }

  @Test func aClosureIsAskedOnceForAllObjectsOfAList() throws {
    let asked = Locked(0)
    let items: JSONValue = [["id": 1, "clicks": [["id": 1], ["id": 2], ["id": 3]]]]
    let serializer = SerializerBench.batches([
      "batchID": .int("id"),
      "clicks": .toMany("clicks") { _ in
        asked.withLock { $0 += 1 }
        return SerializerBench.clicks(["clickID": .int("id")])
      },
    ])
    try bench.sync(items, with: serializer)
    asked.withLock { $0 = 0 }
    #expect(try bench.stack.export(with: serializer) == items)
    #expect(asked.withLock(\.self) == 1)
  }

  @Test func aSerializerOfOtherObjectsIsAnError() throws {
    try bench.insert("Batch", [["batchID": 1]])
    let context = bench.stack.newBackgroundContext()
    let error = try context.performAndWait {
      let batch = try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "Batch")).first)
      return try thrown(MappingError.self) { _ = try batch.export(with: SerializerBench.clicks()) }
    }
    #expect(error?.code == .wrongEntity && error?.entity == "Click")
  }
}
