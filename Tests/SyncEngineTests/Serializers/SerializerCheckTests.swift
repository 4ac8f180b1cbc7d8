import SyncStack
import Testing

/// Serializers that cannot work are refused with an error that names entity and property, and items
/// are looked at by validators first.
@Suite struct SerializerCheckTests {
  private let bench: SerializerBench

  private static func policy(_ change: (inout SyncPolicy) -> Void) -> SyncPolicy {
    var policy = SyncPolicy()
    change(&policy)
    return policy
  }

  init() throws { bench = try SerializerBench() }

  @Test(
    arguments: [
      ([], ["batchID": Rule.int("id")], MappingError.Code.identifiersRequired, nil),
      (["batchID"], ["name": .string("n")], .identifierNotMapped, "batchID"),
      (["clicks"], ["batchID": .int("id")], .identifierIsRelationship, "clicks"),
      (["nothing"], ["batchID": .int("id")], .unknownProperty, "nothing"),
      (["batchID"], ["batchID": .int("id"), "none": .string("n")], .unknownProperty, "none"),
      (["batchID"], ["batchID": .int("id"), "clicks": .string("n")], .wrongPropertyKind, "clicks"),
      (["batchID"], ["batchID": .isoDate("id")], .unsuitableRule, "batchID"),
      (["batchID"], ["batchID": .int("id"), "batchID": .int("i")], .unsuitableRule, "batchID"),
      (
        ["batchID"],
        ["batchID": .int("id"), "clicks": .toOne("clicks") { SerializerBench.clicks() }],
        .unsuitableRule, "clicks"
      ),
      (
        ["batchID"],
        ["batchID": .int("id"), "clicks": .toMany([]) { SerializerBench.clicks() }],
        .unsuitableRule, "clicks"
      ),
      (
        ["batchID"], ["batchID": .int("id"), "name": .toOne("name") { SerializerBench.clicks() }],
        .wrongPropertyKind, "name"
      ),
    ] as [([String], Mapping, MappingError.Code, String?)])
  func mistakesInASerializerAreErrorsBeforeAnythingIsRead(
    identifiers: [String], mapping: Mapping, code: MappingError.Code, property: String?
  ) throws {
    var serializer = EntitySerializer(entityNamed: "Batch")
    serializer.identifiers = identifiers
    serializer.mapping = mapping
    let error = try thrown(MappingError.self) { try bench.sync([["id": 1]], with: serializer) }
    #expect(error?.code == code && error?.entity == "Batch" && error?.property == property)
  }

  @Test func anUnknownEntityIsAnError() throws {
    #expect(throws: ModelError.self) {
      try bench.sync([], with: EntitySerializer(entityNamed: "Nobody"))
    }
  }

  @Test func validatorsDropReplaceAndRefuse() throws {
    var serializer = SerializerBench.batches()
    serializer.validators = [
      { $0["kind"] == "bad" ? nil : $0 },
      { item in
        var item = item.objectValue ?? [:]
        item["info"] = ["name": .string("from \(item["id"] ?? .null)")]
        return .object(item)
      },
    ]
    try bench.insert("Batch", [["batchID": 1, "name": "old"], ["batchID": 2, "name": "old"]])
    let report = try bench.sync(
      [["id": 1], ["id": 2, "kind": "bad"], ["id": 3]], with: serializer)
    #expect(try bench.objects("Batch", "batchID", "name") == ["1 from 1", "3 from 3"])
    #expect(report.skipped == 1 && report.deleted == 1)

    struct Odd: Error {}
    serializer.validators = [{ item in if item["id"] == 4 { throw Odd() } else { return item } }]
    let error = try thrown(SyncError.self) {
      try bench.syncStrictly([["id": 3], ["id": 4]] as JSONValue, with: serializer)
    }
    #expect(error?.code == .invalidItem && error?.path == "$[1]")
    #expect(try bench.objects("Batch", "batchID") == ["1", "3"])
  }

  @Test func whenValidatorsDropEverythingTheGroupIsEmptied() throws {
    try bench.insert("Batch", [["batchID": 1], ["batchID": 2]])
    var serializer = SerializerBench.batches()
    serializer.validators = [{ _ in nil }]
    try bench.sync([["id": 1], ["id": 2], nil], with: serializer)
    #expect(try bench.objects("Batch", "batchID").isEmpty)
  }

  @Test func validatorsLetNullElementsVanish() throws {
    var serializer = SerializerBench.batches()
    serializer.validators = [{ $0 }]
    try bench.sync([["id": 1], nil], with: serializer)
    #expect(try bench.objects("Batch", "batchID") == ["1"])
  }

  @Test(arguments: [
    ("{\"id\": 1}", policy { _ in }, "1 old"),
    ("{\"id\": 1}", policy { $0.missingKey = .clear }, "1 nil"),
    ("{\"id\": 1, \"info\": {\"name\": null}}", policy { _ in }, "1 nil"),
    ("{\"id\": 1, \"info\": {\"name\": [5]}}", policy { $0.mismatch = .clear }, "1 nil"),
    ("{\"id\": 1, \"info\": {\"name\": [5]}}", policy { $0.mismatch = .keep }, "1 old"),
    ("{\"id\": 1, \"info\": {\"name\": 5}}", policy { _ in }, "1 5"),
    (
      "{\"id\": 1, \"info\": {\"name\": 5}}",
      policy {
        $0.coercion = .strict
        $0.mismatch = .keep
      }, "1 old"
    ),
  ])
  func aMissingKeyNullAndAWrongKindFollowThePolicy(
    json: String, policy: SyncPolicy, expected: String
  ) throws {
    try bench.insert("Batch", [["batchID": 1, "name": "old"]])
    var serializer = SerializerBench.batches()
    serializer.policy = policy
    try bench.sync(json, with: serializer)
    #expect(try bench.objects("Batch", "batchID", "name") == [expected])
  }

  @Test func listsOfBareValuesAreItemsOfTheEmptyPath() throws {
    let serializer = EntitySerializer(entityNamed: "Batch").by("batchID", ["batchID": .int([])])
    try bench.sync([3, 5], with: serializer)
    #expect(try bench.objects("Batch", "batchID", "level") == ["3 7", "5 7"])
  }
}
