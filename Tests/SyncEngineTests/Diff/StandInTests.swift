import SyncCore
import SyncEngine
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// What a part of a payload cannot know: whether the owner of a stored object lists it in a later part. Until
/// everything has been seen nobody else gets it.
@Suite struct StandInTests {
  /// A note in each of three users' lists, all of one key.
  private func namesakes() throws -> SyncBench {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(
      #"""
      [{"id": 1, "notes": [{"id": 0, "text": "a"}]}, {"id": 2, "notes": [{"id": 0, "text": "b"}]},
       {"id": 3, "notes": [{"id": 0, "text": "c"}]}]
      """#, "User")
    return bench
  }

  private static let newOwnerFirst = #"""
    [{"id": 9, "notes": [{"id": 0}]}, {"id": 1, "notes": [{"id": 0}]},
     {"id": 2, "notes": [{"id": 0}]}, {"id": 3, "notes": [{"id": 0}]}]
    """#

  @Test(
    "a new owner takes nothing from owners that later parts speak of", arguments: [1, 2, 3, nil])
  func laterOwnersKeepTheirs(size: Int?) throws {
    let bench = try namesakes()
    let report = try bench.sync(StandInTests.newOwnerFirst, "User") { $0.partItems = size }
    #expect(
      try bench.objects("Note") == [
        "id=0 text=a user=1", "id=0 text=b user=2", "id=0 text=c user=3", "id=0 user=9",
      ])
    #expect(report.findingCounts["movedObject"] == nil)
    #expect(report.inserted == 2 && report.updated == 0 && report.deleted == 0)
  }

  @Test("nor do pages and batches", arguments: [1, 2, 3])
  func laterPagesKeepTheirs(size: Int) throws {
    let pages = try namesakes()
    for _ in 0..<2 { try pages.syncPages(StandInTests.newOwnerFirst, "User", size: size) }
    let batches = try namesakes()
    try batches.sync(StandInTests.newOwnerFirst, "User") { $0.transaction = .perBatch(size) }
    for bench in [pages, batches] {
      #expect(
        try bench.objects("Note") == [
          "id=0 text=a user=1", "id=0 text=b user=2", "id=0 text=c user=3", "id=0 user=9",
        ])
    }
  }

  private static let moved = #"""
    [{"id": 2, "notes": [{"id": 5, "title": "new"}]}, {"id": 3}, {"id": 1, "notes": []}]
    """#

  /// The object that is there moves, with what the payload does not say of it.
  @Test("what nobody else lists moves all the same", arguments: [1, 2, nil])
  func unlistedObjectsMove(size: Int?) throws {
    let bench = try SyncBench(StandInTests.titled())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "text": "a", "title": "old"}]}]"#, "User")
    let (report, changes) = try bench.syncWithChanges(StandInTests.moved, "User") {
      $0.partItems = size
    }
    #expect(try bench.objects("Note") == ["id=5 text=a title=new user=2"])
    #expect(report.entities["Note"]?.updated == 1 && report.entities["Note"]?.inserted == 0)
    #expect(report.findings.map(\.message) == ["Note 5 moved to User 2."])
    #expect(changes.entities.map { "\($0.entity)" } == ["User", "Note"])
  }

  @Test(
    "from page to page too, also when the store keeps the session", arguments: [1, 2],
    [false, true])
  func unlistedObjectsMoveAmongPages(size: Int, isKept: Bool) throws {
    let bench = try SyncBench(StandInTests.titled())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "text": "a", "title": "old"}]}]"#, "User")
    try bench.syncPages(StandInTests.moved, "User", size: size, isKept: isKept)
    #expect(try bench.objects("Note") == ["id=5 text=a title=new user=2"])
  }

  @Test("and when the session is abandoned, which deletes nothing", arguments: [1, 2])
  func abandonedSessionsMove(size: Int) throws {
    let bench = try SyncBench(StandInTests.titled())
    try bench.sync(
      #"[{"id": 1, "notes": [{"id": 5, "text": "a"}, {"id": 6}]}, {"id": 7}]"#, "User")
    try bench.syncPages(StandInTests.moved, "User", size: size, isAbandoned: true)
    #expect(try bench.objects("Note") == ["id=5 text=a title=new user=2", "id=6 user=1"])
    #expect(try bench.count("User") == 4)
  }

  /// An object that has moved already in the payload's order stays where it was put first.
  @Test("of two that nest it the first one gets it", arguments: [1, 2, nil])
  func theFirstOneGetsIt(size: Int?) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}]"#, "User")
    try bench.sync(
      #"[{"id": 2, "notes": [{"id": 5}]}, {"id": 3, "notes": [{"id": 5}]}, {"id": 1, "notes": []}]"#,
      "User"
    ) { $0.partItems = size }
    #expect(try bench.objects("Note") == ["id=5 text=a user=2", "id=5 user=3"])
  }

  /// A stand-in's own children are those of the object that it turns out to be.
  @Test("what stands below moves with it", arguments: [1, 2, nil])
  func childrenMoveAlong(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"""
      [{"id": 1, "children": [{"id": 5, "name": "five", "children": [
         {"id": 7, "name": "seven"}, {"id": 8, "name": "eight"}]}]}, {"id": 2}]
      """#, "Organization")
    let (report, _) = try bench.syncWithChanges(
      #"""
      [{"id": 2, "children": [{"id": 5, "children": [{"id": 7}, {"id": 9}]}]}, {"id": 1, "children": []}]
      """#, "Organization"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Organization") == [
        "id=1", "id=2 children=[5]", "id=5 name=five parent=2 children=[7,9]",
        "id=7 name=seven parent=5", "id=9 parent=5",
      ])
    #expect(report.inserted == 1 && report.deleted == 1)
  }

  @Test("later words win, of whichever object they were", arguments: [1, nil])
  func laterWordsWin(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"[{"id": 1, "children": [{"id": 5, "name": "old"}]}, {"id": 2}]"#, "Organization")
    try bench.sync(
      #"""
      [{"id": 2, "children": [{"id": 5, "name": "nested"}]}, {"id": 5, "name": "root"},
       {"id": 1, "children": []}]
      """#, "Organization"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Organization") == ["id=1", "id=2 children=[5]", "id=5 name=root parent=2"])
  }

  /// Others may have seen the animal of the first page, so the dog comes in its place at the end.
  @Test("an object of an entity and one of a subentity become one", arguments: [1, 2, 3])
  func subentitiesAreOneObject(size: Int) throws {
    let bench = try SyncBench(TestModels.animals())
    let payload = #"""
      [{"id": 1, "animals": [{"id": 5, "name": "n"}]}, {"id": 2, "dogs": [{"id": 5, "breed": "b"}]},
       {"id": 3, "favourite_id": 5}]
      """#
    // What is known of the items must not outlive what they came to.
    for _ in 0..<2 {
      try bench.syncPages(payload, "Person", size: size)
      #expect(try bench.objects("Animal") == ["id=5 name=n owner=1 breed=b walker=2"])
      #expect(
        try bench.objects("Person") == ["id=1 animals=[5]", "id=2 dogs=[5]", "id=3 favourite=5"])
    }
  }

  @Test("later words win, also those under a subentity", arguments: [1, nil])
  func laterWordsOfSubentitiesWin(size: Int?) throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync(
      #"[{"id": 2, "animals": [{"id": 4, "name": "old"}], "dogs": [{"id": 4}]}]"#, "Person")
    try bench.sync(
      #"""
      [{"id": 3, "animals": [{"id": 4, "name": "first"}]},
       {"id": 2, "dogs": [{"id": 4, "name": "last"}]}]
      """#, "Person"
    ) { $0.partItems = size }
    #expect(try bench.objects("Animal") == ["id=4 name=last owner=3 walker=2"])
  }

  /// A key that waits for its object is replaced by the next one that is given, of whichever of the two it is said.
  @Test("what is given again waits anew", arguments: [1, 2, nil])
  func referencesAreReplaced(size: Int?) throws {
    let bench = try SyncBench(
      ManagedObjectModel([
        EntityDraft(
          "User",
          [
            .attribute("id", .integer64), .toMany("notes", to: "Note", inverse: "user"),
            .toOne("favourite", to: "Note", inverse: "fans"),
          ]),
        EntityDraft(
          "Note",
          [
            .attribute("id", .integer64), .toOne("user", to: "User", inverse: "notes"),
            .toMany("fans", to: "User", inverse: "favourite"),
            .toOne("tag", to: "Tag", inverse: "notes"),
          ]),
        EntityDraft(
          "Tag", [.attribute("id", .integer64), .toMany("notes", to: "Note", inverse: "tag")]),
      ]))
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5}]}]"#, "User")
    try bench.sync(
      #"""
      [{"id": 2, "notes": [{"id": 5, "tag_id": 3}]}, {"id": 1, "notes": []},
       {"id": 7, "favourite": {"id": 5, "tag_id": 4}},
       {"id": 8, "favourite": {"id": 9, "tag": {"id": 3}}}]
      """#, "User"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Note") == ["id=5 user=2 fans=[7]", "id=9 fans=[8] tag=3"])
  }

  /// Others may have seen the stand-in of the first page: what they did to it is not lost with it.
  @Test("what was edited meanwhile stays", arguments: [false, true])
  func editsOfStandInsStay(isTracked: Bool) throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "User", [.attribute("id", .integer64), .toMany("notes", to: "Note", inverse: "user")]),
      EntityDraft(
        "Note",
        [
          .attribute("id", .integer64), .attribute("text", .string), .attribute("title", .string),
          .toOne("user", to: "User", inverse: "notes"),
          .toMany("marks", to: "Mark", inverse: "note", deleteRule: .cascade),
          .toOne("folder", to: "Folder", inverse: "notes"),
          .toOne("cover", to: "Cover", inverse: "note"),
          .toOne("origin", to: "Folder"),
          .toMany("tags", to: "Tag", inverse: "notes"),
        ]),
      EntityDraft(
        "Mark", [.attribute("id", .integer64), .toOne("note", to: "Note", inverse: "marks")]),
      EntityDraft(
        "Folder", [.attribute("id", .integer64), .toMany("notes", to: "Note", inverse: "folder")]),
      EntityDraft(
        "Cover", [.attribute("id", .integer64), .toOne("note", to: "Note", inverse: "cover")]),
      EntityDraft(
        "Tag", [.attribute("id", .integer64), .toMany("notes", to: "Note", inverse: "tags")]),
    ])
    let stack = try DataStack(model: model, store: .inMemory, tracksChanges: isTracked)
    defer { try? stack.close() }
    let bench = try SyncBench(stack)
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "title": "old"}]}]"#, "User")
    let state = SessionState(entity: try model.requireEntity(named: "User"), name: nil)
    try bench.sync(#"[{"id": 2, "notes": [{"id": 5, "title": "new"}]}]"#, "User") {
      $0.session = state
    }
    let context = stack.newBackgroundContext()
    try context.performAndWait {
      let notes = try context.fetch(Fetch<ManagedObject>(entityNamed: "Note"))
      let note = try #require(notes.first { $0.value(forKey: "title") as? String == "new" })
      note.setValue("mine", forKey: "text")
      let mark = try context.insert(entityNamed: "Mark")
      mark.setValue(Int64(7), forKey: "id")
      mark.setValue(note, forKey: "note")
      for (name, keys) in [("Folder", ["folder", "origin"]), ("Cover", ["cover"])] {
        let object = try context.insert(entityNamed: name)
        object.setValue(Int64(8), forKey: "id")
        for key in keys { note.setValue(object, forKey: key) }
      }
      let tag = try context.insert(entityNamed: "Tag")
      tag.setValue(Int64(9), forKey: "id")
      tag.setValue(Set([note]), forKey: "notes")
      try context.save()
    }
    try bench.sync(#"[{"id": 1, "notes": []}]"#, "User") { $0.session = state }
    let plan = MappingPlanCompiler.compile(
      try model.requireEntity(named: "User"), transformers: TransformerRegistry())
    _ = try SessionEnd(
      SyncRequest(plan: plan, payload: .json([])), state: state, store: bench.store,
      control: SyncControl()
    ).run()
    #expect(
      try bench.objects("Note") == [
        "id=5 text=mine title=new user=2 marks=[7] folder=8 cover=8 origin=8 tags=[9]"
      ])
    let rows = try bench.store.read { reader in
      var rows: [Int64] = []
      try reader.scan(try model.requireEntity(named: "Note"), .all) { rows.append($0.row) }
      return rows
    }
    // What is to be sent speaks of the stand-in: it stays then.
    #expect(rows == (isTracked ? [2] : [1]))
  }

  /// Two objects of one key cannot be stored even for a while.
  @Test("a key that has to be unique is one object at once", arguments: [1, nil])
  func uniqueKeysMoveAtOnce(size: Int?) throws {
    let bench = try SyncBench(StandInTests.titled(isUnique: true))
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}]"#, "User")
    try bench.syncPages(StandInTests.moved, "User", size: size ?? 3)
    #expect(try bench.objects("Note") == ["id=5 text=a title=new user=2"])
  }

  /// The item at the top is the nested one too, and moves to the parent's list.
  @Test("a child that both mentions of a stand-in nest is one", arguments: [1, 2, nil])
  func childrenOfBothMentions(size: Int?) throws {
    let bench = try SyncBench(try OracleTests.staff())
    try bench.sync(
      #"[{"id": 1}, {"id": 2, "employees": [{"id": 1, "reports_ids": [1]}]}]"#, "Company")
    let company = ManagedObjectID(entity: try bench.model.requireEntity(named: "Company"), row: 1)
    let report = try bench.sync(
      #"[{"id": 4, "reports": [{"id": 1, "reports": [{"id": 3}]}]}, {"id": 1, "reports": [{"id": 3}]}]"#,
      "Person"
    ) {
      $0.parent = company
      $0.parentRelationship = "employees"
      $0.partItems = size
    }
    #expect(
      try bench.objects("Person") == [
        "id=1 company=1 manager=4 reports=[3]", "id=3 manager=1", "id=4 company=1 reports=[1]",
      ])
    #expect(report.inserted == 2 && report.updated > 0 && report.deleted == 0)
    let moves = Set(report.findings.map(\.message))
    #expect(
      moves.isSubset(of: [
        "Person 1 moved to Person 4.", "Person 1 moved to Company 1.",
        "Person 1 moved to Company/1.",
      ]) && !moves.isEmpty)
  }

  private static func titled(isUnique: Bool = false) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          .attribute("id", .integer64),
          .toMany("notes", to: "Note", inverse: "user", deleteRule: .cascade),
        ]),
      EntityDraft(
        "Note",
        [
          .attribute("id", .integer64), .attribute("text", .string), .attribute("title", .string),
          .toOne("user", to: "User", inverse: "notes"),
        ], uniquenessConstraints: isUnique ? [["id"]] : []),
    ])
  }
}
