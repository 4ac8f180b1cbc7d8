import Foundation
import SyncStack
import TestSupport
import Testing

/// The text of a report, and the sum of several.
@Suite struct ReportTests {
  private let stack: DataStack

  init() throws { stack = try DataStack.social() }

  @Test func aDescriptionNamesWhatChangedAndWhatWasPassedOver() throws {
    try stack.sync(#"[{"id": 1, "name": "Ann"}, {"id": 2}]"#.utf8Payload, inEntityNamed: "User")
    let report = try stack.sync(
      #"""
      [{"id": 1, "name": "Bea", "age": 3, "nick": "B", "company_id": 9}, {"id": 2, "age": "x"},
       {"id": 3, "age": "y", "nick": "C", "zodiac": 1}, {}]
      """#.utf8Payload, inEntityNamed: "User")
    #expect(
      report.description == """
        User: 1 inserted, 1 updated (age, name), 0 deleted, 1 unchanged, 1 skipped
        User, keys that fill nothing: nick, zodiac
        2 × refused conversion: “age” of “User”: expected a whole number, found text that is no number. \
        ($[1].age)
        1 × skipped item: The item has no readable “id”. ($[3])
        1 × unresolved reference: “company” of User 1 refers to Company 9, which does not exist. \
        To store it as a stub, which has nothing but the key, set createsStubs (user info sync.stub).
        """)
  }

  @Test(arguments: [("trackId", "“id” (key “trackId”)"), ("id", "“id”"), (nil, "“id”")])
  func anItemWithoutKeySaysWhichKeyWasLookedFor(remoteKey: String?, name: String) throws {
    let model = try ManagedObjectModel([
      EntityDraft("Track", [.attribute("id", .integer64, isPrimaryKey: true, remoteKey: remoteKey)])
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    let key = remoteKey ?? "id"
    let report = try stack.sync(
      #"[{"\#(key)": 1}, {"other": 2}]"#.utf8Payload, inEntityNamed: "Track")
    #expect(report.findings.map(\.message) == ["The item has no readable \(name)."])
  }

  @Test func whatTheMappingCannotFollowIsNoTransformer() throws {
    let model = try ManagedObjectModel(["User: id, places ->> Place", "Place: name"])
    let stack = try DataStack(model: model, store: .inMemory)
    let report = try stack.sync(#"[{"id": 1}]"#.utf8Payload, inEntityNamed: "User")
    #expect(report.findings.map(\.kind) == [.mappingRemark])
    #expect(report.description.contains("1 × mapping remark: "))
    #expect(report.description.contains("sync.isPrimaryKey"))
  }

  @Test func aDescriptionSaysThatADryRunStoredNothing() throws {
    let report = try Sync(
      #"[{"id": 1}]"#.utf8Payload, inEntityNamed: "User", dataStack: stack
    ).run { $0.dryRun = true }
    #expect(
      report.description == """
        User: 1 inserted, 0 updated, 0 deleted, 0 unchanged
        Dry run: nothing was stored.
        """)
  }

  @Test func aReportOfNothingSaysSo() async throws {
    #expect(SyncReport().description == "Nothing changed.")
  }

  @Test func theEndOfASessionSaysWhatAllPagesDid() async throws {
    let session = try SyncSession(entity: "User", dataStack: stack)
    try await session.sync(#"[{"id": 1, "name": "Ann"}, {"id": 2}]"#)
    try await session.sync(#"[{"id": 3}, {"id": 1, "name": "Bea"}]"#)
    let report = try await session.finish()
    #expect(report.inserted == 0)
    #expect(
      report.description.hasPrefix(
        """
        All 2 pages and their end:
        User: 3 inserted, 1 updated (name), 0 deleted, 0 unchanged
        The end alone:
        """), "\(report)")
    let data = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(SyncReport.self, from: data) == report)
  }

  /// An object that another item merely refers to is no second item.
  @Test func aReferenceIsNoRepeatedItem() async throws {
    let model = try ManagedObjectModel([
      "Person: id, name, boss -> Person.staff, staff ->> Person.boss"
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    let report = try await stack.sync(
      #"[{"id": 1, "boss": {"id": 2}}, {"id": 2, "name": "Ann"}]"#, inEntityNamed: "Person")
    #expect(report.count(of: .repeatedItem) == 0, "\(report)")
    let twice = try await stack.sync(#"[{"id": 1}, {"id": 2}, {"id": 2}]"#, inEntityNamed: "Person")
    #expect(twice.count(of: .repeatedItem) == 1)
  }

  @Test func aReportNamesTheObjectsAndCountsOfAnEntityNeedNoOptionals() async throws {
    let first = try await stack.sync(
      #"[{"id": 1, "name": "Ann"}, {"id": 2}]"#, inEntityNamed: "User")
    #expect(first["User"].inserted == 2 && first["Note"].inserted == 0)
    let entity = try stack.model.requireEntity(named: "User")
    let ids = [1, 2].map { ManagedObjectID(entity: entity, row: $0) }
    #expect(first.changes.inserted == Set(ids))
    let second = try await stack.sync(#"[{"id": 1, "name": "Bea"}]"#, inEntityNamed: "User")
    #expect(second.changes.updated == [ids[0]] && second.changes.deleted == [ids[1]])
    #expect(second.changes.changedProperties(of: ids[0]) == ["name"])
    #expect(second.changes.generation > first.changes.generation)
    let data = try JSONEncoder().encode(second)
    #expect(try JSONDecoder().decode(SyncReport.self, from: data) == second)
    #expect(try JSONDecoder().decode(SyncReport.self, from: data).changes.isEmpty)
    #expect(try await stack.sync([JSONValue](), inEntityNamed: "Note").changes.isEmpty)
  }

  @Test(arguments: [1, 2, 3])
  func theOutcomeOfSeveralCommitsIsInTheChangesOnce(_ count: Int) throws {
    try stack.sync(#"[{"id": 1, "name": "Ann"}, {"id": 2}, {"id": 3}]"#, inEntityNamed: "User")
    let sync = Sync(
      .data(
        Data(
          #"""
          [{"id": 4, "notes": [{"id": 7}]}, {"id": 1, "name": "Bea"}, {"id": 4, "name": "D", "notes": []},
           {"id": 1, "age": 3, "name": "Cat"}, {"id": 3}]
          """#.utf8)), inEntityNamed: "User", dataStack: stack)
    sync.transaction = .perBatch(count)
    sync.start()
    let changes = try #require(try sync.result?.get()).changes
    let users = try #require(changes.entities.first { $0.entity.name == "User" })
    #expect(users.insertedKeys == [4] && users.updatedKeys == [1] && users.deletedKeys == [2])
    let id = ManagedObjectID(entity: users.entity, row: users.updated[0].row)
    #expect(Set(changes.changedProperties(of: id)) == ["name", "age"])
    // An object that the payload names anywhere is not deleted.
    #expect(changes.entities.first { $0.entity.name == "Note" }?.insertedKeys == [7])
  }

  @Test func addedReportsNameEachObjectOnceByItsOutcome() throws {
    var total = SyncReport()
    for json in [
      #"[{"id": 1}, {"id": 2}, {"id": 3}]"#, #"[{"id": 1, "age": 1}, {"id": 2}]"#,
      #"[{"id": 1, "name": "A"}, {"id": 4}]"#,
    ] {
      total.add(try stack.sync(json, inEntityNamed: "User"))
    }
    let users = try #require(total.changes.entities.first)
    #expect(users.insertedKeys == [1, 4], "2 and 3 came and went")
    #expect(users.updated.isEmpty && users.deleted.isEmpty)
    total = try stack.sync(#"[{"id": 1, "age": 2}, {"id": 4}]"#, inEntityNamed: "User")
    total.add(try stack.sync(#"[{"id": 1, "name": "B"}]"#, inEntityNamed: "User"))
    let later = try #require(total.changes.entities.first)
    #expect(later.inserted.isEmpty && later.updatedKeys == [1] && later.deletedKeys == [4])
    #expect(later.updated[0].slots.count == 2)
  }

  @Test func ofAKeyWithoutEndTheReportHasTheBeginningAndNoSpellingIsLookedForInIt() throws {
    let long = String(repeating: "é", count: 40_000)
    let spelling = "is" + String(repeating: "_", count: 40_000) + "active"
    let report = try stack.sync(
      #"[{"id": 1, "\#(long)": 1, "\#(spelling)": true}]"#, inEntityNamed: "User")
    let keys = report["User"].unusedKeys.keys.sorted()
    #expect(
      keys == ["is" + String(repeating: "_", count: 1_022), String(repeating: "é", count: 512)])
    #expect(report["User"].unfilledAttributes.contains("isActive"))
    let short = try stack.sync(
      #"[{"id": 1, "is____active": true}]"#, inEntityNamed: "User", operations: [.update])
    #expect(short["User"].unusedKeys.isEmpty && short["User"].updated == 1)
  }

  @Test(arguments: [
    (
      #"{"id": 1, "fields": {"status": {"id": 3, "name": "n"}, "id": 2}, "name": "m"}"#,
      ["fields.id", "fields.status.id", "name"]
    ),
    (
      #"{"id": 1, "fields": {"tags": [{"id": 4, "name": "t"}], "a.b": 1}}"#,
      ["fields.a.b", "fields.tags.0.id"]
    ),
  ])
  func aKeyThatFillsNothingIsNamedWithTheKeysThatLeadToIt(item: String, expected: [String]) throws {
    let model = try ManagedObjectModel([
      "Issue: id, status from fields.status.name, tag from fields.tags.0.name"
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    for _ in 0..<2 {
      let report = try stack.sync("[\(item), \(item)]", inEntityNamed: "Issue")
      #expect(
        report["Issue"].unusedKeys == Dictionary(uniqueKeysWithValues: expected.map { ($0, 2) }))
    }
  }

  @Test func findingsOfAddedReportsAreListedUpToTheLimitOfEachKind() throws {
    let items = (1...700).map { #"{"id": \#($0), "age": "x", "company_id": 9}"# }
    var total = SyncReport()
    for _ in 0..<2 {
      total.add(
        try stack.sync("[\(items.joined(separator: ","))]".utf8Payload, inEntityNamed: "User"))
    }
    #expect(total.count(of: .refusedConversion) == 1_400)
    #expect(total.findings(of: .refusedConversion).count == SyncReport.findingLimit)
    #expect(total.findings(of: .unresolvedReference).count == SyncReport.findingLimit)
    #expect(total.itemCount == 1_400 && total.inserted == 700 && total.unchanged == 700)
  }
}

extension String {
  fileprivate var utf8Payload: SyncPayload { .data(Data(utf8)) }
}
