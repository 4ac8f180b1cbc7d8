import SyncStack
import TestSupport
import Testing

/// One key under an entity and under a subentity of it in one payload: one object of the subentity.
@Suite struct TwinTests {
  static let cases = [
    SyncCase(
      "an empty list takes no object out that says where it belongs", in: .animals,
      .sync("Person", #"[{"id": 1, "animals": [{"id": 5}], "dogs": [{"id": 5}]}]"#),
      .sync("Person", #"[{"id": 1, "dogs": [{"id": 5, "owner": {"id": 1}}], "animals": []}]"#),
      leaves: ["Animal": ["id=5 owner=1 walker=1"]]),
    SyncCase(
      "a mention that may not write the object takes no word back", in: .animals,
      .sync("Dog", #"[{"id": 4}]"#),
      .sync(
        "Dog",
        #"""
        [{"id": 4, "owner": {"id": 2}},
         {"id": 2, "owner": {"id": 2, "favourite": {"id": 4, "owner_id": 2}}}]
        """#, [.insert, .update, .insertRelationships]),
      leaves: ["Dog": ["id=2 owner=2", "id=4 owner=2"]]),
    // A mention may lie in another mention of the object: its values come before those that surround
    // it.
    SyncCase(
      "an object that is nested below itself takes the outer values last", in: .animals,
      .sync("Dog", #"[{"id": 3, "owner": {"id": 4, "favourite": {"id": 3, "owner": null}}}]"#),
      leaves: ["Dog": ["id=3 owner=4"]]),
  ]

  @Test(arguments: cases, [nil, 1, 2])
  func oneObjectIsMeantInAnyParts(_ rule: SyncCase, parts: Int?) throws {
    try rule.check(parts: parts)
  }

  @Test(arguments: [nil, 2])
  func aListOfKeysIsStrongerThanTheObjectsOwnReferenceUnderTheSubentity(size: Int?) throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync(#"[{"id": 2, "walker": {"id": 4}, "owner": {"id": 4}}]"#, "Dog")
    try bench.sync(
      #"[{"id": 3, "animals_ids": [2]}, {"id": 1, "dogs": [{"id": 2, "owner": null}]}]"#, "Person",
      parts: size)
    #expect(try bench.objects("Dog") == ["id=2 owner=3 walker=1"])
  }

  /// The animals after a payload of persons, and the findings about them.
  private func animals(_ payload: String) throws -> [String] {
    let bench = try SyncBench(TestModels.animals())
    let (report, changes) = try bench.syncWithChanges(payload, "Person")
    for entity in changes.entities {
      #expect(entity.updated.isEmpty, "\(entity.entity.name)")
      #expect(report.entities[entity.entity.name]?.inserted == entity.inserted.count)
    }
    let objects = try bench.objects("Animal")
    let inserted = ["Animal", "Dog"].map { report.entities[$0]?.inserted ?? 0 }
    #expect(try inserted == [objects.count - bench.count("Dog"), bench.count("Dog")])
    return objects
  }

  @Test func theSubentitysMentionMayStandDeeperThanTheEntitys() throws {
    let payload = #"""
      [{"id": 1, "animals": [{"id": 5, "name": "n"}]},
       {"id": 2, "favourite": {"id": 7, "owner": {"id": 3, "dogs": [{"id": 5, "breed": "b"}]}}}]
      """#
    #expect(try animals(payload) == ["id=5 name=n owner=1 breed=b walker=3", "id=7 owner=3"])
  }

  @Test func theSubentitysMentionMayComeLater() throws {
    let payload = #"""
      [{"id": 2, "favourite": {"id": 5, "name": "n"}, "animals_ids": [5]}, {"id": 4},
       {"id": 1, "dogs": [{"id": 5, "breed": "b"}]}, {"id": 3, "favourite": {"id": 5, "name": "m"}}]
      """#
    #expect(try animals(payload) == ["id=5 name=m owner=2 breed=b walker=1"])
  }

  /// The later mention decides where the object leads; the earlier one says that the other is there.
  @Test(arguments: [
    (#"{"id": 5, "owner": null}"#, "id=5 walker=4"),
    (#"{"id": 5, "owner": {"id": 2}}"#, "id=5 owner=2 walker=4"),
  ])
  func anObjectBelowTheEntitysMentionIsThereThoughTheSubentitysLeadsElsewhere(
    dog: String, expected: String
  ) throws {
    let bench = try SyncBench(TestModels.animals())
    let first = #"{"id": 5, "owner": {"id": 1, "name": "n"}}"#
    try bench.sync(#"[\#(first), {"id": 6, "owner": {"id": 4, "dogs": [\#(dog)]}}]"#, "Animal")
    #expect(try bench.objects("Animal") == [expected, "id=6 owner=4"])
    #expect(try bench.objects("Person").first == "id=1 name=n")
  }

  @Test func theEntitysValueCountsAfterThoseOfSeveralMentionsUnderTheSubentity() throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync(
      #"""
      [{"id": 5}, {"id": 6, "owner": {"id": 2, "dogs": [{"id": 5, "name": "n"}]}},
       {"id": 7, "walker": {"id": 4, "favourite": {"id": 5, "name": "m"}}}]
      """#, "Dog")
    #expect(try bench.objects("Dog").first == "id=5 name=m walker=2")
  }

  @Test func ofTwoObjectsOfTheEntityTheFirstBecomesTheSubentitys() throws {
    let payload = #"""
      [{"id": 1, "animals": [{"id": 5, "name": "a"}]}, {"id": 2, "animals": [{"id": 5, "name": "b"}]},
       {"id": 3, "favourite": {"id": 7, "owner": {"id": 4, "dogs": [{"id": 5}]}}}]
      """#
    #expect(
      try animals(payload) == [
        "id=5 name=a owner=1 walker=4", "id=5 name=b owner=2", "id=7 owner=4",
      ])
  }

  /// Two owners list one animal, which a list of dogs has, too: it stays with the one it has.
  @Test(arguments: [
    (
      was: 1,
      #"[{"id": 2, "dogs": [{"id": 5}], "animals": [{"id": 5}]}, {"id": 1, "animals": [{"id": 5}]}]"#
    ),
    (
      was: 2,
      #"[{"id": 1, "animals": [{"id": 5}]}, {"id": 2, "animals": [{"id": 5}], "dogs": [{"id": 5}]}]"#
    ),
    (
      was: 1,
      #"[{"id": 2, "animals": [{"id": 5}]}, {"id": 1, "animals": [{"id": 5}]}, {"id": 2, "dogs": [{"id": 5}]}]"#
    ),
  ])
  func aMentionAsTheSubentityTakesNoObjectFromItsOwner(was: Int, payload: String) throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync("[{\"id\": 2, \"dogs\": [{\"id\": 5, \"owner\": {\"id\": \(was)}}]}]", "Person")
    try bench.sync(payload, "Person")
    #expect(try bench.objects("Animal") == ["id=5 owner=\(was) walker=2"])
  }

  @Test(
    arguments: [
      (
        #"{"id": 5, "name": "a"}"#, #"{"id": 5, "name": "b", "breed": "x"}"#,
        #"{"id": 5, "owner": {"id": 1}}"#, "id=5 name=b owner=1 breed=x walker=2"
      ),
      (
        #"{"id": 5, "name": "a", "owner": {"id": 1}}"#, #"{"id": 5, "owner": {"id": 2}}"#,
        #"{"id": 5, "name": "c"}"#, "id=5 name=c owner=2 walker=2"
      ),
      (
        #"{"id": 5, "owner_id": 1, "name": "a"}"#, #"{"id": 5, "name": null, "owner": null}"#,
        #"{"id": 5}"#, "id=5 walker=2"
      ),
    ])
  func ofThreeMentionsTheLastOneCountsForEachPropertyThatItHas(
    _ mentions: (first: String, second: String, third: String, dog: String)
  ) throws {
    let payload = """
      [{"id": 1, "favourite": \(mentions.first)}, {"id": 2, "dogs": [\(mentions.second)]},
       {"id": 3, "favourite": \(mentions.third)}]
      """
    #expect(try animals(payload) == [mentions.dog])
  }

  // MARK: - Demands of the subentity

  private func kennel(_ animals: String = "") throws -> SyncBench {
    try SyncBench([
      "Person: id, dogs ->> Dog.walker, animals ->> Animal.owner \(animals)",
      "Animal: id, name, owner -> Person.animals",
      EntityDraft(
        "Dog",
        [
          .attribute("breed", .string, defaultValue: "mutt"), "chip integer64 required",
          "walker -> Person.dogs",
        ], superentity: "Animal"),
      "Puppy < Dog: age integer64",
    ])
  }

  private static let chipped =
    #"[{"id": 2, "animals": [{"id": 5, "name": "n"}]}, {"id": 1, "dogs": [{"id": 5, "chip": 8}]}]"#
  private static let unchipped =
    #"[{"id": 2, "animals": [{"id": 5, "name": "n"}]}, {"id": 1, "dogs": [{"id": 5}]}]"#

  @Test func itHasTheDefaultsOfTheSubentity() throws {
    let bench = try kennel()
    try bench.sync(Self.chipped, "Person")
    #expect(try bench.objects("Animal") == ["id=5 name=n owner=2 breed=mutt chip=8 walker=1"])
  }

  @Test(arguments: [nil, 1]) func propertiesThatTheSubentityRequiresAreRequired(size: Int?) throws {
    let bench = try kennel()
    let error = #expect(throws: SyncError.self) {
      try bench.sync(Self.unchipped, "Person") {
        $0.tuning.partItems = size
        $0.settings.onItemError = .fail
      }
    }
    #expect(error?.code == .requiredValueMissing && error?.property == "chip")
    #expect(try bench.objects("Animal").isEmpty)
    try bench.sync(Self.unchipped, "Person", parts: size)
    #expect(try bench.objects("Animal") == ["id=5 name=n owner=2"])
    #expect(try bench.count("Dog") == 0)
  }

  @Test(arguments: [nil, 1])
  func keysThatAreUniquePerOwnerMeanNoOtherOwnersObjects(size: Int?) throws {
    let bench = try kennel("sync.keyScope=owner")
    try bench.sync(Self.chipped, "Person", parts: size)
    #expect(
      try bench.objects("Animal") == ["id=5 breed=mutt chip=8 walker=1", "id=5 name=n owner=2"])
  }
}
