import SyncGraph
import SyncStore
import TestSupport
import Testing

@Suite struct MergingTests {
  let stack: DataStack
  let context: ManagedObjectContext
  let other: ManagedObjectContext

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
    other = stack.newBackgroundContext()
  }

  private func savedUser(_ id: Int64 = 1, _ name: String = "Ann") throws -> ManagedObjectID {
    try other.stored { other.insertUser(id, name) }
  }

  private func edit(_ id: ManagedObjectID, _ change: (User) throws -> Void) throws {
    try other.edit { try change(other.existingObject(with: id, as: User.self)) }
  }

  @Test @MainActor func aBlockedMainContextSeesTheSaveAtItsNextEntry() throws {
    let main = stack.mainContext
    let id = try savedUser()
    let user = try main.existingObject(with: id, as: User.self)
    #expect(user.name == "Ann")
    // The main queue does nothing but wait here.
    try edit(id) { $0.name = "Bob" }
    #expect(user.name == "Ann")
    let found = try main.fetch(Fetch<User>("name == %@", "Bob"))
    #expect(found.first === user && user.name == "Bob")
  }

  @Test func unsavedValuesStayOnTop() throws {
    let id = try savedUser()
    try context.performAndWait {
      let user = try context.existingObject(with: id, as: User.self)
      user.name = "Mine"
      try edit(id) {
        $0.name = "Theirs"
        $0.email = "theirs"
      }
      _ = context.hasChanges
      context.performAndWait {}
      #expect(user.name == "Mine")
    }
    try context.edit {
      let user = try context.existingObject(with: id, as: User.self)
      #expect(user.name == "Mine" && user.email == "theirs")
      #expect(user.committedValues(forKeys: ["name"])["name"] as? String == "Theirs")
      // Merging does not decide the conflict.
      #expect(throws: GraphError.self) { try context.save() }
      context.mergePolicy = .objectWinsPerProperty
    }
    #expect(onMain { stack.mainContext.object(with: id)["name"] as? String } == "Mine")
  }

  @Test func deletedObjectsBecomeTombstones() throws {
    let id = try savedUser()
    try context.performAndWait {
      let user = try context.existingObject(with: id, as: User.self)
      user.age = 5
      try other.edit { other.delete(other.object(with: id)) }
      #expect(try context.fetch(Fetch<User>()) == [user] && !user.isDeleted)
      context.processPendingChanges()
      #expect(try context.fetch(Fetch<User>()).isEmpty)
      #expect(user.isDeleted && !context.hasChanges && user.name == nil)
    }
  }

  @Test func listsThatWereLoadedFollow() throws {
    let id = try savedUser()
    try context.performAndWait {
      let user = try context.existingObject(with: id, as: User.self)
      #expect(user.notes.isEmpty && user.tags.isEmpty && user.chores.isEmpty)
      let mine = context.insertNote(99, of: user)
      try other.edit {
        let theirs = try other.existingObject(with: id, as: User.self)
        other.insertNote(1, of: theirs)
        let tag = other.insert(Tag.self)
        tag.users = [theirs]
        let chore = other.insert(Chore.self)
        theirs.chores = [chore]
      }
      context.processPendingChanges()
      #expect(Set(user.notes.map(\.id)) == [1, 99] && user.tags.count == 1)
      #expect(user.chores.count == 1)
      try other.edit {
        let theirs = try other.existingObject(with: id, as: User.self)
        for note in theirs.notes { other.delete(note) }
        theirs.tags = []
      }
      context.processPendingChanges()
      #expect(user.notes == [mine] && user.tags.isEmpty)
      try context.save()
      #expect(user.notes == [mine])
    }
  }

  @Test func nonMergingContextsKeepWhatTheyHave() throws {
    let id = try savedUser()
    let still = stack.newNonMergingBackgroundContext()
    try still.performAndWait {
      let user = try still.existingObject(with: id, as: User.self)
      try edit(id) { $0.name = "Bob" }
      still.performAndWait {}
      #expect(user.name == "Ann")
      still.refresh(user)
      #expect(user.name == "Bob")
    }
    try still.edit { still.insertUser(2) }
    #expect(try context.performAndWait { try context.count(Fetch<User>()) } == 2)
  }

  @Test func manyChangesCostWhatIsLive() throws {
    let id = try savedUser()
    try context.performAndWait {
      let user = try context.existingObject(with: id, as: User.self)
      try other.edit {
        for number in 2..<2_000 as Range<Int64> { other.insertUser(number) }
        try other.existingObject(with: id, as: User.self).name = "Bob"
      }
      let before = try stack.store.recorder.executed
      context.performAndWait {}
      context.processPendingChanges()
      #expect(context.registeredObjects == [user] && user.isFault)
      #expect(try stack.store.recorder.executed - before < 8)
      #expect(user.name == "Bob")
    }
  }

  @Test func resetForgetsEverything() throws {
    let id = try savedUser()
    try context.performAndWait {
      let user = try context.existingObject(with: id, as: User.self)
      user.name = "x"
      context.reset()
      #expect(!context.hasChanges && context.registeredObjects.isEmpty)
      #expect(try context.existingObject(with: id, as: User.self).name == "Ann")
    }
  }

  @Test func refreshDropsOrKeepsEdits() throws {
    let id = try savedUser()
    try context.performAndWait {
      let user = try context.existingObject(with: id, as: User.self)
      user.name = "x"
      context.refresh(user)
      #expect(user.name == "x" && user.hasChanges)
      context.refresh(user, mergeChanges: false)
      #expect(user.isFault && user.name == "Ann" && !context.hasChanges)
    }
  }
}
