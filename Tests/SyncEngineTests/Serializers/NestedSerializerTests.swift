import SyncStack
import TestSupport
import Testing

/// Serializers below relationships of serializers.
@Suite struct NestedSerializerTests {
  private let bench: SerializerBench

  init() throws { bench = try SerializerBench() }

  private func clicks() throws -> [String] {
    try bench.objects("Click", "clickID", "text", links: ["batch"])
  }

  private func sync(
    _ json: JSONValue,
    _ change: @escaping @Sendable (inout EntitySerializer<ManagedObject>) -> Void = { _ in }
  ) throws -> SyncReport {
    try bench.sync(json, with: SerializerBench.batchesWithClicks(change))
  }

  @Test func aListReplacesTheMembersAndDeletesThoseOfItsOwnerAlone() throws {
    _ = try sync([
      ["id": 1, "clicks": [["id": 10, "text": "a"], ["id": 11]]],
      ["id": 2, "clicks": [["id": 20]]],
    ])
    #expect(try clicks() == ["10 a → 1", "11 nil → 1", "20 nil → 2"])
    _ = try sync([["id": 1, "clicks": [["id": 10, "text": "b"], ["id": 12]]], ["id": 2]])
    #expect(try clicks() == ["10 b → 1", "12 nil → 1", "20 nil → 2"])
  }

  @Test(arguments: [
    ("[]", ["20 → 2"]), ("null", ["10 → ", "11 → ", "20 → 2"]),
    ("{\"id\": 11}", ["11 → 1", "20 → 2"]),
    ("[{\"id\": 20}]", ["20 → 1"]), ("[{\"id\": 11}, {\"id\": 11}]", ["11 → 1", "20 → 2"]),
  ])
  func aNestedValueMeansObjectsOrKeys(json: String, expected: [String]) throws {
    _ = try sync([
      ["id": 1, "clicks": [["id": 10], ["id": 11]]], ["id": 2, "clicks": [["id": 20]]],
    ])
    try bench.sync(
      "[{\"id\": 1, \"clicks\": \(json)}, {\"id\": 2}]", with: SerializerBench.batchesWithClicks())
    #expect(try bench.objects("Click", "clickID", links: ["batch"]) == expected)
  }

  /// Each batch decides anew how nested objects are told apart.
  @Test(arguments: ["text", nil])
  func batchesNeedNoNestedObjectsNorOneWayOfTellingThemApart(other: String?) throws {
    let byKey = SerializerBench.clicks()
    let byText = byKey.with { $0.identifiers = ["text"] }
    let batches = SerializerBench.batches().with {
      $0.mapping["clicks"] = .toMany("clicks") { owner -> any PlanSource in
        owner["by"] == "text" ? byText : byKey
      }
    }
    let middle: JSONValue =
      other == nil
      ? ["id": 2] : ["id": 2, "by": "text", "clicks": [["id": 20, "text": "b"]]]
    try Sync(
      .json([
        ["id": 1, "clicks": [["id": 10, "text": "a"]]], middle,
        ["id": 3, "clicks": [["id": 30, "text": "c"]]],
        ["id": 4, "clicks": [["id": 10, "text": "d"], ["id": 20, "text": "e"]]],
      ]), with: batches, dataStack: bench.stack
    ).run { $0.transaction = .perBatch(1) }
    #expect(try clicks() == ["10 d → 4", "20 e → 4", "30 c → 3"])
  }

  @Test func aListThatDeletesNothingOnlyUnlinks() throws {
    _ = try sync([["id": 1, "clicks": [["id": 10], ["id": 11]]]])
    _ = try sync([["id": 1, "clicks": [["id": 11]]]]) { $0.deleteMissing = false }
    #expect(try clicks() == ["10 nil → ", "11 nil → 1"])
  }

  @Test func aGroupIsEmptiedOfWhatNoOwnerNames() throws {
    try bench.insert("Click", [["clickID": 1, "text": "x"], ["clickID": 2, "text": "y"]])
    _ = try sync([["id": 1, "clicks": [["id": 10]]], ["id": 2, "clicks": [["id": 20]]]]) {
      $0.groupers = [Filter("text == 'x'")]
      $0.policy.deletionScope = .group
    }
    #expect(try clicks() == ["10 nil → 1", "2 y → ", "20 nil → 2"])
  }

  @Test func whatMayNotBeInsertedIsLeftOutAndReported() throws {
    try bench.insert("Click", [["clickID": 10, "text": "old"]])
    let report = try sync([["id": 1, "clicks": [["id": 10, "text": "new"], ["id": 11]]]]) {
      $0.insertMissing = false
      $0.updateExisting = false
    }
    #expect(try clicks() == ["10 old → 1"])
    #expect(report.findings(of: .unresolvedReference).map(\.key) == ["11"])
  }

  private func employees(
    _ change: @escaping @Sendable (inout EntitySerializer<ManagedObject>) -> Void = { _ in }
  ) -> EntitySerializer<ManagedObject> {
    return SerializerBench.employees([
      "employeeID": .int("id"), "name": .string("name"),
      "department": .toOne("department") { _ in
        let departments = SerializerBench.departments()
        return departments.with(change)
      },
    ])
  }

  private func departments() throws -> [String] {
    try bench.objects("Employee", "employeeID", links: ["department"])
      + bench.objects("Department", "departmentID", "name")
  }

  @Test(arguments: [
    ("{\"id\": 2, \"name\": \"b\"}", ["1 → 2", "1 a", "2 b"]), ("null", ["1 → ", "1 a"]),
    ("[]", ["1 → ", "1 a"]), ("[{\"id\": 2}]", ["1 → 2", "1 a", "2 nil"]),
    ("[{\"id\": 2}, {\"id\": 2, \"name\": \"c\"}]", ["1 → 2", "1 a", "2 c"]),
  ])
  func aValueBelowAToOneRelationshipMeansAnObjectOrAKey(json: String, expected: [String]) throws {
    try bench.sync([["id": 1, "department": ["id": 1, "name": "a"]]], with: employees())
    try bench.syncStrictly("[{\"id\": 1, \"department\": \(json)}]", with: employees())
    #expect(try departments() == expected)
  }

  @Test func aLinkToWhatIsNotThereIsEmptied() throws {
    try bench.sync([["id": 1, "department": ["id": 1]]], with: employees())
    let report = try bench.sync(
      [["id": 1, "department": ["id": 7]]], with: employees { $0.insertMissing = false })
    #expect(try departments() == ["1 → ", "1 nil"])
    #expect(report.findings(of: .unresolvedReference).count == 1)
  }

  @Test func whatThePayloadNamesAnywhereIsNotDeleted() throws {
    var serializer = EntitySerializer(entityNamed: "Employee")
    serializer.identifiers = ["employeeID"]
    let nested = EntitySerializer(copying: serializer).with {
      $0.mapping = ["employeeID": .int("id")]
    }
    serializer.mapping = [
      "employeeID": .int("id"), "manager": .toOne("manager") { nested },
      "reports": .toMany("reports") { nested },
    ]
    try bench.insert("Employee", [["employeeID": 1], ["employeeID": 2], ["employeeID": 3]])
    try bench.sync([["id": 1, "manager": ["id": 2], "reports": [["id": 4]]]], with: serializer)
    #expect(
      try bench.objects("Employee", "employeeID", links: ["manager"]) == ["1 → 2", "2 → ", "4 → 1"])
  }

  @Test(arguments: [true, false]) func objectsWithoutIdentifiersAndWithThemAreAConflict(
    isAtTop: Bool
  ) throws {
    let keyless = EntitySerializer(entityNamed: "Employee").with {
      $0.forceInsert = true
      $0.mapping = ["employeeID": .int("id")]
    }
    let keyed = SerializerBench.employees(["employeeID": .int("id")])
    let departments = SerializerBench.departments([
      "departmentID": .int("id"),
      "employees": .toMany("staff") { $0["new"] == true ? keyless : keyed },
    ])
    let error = try thrown(MappingError.self) {
      if isAtTop {
        let serializer = keyless.with { $0.mapping["manager"] = .toOne("manager") { keyed } }
        try bench.sync([["id": 1, "manager": ["id": 2]]], with: serializer)
      } else {
        try bench.sync(
          [["id": 1, "new": true, "staff": [["id": 1]]], ["id": 2, "staff": [["id": 2]]]],
          with: departments)
      }
    }
    #expect(error?.code == .conflictingIdentifiers && error?.entity == "Employee")
    #expect(try bench.objects("Employee", "employeeID").isEmpty)
  }

  @Test func aConflictOfIdentifiersIsAnError() throws {
    let serializer = SerializerBench.employees([
      "employeeID": .int("id"),
      "manager": .toOne("manager") {
        return EntitySerializer(entityNamed: "Employee").by("name", ["name": .string("name")])
      },
    ])
    let error = try thrown(MappingError.self) {
      try bench.sync([["id": 1, "manager": ["name": "x"]]], with: serializer)
    }
    #expect(error?.code == .conflictingIdentifiers && error?.entity == "Employee")
  }

  @Test func aNestedMappingOfAnotherEntityIsAnError() throws {
    let serializer = SerializerBench.batches([
      "batchID": .int("id"), "clicks": .toMany("clicks") { SerializerBench.batches() },
    ])
    let error = try thrown(MappingError.self) {
      try bench.sync([["id": 1, "clicks": [["id": 1]]]], with: serializer)
    }
    #expect(error?.code == .wrongEntity)
    #expect(error?.entity == "Batch" && error?.property == "clicks")
  }

  @Test(arguments: [
    (SyncPolicy.Missing.keep, "10 nil → 1"), (.clear, "10 nil → "), (.fail, "10 nil → 1"),
  ])
  func aRelationshipWhoseKeyIsMissingFollowsThePolicy(policy: SyncPolicy.Missing, expected: String)
    throws
  {
    _ = try sync([["id": 1, "clicks": [["id": 10]]]])
    let serializer = SerializerBench.batches([
      "batchID": .int("id"),
      "clicks": .toMany("clicks") { SerializerBench.clicks() }.whenMissing(policy),
    ])
    let error = try thrown(SyncError.self) {
      try bench.syncStrictly([["id": 1]] as JSONValue, with: serializer)
    }
    #expect(try clicks() == [expected])
    #expect((error != nil) == (policy == .fail))
    #expect(error.map { $0.code == .requiredValueMissing && $0.property == "clicks" } ?? true)
  }

  @Test func orderedListsKeepTheOrderOfThePayload() throws {
    let serializer = SerializerBench.batches([
      "batchID": .int("id"), "ordered": .toMany("clicks") { SerializerBench.clicks() },
    ])
    try bench.sync(
      [["id": 1, "clicks": [["id": 3], ["id": 1], ["id": 3], ["id": 2]]]], with: serializer)
    #expect(try bench.objects("Batch", "batchID", links: ["ordered"]) == ["1 → 3,1,2"])
  }

  // MARK: - Mixing

  final class Owner: ManagedObject {
    @PrimaryKey var id: Int64 = 0
    @Attribute var name: String?
    @ToMany(inverse: "owner") var pets: Set<Pet>
  }

  final class Pet: ManagedObject {
    @PrimaryKey var id: Int64 = 0
    @Attribute var nickName: String?
    @ToOne(inverse: "pets") var owner: Owner?
  }

  struct PetSerializer: Serializer {
    typealias Object = Pet
    var identifiers: [String] { ["id"] }
    var mapping: Mapping {
      [
        "id": .int("number"), "nickName": .string("called"),
        "owner": .toOne("owner") { Conventional("Owner") },
      ]
    }
  }

  private func pets(_ stack: DataStack) throws -> [String] {
    return try stack.inBackground { context in
      try context.fetch(Fetch<Pet>().sorted(by: "id")).map {
        "\($0.id) \($0.nickName ?? "nil") \($0.owner?.name ?? "nil")"
      }
    }
  }

  @Test func byConventionAChildWithoutAReadableKeyCostsOnlyItselfBelowASerializerToo() throws {
    let stack = try DataStack(model: ManagedObjectModel(Owner.self, Pet.self), store: .inMemory)
    let owners = EntitySerializer(Owner.self).by(
      "id",
      ["id": .int("id"), "name": .string("name"), "pets": .toMany("pets") { Conventional("Pet") }])
    let json: JSONValue = [
      ["id": 5, "name": "Ada", "pets": [["nick_name": "?"], ["id": 2, "nick_name": "Tom"]]]
    ]
    let report = try stack.sync(json, with: owners)
    #expect(try pets(stack) == ["2 Tom Ada"])
    #expect(report.findings(of: .skippedItem).map(\.path) == ["$[0].pets[0]"])
  }
}
