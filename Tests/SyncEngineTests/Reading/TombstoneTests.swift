import Foundation
import SyncStack
import Testing

/// Items that say that their objects are deleted.
@Suite struct TombstoneTests {
  private static let three =
    #"[{"id": "a", "name": "A"}, {"id": "b", "name": "B"}, {"id": "c", "name": "C"}]"#
  private static let delta: SyncOperations = [.insert, .update]

  private func bench(_ key: String = "deleted") throws -> ShapeBench {
    let bench = try ShapeBench(person: ["sync.tombstoneKey": key])
    try bench.sync(TombstoneTests.three)
    return bench
  }

  @Test(arguments: [
    ("deleted", #""deleted": true"#, true), ("deleted", #""deleted": false"#, false),
    ("deleted", #""deleted": null"#, false), ("deleted", #""deleted": 1"#, true),
    ("deleted", #""deleted": 0"#, false), ("deleted", #""deleted": "false""#, false),
    ("deleted", #""other": true"#, false),
    ("deleted_at", #""deleted_at": "2026-11-25T08:00:00Z""#, true),
    ("deleted_at", #""deleted_at": """#, false),
    ("@removed", #""@removed": {"reason": "deleted"}"#, true),
    ("meta.gone", #""meta": {"gone": true}"#, true), ("meta.gone", #""meta": {}"#, false),
    ("['odata.removed']", #""odata.removed": 1"#, true),
  ])
  func aMarkSaysWhetherAnObjectIsDeleted(key: String, mark: String, isDeleted: Bool) throws {
    let bench = try bench(key)
    let report = try bench.sync("[{\"id\": \"b\", \(mark)}]", TombstoneTests.delta)
    #expect(try bench.people() == (isDeleted ? ["a A", "c C"] : ["a A", "b B", "c C"]))
    #expect(report.entities["Person"]?.deleted == (isDeleted ? 1 : 0))
    if isDeleted { #expect(report.entities["Person"]?.unusedKeys.isEmpty == true) }
  }

  @Test func whatIsNotMentionedStaysInADeltaAndGoesInAWholeList() throws {
    let delta =
      #"[{"id": "b", "deleted": true}, {"id": "d", "name": "D"}, {"id": "x", "deleted": true}]"#
    let bench = try bench()
    try bench.sync(delta, TombstoneTests.delta)
    #expect(try bench.people() == ["a A", "c C", "d D"])
    try bench.sync(#"[{"id": "a"}, {"id": "c", "deleted": true}]"#)
    #expect(try bench.people() == ["a A"])
  }

  @Test(arguments: [
    (#"[{"id": "d", "name": "D"}, {"id": "d", "deleted": true}]"#, false),
    (#"[{"id": "d", "deleted": true}, {"id": "d", "name": "D"}]"#, true),
    (
      #"[{"id": "d", "name": "X"}, {"id": "d", "deleted": true}, {"id": "d", "name": "D"}]"#, true
    ),
    (
      #"[{"id": "d", "deleted": true}, {"id": "d", "name": "D"}, {"id": "d", "deleted": 1}]"#,
      false
    ),
  ])
  func theLastMentionOfAKeyCounts(json: String, isThere: Bool) throws {
    let bench = try bench()
    try bench.sync(json, TombstoneTests.delta)
    #expect(try bench.people() == ["a A", "b B", "c C"] + (isThere ? ["d D"] : []))
    let again = try bench.sync(json, TombstoneTests.delta)
    #expect(try bench.people() == ["a A", "b B", "c C"] + (isThere ? ["d D"] : []))
    #expect(again.entities["Person"]?.deleted == 0)
  }

  @Test func onlyInsertingLeavesWhatIsStored() throws {
    let bench = try bench()
    try bench.sync(#"[{"id": "b", "deleted": true}, {"id": "e", "deleted": true}]"#, [.insert])
    #expect(try bench.people() == ["a A", "b B", "c C"])
  }

  @Test func withoutAKeyNoObjectIsMeant() throws {
    let bench = try bench()
    let report = try bench.sync(#"[{"id": "a"}, {"deleted": true}]"#)
    #expect(report.findings(of: .skippedItem).map(\.path) == ["$[1]"])
    #expect(try bench.people() == ["a A", "b B", "c C"])
  }

  @Test func manyTombstonesAreNoAccident() throws {
    let bench = try ShapeBench(person: ["sync.tombstoneKey": "deleted"])
    let ids = (0..<1_200).map { "k\($0)" }
    try bench.sync("[" + ids.map { "{\"id\": \"\($0)\"}" }.joined(separator: ",") + "]")
    try bench.sync(
      "[" + ids.dropLast().map { "{\"id\": \"\($0)\", \"deleted\": true}" }.joined(separator: ",")
        + "]",
      TombstoneTests.delta)
    #expect(try bench.people("id").count == 1)
  }

  @Test func deleteRulesAreFollowedAndNestedItemsSayItToo() throws {
    let bench = try ShapeBench(
      person: ["sync.tombstoneKey": "deleted"], post: ["sync.tombstoneKey": "gone"])
    try bench.sync(
      #"[{"id": "a", "posts": [{"id": "p1"}, {"id": "p2"}]}, {"id": "b", "posts": [{"id": "p3"}]}]"#
    )
    try bench.sync(
      #"[{"id": "a", "deleted": true}, {"id": "b", "posts": [{"id": "p3", "gone": true}, {"id": "p4"}]}]"#,
      TombstoneTests.delta.union([.insertRelationships, .updateRelationships]))
    #expect(try bench.people("id") == ["b b"])
    #expect(try bench.posts() == ["p4 - b"])
  }

  @Test func aClosureSaysItForAnyPayload() throws {
    let bench = try ShapeBench()
    try bench.sync(TombstoneTests.three)
    let json = #"[{".tag": "deleted", "id": "b"}, {".tag": "file", "id": "d", "name": "D"}]"#
    let sync = Sync(.data(Data(json.utf8)), inEntityNamed: "Person", dataStack: bench.stack)
    sync.operations = TombstoneTests.delta
    sync.deletes = { $0[".tag"] == "deleted" }
    #expect(try sync.run().entities["Person"]?.deleted == 1)
    #expect(try bench.people() == ["a A", "c C", "d D"])
  }

  @Test func serializersSayItOfTheirOwnItems() throws {
    let bench = try ShapeBench()
    try bench.sync(TombstoneTests.three)
    var people = EntitySerializer(entityNamed: "Person").by(
      "id", ["id": .string("key"), "name": Rule.string("name").whenMissing(.fail)])
    people.deleteMissing = false
    people.deletes = { $0["deleted"] == true }
    try bench.stack.sync(
      #"[{"key": "b", "deleted": true}, {"key": "a", "name": "X"}]"#, with: people)
    #expect(try bench.people() == ["a X", "c C"])
    people.groupers = ["name == %@".filter("X")]
    try bench.stack.sync(#"[{"key": "c", "deleted": true}]"#, with: people)
    #expect(try bench.people() == ["a X", "c C"])
  }

  @Test func pagesAndBatchesApplyThemInOrder() async throws {
    let bench = try bench()
    let session = try SyncSession(entity: "Person", dataStack: bench.stack)
    try await session.sync(#"[{"id": "a"}, {"id": "b", "deleted": true}]"#)
    try await session.sync(#"[{"id": "b", "name": "again"}]"#)
    try await session.sync(#"[{"id": "d"}, {"id": "d", "deleted": true}]"#)
    #expect(try bench.people("id") == ["a a", "b b", "c c", "d d"])
    try await session.finish()
    #expect(try bench.people() == ["a A", "b again"])
    try Sync(
      .data(
        Data(
          #"[{"id": "z"}, {"id": "z", "deleted": true}, {"id": "b", "deleted": true}, {"id": "y"}]"#
            .utf8)),
      inEntityNamed: "Person", dataStack: bench.stack
    ).run { $0.transaction = .perBatch(1) }
    #expect(try bench.people("id") == ["y y"])
  }

  @Test func aDeltaWithAChangeFeedIsAppliedThroughItsWrapper() throws {
    let bench = try ShapeBench(person: ["sync.tombstoneKey": "_deleted"])
    try bench.sync(TombstoneTests.three)
    let feed = #"""
      {"results": [{"seq": 4, "id": "b", "deleted": true, "doc": {"id": "b", "_deleted": true}},
        {"seq": 5, "id": "d", "doc": {"id": "d", "name": "D"}}], "last_seq": "5-x"}
      """#
    try bench.sync(feed, at: "results[].doc", TombstoneTests.delta)
    #expect(try bench.people() == ["a A", "c C", "d D"])
  }
}

extension String {
  fileprivate func filter(_ argument: String) -> Filter { Filter(self, argument) }
}
