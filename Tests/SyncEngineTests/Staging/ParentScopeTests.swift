import SyncStack
import TestSupport
import Testing

/// The children of a given parent, and their fate.
@Suite struct ParentScopeTests {
  /// Ways that have no way back: `Post.author` and `Comment.answered` (to-one), `Topic.watchers`
  /// and `Person.liked` (to-many); letters have one way with and one without.
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      "Person: id, letters ->> Letter.sender ordered, liked ->> Topic, tags ->> Tag.tagged ordered",
      "Author < Person: pen",
      "Post: id, text, author -> Person",
      "Photo < Post: size integer64",
      "Topic: id",
      "Tag: id, tagged ->> Person.tags",
      "Watch: id, watchers ->> Person",
      "Comment: id, answered -> Comment",
      "Letter: id, sender -> Person.letters, receiver -> Person",
    ])
  }

  private func bench(persons: String = #"[{"id": 1}, {"id": 2}]"#) throws -> SyncBench {
    let bench = try SyncBench(Self.model())
    try bench.sync(persons, "Person")
    return bench
  }

  static let partSizes: [Int?] = [nil, 1, 2, 7]

  // MARK: - To-one without inverse

  @Test(arguments: partSizes)
  func aToOneWithoutInverseToTheParentGivesScopeLinkAndOrderOfParts(parts: Int?) throws {
    let bench = try bench()
    try bench.sync(
      #"[{"id": 1, "author_id": 1}, {"id": 2, "author_id": 1}, {"id": 3, "author_id": 2}, {"id": 4}]"#,
      "Post")
    let parent = try bench.id("Person", 1)
    let report = try bench.sync(
      #"[{"id": 2, "text": "x", "author": {"id": 9}}, {"id": 5, "author_id": 2}, {"id": 5, "text": "y"}]"#,
      "Post", under: parent, parts: parts)
    #expect(
      try bench.objects("Post") == [
        "id=2 text=x author=1", "id=3 author=2", "id=4", "id=5 text=y author=1",
      ])
    #expect((report.inserted, report.updated, report.deleted) == (1, 1, 1))
    #expect(try bench.count("Person") == 2)
    let again = try bench.sync(#"[{"id": 2}, {"id": 5}]"#, "Post", under: parent, parts: parts)
    #expect(again.isUnchanged)
  }

  @Test(arguments: partSizes)
  func aKeyThatTwoParentsHaveIsEachOnesOwnAndOneThatAnotherHasMovesHere(parts: Int?) throws {
    let bench = try bench()
    try bench.sync(
      #"[{"id": 7, "author_id": 1}, {"id": 7, "author_id": 2}]"#, "Post",
      operations: [.insert, .alwaysInsert])
    try bench.sync(#"[{"id": 8, "author_id": 1}]"#, "Post", operations: .all.subtracting(.delete))
    let parent = try bench.id("Person", 2)
    let report = try bench.sync(
      #"[{"id": 7, "text": "b"}, {"id": 8}]"#, "Post", under: parent, parts: parts)
    #expect(
      try bench.objects("Post") == ["id=7 author=1", "id=7 text=b author=2", "id=8 author=2"])
    #expect(report.count(of: .movedObject) == 1)
  }

  @Test(arguments: [("Post", "author"), ("Letter", "sender")])
  func aChildThatMovesIsReportedWithTheKeyOfItsParent(entity: String, owner: String) throws {
    let bench = try bench(persons: #"[{"id": 10}, {"id": 20}]"#)
    try bench.sync(#"[{"id": 8, "\#(owner)_id": 10}]"#, entity)
    let parent = try bench.id("Person", 20)
    let report = try bench.sync(#"[{"id": 8}]"#, entity, under: parent, by: owner)
    #expect(
      report.findings(of: .movedObject).map(\.message) == ["\(entity) 8 moved to Person 20."])
  }

  @Test(arguments: [SyncOperations.insert, [.insert, .update], [.update], [.delete]])
  func withoutDeleteNoChildLeavesAnInsertAloneLeavesStoredChildrenAlone(operations: SyncOperations)
    throws
  {
    let bench = try bench()
    try bench.sync(#"[{"id": 1, "author_id": 1}, {"id": 2, "author_id": 1}]"#, "Post")
    let parent = try bench.id("Person", 1)
    try bench.sync(
      #"[{"id": 2, "text": "x"}, {"id": 3}]"#, "Post", under: parent, operations: operations)
    let second = operations.contains(.update) ? "id=2 text=x author=1" : "id=2 author=1"
    #expect(
      try bench.objects("Post") == (operations.contains(.delete) ? [] : ["id=1 author=1"])
        + [second] + (operations.contains(.insert) ? ["id=3 author=1"] : []))
  }

  @Test func parentAndChildrenMayBeOfSubentities() throws {
    let bench = try bench(persons: #"[{"id": 2}]"#)
    try bench.sync(#"[{"id": 1, "pen": "p"}]"#, "Author")
    let parent = try bench.id("Author", 1)
    for relationship in [nil, "author"] {
      try bench.sync(#"[{"id": 1, "size": 4}]"#, "Photo", under: parent, by: relationship)
      #expect(try bench.objects("Photo") == ["id=1 author=1 size=4"])
    }
    try bench.sync(#"[{"id": 2}]"#, "Photo", under: parent)
    #expect(try bench.objects("Post") == ["id=2 author=1"])
  }

  @Test(arguments: partSizes)
  func aToOneToTheEntityItselfLeadsFromTheItemsToTheParent(parts: Int?) throws {
    let bench = try SyncBench(Self.model())
    try bench.sync(
      #"[{"id": 1}, {"id": 2, "answered_id": 1}, {"id": 3, "answered_id": 2}]"#, "Comment")
    let parent = try bench.id("Comment", 1)
    try bench.sync(
      #"[{"id": 4}, {"id": 5, "answered_id": 4}]"#, "Comment", under: parent, parts: parts)
    #expect(try bench.objects("Comment") == ["id=1", "id=3", "id=4 answered=1", "id=5 answered=1"])
  }

  @Test func aKeyThatCannotBeReadSuspendsDeletionInTheScope() throws {
    let bench = try bench()
    try bench.sync(#"[{"id": 1, "author_id": 1}]"#, "Post")
    let parent = try bench.id("Person", 1)
    let report = try bench.sync(#"[{"id": 2}, {"text": "?"}]"#, "Post", under: parent)
    #expect(try bench.objects("Post") == ["id=1 author=1", "id=2 author=1"])
    #expect(report.count(of: .suspendedDeletion) == 1)
  }

  @Test func theReplacedJSONIsAskedForWithTheParent() throws {
    let bench = try bench()
    let parent = try bench.id("Person", 1)
    var parents: [ManagedObjectID?] = []
    try bench.sync(#"[{"id": 2}]"#, "Post") {
      $0.setup.parent = parent
      $0.hooks.willInsert = { item, _, parent in
        parents.append(parent)
        return item
      }
    }
    #expect(parents == [parent])
  }

  // MARK: - The deletion guard

  @Test(arguments: [100, 101], [true, false])
  func anEmptyPayloadMayEmptyAParentOfAHundredChildrenNotOfMore(count: Int, hasInverse: Bool) throws
  {
    let bench = try bench()
    let all = (1...count).map { #"{"id": \#($0)}"# }.joined(separator: ",")
    let parent = try bench.id("Person", 1)
    let entity = hasInverse ? "Letter" : "Post"
    let relationship = hasInverse ? "letters" : "author"
    func sync(_ json: String) throws {
      try bench.sync(json, entity, under: parent, by: relationship)
    }
    try sync("[\(all)]")
    guard count > 100 else {
      try sync("[]")
      #expect(try bench.count(entity) == 0)
      return
    }
    for (payload, error) in [("[]", "deletionRefused"), (#"[{"error": "down"}]"#, "SyncError")] {
      expectError(error) { try sync(payload) }
      #expect(try bench.count(entity) == count)
    }
  }

  @Test(arguments: [
    ("Letter", "letters", #""sender" IN"#), ("Topic", "liked", ".source IN"),
    ("Watch", "watchers", "EXISTS"), ("Tag", "tags", ".source IN"),
  ])
  func theParentsListIsNotReadOnceMoreForEachPart(
    entity: String, relationship: String, condition: String
  ) throws {
    let bench = try bench()
    let parent = try bench.id("Person", 1)
    let items = "[" + (1...60).map { #"{"id": \#($0)}"# }.joined(separator: ",") + "]"
    func reads(parts: Int) throws -> Int {
      let statements = try bench.store.recorder.record {
        try bench.sync(items, entity, under: parent, by: relationship, parts: parts)
      }
      return statements.count { $0.contains(condition) }
    }
    _ = try reads(parts: 60)
    let (few, many) = (try reads(parts: 30), try reads(parts: 3))
    #expect(few > 0 && many <= few, "\(few) times in 2 parts, \(many) in 20")
  }

  @Test(arguments: partSizes, [true, false])
  func moreThanHalfOfAParentsChildrenAndMoreThanSoManyAreGuarded(parts: Int?, hasInverse: Bool)
    throws
  {
    let bench = try bench()
    func items(_ range: ClosedRange<Int>) -> String {
      "[" + range.map { #"{"id": \#($0)}"# }.joined(separator: ",") + "]"
    }
    let entity = hasInverse ? "Letter" : "Post"
    func sync(_ json: String, _ parent: Int) throws {
      let parent = try bench.id("Person", parent)
      try bench.sync(json, entity) {
        $0.setup.parent = parent
        $0.setup.parentRelationship = hasInverse ? "letters" : "author"
        $0.tuning.partItems = parts
        $0.settings.deletionGuard = .on(count: 50)
      }
    }
    try sync(items(1...101), 1)
    try sync(items(201...210), 2)
    expectError("SyncError deletionRefused", "51") { try sync(items(1...50), 1) }
    #expect(try bench.count(entity) == 111)
    try sync(items(1...51), 1)
    #expect(try bench.count(entity) == 61)
  }

  // MARK: - To-many without inverse

  @Test(arguments: partSizes)
  func aMemberThatIsNotListedLeavesAToManyOfTheParentWithoutInverseAndStaysStored(parts: Int?)
    throws
  {
    let bench = try bench(persons: #"[{"id": 1, "liked": [{"id": 1}, {"id": 2}]}]"#)
    let parent = try bench.id("Person", 1)
    func sync(_ operations: SyncOperations) throws -> SyncReport {
      try bench.sync(
        #"[{"id": 2}, {"id": 3}]"#, "Topic", under: parent, operations: operations, parts: parts)
    }
    _ = try sync([.insert, .update])
    #expect(try bench.objects("Person") == ["id=1 liked=[1,2,3]"])
    _ = try sync(.all)
    #expect(try bench.objects("Person") == ["id=1 liked=[2,3]"])
    #expect(try bench.count("Topic") == 3)
    #expect(try sync(.all).isUnchanged)
  }

  @Test(arguments: partSizes)
  func theParentJoinsOrLeavesAToManyOfTheItemsWithoutInverse(parts: Int?) throws {
    let bench = try bench()
    try bench.sync(
      #"[{"id": 1, "watchers_ids": [1, 2]}, {"id": 2, "watchers_ids": [2]}, {"id": 3, "watchers_ids": [1]}]"#,
      "Watch")
    let parent = try bench.id("Person", 1)
    let payload = #"[{"id": 2}, {"id": 3}, {"id": 4, "watchers_ids": [2]}, {"id": 5}]"#
    let report = try bench.sync(payload, "Watch", under: parent, parts: parts)
    #expect(
      try bench.objects("Watch") == [
        "id=1 watchers=[2]", "id=2 watchers=[1,2]", "id=3 watchers=[1]", "id=4 watchers=[1,2]",
        "id=5 watchers=[1]",
      ])
    #expect((report.inserted, report.updated, report.deleted) == (2, 2, 0))
    let again = try bench.sync(payload, "Watch", under: parent, parts: parts)
    #expect(again.isUnchanged)
  }

  // MARK: - Inherited

  @Test(arguments: partSizes)
  func childrenMayBeOfASubentityOfTheListsDestination(parts: Int?) throws {
    let bench = try SyncBench(TestModels.vehicles())
    try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "Person")
    try bench.sync(#"[{"id": 1, "owner_id": 1}, {"id": 2, "owner_id": 1}]"#, "Racecar")
    try bench.sync(#"[{"id": 9, "owner_id": 1}]"#, "Bicycle")
    let parent = try bench.id("Person", 1)
    try bench.sync(#"[{"id": 2, "team": "t"}, {"id": 3}]"#, "Racecar", under: parent, parts: parts)
    #expect(
      try bench.objects("Vehicle") == ["id=2 owner=1 team=t", "id=3 owner=1", "id=9 owner=1"])
  }

  // MARK: - Several ways, none, and a predicate beside the parent

  @Test func oneWayWithAndOneWithoutInverseAreAnErrorThatNamesBothUnlessOneIsGiven() throws {
    let bench = try bench()
    let parent = try bench.id("Person", 1)
    let error = #expect(throws: SyncError.self) {
      try bench.sync(#"[{"id": 1}]"#, "Letter", under: parent)
    }
    #expect(error?.code == .ambiguousRelationship)
    for word in ["letters", "receiver", "parentRelationship"] {
      #expect(error?.message.contains(word) == true, "\(word)")
    }
    for (relationship, expected) in [
      ("letters", "id=1 sender=1"), ("sender", "id=1 sender=1"), ("receiver", "id=1 receiver=1"),
    ] {
      let bench = try self.bench()
      let parent = try bench.id("Person", 1)
      try bench.sync(#"[{"id": 1}]"#, "Letter", under: parent, by: relationship)
      #expect(try bench.objects("Letter") == [expected])
    }
  }

  @Test func noWayOrNoneOfThatNameIsAnErrorThatNamesTheWaysThereAre() throws {
    let bench = try bench()
    let parent = try bench.id("Person", 1)
    expectError("SyncError ambiguousRelationship") {
      try bench.sync("[]", "Comment", under: parent)
    }
    let unknown = #expect(throws: SyncError.self) {
      try bench.sync("[]", "Post", under: parent, by: "writer")
    }
    #expect(unknown?.code == .ambiguousRelationship)
    #expect(unknown?.message.contains("author") == true)
    #expect(unknown?.property == "writer")
  }

  @Test(arguments: partSizes, [true, false])
  func besideAParentAPredicateLimitsWhichOfItsChildrenThePayloadMayDelete(
    parts: Int?, hasInverse: Bool
  ) throws {
    let bench = try bench()
    let entity = hasInverse ? "Letter" : "Post"
    let way = hasInverse ? "sender" : "author"
    try bench.sync(
      #"[{"id": 1, "W": 1}, {"id": 2, "W": 1}, {"id": 3, "W": 1}, {"id": 4, "W": 2}]"#
        .replacing("W", with: "\(way)_id"), entity)
    let parent = try bench.id("Person", 1)
    try bench.sync(#"[{"id": 5}]"#, entity) {
      $0.setup.parent = parent
      $0.setup.parentRelationship = way
      $0.settings.filter = Filter("id == 1 OR id == 4")
      $0.tuning.partItems = parts
    }
    #expect(
      try bench.objects(entity) == [
        "id=2 \(way)=1", "id=3 \(way)=1", "id=4 \(way)=2", "id=5 \(way)=1",
      ])
  }

  @Test(arguments: partSizes)
  func besideAParentWithSharedMembersAPredicateLimitsWhichOfThemLeaveIt(parts: Int?) throws {
    let bench = try bench(persons: #"[{"id": 1, "liked": [{"id": 1}, {"id": 2}]}]"#)
    let parent = try bench.id("Person", 1)
    try bench.sync(#"[{"id": 3}]"#, "Topic") {
      $0.setup.parent = parent
      $0.settings.filter = Filter("id == 1")
      $0.tuning.partItems = parts
    }
    #expect(try bench.objects("Person") == ["id=1 liked=[2,3]"])
  }
}
