import SyncStack
import TestSupport
import Testing

/// The loss by one item that cannot be stored as it stands.
@Suite struct ItemPolicyTests {
  private let bench: SyncBench

  init() throws {
    bench = try SyncBench([
      EntityDraft(
        "Album",
        [
          "id", "title required",
          .attribute("year", .integer16, validation: ValidationRules(minimum: 1900, maximum: 2100)),
          .attribute("code", .string, validation: ValidationRules(regularExpression: "[A-Z]+")),
          .attribute("kind", .string, isOptional: false, defaultValue: "LP"),
          "tracks ->> Track.album cascade",
        ]),
      "Track: id, name required, album -> Album.tracks, studio -> Studio.tracks",
      "Studio: id, name required, tracks ->> Track.studio, rooms ->> Room.studio",
      "Room: id, studio -> Studio.rooms required",
      "Node: id, name required, parent -> Node.nodes, nodes ->> Node.parent",
    ])
  }

  private static let stored = #"[{"id": 1, "title": "a", "tracks": [{"id": 1, "name": "x"}]}]"#

  static let payloads = [
    #"[{"id": 2, "title": "b"}, {"id": 3}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 3, "title": null}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 1, "title": null}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 1, "tracks": [{"id": 1, "name": null}]}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 1, "tracks": [{"id": 9}]}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 1, "tracks": [{"id": 1, "studio": {"id": 4}}]}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 1, "year": 1899}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 3, "title": "c", "year": 2101}]"#,
    #"[{"id": 2, "title": "b"}, {"id": 1, "code": "Ab"}]"#,
  ]

  @Test(arguments: payloads)
  func theSyncFailsWhenThePolicySaysSoAndNothingIsStored(payload: String) throws {
    try bench.sync(Self.stored, "Album")
    let before = try bench.objects("Album") + bench.objects("Track")
    let error = #expect(throws: SyncError.self) {
      try bench.sync(payload, "Album") { $0.settings.onItemError = .fail }
    }
    #expect(error?.code == (payload.hasRule ? .invalidValue : .requiredValueMissing))
    #expect(error?.property != nil && error?.key != nil)
    #expect(try bench.objects("Album") + bench.objects("Track") == before)
  }

  @Test(
    arguments: [
      (#"{"id": 3}, {"title": "x"}"#, "Album", "title", "3"),
      (#"{"id": 2, "title": "b"}, {"title": "x"}, {"id": 3}"#, "Album", "id", nil),
      (#"{"id": 2, "title": "b", "tracks": [{"id": 9}]}, {"id": 3}"#, "Track", "name", "9"),
      (#"{"id": 3}, {"id": 2, "title": "b", "tracks": [{"id": 9}]}"#, "Album", "title", "3"),
      (#"{"id": 2, "title": "b", "tracks": [{"name": "x"}]}, {"id": 3}"#, "Track", "id", nil),
      (#"{"id": 3, "tracks": [{"id": 1, "name": "x"}]}, 7"#, "Album", "title", "3"),
    ] as [(String, String, String, String?)], [nil, 1, 2])
  func ofSeveralItemsThatCannotBeUsedTheErrorNamesTheFirstInThePayload(
    _ failure: (items: String, entity: String, property: String, key: String?), size: Int?
  ) throws {
    try bench.sync(Self.stored, "Album")
    let before = try bench.objects("Album") + bench.objects("Track")
    let error = #expect(throws: SyncError.self) {
      try bench.sync("[\(failure.items)]", "Album") {
        $0.settings.onItemError = .fail
        $0.tuning.partItems = size
      }
    }
    #expect(error?.entity == failure.entity)
    #expect(error?.property == failure.property)
    #expect(error?.key == failure.key)
    #expect(try bench.objects("Album") + bench.objects("Track") == before)
  }

  @Test(arguments: payloads, [nil, ItemErrorPolicy.skip])
  func theItemIsLeftOutWithEverythingBelowIt(payload: String, policy: ItemErrorPolicy?) throws {
    try bench.sync(Self.stored, "Album")
    let report = try bench.sync(payload, "Album") {
      $0.settings.onItemError = policy
      $0.settings.operations.remove(.delete)
    }
    #expect(
      try bench.objects("Album") == ["id=1 title=a kind=LP tracks=[1]", "id=2 title=b kind=LP"])
    #expect(try bench.objects("Track") == ["id=1 name=x album=1"])
    #expect(report.entities["Album"]?.skipped == 1)
    #expect(report.count(of: .skippedItem) == 1)
    #expect(report.findings(of: .skippedItem).first?.path == "$[1]")
  }

  // MARK: - Blame

  /// Payloads of albums with the keys of those that are stored afterwards.
  static let shared = [
    // Nested in several items without its name: all of them.
    (
      #"""
      [{"id": 1, "title": "a", "tracks": [{"id": 1, "name": "x", "studio": {"id": 7}}]},
       {"id": 2, "title": "b", "tracks": [{"id": 2, "name": "y", "studio": {"id": 7}}]},
       {"id": 3, "title": "c"}]
      """#, ["3"]
    ),
    // One of them gives the name: no item is left out.
    (
      #"""
      [{"id": 1, "title": "a", "tracks": [{"id": 1, "name": "x", "studio": {"id": 7}}]},
       {"id": 2, "title": "b", "tracks": [{"id": 2, "name": "y", "studio": {"id": 7, "name": "S"}}]}]
      """#, ["1", "2"]
    ),
    // One of them takes it away: that one.
    (
      #"""
      [{"id": 1, "title": "a", "tracks": [{"id": 1, "name": "x", "studio": {"id": 7, "name": "S"}}]},
       {"id": 2, "title": "b", "tracks": [{"id": 2, "name": "y", "studio": {"id": 7, "name": null}}]}]
      """#, ["1"]
    ),
    // An item that is there twice, the second time without its title.
    (#"[{"id": 1, "title": "a"}, {"id": 1, "title": null}, {"id": 2, "title": "b"}]"#, ["1", "2"]),
    (#"[{"id": 1}, {"id": 1, "title": "a"}]"#, ["1"]),
    (#"[{"id": 1}, {"id": 1, "kind": "EP"}, {"id": 2, "title": "b"}]"#, ["2"]),
  ]

  @Test(arguments: shared) func theItemThatGaveTheValueIsToBlameHoweverOftenTheObjectIsMentioned(
    payload: String, keys: [String]
  ) throws {
    try bench.sync(payload, "Album")
    #expect(try bench.objects("Album").map { String($0.dropFirst(3).prefix(1)) } == keys)
  }

  @Test func anItemThatLosesARequiredDestinationIsLeftOutAndSoIsOneThatRequiresIt() throws {
    try bench.sync(#"[{"id": 1, "name": "S", "rooms": [{"id": 1}, {"id": 2}]}]"#, "Studio")
    let before = try bench.objects("Room")
    // A list of keys unlinks room 2, which has to have a studio.
    var report = try bench.sync(#"[{"id": 1, "rooms_ids": [1]}, {"id": 2, "name": "T"}]"#, "Studio")
    #expect(report.findings(of: .skippedItem).map(\.path) == ["$[0]"])
    #expect(try bench.objects("Room") == before)
    // No such studio; a studio that is itself left out.
    report = try bench.sync(#"[{"id": 3, "studio_id": 9}]"#, "Room", operations: [.insert])
    #expect(report.skipped == 1)
    report = try bench.sync(
      #"[{"id": 3, "studio": {"id": 5}}, {"id": 4, "studio_id": 5}]"#, "Room",
      operations: .all.subtracting(.delete))
    #expect(report.skipped == 2)
    #expect(try bench.objects("Room") == before)
  }

  @Test func aReferenceToAnObjectOfALaterPartOfThePayloadIsWaitedFor() throws {
    let tree = #"[{"id": 2, "name": "b", "parent_id": 1}, {"id": 1, "name": "a"}]"#
    try bench.sync(tree, "Node", parts: 1)
    #expect(try bench.objects("Node") == ["id=1 name=a nodes=[2]", "id=2 name=b parent=1"])
    let rooms = try ManagedObjectModel(["Room: id, twin -> Room required"])
    let other = try SyncBench(rooms)
    try other.sync(#"[{"id": 1, "twin_id": 2}, {"id": 2, "twin_id": 1}]"#, "Room", parts: 1)
    #expect(try other.objects("Room") == ["id=1 twin=2", "id=2 twin=1"])
    let error = #expect(throws: SyncError.self) {
      try other.sync(
        #"[{"id": 3, "twin_id": 9}, {"id": 4, "twin_id": 1}]"#, "Room",
        operations: .all.subtracting(.delete), parts: 1)
    }
    #expect(error?.code == .requiredValueMissing && error?.key == "3")
    #expect(try other.count("Room") == 2)
  }

  // MARK: - Claims of an item

  @Test func anObjectThatARejectedItemNamesIsNotDeletedAtAnyDepth() throws {
    try bench.sync(
      #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}]"#, "Node")
    try bench.sync(
      #"[{"id": 3, "name": "c2"}, {"id": 1, "name": null, "nodes": [{"id": 2, "name": "x"}]}]"#,
      "Node")
    #expect(try bench.objects("Node") == ["id=1 name=a", "id=2 name=b", "id=3 name=c2"])
  }

  @Test func itemsThatAreLeftOutDoNotUnlinkTheMembersOfAGivenParent() throws {
    try bench.sync(Self.stored, "Album")
    try bench.sync(
      #"[{"id": 1, "name": null}, {"id": 2, "name": "y"}]"#, "Track", under: bench.id("Album", 1))
    #expect(try bench.objects("Track") == ["id=1 name=x album=1", "id=2 name=y album=1"])
  }

  @Test func aPayloadOfWhichNothingCanBeStoredDeletesNothing() throws {
    try bench.sync(#"[{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]"#, "Album")
    // It would delete nothing: then there is nothing to refuse.
    try bench.sync(#"[{"id": 1, "title": null}, {"id": 2, "title": null}]"#, "Album")
    #expect(try bench.count("Album") == 2)
  }

  @Test func anObjectNestedInAListCostsOnlyItselfWhenItsKeyCannotBeRead() throws {
    let payload = #"[{"id": 1, "title": "a", "tracks": [{"name": "x"}, {"id": 2, "name": "y"}]}]"#
    let report = try bench.sync(payload, "Album")
    #expect(try bench.objects("Album") == ["id=1 title=a kind=LP tracks=[2]"])
    #expect(report.entities["Track"]?.skipped == 1)
    #expect(throws: SyncError.self) {
      try bench.sync(payload, "Album") { $0.settings.onItemError = .fail }
    }
  }

  // MARK: - Records of an item

  @Test(arguments: [nil, 1])
  func aRejectedItemIsHandedOverWithPlaceKeyTextAndReason(partItems: Int?) throws {
    var found: [String] = []
    try bench.sync(
      #"{"data": [{"id": 1, "title": "a"}, {"id": 2, "tracks": [{"id": 5}]}, {"title": "c"}, 7]}"#,
      "Album"
    ) {
      $0.setup.path = "data"
      $0.tuning.partItems = partItems
      $0.hooks.onRejected = { item, _ in
        let text = String(decoding: item.json, as: UTF8.self)
        found.append("\(item.index) \(item.path) \(item.key) \(text) \(item.reason.code.rawValue)")
      }
    }
    #expect(
      found == [
        #"1 $.data[1] 2 {"id": 2, "tracks": [{"id": 5}]} requiredValueMissing"#,
        #"2 $.data[2] nil {"title": "c"} missingKey"#, "3 $.data[3] nil 7 invalidItem",
      ])
  }

  @Test func aDelegatesAnswerIsCheckedAndAskedForOnce() throws {
    var asked: [String] = []
    let report = try bench.sync(#"[{"id": 1}, {"id": 2}, {"id": 3, "title": "c"}]"#, "Album") {
      $0.hooks.willInsert = { item, _, _ in
        asked.append(item["id"]?.description ?? "")
        return item["id"] == 1 ? ["id": 1, "title": "a"] : item
      }
    }
    #expect(asked == ["1", "2", "3"])
    #expect(try bench.objects("Album") == ["id=1 title=a kind=LP", "id=3 title=c kind=LP"])
    #expect(report.skipped == 1)
  }

  @Test func manyBadItemsAreFoundInTwoRounds() throws {
    let items = (1...2_000).map {
      $0 % 2 == 0 ? #"{"id": \#($0)}"# : #"{"id": \#($0), "title": "t"}"#
    }
    let report = try bench.sync("[\(items.joined(separator: ","))]", "Album")
    #expect(report.skipped == 1_000 && report.inserted == 1_000)
  }
}

extension String {
  /// Whether the payload breaks a limit, not a demand for a value.
  fileprivate var hasRule: Bool { contains("year") || contains("code") }
}
