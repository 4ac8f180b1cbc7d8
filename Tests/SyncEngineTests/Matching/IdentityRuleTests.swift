import SyncStack
import TestSupport
import Testing

/// The identity of a nested one-to-many child: the owner's own child of that key; else the entity's
/// only object of that key, unless another owner has listed it before in this payload or session:
/// then it moves; else a new object. Parts, batches and pages are applied in order; only deletions
/// and waiting references are decided at the end.
@Suite struct IdentityRuleTests {
  /// In how many pieces a payload comes.
  enum Way: CaseIterable, CustomTestStringConvertible {
    case whole, parts, batches, pages, keptPages

    var testDescription: String { "\(self)" }

    /// Whether each item is a piece.
    var isInTurn: Bool { self != .whole }
  }

  private static let inTurn = Way.allCases.filter(\.isInTurn)

  private func sync(
    _ payload: String, _ way: Way, _ bench: SyncBench, _ entity: String = "User",
    operations: SyncOperations = .all
  ) throws {
    switch way {
    case .whole, .parts, .batches:
      try bench.sync(payload, entity) {
        $0.settings.operations = operations
        if way == .parts { $0.tuning.partItems = 1 }
        if way == .batches { $0.setup.transaction = .perBatch(1) }
      }
    case .pages, .keptPages:
      try bench.syncPages(
        payload, entity, size: 1, isKept: way == .keptPages, operations: operations)
    }
  }

  private func notes(_ stored: String = "[]") throws -> SyncBench {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(stored, "User")
    return bench
  }

  /// Owners whose children are told apart per owner.
  private func scoped() throws -> SyncBench {
    try SyncBench([
      "User: id, notes ->> Note.user cascade sync.keyScope=owner",
      "Note: id, text, user -> User.notes",
    ])
  }

  // MARK: - The rule

  @Test(arguments: Way.allCases)
  func aNestedChildIsTheOwnersOwnChildOfThatKey(_ way: Way) throws {
    let bench = try notes(
      #"[{"id": 1, "notes": [{"id": 0, "text": "a"}]}, {"id": 2, "notes": [{"id": 0, "text": "b"}]}]"#
    )
    try sync(
      #"[{"id": 2, "notes": [{"id": 0, "text": "B"}]}, {"id": 1, "notes": [{"id": 0, "text": "A"}]}]"#,
      way, bench)
    #expect(try bench.objects("Note") == ["id=0 text=A user=1", "id=0 text=B user=2"])
  }

  @Test(arguments: [1, nil])
  func elseTheOnlyObjectOfThatKeyMovesAndTheReportSaysSo(size: Int?) throws {
    let bench = try notes(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}, {"id": 2}]"#)
    let report = try bench.sync(
      #"[{"id": 2, "notes": [{"id": 5}]}, {"id": 1}]"#, "User", parts: size)
    #expect(try bench.objects("Note") == ["id=5 text=a user=2"])
    #expect(report.findings.map(\.message) == ["Note 5 moved to User 2."])
  }

  @Test(arguments: Way.allCases)
  func aChildThatAnotherOwnerHasListedBeforeIsANewObject(_ way: Way) throws {
    let bench = try notes(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}]"#)
    try sync(#"[{"id": 1, "notes": [{"id": 5}]}, {"id": 2, "notes": [{"id": 5}]}]"#, way, bench)
    #expect(try bench.objects("Note") == ["id=5 text=a user=1", "id=5 user=2"])
  }

  @Test(arguments: Way.allCases)
  func twoOwnersThatNestOneNewKeyHaveTwoChildren(_ way: Way) throws {
    let bench = try notes()
    try sync(#"[{"id": 1, "notes": [{"id": 0}]}, {"id": 2, "notes": [{"id": 0}]}]"#, way, bench)
    #expect(try bench.objects("Note") == ["id=0 user=1", "id=0 user=2"])
  }

  /// The last list of the owner counts, and names the child by its key, in the same part or not.
  @Test(arguments: [1, 2, nil])
  func aChildThatItsOwnerNestsAndNamesAgainIsItsOwn(size: Int?) throws {
    let bench = try notes()
    try bench.sync(
      #"[{"id": 1, "notes": [{"id": 5}]}, {"id": 1, "notes_ids": [5]}, {"id": 2, "notes": [{"id": 5}]}]"#,
      "User", parts: size)
    #expect(try bench.objects("Note") == ["id=5 user=1", "id=5 user=2"])
  }

  @Test(arguments: Way.allCases)
  func theFirstOwnerIsDecidedByTheOrderOfThePayloadNotOfRelationships(_ way: Way) throws {
    let bench = try SyncBench(TestModels.twoLists())
    try sync(
      #"[{"id": 1, "list": [{"id": 3}]}, {"id": 2, "list": [{"id": 3}]}, {"id": 4, "own": [{"id": 3}]}]"#,
      way, bench, "Owner")
    #expect(try bench.objects("Owner") == ["id=1 list=[3]", "id=2 list=[3]", "id=4 own=[3]"])
    #expect(try bench.count("Child") == 3)
  }

  @Test(arguments: Way.allCases)
  func whereKeysAreUniquePerOwnerNothingEverMoves(_ way: Way) throws {
    let bench = try scoped()
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}]"#, "User")
    try sync(#"[{"id": 2, "notes": [{"id": 5}]}, {"id": 1}]"#, way, bench)
    #expect(try bench.objects("Note") == ["id=5 text=a user=1", "id=5 user=2"])
  }

  @Test func withinOnePartAnOwnersOwnChildrenAreDecidedFirst() throws {
    let bench = try notes(#"[{"id": 3, "notes": [{"id": 4, "text": "a"}]}]"#)
    try bench.sync(#"[{"id": 9, "notes": [{"id": 4}]}, {"id": 3, "notes": [{"id": 4}]}]"#, "User")
    #expect(try bench.objects("Note") == ["id=4 text=a user=3", "id=4 user=9"])
  }

  @Test func aMovedChildMovesAtOnceInASessionAndADroppedSessionLeavesNoDuplicate() throws {
    let bench = try notes(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}, {"id": 7}]"#)
    try bench.syncPages(#"[{"id": 2, "notes": [{"id": 5}]}]"#, "User", size: 1, isAbandoned: true)
    #expect(try bench.objects("Note") == ["id=5 text=a user=2"])
    #expect(try bench.objects("User") == ["id=1", "id=2 notes=[5]", "id=7"])
  }

  @Test(arguments: inTurn)
  func objectsThatNoPartMentionsAreDeletedAtTheEnd(_ way: Way) throws {
    let bench = try notes(#"[{"id": 1, "notes": [{"id": 5}, {"id": 6}]}, {"id": 2}, {"id": 3}]"#)
    try sync(#"[{"id": 1, "notes": []}, {"id": 2, "notes_ids": [6]}]"#, way, bench)
    #expect(try bench.objects("User") == ["id=1", "id=2 notes=[6]"])
    #expect(try bench.objects("Note") == ["id=6 user=2"])
  }

  @Test(arguments: inTurn)
  func aKeyThatWaitsIsLinkedAtTheEndUnlessItsObjectHasAnOwner(_ way: Way) throws {
    let bench = try notes()
    try sync(#"[{"id": 1, "notes_ids": [5, 6]}, {"id": 2, "notes": [{"id": 6}]}]"#, way, bench)
    try bench.sync(#"[{"id": 5}, {"id": 6}]"#, "Note")
    #expect(try bench.objects("Note") == ["id=5", "id=6 user=2"])
    let late = try SyncBench(TestModels.social())
    try sync(
      #"[{"id": 1, "company_id": 9}, {"id": 2, "company": {"id": 9, "name": "late"}}]"#, way, late)
    #expect(try late.objects("Company") == ["id=9 name=late employees=[1,2]"])
  }

  // MARK: - Changes of owners

  private static let newOwnerFirst =
    #"[{"id": 9, "notes": [{"id": 4}]}, {"id": 3, "notes": [{"id": 4}]}]"#

  @Test(arguments: inTurn)
  func theOwnerOfTheFirstPageTakesTheOnlyObjectTheLaterOneGetsANewOne(_ way: Way) throws {
    let bench = try notes(#"[{"id": 3, "notes": [{"id": 4, "text": "a"}]}]"#)
    try sync(Self.newOwnerFirst, way, bench)
    #expect(try bench.objects("Note") == ["id=4 text=a user=9", "id=4 user=3"])
  }

  @Test(arguments: inTurn)
  func withKeyScopeNoOwnerTakesAnything(_ way: Way) throws {
    let bench = try scoped()
    try bench.sync(#"[{"id": 3, "notes": [{"id": 4, "text": "a"}]}]"#, "User")
    try sync(Self.newOwnerFirst, way, bench)
    #expect(try bench.objects("Note") == ["id=4 text=a user=3", "id=4 user=9"])
  }

  @Test(arguments: inTurn)
  func anObjectThatMovedByItsKeyIsTheNewOwnersOwnChild(_ way: Way) throws {
    let bench = try notes()
    try sync(
      #"""
      [{"id": 1, "notes": [{"id": 5, "text": "a"}]}, {"id": 2, "notes_ids": [5]},
       {"id": 2, "notes": [{"id": 5, "text": "b"}]}]
      """#, way, bench)
    #expect(try bench.objects("Note") == ["id=5 text=b user=2"])
  }

  @Test(arguments: inTurn)
  func aMemberThatALaterListOfTheOwnerLeavesOutIsUnlinkedThoughItNamesTheOwner(_ way: Way) throws {
    let bench = try SyncBench(TestModels.tree())
    try sync(
      #"""
      [{"id": 1, "children": [{"id": 2}, {"id": 3}]}, {"id": 3, "parent_id": 1},
       {"id": 1, "children": [{"id": 2}]}]
      """#, way, bench, "Organization")
    #expect(try bench.objects("Organization") == ["id=1 children=[2]", "id=2 parent=1", "id=3"])
  }

  @Test(arguments: inTurn)
  func anAnimalAndADogOfOneKeyInTwoPagesAreTwoObjects(_ way: Way) throws {
    let bench = try SyncBench(TestModels.animals())
    try sync(
      #"[{"id": 1, "animals": [{"id": 5}]}, {"id": 2, "dogs": [{"id": 5}]}]"#, way, bench, "Person")
    #expect(try bench.objects("Animal") == ["id=5 owner=1", "id=5 walker=2"])
    #expect(try bench.count("Dog") == 1)
  }

  @Test func anAnimalAndADogOfOneKeyInOnePayloadAreOneObjectOfTheSubentity() throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync(
      #"[{"id": 1, "animals": [{"id": 5}]}, {"id": 2, "dogs": [{"id": 5}]}]"#, "Person")
    #expect(try bench.objects("Animal") == ["id=5 owner=1 walker=2"])
    #expect(try bench.count("Dog") == 1)
  }

  @Test(arguments: Way.allCases)
  func ofSeveralStoredObjectsOfAKeyNoneMovesToANewOwner(_ way: Way) throws {
    let bench = try notes(
      #"[{"id": 1, "notes": [{"id": 1, "text": "a"}]}, {"id": 2, "notes": [{"id": 1, "text": "b"}]}]"#
    )
    try sync(#"[{"id": 9, "notes": [{"id": 1}]}, {"id": 1}, {"id": 2}]"#, way, bench)
    #expect(
      try bench.objects("Note") == ["id=1 text=a user=1", "id=1 text=b user=2", "id=1 user=9"])
  }

  // MARK: - Lists that are given again

  @Test(
    arguments: inTurn,
    [
      SyncOperations.all,
      [.insert, .update, .insertRelationships, .updateRelationships, .deleteRelationships],
    ])
  func aListThatIsClearedGivenAsObjectsAndThenAsKeysHasItsChild(
    _ way: Way, _ operations: SyncOperations
  ) throws {
    let bench = try notes(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}]"#)
    try sync(
      #"[{"id": 1, "notes": []}, {"id": 1, "notes": [{"id": 5}]}, {"id": 1, "notes_ids": [5]}]"#,
      way,
      bench, operations: operations)
    #expect(try bench.objects("Note") == ["id=5 text=a user=1"])
  }

  /// Nothing of a nested object may be written or made: it moves, and the later owner gets none of
  /// its own.
  @Test(arguments: inTurn)
  func withInsertAndUpdateAloneAChildStaysWithTheOwnerThatNestedItFirst(_ way: Way) throws {
    let bench = try notes(#"[{"id": 3, "notes": [{"id": 4, "text": "a"}]}]"#)
    try sync(Self.newOwnerFirst, way, bench, operations: [.insert, .update])
    #expect(try bench.objects("Note") == ["id=4 text=a user=9"])
  }

  @Test(arguments: [nil, 1, 3])
  func aOneToOneRelationshipMayBeItsOwnInverse(size: Int?) throws {
    let bench = try SyncBench([
      "W: id string, base -> W.derived, derived ->> W.base cascade, twin -> W.twin"
    ])
    try bench.sync(#"[{"id": "a", "twin": {"base": {"id": "x", "base": {}}}}]"#, "W")
    try bench.sync(
      #"""
      [{"id": "c", "derived": [{"twin": {"id": "c"}, "derived": [{"id": "c", "twin": {"id": "x"}}], "id": "x"}]},
       {"id": "y"}, {"id": "z"}]
      """#, "W"
    ) {
      if let size { $0.setup.transaction = .perBatch(size) }
    }
    let objects = try bench.objects("W")
    #expect(objects.contains { $0.hasPrefix("id=c") && $0.contains("twin=x") })
    #expect(objects.contains { $0.hasPrefix("id=x") && $0.contains("twin=c") })
  }
}
