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

  /// Owners whose children are told apart per owner.
  private static let scoped = SyncCase.Model.of(
    "User: id, notes ->> Note.user cascade sync.keyScope=owner",
    "Note: id, text, user -> User.notes")

  private func check(_ rule: SyncCase, _ way: Way) throws {
    try rule.check { bench, step in
      try sync(step.json, way, bench, step.entity, operations: step.operations)
    }
  }

  // MARK: - The rule

  static let rules = [
    SyncCase(
      "a nested child is the owner's own child of that key", in: .userNotes,
      .sync(
        "User",
        #"[{"id": 1, "notes": [{"id": 0, "text": "a"}]}, {"id": 2, "notes": [{"id": 0, "text": "b"}]}]"#
      ),
      .sync(
        "User",
        #"[{"id": 2, "notes": [{"id": 0, "text": "B"}]}, {"id": 1, "notes": [{"id": 0, "text": "A"}]}]"#
      ), leaves: ["Note": ["id=0 text=A user=1", "id=0 text=B user=2"]]),
    SyncCase(
      "a child that another owner has listed before is a new object", in: .userNotes,
      .sync("User", #"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}]"#),
      .sync("User", #"[{"id": 1, "notes": [{"id": 5}]}, {"id": 2, "notes": [{"id": 5}]}]"#),
      leaves: ["Note": ["id=5 text=a user=1", "id=5 user=2"]]),
    SyncCase(
      "two owners that nest one new key have two children", in: .userNotes,
      .sync("User", #"[{"id": 1, "notes": [{"id": 0}]}, {"id": 2, "notes": [{"id": 0}]}]"#),
      leaves: ["Note": ["id=0 user=1", "id=0 user=2"]]),
    SyncCase(
      "the first owner is decided by the order of the payload, not of relationships", in: .twoLists,
      .sync(
        "Owner",
        #"[{"id": 1, "list": [{"id": 3}]}, {"id": 2, "list": [{"id": 3}]}, {"id": 4, "own": [{"id": 3}]}]"#
      ),
      leaves: [
        "Owner": ["id=1 list=[3]", "id=2 list=[3]", "id=4 own=[3]"],
        "Child": ["id=3 lister=1", "id=3 lister=2", "id=3 owner=4"],
      ]),
    SyncCase(
      "where keys are unique per owner nothing ever moves", in: scoped,
      .sync("User", #"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}]"#),
      .sync("User", #"[{"id": 2, "notes": [{"id": 5}]}, {"id": 1}]"#),
      leaves: ["Note": ["id=5 text=a user=1", "id=5 user=2"]]),
    SyncCase(
      "of several stored objects of a key none moves to a new owner", in: .userNotes,
      .sync(
        "User",
        #"[{"id": 1, "notes": [{"id": 1, "text": "a"}]}, {"id": 2, "notes": [{"id": 1, "text": "b"}]}]"#
      ), .sync("User", #"[{"id": 9, "notes": [{"id": 1}]}, {"id": 1}, {"id": 2}]"#),
      leaves: ["Note": ["id=1 text=a user=1", "id=1 text=b user=2", "id=1 user=9"]]),
  ]

  @Test(arguments: rules, Way.allCases)
  func aNestedChildIsFoundByTheRuleInAnyPieces(_ rule: SyncCase, _ way: Way) throws {
    try check(rule, way)
  }

  static let wholes = [
    SyncCase(
      "within one part an owner's own children are decided first", in: .userNotes,
      .sync("User", #"[{"id": 3, "notes": [{"id": 4, "text": "a"}]}]"#),
      .sync("User", newOwnerFirst), leaves: ["Note": ["id=4 text=a user=3", "id=4 user=9"]]),
    SyncCase(
      "an animal and a dog of one key in one payload are one object of the subentity", in: .animals,
      .sync("Person", animalAndDog),
      leaves: ["Animal": ["id=5 owner=1 walker=2"], "Dog": ["id=5 owner=1 walker=2"]]),
  ]

  @Test(arguments: wholes)
  func inOnePieceAllOfThePayloadIsKnown(_ rule: SyncCase) throws { try check(rule, .whole) }

  @Test(arguments: [1, nil])
  func elseTheOnlyObjectOfThatKeyMovesAndTheReportSaysSo(size: Int?) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}, {"id": 2}]"#, "User")
    let report = try bench.sync(
      #"[{"id": 2, "notes": [{"id": 5}]}, {"id": 1}]"#, "User", parts: size)
    #expect(try bench.objects("Note") == ["id=5 text=a user=2"])
    #expect(report.findings.map(\.message) == ["Note 5 moved to User 2."])
  }

  /// The last list of the owner counts, and names the child by its key, in the same part or not.
  @Test(arguments: [1, 2, nil])
  func aChildThatItsOwnerNestsAndNamesAgainIsItsOwn(size: Int?) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(
      #"[{"id": 1, "notes": [{"id": 5}]}, {"id": 1, "notes_ids": [5]}, {"id": 2, "notes": [{"id": 5}]}]"#,
      "User", parts: size)
    #expect(try bench.objects("Note") == ["id=5 user=1", "id=5 user=2"])
  }

  @Test func aMovedChildMovesAtOnceInASessionAndADroppedSessionLeavesNoDuplicate() throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}, {"id": 7}]"#, "User")
    try bench.syncPages(#"[{"id": 2, "notes": [{"id": 5}]}]"#, "User", size: 1, isAbandoned: true)
    #expect(try bench.objects("Note") == ["id=5 text=a user=2"])
    #expect(try bench.objects("User") == ["id=1", "id=2 notes=[5]", "id=7"])
  }

  @Test(arguments: inTurn)
  func aKeyThatWaitsIsLinkedAtTheEndUnlessItsObjectHasAnOwner(_ way: Way) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try sync(#"[{"id": 1, "notes_ids": [5, 6]}, {"id": 2, "notes": [{"id": 6}]}]"#, way, bench)
    try bench.sync(#"[{"id": 5}, {"id": 6}]"#, "Note")
    #expect(try bench.objects("Note") == ["id=5", "id=6 user=2"])
  }

  // MARK: - Piece by piece

  private static let newOwnerFirst =
    #"[{"id": 9, "notes": [{"id": 4}]}, {"id": 3, "notes": [{"id": 4}]}]"#

  private static let animalAndDog =
    #"[{"id": 1, "animals": [{"id": 5}]}, {"id": 2, "dogs": [{"id": 5}]}]"#

  private static func givenAgain(_ operations: SyncOperations) -> SyncCase {
    SyncCase(
      "a list that is cleared, given as objects and then as keys has its child, by \(operations)",
      in: .userNotes, .sync("User", #"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}]"#),
      .sync(
        "User",
        #"[{"id": 1, "notes": []}, {"id": 1, "notes": [{"id": 5}]}, {"id": 1, "notes_ids": [5]}]"#,
        operations), leaves: ["Note": ["id=5 text=a user=1"]])
  }

  static let turns = [
    SyncCase(
      "objects that no part mentions are deleted at the end", in: .userNotes,
      .sync("User", #"[{"id": 1, "notes": [{"id": 5}, {"id": 6}]}, {"id": 2}, {"id": 3}]"#),
      .sync("User", #"[{"id": 1, "notes": []}, {"id": 2, "notes_ids": [6]}]"#),
      leaves: ["User": ["id=1", "id=2 notes=[6]"], "Note": ["id=6 user=2"]]),
    SyncCase(
      "a key that waits is linked to the object that a later piece nests",
      .sync(
        "User", #"[{"id": 1, "company_id": 9}, {"id": 2, "company": {"id": 9, "name": "late"}}]"#),
      leaves: ["Company": ["id=9 name=late employees=[1,2]"]]),
    SyncCase(
      "the owner of the first page takes the only object, the later one gets a new one",
      in: .userNotes, .sync("User", #"[{"id": 3, "notes": [{"id": 4, "text": "a"}]}]"#),
      .sync("User", newOwnerFirst), leaves: ["Note": ["id=4 text=a user=9", "id=4 user=3"]]),
    SyncCase(
      "with key scope no owner takes anything", in: scoped,
      .sync("User", #"[{"id": 3, "notes": [{"id": 4, "text": "a"}]}]"#),
      .sync("User", newOwnerFirst), leaves: ["Note": ["id=4 text=a user=3", "id=4 user=9"]]),
    SyncCase(
      "an object that moved by its key is the new owner's own child", in: .userNotes,
      .sync(
        "User",
        #"""
        [{"id": 1, "notes": [{"id": 5, "text": "a"}]}, {"id": 2, "notes_ids": [5]},
         {"id": 2, "notes": [{"id": 5, "text": "b"}]}]
        """#), leaves: ["Note": ["id=5 text=b user=2"]]),
    SyncCase(
      "a member that a later list of the owner leaves out is unlinked though it names the owner",
      in: .tree,
      .sync(
        "Organization",
        #"""
        [{"id": 1, "children": [{"id": 2}, {"id": 3}]}, {"id": 3, "parent_id": 1},
         {"id": 1, "children": [{"id": 2}]}]
        """#), leaves: ["Organization": ["id=1 children=[2]", "id=2 parent=1", "id=3"]]),
    SyncCase(
      "an animal and a dog of one key in two pages are two objects", in: .animals,
      .sync("Person", animalAndDog),
      leaves: ["Animal": ["id=5 owner=1", "id=5 walker=2"], "Dog": ["id=5 walker=2"]]),
    givenAgain(.all),
    givenAgain([
      .insert, .update, .insertRelationships, .updateRelationships, .deleteRelationships,
    ]),
    // Nothing of a nested object may be written or made: it moves, and the later owner gets none of
    // its own.
    SyncCase(
      "with insert and update alone a child stays with the owner that nested it first",
      in: .userNotes, .sync("User", #"[{"id": 3, "notes": [{"id": 4, "text": "a"}]}]"#),
      .sync("User", newOwnerFirst, [.insert, .update]),
      leaves: ["Note": ["id=4 text=a user=9"]]),
  ]

  @Test(arguments: turns, inTurn)
  func piecesAreAppliedInTheirOrder(_ rule: SyncCase, _ way: Way) throws { try check(rule, way) }

  @Test(arguments: [nil, 1, 3]) func aOneToOneRelationshipMayBeItsOwnInverse(size: Int?) throws {
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
