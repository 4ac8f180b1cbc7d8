import SyncStack
import TestSupport
import Testing

/// When a sync through a serializer passes over items that come again: when all of the mapping is
/// data.
@Suite struct SerializerFingerprintTests {
  private typealias Batches = EntitySerializer<ManagedObject>

  private let bench: SerializerBench

  init() throws { bench = try SerializerBench() }

  private static let payload: JSONValue = [
    ["id": 1, "name": "a", "clicks": [["id": 10, "text": "x"], ["id": 11]], "other": 1],
    ["id": 2, "name": "b", "clicks": [["id": 20, "text": "y"]]],
    ["id": 3, "name": "c", "clicks": []],
  ]

  private static func plain() -> Batches { SerializerBench.batchesWithClicks() }

  private static func clicks(
    _ change: @escaping @Sendable (inout EntitySerializer<ManagedObject>) -> Void
  ) -> Rule {
    .toMany("clicks") { SerializerBench.clicks().with(change) }
  }

  @discardableResult
  private func sync(
    _ json: JSONValue, with source: some PlanSource, fingerprints: Bool = true
  ) throws -> SyncReport {
    return try Sync(.json(json), with: source, dataStack: bench.stack).run {
      $0.usesFingerprints = fingerprints
    }
  }

  /// The keys of batches. Which rows they have is left to the store.
  private func keys(_ batches: [ManagedObjectID]) throws -> [Value?] {
    let entity = try bench.stack.model.requireEntity(named: "Batch")
    let rows = try bench.stack.store.read { try $0.rows(entity, rows: batches.map(\.row).sorted()) }
    return batches.map { id in rows.first { $0.row == id.row }?.values[0] }
  }

  /// Whether a sync reads columns of batches or clicks.
  private func reads(_ json: JSONValue = payload, with source: some PlanSource) throws -> Bool {
    try bench.stack.store.recorder.record { try sync(json, with: source) }.contains {
      $0.hasPrefix("SELECT _row")
        && ($0.contains(#"FROM "Batch""#) || $0.contains(#"FROM "Click""#))
    }
  }

  @Test func whatComesAgainIsNotRead() throws {
    try sync(Self.payload, with: Self.plain())
    let before = try bench.stack.store.read { try $0.dump() }
    #expect(try !reads(with: Self.plain()))
    #expect(try bench.stack.store.read { try $0.dump() } == before)
  }

  private static func shouting(version: Int?, _ make: @escaping @Sendable (String) -> String)
    -> Batches
  {
    plain().with {
      $0.mapping["name"] = .custom("name", version: version) { $0.stringValue.map(make) }
    }
  }

  /// A closure may say something else each time, unless it promises not to.
  @Test func aClosureWithAVersionKeepsFingerprints() throws {
    try sync(Self.payload, with: Self.shouting(version: 1) { $0.uppercased() })
    #expect(try !reads(with: Self.shouting(version: 1) { $0.uppercased() }))
    let changed = try sync(Self.payload, with: Self.shouting(version: 2) { "\($0)!" })
    #expect(changed["Batch"].updated == 3)
    #expect(try !reads(with: Self.shouting(version: 2) { "\($0)!" }))
    try sync(Self.payload, with: Self.shouting(version: nil) { "\($0)!" })
    #expect(try reads(with: Self.shouting(version: nil) { "\($0)!" }))
  }

  @Test func theReportSaysWhatNothingFilledBelowASerializer() throws {
    for _ in 1...2 {
      let report = try sync([["id": 1, "clicks": [["id": 10]]]], with: Self.plain())
      #expect(report["Batch"].unfilledAttributes == ["name"])
      #expect(report["Click"].unfilledAttributes == ["text"])
    }
  }

  @Test func theObjectsOfItemsComeInTheOrderOfThePayload() throws {
    try sync(Self.payload, with: Self.plain())
    var items = try #require(Self.payload.arrayValue)
    items[1] = ["id": 2, "name": "changed", "clicks": [["id": 20, "text": "y"]]]
    items.insert(["id": 4, "name": "d", "clicks": []], at: 2)
    let with = try sync(.array(items), with: Self.plain())
    #expect(with.updated == 1)
    let without = try sync(.array(items), with: Self.plain(), fingerprints: false)
    #expect(with.objects == without.objects)
    #expect(with.objects.count == 4)
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func withFingerprintsEverythingComesOutAsWithoutThem(seed: UInt64) throws {
    let (one, other) = try (SerializerFingerprintTests(), SerializerFingerprintTests())
    var random = SeededGenerator(seed: seed)
    var items: [Int: JSONValue] = [:]
    for step in 0..<10 {
      for id in 1...4 where step == 0 || random.next() % 3 == 0 {
        items[id] = Self.item(id, &random)
      }
      let json = JSONValue.array(items.sorted { $0.key < $1.key }.map(\.value))
      for _ in 0..<2 {
        let with = try one.sync(json, with: Self.plain())
        let without = try other.sync(json, with: Self.plain(), fingerprints: false)
        #expect(with.entities == without.entities)
        #expect(try one.keys(with.objects) == other.keys(without.objects))
      }
      for (entity, names, link) in [
        ("Batch", "batchID name", "clicks"), ("Click", "clickID text", "batch"),
      ] {
        let names = names.split(separator: " ").map(String.init)
        let stored = try [one, other].map {
          try $0.bench.objects(entity, names[0], names[1], links: [link])
        }
        #expect(stored[0] == stored[1])
      }
    }
  }

  /// A batch, or nothing; its clicks are those of other batches now and then.
  private static func item(_ id: Int, _ random: inout SeededGenerator) -> JSONValue? {
    if random.next() % 5 == 0 { return nil }
    var item: [(key: String, value: JSONValue)] = [("id", .integer(Int64(id)))]
    if random.next() % 4 > 0 { item.append(("name", random.next() % 2 == 0 ? "a" : "b")) }
    switch random.next() % 6 {
    case 0: break
    case 1: item.append(("clicks", .null))
    default:
      let clicks = (0..<random.next() % 3).map { _ -> JSONValue in
        let id = JSONValue.integer(Int64(random.next() % 6))
        return random.next() % 2 == 0
          ? ["id": id] : ["id": id, "text": random.next() % 2 == 0 ? "x" : "y"]
      }
      item.append(("clicks", .array(clicks)))
    }
    return .object(JSONObject(item))
  }

  @Test func aMemberThatTwoListsNameIsReadEachTime() throws {
    let twice: JSONValue = [
      ["id": 1, "name": "a", "clicks": [["id": 10]]],
      ["id": 2, "name": "b", "clicks": [["id": 10]]],
    ]
    try sync(twice, with: Self.plain())
    let first = try #require(twice.arrayValue)[0]
    let report = try sync(.array([first]), with: Self.plain())
    #expect(report["Click"].updated == 1)
    #expect(try bench.objects("Click", "clickID", links: ["batch"]) == ["10 → 1"])
  }

  @Test func aMemberThatGoesToAnotherOwnerIsReadThere() throws {
    try sync(Self.payload, with: Self.plain())
    var items = try #require(Self.payload.arrayValue)
    items[2] = ["id": 3, "name": "c", "clicks": [["id": 20]]]
    for _ in 1...2 {
      try sync(.array(items), with: Self.plain())
      #expect(
        try bench.objects("Click", "clickID", links: ["batch"])
          == ["10 → 1", "11 → 1", "20 → 3"])
    }
  }

  @Test func changesOfAnotherProgramAreReadAgain() throws {
    try sync(Self.payload, with: Self.plain())
    let context = bench.stack.newBackgroundContext()
    try context.performAndWait {
      for click in try context.fetch(Fetch<ManagedObject>(entityNamed: "Click")) {
        click.setValue("edited", forKey: "text")
      }
      try context.save()
    }
    #expect(try sync(Self.payload, with: Self.plain())["Click"].updated == 2)
  }

  @Test(
    arguments: [
      { $0.mapping["name"] = .string("other") },
      { $0.mapping["name"] = .string("name").whenMissing(.clear) },
      { $0.mapping["name"] = .string("name").onMismatch(.keep) },
      { $0.mapping["name"] = .string("name").coercing(.strict) },
      { $0.mapping["flag"] = .bool("flag") }, { $0.policy.missingKey = .clear },
      { $0.policy.coercion = .strict }, { $0.policy.mismatch = .keep },
      { $0.policy.storedDuplicates = .keepOne }, { $0.policy.identityScope = .entity },
      { $0.policy.deletionScope = .nothing }, { $0.deleteMissing = false },
      { $0.identifiers = ["batchID", "name"] },
      {
        $0.policy.identityScope = .entity
        $0.groupers = [Filter("batchID < 3")]
      },
      { $0.mapping["clicks"] = clicks { $0.policy.mismatch = .clear } },
      { $0.mapping["clicks"] = clicks { $0.deleteMissing = false } },
      { $0.mapping["clicks"] = .toMany("items") { SerializerBench.clicks() } },
    ] as [@Sendable (inout EntitySerializer<ManagedObject>) -> Void])
  func anotherRulePolicySettingOrGroupMakesAnotherMapping(
    _ change: @Sendable (inout EntitySerializer<ManagedObject>) -> Void
  ) throws {
    let json: JSONValue = [["id": 1, "name": "a", "clicks": [["id": 10, "text": "x"]]]]
    try sync(json, with: Self.plain())
    #expect(try !reads(json, with: Self.plain()))
    #expect(try reads(json, with: Self.plain().with(change)))
  }

  @Test(
    arguments: [
      { $0.validators = [{ $0 }] }, { $0.mapping["name"] = .custom("name") { $0.stringValue } },
      { $0.mapping["clicks"] = .toMany("clicks") { _ in SerializerBench.clicks() } },
      { $0.mapping["clicks"] = clicks { $0.validators = [{ $0 }] } },
      { $0.didFill = { _, _ in } }, { $0.mapping["clicks"] = clicks { $0.didFill = { _, _ in } } },
      { $0.insertMissing = false }, { $0.updateExisting = false },
      { $0.groupers = [Filter("batchID < 9")] },
    ] as [@Sendable (inout EntitySerializer<ManagedObject>) -> Void])
  func closuresMaySaySomethingElseTheNextTime(
    _ change: @Sendable (inout EntitySerializer<ManagedObject>) -> Void
  ) throws {
    try sync(Self.payload, with: Self.plain())
    for _ in 1...2 { #expect(try reads(with: Self.plain().with(change))) }
  }

  @Test func manyOwnersShareWhatAToOneRelationshipLeadsTo() throws {
    let employees = SerializerBench.employees([
      "employeeID": .int("id"), "name": .string("name"),
      "department": .toOne("department") {
        return SerializerBench.departments()
      },
    ])
    let serializer = employees
    let json: JSONValue = [
      ["id": 1, "name": "a", "department": ["id": 5, "name": "d"]],
      ["id": 2, "name": "b", "department": ["id": 5, "name": "d"]],
    ]
    try sync(json, with: serializer)
    let statements = try bench.stack.store.recorder.record { try sync(json, with: serializer) }
    #expect(!statements.contains { $0.hasPrefix("SELECT _row") && $0.contains("Employee") })
  }

  @Test(arguments: [true, false])
  func serializersBelowConventionsAndTheOtherWayRoundUseFingerprints(serializerIsBelow: Bool) throws
  {
    let stack = try DataStack.inMemory([
      "Owner: id, things ->> Thing.owner", "Thing: id, text, owner -> Owner.things",
    ])
    let owners = EntitySerializer(entityNamed: "Owner").by(
      "id", ["id": .int("id"), "things": .toMany("things") { Conventional("Thing") }])
    if serializerIsBelow {
      try stack.mapping(forEntityNamed: "Owner") {
        $0["things"] = .toMany("things") {
          return EntitySerializer(entityNamed: "Thing").by(
            "id", ["id": .int("id"), "text": .string("text")])
        }
      }
    }
    let source: any PlanSource = serializerIsBelow ? Conventional("Owner") : owners
    let json: JSONValue = [["id": 1, "things": [["id": 1, "text": "x"]]]]
    func statements(_ json: JSONValue) throws -> [String] {
      try stack.store.recorder.record {
        try Sync(.json(json), with: source, dataStack: stack).run()
      }.filter { $0.hasPrefix("SELECT _row") && $0.contains("Thing") }
    }
    _ = try statements(json)
    #expect(try statements(json).isEmpty)
    #expect(try !statements([["id": 1, "things": [["id": 1, "text": "y"]]]]).isEmpty)
    #expect(try statements([["id": 1, "things": [["id": 1, "text": "y"]]]]).isEmpty)
  }
}
