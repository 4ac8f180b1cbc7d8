import SyncStack
import Testing

/// The operations that the settings of a serializer allow.
@Suite struct SerializerOptionTests {
  private let bench: SerializerBench

  init() throws { bench = try SerializerBench() }

  private func objects() throws -> [String] { try bench.objects("Batch", "batchID", "name") }

  /// 1 is stored and named, 2 is stored alone, 3 is named alone; 9 lies outside of the group.
  @Test(
    arguments: [false, true].flatMap { force in
      [false, true].flatMap { insert in
        [false, true].flatMap { update in
          [false, true].map { (force, insert, update, $0) }
        }
      }
    })
  func theSixteenCombinationsOfOptionsHold(force: Bool, insert: Bool, update: Bool, delete: Bool)
    throws
  {
    try bench.insert(
      "Batch",
      [
        ["batchID": 1, "name": "old", "branch": 1], ["batchID": 2, "name": "old", "branch": 1],
        ["batchID": 9, "name": "out", "branch": 2],
      ])
    var serializer = SerializerBench.batches()
    serializer.groupers = [Filter("branch == 1")]
    serializer.forceInsert = force
    serializer.insertMissing = insert
    serializer.updateExisting = update
    serializer.deleteMissing = delete
    try bench.sync(
      [["id": 1, "info": ["name": "new"]], ["id": 3, "info": ["name": "new"]]], with: serializer)
    var expected = ["9 out", !force && update ? "1 new" : "1 old"]
    if !delete { expected.append("2 old") }
    if force { expected.append("1 new") }
    if force || insert { expected.append("3 new") }
    #expect(try objects() == expected.sorted())
  }

  @Test(arguments: [
    ("null", true, ["1 old", "2 old"]), ("[]", true, []), ("[]", false, ["1 old", "2 old"]),
    ("{\"id\": 1, \"info\": {\"name\": \"new\"}}", true, ["1 new"]),
    ("{\"id\": 3, \"info\": {\"name\": \"new\"}}", false, ["1 old", "2 old", "3 new"]),
    ("[{\"id\": 1}]", true, ["1 old"]), ("[{\"id\": 1, \"info\": null}]", true, ["1 old"]),
  ])
  func payloadsOfAllShapesAreTaken(json: String, deletes: Bool, expected: [String]) throws {
    try bench.insert("Batch", [["batchID": 1, "name": "old"], ["batchID": 2, "name": "old"]])
    var serializer = SerializerBench.batches()
    serializer.deleteMissing = deletes
    try bench.sync(json, with: serializer)
    #expect(try objects() == expected)
  }

  @Test(arguments: [
    ("{}", SyncError.Code.missingIdentifier, "$"),
    ("[{\"id\": 1}, {\"error\": \"none\"}]", .missingIdentifier, "$[1]"),
    ("[{\"id\": null}]", .missingIdentifier, "$[0]"), ("[5]", .invalidItem, "$[0]"),
    ("[{\"id\": 1}, null]", .invalidItem, "$[1]"),
    ("[{\"id\": \"x\"}]", .typeMismatch, "$[0].id"),
    ("[{\"id\": 1, \"info\": {\"name\": [5]}}]", .typeMismatch, "$[0].info.name"),
  ])
  func itemsThatCannotBeToldApartChangeNothing(json: String, code: SyncError.Code, path: String)
    throws
  {
    try bench.insert("Batch", [["batchID": 1, "name": "old"], ["batchID": 2, "name": "old"]])
    let error = try thrown(SyncError.self) {
      try bench.syncStrictly(json, with: SerializerBench.batches())
    }
    #expect(error?.code == code && error?.path == path && error?.entity == "Batch")
    #expect(try objects() == ["1 old", "2 old"])
  }

  @Test(arguments: [
    (true, true, false, ["1 b"]), (true, false, false, ["1 a"]),
    (true, true, true, ["1 a", "1 b"]),
    (false, true, false, []),
  ])
  func theSameKeyTwiceInAPayloadIsOneObject(
    inserts: Bool, updates: Bool, forces: Bool, expected: [String]
  ) throws {
    var serializer = SerializerBench.batches()
    serializer.insertMissing = inserts
    serializer.updateExisting = updates
    serializer.forceInsert = forces
    try bench.sync(
      [["id": 1, "info": ["name": "a"]], ["id": 1, "info": ["name": "b"]]], with: serializer)
    #expect(try objects() == expected)
  }

  @Test(arguments: [
    (SyncPolicy.StoredDuplicates.updateAll, true, ["1 new", "1 new"]),
    (.keepOne, true, ["1 new"]),
    (.updateAll, false, ["1 a", "1 b"]),
  ])
  func severalStoredObjectsOfAKeyFollowThePolicy(
    policy: SyncPolicy.StoredDuplicates, updates: Bool, expected: [String]
  ) throws {
    try bench.insert("Batch", [["batchID": 1, "name": "a"], ["batchID": 1, "name": "b"]])
    var serializer = SerializerBench.batches()
    serializer.policy.storedDuplicates = policy
    serializer.updateExisting = updates
    let report = try bench.sync([["id": 1, "info": ["name": "new"]]], with: serializer)
    #expect(try objects() == expected)
    #expect(report.objects.count == expected.count, "all that an item means are among the results")
  }

  @Test(arguments: [
    (SyncPolicy.IdentityScope.group, ["1 new 1", "1 out 2"]), (.entity, ["1 new 1"]),
  ])
  func anObjectOutsideOfTheGroupIsAnotherOneUnlessIdentityReachesBeyondIt(
    scope: SyncPolicy.IdentityScope, expected: [String]
  ) throws {
    try bench.insert(
      "Batch",
      [["batchID": 1, "name": "out", "branch": 2], ["batchID": 2, "name": "in", "branch": 1]])
    var serializer = SerializerBench.batches([
      "batchID": .int("id"), "name": .string("name"), "branch": .int("branch"),
    ])
    serializer.groupers = [Filter("branch == %@", 1), Filter("batchID < 100")]
    serializer.policy.identityScope = scope
    let json: JSONValue = [["id": 1, "name": "new", "branch": 1]]
    try bench.sync(json, with: serializer)
    #expect(try bench.objects("Batch", "batchID", "name", "branch") == expected)
    try bench.sync(json, with: serializer)
    #expect(try bench.objects("Batch", "batchID", "name", "branch") == expected)
  }

  @Test(arguments: [
    (SyncPolicy.MissingIdentity.skip, ["1 old", "2 old"], 1), (.insert, ["1 old", "nil new"], 0),
  ])
  func anItemWithoutIdentityFollowsThePolicy(
    policy: SyncPolicy.MissingIdentity, expected: [String], skipped: Int
  ) throws {
    try bench.insert("Batch", [["batchID": 1, "name": "old"], ["batchID": 2, "name": "old"]])
    var serializer = SerializerBench.batches()
    serializer.policy.missingIdentity = policy
    let report = try bench.sync([["id": 1], ["info": ["name": "new"]]], with: serializer)
    #expect(try objects() == expected)
    #expect(report.skipped == skipped)
  }

  @Test(arguments: [[[:]], [:], ["error": "gone"], [["info": ["name": "new"]]]] as [JSONValue])
  func itemsWithoutIdentityWhichMayBeSkippedDeleteNothingWhenThereAreNoOthers(_ json: JSONValue)
    throws
  {
    try bench.insert("Batch", [["batchID": 1, "name": "old"], ["batchID": 2, "name": "old"]])
    var serializer = SerializerBench.batches()
    serializer.policy.missingIdentity = .skip
    let report = try bench.sync(json, with: serializer)
    #expect(report.skipped == 1 && report.deleted == 0)
    #expect(try objects() == ["1 old", "2 old"])
  }

  @Test(arguments: [
    (SyncPolicy.MissingIdentity.fail, ["1 old", "2 old"]),
    (.skip, ["1 new", "1 old", "2 old"]), (.insert, ["1 new", "1 old", "nil x"]),
  ])
  func anItemWithoutIdentityIsNoNewObjectEitherUnlessThePolicySaysSo(
    policy: SyncPolicy.MissingIdentity, expected: [String]
  ) throws {
    try bench.insert("Batch", [["batchID": 1, "name": "old"], ["batchID": 2, "name": "old"]])
    var serializer = SerializerBench.batches()
    serializer.forceInsert = true
    serializer.policy.missingIdentity = policy
    let error = try thrown(SyncError.self) {
      try bench.syncStrictly(
        [["id": 1, "info": ["name": "new"]], ["info": ["name": "x"]]] as JSONValue,
        with: serializer)
    }
    #expect((error?.code == .missingIdentifier) == (policy == .fail))
    #expect(error?.property == (policy == .fail ? "batchID" : nil))
    #expect(try objects() == expected)
  }

  @Test func withoutIdentifiersNothingIsEverDeleted() throws {
    var serializer = SerializerBench.batches()
    serializer.identifiers = []
    serializer.forceInsert = true
    try bench.sync([["id": 1], ["id": 1]], with: serializer)
    try bench.sync([], with: serializer)
    #expect(try objects() == ["1 nil", "1 nil"])
  }

  @Test func storedObjectsWithoutIdentityCountAsMissing() throws {
    try bench.insert("Batch", [["name": "nameless"], ["batchID": 1, "name": "old"]])
    try bench.sync([["id": 1]], with: SerializerBench.batches())
    #expect(try objects() == ["1 old"])
  }

  @Test func keysOfSeveralAttributesAreComparedPartByPart() throws {
    var serializer = EntitySerializer(entityNamed: "Click")
    serializer.identifiers = ["clickID", "text"]
    serializer.mapping = ["clickID": .int("id"), "text": .string("text")]
    try bench.insert(
      "Click", [["clickID": 1, "text": "a-b"], ["clickID": 1, "text": "a"], ["clickID": 2]])
    let report = try bench.sync(
      [["id": 1, "text": "a-b"], ["id": 1, "text": "b"], ["id": 2, "text": "A"]], with: serializer)
    #expect(try bench.objects("Click", "clickID", "text") == ["1 a-b", "1 b", "2 A"])
    #expect(report.inserted == 2 && report.deleted == 2 && report.unchanged == 1)
  }

  @Test(arguments: [
    ("weight", Rule.double("key"), "[{\"key\": 2.0}, {\"key\": 2.5}]"),
    ("flag", .bool("key"), "[{\"key\": true}, {\"key\": false}]"),
    ("moment", .isoDate("key"), "[{\"key\": \"2026-01-01T00:00:00.5Z\"}]"),
    ("batchID", .int("key"), "[{\"key\": 9007199254740993}, {\"key\": -5}]"),
    ("name", .string("key"), "[{\"key\": \"é\"}, {\"key\": \"É\"}, {\"key\": \"\"}]"),
  ])
  func keysOfEveryKindFindTheirObjects(name: String, rule: Rule, json: String) throws {
    var serializer = EntitySerializer(entityNamed: "Batch")
    serializer.identifiers = [name]
    serializer.mapping = [name: rule]
    let count = try bench.sync(json, with: serializer).inserted
    #expect(count > 0)
    let report = try bench.sync(json, with: serializer)
    #expect(report.isUnchanged && report.unchanged == count)
  }
}
