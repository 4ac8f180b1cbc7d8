import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Both sides of a relationship say the same in every context, also in the midst of blocks that
/// read objects that others have changed meanwhile.
@Suite struct RelationshipSidesTests {
  private let folder: TemporaryFolder
  private let stack: DataStack
  private let parent: ManagedObjectContext
  private let child: ManagedObjectContext
  private let grandchild: ManagedObjectContext
  private let other: ManagedObjectContext

  init() throws { try self.init(isFile: false) }

  private init(
    isFile: Bool, noteRule: DeleteRule = .cascade, userRule: DeleteRule = .nullify
  ) throws {
    folder = try TemporaryFolder()
    stack = try DataStack(
      model: Self.model(noteRule, userRule),
      store: isFile ? .sqlite(folder.file("sides.sqlite")) : .inMemory)
    parent = stack.newBackgroundContext()
    child = parent.newChildContext(.privateQueue)
    grandchild = child.newChildContext(.privateQueue)
    let other = stack.newBackgroundContext()
    self.other = other
    try other.edit {
      for number in 1...4 as ClosedRange<Int64> {
        let user = try other.make("User", ["id": number])
        user["notes"] = [try other.make("Note", ["id": number])]
        user["tags"] = [try other.make("Tag", ["id": number])]
        let passport = try other.make("Passport", ["id": number])
        if number < 4 { user["passport"] = passport }
      }
    }
  }

  private static func model(
    _ noteRule: DeleteRule, _ userRule: DeleteRule
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          "id", "name", "passport -> Passport.user",
          .toMany("notes", to: "Note", inverse: "user", deleteRule: noteRule), "tags ->> Tag.users",
        ]),
      EntityDraft("Passport", ["id", "user -> User.passport"]),
      EntityDraft("Note", ["id", "user -> User.notes"]),
      EntityDraft(
        "Tag", ["id", .toMany("users", to: "User", inverse: "tags", deleteRule: userRule)]),
    ])
  }

  private static func ids(_ object: ManagedObject, _ name: String) -> [Int64] {
    RelationshipSides.targets(object, name).compactMap { $0["id"] as? Int64 }.sorted()
  }

  /// Moves a note, a tag and a passport from the first user to the second, and deletes the third.
  private func overtake() throws {
    try other.edit {
      let users = try (1...4).map { try other.get("User", $0) }
      users[1]["notes"] = [try other.get("Note", 1), try other.get("Note", 2)]
      users[1]["tags"] = users[0]["tags"]
      users[0]["tags"] = []
      users[1]["passport"] = users[0]["passport"]
      users[3]["passport"] = try other.get("Passport", 4)
      other.delete(users[2])
    }
  }

  // MARK: - Children

  /// The main thread waits for a child while a grandchild is busy merging: it does the reading of
  /// the grandchild meanwhile, and hears of commits all the same.
  @Test @MainActor func aChildHearsOfCommitsWhereTheMainThreadWaitsForIt() throws {
    for _ in 0..<20 {
      let scene = try RelationshipSidesTests()
      let (main, other) = (scene.stack.mainContext, scene.other)
      let child = main.newChildContext(.privateQueue)
      let grandchild = child.newChildContext(.privateQueue)
      // Without objects the main context would have nothing that is older than a commit.
      let held = try main.fetch(Fetch<ManagedObject>(entityNamed: "User"))
      for user in held { _ = user["passport"] }
      try grandchild.performAndWait { grandchild.delete(try grandchild.get("User", 1)) }
      try child.edit {
        // The grandchild reads again the notes of the user that it has deleted.
        try child.insert(entityNamed: "Note")["id"] = 5 as Int64
      }
      try other.edit { try other.get("User", 4)["passport"] = other.get("Passport", 4) }
      try child.performAndWait { () throws -> Void in
        // The owner is read before the other side.
        _ = try child.fetch(Fetch<ManagedObject>(entityNamed: "User"))
        try RelationshipSides.check(child)
        #expect(try Self.ids(child.get("User", 4), "passport") == [4])
      }
      withExtendedLifetime(held) {}
    }
  }

  enum Edit: CaseIterable { case deleted, named, inserted, noted, tagged, deletedNote, none }

  /// A grandchild has unsaved edits, the child inserts and saves, others commit a one-to-one.
  @Test(arguments: Edit.allCases, [false, true])
  func aPartnerThatOthersSetIsOneInAChild(_ edit: Edit, _ isParentBusy: Bool) throws {
    try grandchild.performAndWait {
      let user = try grandchild.get("User", 1)
      switch edit {
      case .deleted: grandchild.delete(user)
      case .named: user["name"] = "x"
      case .inserted: try grandchild.insert(entityNamed: "User")["id"] = 99 as Int64
      case .noted: try grandchild.insert(entityNamed: "Note")["user"] = user
      case .tagged: user["tags"] = try grandchild.fetch(Fetch<ManagedObject>(entityNamed: "Tag"))
      case .deletedNote: grandchild.delete(try grandchild.get("Note", 1))
      case .none: break
      }
    }
    try child.edit { try child.insert(entityNamed: "User")["id"] = 5 as Int64 }
    let commit = {
      try other.edit { try other.get("User", 4)["passport"] = other.get("Passport", 4) }
    }
    if isParentBusy {
      try parent.performAndWait {
        _ = try parent.fetch(Fetch<ManagedObject>(entityNamed: "User"))
        try commit()
        for context in [child, grandchild, child, parent] {
          try context.performAndWait { try RelationshipSides.check(context) }
        }
      }
    } else {
      try commit()
    }
    for context in [child, grandchild, parent] {
      try context.performAndWait { () throws -> Void in
        try RelationshipSides.check(context)
        #expect(try Self.ids(context.get("User", 4), "passport") == [4])
      }
    }
  }

  /// A note comes into the parent by a save of the child, and moves there.
  @Test(arguments: [false, true])
  func whatWasHandedOverAndMovedIsWithItsNewOwner(_ isSaved: Bool) throws {
    try child.edit { try child.make("Note", ["id": 9 as Int64, "user": try child.get("User", 1)]) }
    let held = try grandchild.performAndWait {
      try RelationshipSides.check(grandchild)
      return Held(objects: Array(grandchild.registeredObjects))
    }
    try parent.performAndWait {
      try parent.get("Note", 9)["user"] = parent.get("User", 2)
      if isSaved { try parent.save() }
    }
    for context in [grandchild, child, parent] {
      try context.performAndWait { () throws -> Void in
        try RelationshipSides.check(context)
        #expect(try Self.ids(context.get("User", 2), "notes") == [2, 9])
      }
    }
    withExtendedLifetime(held) {}
  }

  /// The child is in the midst of a block when the parent moves and stores the note.
  @Test(arguments: [false, true])
  func whatMovesDuringABlockOfAGrandchildIsInOnePlace(_ isSaved: Bool) throws {
    try child.edit { try child.make("Note", ["id": 9 as Int64, "user": try child.get("User", 1)]) }
    try grandchild.performAndWait {
      _ = try grandchild.get("User", 1)["notes"]
      try parent.performAndWait {
        try parent.get("Note", 9)["user"] = parent.get("User", 2)
        if isSaved { try parent.save() }
      }
      // Values that the block has read stay.
      #expect(try Self.ids(grandchild.get("User", 1), "notes") == [1, 9])
    }
    try grandchild.performAndWait {
      try RelationshipSides.check(grandchild)
      #expect(try Self.ids(grandchild.get("User", 2), "notes") == [2, 9])
    }
  }

  /// An object that a parent has deleted, and not saved, is gone for its children, whatever its
  /// rule leaves.
  @Test(arguments: [DeleteRule.nullify, .cascade, .deny, .noAction])
  func membersThatTheParentHasDeletedAreInNoListOfAChild(_ rule: DeleteRule) throws {
    let scene = try RelationshipSidesTests(isFile: false, noteRule: rule, userRule: rule)
    let (parent, child) = (scene.parent, scene.child)
    try parent.performAndWait {
      parent.delete(try parent.get("Tag", 1))
      parent.delete(try parent.get("User", 2))
    }
    try child.performAndWait {
      try RelationshipSides.check(child)
      for user in try child.fetch(Fetch<ManagedObject>(entityNamed: "User")) {
        let isOf = user["id"] as? Int64 == 1
        #expect((user["tags"] as? Set<ManagedObject>)?.count == (isOf ? 0 : 1))
      }
    }
    parent.performAndWait { parent.rollback() }
    try child.performAndWait {
      try RelationshipSides.check(child)
      #expect(try Self.ids(child.get("User", 1), "tags") == [1])
      #expect(try Self.ids(child.get("User", 2), "notes") == [2])
    }
  }

  /// The parent takes back a change that the child has read and made its edit on.
  @Test func anEditOfAChildDoesNotBringBackWhatTheParentTookBack() throws {
    let (parent, child) = (parent, child)
    try parent.performAndWait {
      try parent.get("Passport", 1)["user"] = parent.get("User", 4)
    }
    try child.edit {
      try child.get("Passport", 1)["id"] = 50 as Int64
      parent.performAndWait {
        parent.rollback()
        parent.refreshAllObjects()
      }
    }
    for context in [parent, child, grandchild] {
      try context.performAndWait { () throws -> Void in
        try RelationshipSides.check(context)
        #expect(try Self.ids(context.get("User", 1), "passport") == [50])
        #expect(try Self.ids(context.get("User", 4), "passport") == [])
      }
    }
  }

  /// The grandchild edits an object that the child has deleted, and saved, during its block.
  @Test(arguments: [false, true], [MergePolicy.error, .storeWins])
  func aGrandchildBringsNothingBack(_ isStored: Bool, _ policy: MergePolicy) throws {
    grandchild.mergePolicy = policy
    let (grandchild, child, parent) = (grandchild, child, parent)
    try grandchild.performAndWait {
      try grandchild.get("User", 1)["name"] = "edited"
      try grandchild.get("Note", 2)["user"] = grandchild.get("User", 1)
      try child.edit { child.delete(try child.get("User", 1)) }
      if isStored { try parent.performAndWait { _ = try parent.save() } }
      if policy == .error {
        #expect(throws: GraphError.self) { try grandchild.save() }
        grandchild.rollback()
      } else {
        try grandchild.save()
      }
    }
    for context in [child, grandchild, parent] {
      try context.performAndWait {
        try RelationshipSides.check(context)
        #expect(try context.count(Fetch<ManagedObject>(entityNamed: "User")) == 3)
      }
    }
    for context in [child, parent] { try context.performAndWait { _ = try context.save() } }
    #expect(try stack.store.read { try $0.checkConsistency() }.isEmpty)
  }

  /// The grandchild edits an object that the child has no row of any more, and knows it as it was.
  @Test func whatAGrandchildHandsOverIsOnTopOfWhatTheChildReads() throws {
    let (grandchild, child) = (grandchild, child)
    try grandchild.edit {
      try grandchild.get("User", 1)["name"] = "edited"
      try overtake()
      // It merges, and is free of objects then.
      try child.performAndWait { try RelationshipSides.check(child) }
      child.performAndWait { child.reset() }
    }
    for context in [child, grandchild] {
      try context.performAndWait {
        try RelationshipSides.check(context)
        #expect(try Self.ids(context.get("User", 2), "passport") == [1])
        #expect(try context.get("User", 1)["name"] as? String == "edited")
      }
    }
  }

  /// The child edits a note that others give meanwhile to the user that it deletes: the deletion
  /// takes place on the rows as they are then.
  @Test(arguments: [DeleteRule.nullify, .cascade], [false, true])
  func aDeletionOfAChildMeetsTheMembersThatOthersMade(_ rule: DeleteRule, _ wasOwned: Bool) throws {
    let scene = try RelationshipSidesTests(isFile: false, noteRule: rule)
    let (parent, child, other) = (scene.parent, scene.child, scene.other)
    try other.performAndWait {
      if !wasOwned { try other.get("Note", 1)["user"] = nil }
      try other.saveIfChanged()
    }
    try child.edit {
      try child.get("Note", 1)["id"] = 50 as Int64
      child.delete(try child.get("User", 2))
      try other.edit { try other.get("Note", 1)["user"] = other.get("User", 2) }
      parent.performAndWait {}
    }
    for context in [parent, child] {
      try context.performAndWait {
        try RelationshipSides.check(context)
        let found = try context.count(Fetch<ManagedObject>(entityNamed: "Note", "id == 50"))
        #expect(found == (rule == .cascade ? 0 : 1))
      }
    }
    parent.performAndWait { parent.mergePolicy = .objectWinsPerProperty }
    try parent.performAndWait { _ = try parent.save() }
    #expect(try scene.stack.store.read { try $0.checkConsistency() }.isEmpty)
  }

  /// The child moves a note, and deletes a user whose notes it reads after its parent has put that
  /// note there.
  @Test(arguments: [DeleteRule.nullify, .cascade])
  func aDeletionLeavesMembersThatWereMovedHere(_ rule: DeleteRule) throws {
    let scene = try RelationshipSidesTests(isFile: false, noteRule: rule)
    let (parent, child) = (scene.parent, scene.child)
    try child.edit {
      let (note, user) = try (child.get("Note", 1), child.get("User", 2))
      #expect(Self.ids(note, "user") == [1])
      try parent.performAndWait {
        try parent.get("Note", 1)["user"] = parent.get("User", 2)
      }
      #expect(Self.ids(user, "notes") == [1, 2])
      note["user"] = try child.get("User", 3)
      child.delete(user)
      #expect(!note.isDeleted && Self.ids(note, "user") == [3])
    }
    for context in [parent, child] {
      try context.performAndWait { () throws -> Void in
        try RelationshipSides.check(context)
        #expect(try Self.ids(context.get("User", 3), "notes") == [1, 3])
      }
    }
  }

  /// New objects keep their places among equals, until the parent's save gives them rows.
  @Test func aLiveListOfAChildStandsAsAFetchDoes() throws {
    let (child, parent) = (child, parent)
    let request = Fetch<ManagedObject>(entityNamed: "User").sorted(by: "name")
    nonisolated(unsafe) var results: LiveResults<ManagedObject>?
    try child.performAndWait {
      results = try LiveResults(request, in: child)
      try child.insert(entityNamed: "User")["id"] = 10 as Int64
    }
    try parent.performAndWait {
      try parent.insert(entityNamed: "User")["id"] = 11 as Int64
    }
    func isSame() throws -> Bool {
      try child.performAndWait { try child.fetch(request) == results?.objects }
    }
    #expect(try isSame())
    try parent.performAndWait { _ = try parent.save() }
    #expect(try isSame())
    try child.performAndWait { _ = try child.save() }
    try parent.performAndWait { _ = try parent.save() }
    #expect(try isSame())
  }
}
