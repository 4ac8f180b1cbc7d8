import SyncCore
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

  init() throws {
    try self.init(isFile: false)
  }

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
    try other.performAndWait {
      for number in 1...4 as ClosedRange<Int64> {
        let user = try other.insert(entityNamed: "User")
        user["id"] = number
        for (name, entity) in [("notes", "Note"), ("tags", "Tag")] {
          let object = try other.insert(entityNamed: entity)
          object["id"] = number
          user[name] = [object]
        }
        let passport = try other.insert(entityNamed: "Passport")
        passport["id"] = number
        if number < 4 { user["passport"] = passport }
      }
      try other.save()
    }
  }

  private static func model(
    _ noteRule: DeleteRule, _ userRule: DeleteRule
  ) throws -> ManagedObjectModel {
    func key() -> PropertyDraft { .attribute("id", .integer64) }
    return try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          key(), .attribute("name", .string),
          .toOne("passport", to: "Passport", inverse: "user"),
          .toMany("notes", to: "Note", inverse: "user", deleteRule: noteRule),
          .toMany("tags", to: "Tag", inverse: "users"),
        ]),
      EntityDraft("Passport", [key(), .toOne("user", to: "User", inverse: "passport")]),
      EntityDraft("Note", [key(), .toOne("user", to: "User", inverse: "notes")]),
      EntityDraft(
        "Tag", [key(), .toMany("users", to: "User", inverse: "tags", deleteRule: userRule)]),
    ])
  }

  private static func get(
    _ context: ManagedObjectContext, _ entity: String, _ id: Int64
  ) throws -> ManagedObject {
    try #require(
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity, "id == %@", id)).first)
  }

  private static func ids(_ object: ManagedObject, _ name: String) -> [Int64] {
    RelationshipSides.targets(object, name).compactMap { $0["id"] as? Int64 }.sorted()
  }

  /// Moves a note, a tag and a passport from the first user to the second, and deletes the third.
  private func overtake() throws {
    try other.performAndWait {
      let users = try (1...4).map { try Self.get(other, "User", $0) }
      users[1]["notes"] = [
        try Self.get(other, "Note", 1), try Self.get(other, "Note", 2),
      ]
      users[1]["tags"] = users[0]["tags"]
      users[0]["tags"] = []
      users[1]["passport"] = users[0]["passport"]
      users[3]["passport"] = try Self.get(other, "Passport", 4)
      other.delete(users[2])
      try other.save()
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
      try grandchild.performAndWait { grandchild.delete(try Self.get(grandchild, "User", 1)) }
      try child.performAndWait { () throws -> Void in
        // The grandchild reads again the notes of the user that it has deleted.
        try child.insert(entityNamed: "Note")["id"] = 5 as Int64
        try child.save()
      }
      try other.performAndWait { () throws -> Void in
        try Self.get(other, "User", 4)["passport"] = Self.get(other, "Passport", 4)
        try other.save()
      }
      try child.performAndWait { () throws -> Void in
        // The owner is read before the other side.
        _ = try child.fetch(Fetch<ManagedObject>(entityNamed: "User"))
        try RelationshipSides.check(child)
        #expect(try Self.ids(Self.get(child, "User", 4), "passport") == [4])
      }
      withExtendedLifetime(held) {}
    }
  }

  enum Edit: CaseIterable { case deleted, named, inserted, noted, tagged, deletedNote, none }

  /// A grandchild has unsaved edits, the child inserts and saves, others commit a one-to-one.
  @Test(arguments: Edit.allCases, [false, true])
  func aPartnerThatOthersSetIsOneInAChild(_ edit: Edit, _ isParentBusy: Bool) throws {
    try grandchild.performAndWait {
      let user = try Self.get(grandchild, "User", 1)
      switch edit {
      case .deleted: grandchild.delete(user)
      case .named: user["name"] = "x"
      case .inserted: try grandchild.insert(entityNamed: "User")["id"] = 99 as Int64
      case .noted: try grandchild.insert(entityNamed: "Note")["user"] = user
      case .tagged: user["tags"] = try grandchild.fetch(Fetch<ManagedObject>(entityNamed: "Tag"))
      case .deletedNote: grandchild.delete(try Self.get(grandchild, "Note", 1))
      case .none: break
      }
    }
    try child.performAndWait {
      try child.insert(entityNamed: "User")["id"] = 5 as Int64
      try child.save()
    }
    let commit = {
      try other.performAndWait {
        try Self.get(other, "User", 4)["passport"] = Self.get(other, "Passport", 4)
        try other.save()
      }
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
        #expect(try Self.ids(Self.get(context, "User", 4), "passport") == [4])
      }
    }
  }

  /// A note comes into the parent by a save of the child, and moves there.
  @Test(arguments: [false, true])
  func whatWasHandedOverAndMovedIsWithItsNewOwner(_ isSaved: Bool) throws {
    try child.performAndWait {
      let note = try child.insert(entityNamed: "Note")
      note["id"] = 9 as Int64
      note["user"] = try Self.get(child, "User", 1)
      try child.save()
    }
    let held = try grandchild.performAndWait {
      try RelationshipSides.check(grandchild)
      return Held(objects: Array(grandchild.registeredObjects))
    }
    try parent.performAndWait {
      try Self.get(parent, "Note", 9)["user"] = Self.get(parent, "User", 2)
      if isSaved { try parent.save() }
    }
    for context in [grandchild, child, parent] {
      try context.performAndWait { () throws -> Void in
        try RelationshipSides.check(context)
        #expect(try Self.ids(Self.get(context, "User", 2), "notes") == [2, 9])
      }
    }
    withExtendedLifetime(held) {}
  }

  /// The child is in the midst of a block when the parent moves and stores the note.
  @Test(arguments: [false, true])
  func whatMovesDuringABlockOfAGrandchildIsInOnePlace(_ isSaved: Bool) throws {
    try child.performAndWait {
      let note = try child.insert(entityNamed: "Note")
      note["id"] = 9 as Int64
      note["user"] = try Self.get(child, "User", 1)
      try child.save()
    }
    try grandchild.performAndWait {
      _ = try Self.get(grandchild, "User", 1)["notes"]
      try parent.performAndWait {
        try Self.get(parent, "Note", 9)["user"] = Self.get(parent, "User", 2)
        if isSaved { try parent.save() }
      }
      // Values that the block has read stay.
      #expect(try Self.ids(Self.get(grandchild, "User", 1), "notes") == [1, 9])
    }
    try grandchild.performAndWait {
      try RelationshipSides.check(grandchild)
      #expect(try Self.ids(Self.get(grandchild, "User", 2), "notes") == [2, 9])
    }
  }

  /// An object that a parent has deleted, and not saved, is gone for its children, whatever its
  /// rule leaves.
  @Test(arguments: [DeleteRule.nullify, .cascade, .deny, .noAction])
  func membersThatTheParentHasDeletedAreInNoListOfAChild(_ rule: DeleteRule) throws {
    let scene = try RelationshipSidesTests(isFile: false, noteRule: rule, userRule: rule)
    let (parent, child) = (scene.parent, scene.child)
    try parent.performAndWait {
      parent.delete(try Self.get(parent, "Tag", 1))
      parent.delete(try Self.get(parent, "User", 2))
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
      #expect(try Self.ids(Self.get(child, "User", 1), "tags") == [1])
      #expect(try Self.ids(Self.get(child, "User", 2), "notes") == [2])
    }
  }

  /// The parent takes back a change that the child has read and made its edit on.
  @Test func anEditOfAChildDoesNotBringBackWhatTheParentTookBack() throws {
    let (parent, child) = (parent, child)
    try parent.performAndWait {
      try Self.get(parent, "Passport", 1)["user"] = Self.get(parent, "User", 4)
    }
    try child.performAndWait { () throws -> Void in
      try Self.get(child, "Passport", 1)["id"] = 50 as Int64
      parent.performAndWait {
        parent.rollback()
        parent.refreshAllObjects()
      }
      try child.save()
    }
    for context in [parent, child, grandchild] {
      try context.performAndWait { () throws -> Void in
        try RelationshipSides.check(context)
        #expect(try Self.ids(Self.get(context, "User", 1), "passport") == [50])
        #expect(try Self.ids(Self.get(context, "User", 4), "passport") == [])
      }
    }
  }

  /// The grandchild edits an object that the child has deleted, and saved, during its block.
  @Test(arguments: [false, true], [MergePolicy.error, .storeWins])
  func aGrandchildBringsNothingBack(_ isStored: Bool, _ policy: MergePolicy) throws {
    grandchild.mergePolicy = policy
    let (grandchild, child, parent) = (grandchild, child, parent)
    try grandchild.performAndWait {
      try Self.get(grandchild, "User", 1)["name"] = "edited"
      try Self.get(grandchild, "Note", 2)["user"] = Self.get(grandchild, "User", 1)
      try child.performAndWait {
        child.delete(try Self.get(child, "User", 1))
        try child.save()
      }
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
    try grandchild.performAndWait {
      try Self.get(grandchild, "User", 1)["name"] = "edited"
      try overtake()
      // It merges, and is free of objects then.
      try child.performAndWait { try RelationshipSides.check(child) }
      child.performAndWait { child.reset() }
      try grandchild.save()
    }
    for context in [child, grandchild] {
      try context.performAndWait {
        try RelationshipSides.check(context)
        #expect(try Self.ids(Self.get(context, "User", 2), "passport") == [1])
        #expect(try Self.get(context, "User", 1)["name"] as? String == "edited")
      }
    }
  }

  /// The child edits a note that others give meanwhile to the user that it deletes: the deletion
  /// takes place on the rows as they are then.
  @Test(arguments: [DeleteRule.nullify, .cascade], [false, true])
  func aDeletionOfAChildMeetsTheMembersThatOthersMade(
    _ rule: DeleteRule, _ wasOwned: Bool
  ) throws {
    let scene = try RelationshipSidesTests(isFile: false, noteRule: rule)
    let (parent, child, other) = (scene.parent, scene.child, scene.other)
    try other.performAndWait {
      if !wasOwned { try Self.get(other, "Note", 1)["user"] = nil }
      try other.saveIfChanged()
    }
    try child.performAndWait {
      try Self.get(child, "Note", 1)["id"] = 50 as Int64
      child.delete(try Self.get(child, "User", 2))
      try other.performAndWait {
        try Self.get(other, "Note", 1)["user"] = Self.get(other, "User", 2)
        try other.save()
      }
      parent.performAndWait {}
      try child.save()
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
    try child.performAndWait { () throws -> Void in
      let (note, user) = try (Self.get(child, "Note", 1), Self.get(child, "User", 2))
      #expect(Self.ids(note, "user") == [1])
      try parent.performAndWait {
        try Self.get(parent, "Note", 1)["user"] = Self.get(parent, "User", 2)
      }
      #expect(Self.ids(user, "notes") == [1, 2])
      note["user"] = try Self.get(child, "User", 3)
      child.delete(user)
      #expect(!note.isDeleted && Self.ids(note, "user") == [3])
      try child.save()
    }
    for context in [parent, child] {
      try context.performAndWait { () throws -> Void in
        try RelationshipSides.check(context)
        #expect(try Self.ids(Self.get(context, "User", 3), "notes") == [1, 3])
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
