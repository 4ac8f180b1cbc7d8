import Foundation
import SyncStack
import TestSupport
import Testing

/// Items that cannot be stored are kept in the store, until they can be or are discarded.
@Suite(.timeLimit(.minutes(5))) struct QuarantineTests {
  private let stack: DataStack
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    stack = try DataStack(
      model: QuarantineTests.model(nameIsRequired: true), store: .sqlite(folder.file()))
  }

  private static func model(nameIsRequired: Bool) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      "User: id, name \(nameIsRequired ? "required" : ""), notes ->> Note.user cascade",
      "Note: id, text required, user -> User.notes",
    ])
  }

  @discardableResult
  private func sync(
    _ json: String, _ entity: String = "User", _ change: (Sync) -> Void = { _ in }
  ) throws -> SyncReport {
    let sync = Sync(.data(Data(json.utf8)), inEntityNamed: entity, dataStack: stack)
    sync.onItemError = .quarantine
    change(sync)
    return try sync.run()
  }

  private func kept() throws -> [String] {
    try stack.quarantine.items().map { String(decoding: $0.json, as: UTF8.self) }
  }

  @Test func anEarlierItemOfAKeyIsFoundByAnIndex() throws {
    try sync(#"[{"id": 1}, {"id": 2}]"#)
    try sync(#"[{"id": 2}, {"id": 1}]"#)
    #expect(try kept().count == 2)
    #expect(try stack.store.read { try $0.indexNames().contains("_syncstack_quarantine_key") })
  }

  @Test func aBadItemIsKeptWithItsReason() throws {
    let before = Date()
    let report = try sync(
      #"[{"id": 1, "name": "a"}, {"id": 2,  "notes": [{"id": 5, "text": "x"}]}, {"name": "c"}, 7]"#)
    #expect(try stack.keys("User") == [1])
    #expect(try stack.keys("Note") == [])
    #expect(report.entities["User"]?.skipped == 3)
    #expect(report.entities["User"]?.quarantined == 3)
    #expect(report.description.contains("3 of them in quarantine"))
    let items = try stack.quarantine.items()
    #expect(
      try kept() == [#"{"id": 2,  "notes": [{"id": 5, "text": "x"}]}"#, #"{"name": "c"}"#, "7"])
    #expect(items.map { $0.key?.description } == ["2", nil, nil])
    #expect(items.map(\.code) == [.requiredValueMissing, .missingKey, .invalidItem])
    #expect(items.map(\.path) == ["$[1]", "$[2]", "$[3]"])
    #expect(items.allSatisfy { $0.entity == "User" && $0.attempts == 0 && !$0.reason.isEmpty })
    #expect(items.allSatisfy { abs($0.date.timeIntervalSince(before)) < 60 })
  }

  @Test(arguments: [nil, ItemErrorPolicy.skip]) func otherwiseNothingIsKept(
    _ policy: ItemErrorPolicy?
  ) throws {
    let report = try sync(#"[{"id": 1, "name": "a"}, {"id": 2}]"#) { $0.onItemError = policy }
    #expect(report.skipped == 1)
    #expect(report.quarantined == 0)
    #expect(try kept().isEmpty)
  }

  @Test func whatIsKeptSharesTheFateOfItsSync() throws {
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2}]"#) { $0.isDryRun = true }
    #expect(try kept().isEmpty)
    try sync(#"[{"id": 1, "name": "a"}]"#)
    expectError("JSONError unexpectedEnd") {
      try sync(#"[{"id": 1, "name": "b"}, {"id": 2}, {"id": "#)
    }
    #expect(try kept().isEmpty)
    // A batch that was committed before the end keeps its items.
    expectError("JSONError unexpectedEnd") {
      try sync(#"[{"id": 1, "name": "b"}, {"id": 2}, {"id": 3, "name": "c"}, {"id": "#) {
        $0.transaction = .perBatch(2)
      }
    }
    #expect(try kept() == [#"{"id": 2}"#])
  }

  @Test func theQuarantineOutlivesTheProcess() throws {
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2}]"#)
    try stack.close()
    let again = try DataStack(
      model: QuarantineTests.model(nameIsRequired: true), store: .sqlite(folder.file()))
    #expect(try again.quarantine.items().map(\.key) == [2])
    try again.close()
  }

  @Test func aLaterItemOfAKeyTakesThePlaceOfTheEarlier() throws {
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2}]"#)
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2, "name": null}]"#)
    #expect(try kept() == [#"{"id": 2, "name": null}"#])
  }

  @Test func aLaterSyncThatBringsTheObjectMakesTheItemObsolete() throws {
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2}, {"id": 3}]"#)
    try stack.sync(
      [["id": 1, "name": "a"], ["id": 2, "name": "b"]] as JSONValue, inEntityNamed: "User")
    #expect(try kept() == [#"{"id": 3}"#])
  }

  @Test func replayingStoresWhatCanBeStoredNow() async throws {
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2, "notes": [{"id": 5, "text": "x"}]}, {"id": 3}]"#)
    try stack.close()
    let relaxed = try DataStack(
      model: QuarantineTests.model(nameIsRequired: false), store: .sqlite(folder.file()))
    let report = try await relaxed.quarantine.replay()
    #expect(report.inserted == 3)
    #expect(report.deleted == 0)
    #expect(try relaxed.keys("User") == [1, 2, 3])
    #expect(try relaxed.keys("Note") == [5])
    #expect(try relaxed.quarantine.items().isEmpty)
    try relaxed.close()
  }

  @Test func replayingKeepsWhatStillCannotBeStored() async throws {
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2}, {"id": 3}, {"name": "n"}]"#)
    var items = try stack.quarantine.items()
    items[1].json = Data(#"{"id": 3, "name": "mended"}"#.utf8)
    let report = try await stack.quarantine.replay(items)
    #expect(try stack.keys("User") == [1, 3])
    #expect(report.inserted == 1)
    #expect(report.skipped == 2)
    let rest = try stack.quarantine.items()
    #expect(rest.map(\.attempts) == [1, 1])
    #expect(rest.map { $0.key?.description } == ["2", nil])
  }

  @Test func anItemThatCannotBeUsedKeepsNoOtherFromItsReplay() async throws {
    try sync(#"[{"id": 1, "name": "a"}, {"name": "no key"}]"#)
    try sync(#"[{"id": 5}]"#, "Note")
    var items = try stack.quarantine.items()
    items[1].json = Data(#"{"id": 5, "text": "mended"}"#.utf8)
    let report = try await stack.quarantine.replay(items)
    #expect(report.inserted == 1 && report.skipped == 1)
    #expect(try stack.keys("Note") == [5])
    #expect(try kept() == [#"{"name": "no key"}"#])
  }

  @Test func anItemWithoutAKeyIsKeptOnceHoweverOftenItComes() throws {
    for _ in 1...3 { try sync(#"[{"id": 1, "name": "a"}, {"name": "b"}, 7]"#) }
    try sync(#"[{"id": 1, "name": "a"}, {"name": "c"}]"#)
    try sync(#"[{"name": "b"}]"#, "Note")
    #expect(
      try kept() == [#"{"name": "b"}"#, "7", #"{"name": "c"}"#, #"{"name": "b"}"#])
    #expect(try stack.store.read { try $0.indexNames().contains("_syncstack_quarantine_keyless") })
  }

  @Test func onlyOneValueCanStandForAnItem() async throws {
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2}]"#)
    var items = try stack.quarantine.items()
    items[0].json = Data(#"{"id": 2, "name": "b"}, {"id": 3}"#.utf8)
    await #expect(throws: JSONError.self) { try await stack.quarantine.replay(items) }
    #expect(try stack.keys("User") == [1])
  }

  @Test(arguments: [#""milk, eggs""#, #""a; b""#, #""<b>""#])
  func aTextThatIsAnItemIsReplayedAndStays(_ json: String) async throws {
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2}, \#(json)]"#)
    var items = try stack.quarantine.items()
    items[0].json = Data(#"{"id": 2, "name": "mended"}"#.utf8)
    let report = try await stack.quarantine.replay(items)
    #expect(report.inserted == 1)
    #expect(report.skipped == 1)
    #expect(try kept() == [json])
  }

  @Test func itemsBelowAParentAreReplayedBelowIt() async throws {
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#)
    let user = try stack.model.requireEntity(named: "User")
    let parent = try stack.store.read {
      try $0.fetchIdentifiers(FetchPlan(entity: user, filter: Filter("id == 2")))[0]
    }
    try sync(#"[{"id": 5}, {"id": 6, "text": "six"}]"#, "Note") { $0.parent = parent }
    var items = try stack.quarantine.items()
    #expect(items.map(\.key) == [5])
    items[0].json = Data(#"{"id": 5, "text": "five"}"#.utf8)
    try await stack.quarantine.replay(items)
    #expect(
      try SyncBench(stack).objects("Note") == ["id=5 text=five user=2", "id=6 text=six user=2"])
  }

  @Test func unwantedItemsAreDiscarded() throws {
    try sync(#"[{"id": 1, "name": "a"}, {"id": 2}, {"id": 3}]"#)
    try stack.quarantine.discard([try stack.quarantine.items()[0]])
    #expect(try kept() == [#"{"id": 3}"#])
    try stack.quarantine.discard()
    #expect(try kept().isEmpty)
    #expect(try stack.quarantine.items(ofEntityNamed: "Note").isEmpty)
  }

  @Test func partsAndPagesKeepTheirItems() async throws {
    let session = try SyncSession(entity: "User", dataStack: stack)
    session.onItemError = .quarantine
    try await stack.sync(session.page(.data(Data(#"[{"id": 1, "name": "a"}, {"id": 2}]"#.utf8))))
    try await stack.sync(session.page(.data(Data(#"[{"id": 3}, {"id": 4, "name": "d"}]"#.utf8))))
    let report = try await session.finish()
    #expect(report.deleted == 0)
    #expect(try kept() == [#"{"id": 2}"#, #"{"id": 3}"#])
  }

  @Test func anEmptyQuarantineCostsNothing() throws {
    try sync(#"[{"id": 1, "name": "a"}]"#)
    let asked = try stack.store.recorder.record { try sync(#"[{"id": 1, "name": "a"}]"#) }
    #expect(!asked.contains { $0.contains("_syncstack_quarantine") })
  }
}
