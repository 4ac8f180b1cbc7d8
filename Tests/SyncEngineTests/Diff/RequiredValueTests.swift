import SyncCore
import SyncEngine
import Testing

/// A required attribute that would end up empty.
@Suite struct RequiredValueTests {
  private func bench() throws -> SyncBench {
    try SyncBench(
      ManagedObjectModel([
        EntityDraft(
          "Album",
          [
            .attribute("id", .integer64), .attribute("title", .string, isOptional: false),
            .attribute("kind", .string, isOptional: false, defaultValue: "LP"),
            .toMany("tracks", to: "Track", inverse: "album", deleteRule: .cascade),
          ]),
        EntityDraft(
          "Track",
          [
            .attribute("id", .integer64), .attribute("name", .string, isOptional: false),
            .toOne("album", to: "Album", inverse: "tracks"),
          ]),
      ]))
  }

  private static let stored = #"[{"id": 1, "title": "a", "tracks": [{"id": 1, "name": "x"}]}]"#

  static let payloads = [
    #"[{"id": 2, "title": "b"}, {"id": 3}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 3, "title": null}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 1, "title": null}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 1, "kind": null}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 1, "tracks": [{"id": 1, "name": null}]}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 1, "tracks": [{"id": 9}]}]"#,
  ]

  @Test("fails the sync, and nothing is stored", arguments: payloads, [nil, ItemErrorPolicy.fail])
  func fails(payload: String, policy: ItemErrorPolicy?) throws {
    let bench = try bench()
    try bench.sync(Self.stored, "Album")
    let before = try bench.objects("Album") + bench.objects("Track")
    let error = #expect(throws: SyncError.self) {
      try bench.sync(payload, "Album") { $0.onItemError = policy }
    }
    #expect(error?.code == .requiredValueMissing)
    #expect(error?.property != nil && error?.key != nil)
    #expect(try bench.objects("Album") + bench.objects("Track") == before)
  }

  @Test(
    "leaves out the item with everything below it when the policy says so",
    arguments: payloads, [ItemErrorPolicy.skip, .quarantine])
  func leavesOut(payload: String, policy: ItemErrorPolicy) throws {
    let bench = try bench()
    try bench.sync(Self.stored, "Album")
    let report = try bench.sync(payload, "Album") {
      $0.onItemError = policy
      $0.operations.remove(.delete)
    }
    #expect(
      try bench.objects("Album") == [
        "id=1 title=a kind=LP tracks=[1]", "id=2 title=b kind=LP",
      ])
    #expect(try bench.objects("Track") == ["id=1 name=x album=1"])
    #expect(report.entities["Album"]?.skipped == 1)
    #expect(report.count(of: .skippedItem) == 1)
    #expect(report.findings(of: .skippedItem).first?.path == "$[1]")
  }

  @Test("an item that is left out claims its key")
  func claimsItsKey() throws {
    let bench = try bench()
    try bench.sync(Self.stored, "Album")
    let report = try bench.sync(#"[{"id": 2, "title": "b"}, {"id": 1, "title": null}]"#, "Album") {
      $0.onItemError = .skip
    }
    #expect(report.deleted == 0)
    #expect(try bench.count("Album") == 2)
  }

  @Test("each bad item costs only itself")
  func severalItems() throws {
    let bench = try bench()
    let report = try bench.sync(
      #"""
      [{"id": 1}, {"id": 2, "title": "b", "tracks": [{"id": 1, "name": "x"}]},
       {"id": 3, "title": "c", "tracks": [{"id": 2, "name": "y"}, {"id": 3}]}, {"id": 4, "title": "d"}]
      """#, "Album"
    ) { $0.onItemError = .skip }
    #expect(
      try bench.objects("Album") == [
        "id=2 title=b kind=LP tracks=[1]", "id=4 title=d kind=LP",
      ])
    #expect(try bench.objects("Track") == ["id=1 name=x album=2"])
    #expect(report.skipped == 2)
  }
}
