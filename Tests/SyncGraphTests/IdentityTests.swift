import SyncGraph
import TestSupport
import Testing

@Suite struct IdentityTests {
  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
  }

  private func savedUser() throws -> ManagedObjectID {
    try context.stored { context.insertUser(1) }
  }

  @Test func oneObjectPerIdentifier() throws {
    let id = try savedUser()
    try stack.inBackground { other in
      let user = other.object(with: id)
      #expect(user.isFault && user === other.object(with: id))
      let existing = try other.existingObject(with: id)
      let fetched = try other.fetch(Fetch<User>())
      #expect(existing === user && fetched == [user])
      #expect(!user.isFault && user.objectID == id)
    }
  }

  @Test func temporaryIdentifiersBecomePermanentOnce() throws {
    try context.performAndWait {
      let user = context.insertUser(1)
      let note = context.insertNote(1, of: user)
      let temporary = user.objectID
      #expect(temporary.isTemporary && context.object(with: temporary) === user)
      try context.save()
      #expect(!user.objectID.isTemporary && user.objectID != temporary)
      #expect(context.object(with: user.objectID) === user)
      #expect(note.user === user && user.notes == [note])
      #expect(try context.existingObject(with: temporary) === user)
      #expect(context.object(with: temporary) === user)
      context.refreshAllObjects()
      #expect(note.user === user && user.notes == [note])
    }
  }

  @Test func identifiersOfDeletedObjectsLeadNowhere() throws {
    let id = try savedUser()
    try context.performAndWait {
      context.delete(context.object(with: id))
      try context.save()
      #expect {
        try context.existingObject(with: id)
      } throws: { ($0 as? GraphError)?.code == .notFound }
      let ghost = context.object(with: id)
      #expect(ghost.value(forKey: "name") == nil)
      #expect(ghost.isDeleted)
    }
  }

  @Test func contextsLetGoOfCleanObjectsAndHoldEditedOnes() throws {
    let id = try savedUser()
    nonisolated(unsafe) weak var object: ManagedObject?
    try context.performAndWait {
      let user = try context.existingObject(with: id)
      object = user
    }
    #expect(object == nil)
    try context.performAndWait {
      let user = try context.existingObject(with: id)
      user["name"] = "Ann"
      object = user
    }
    #expect(object != nil)
    try context.performAndWait { try context.save() }
    context.performAndWait { _ = context.object(with: id) }
    #expect(object == nil)
  }

  @Test @MainActor func theMainContextLetsGoOutsideOfBlocks() async throws {
    let id = try savedUser()
    let main = stack.mainContext
    weak var object: ManagedObject?
    do {
      let user = try main.existingObject(with: id)
      object = user
    }
    await main.perform {}
    #expect(object == nil)
  }

  /// Owner and members would hold each other for ever if both held strongly.
  @Test func walkedGraphsAreFreed() throws {
    let id = try savedUser()
    try context.edit {
      let user = try context.existingObject(with: id, as: User.self)
      for number in 0..<3 as Range<Int64> {
        let note = context.insertNote(number)
        user.notes.insert(note)
      }
    }
    #expect(context.performAndWait { context.registeredObjects.isEmpty })
    try context.performAndWait {
      let user = try context.existingObject(with: id, as: User.self)
      #expect(user.notes.count == 3)
      for note in user.notes { #expect(note.user === user) }
    }
    #expect(context.performAndWait { context.registeredObjects.isEmpty })
    try context.performAndWait {
      let notes = try context.fetch(Fetch<Note>())
      for note in notes { #expect(note.user?.notes.count == 3) }
    }
    #expect(context.performAndWait { context.registeredObjects.isEmpty })
  }

  @Test func objectsOutliveTheirContextWithTheirValues() throws {
    let user = try {
      let stack = try DataStack.social()
      let context = stack.newBackgroundContext()
      nonisolated(unsafe) var result: User?
      context.performAndWait {
        let user = context.insert(User.self)
        user.name = "Ann"
        result = user
      }
      return try #require(result)
    }()
    #expect(user.name == "Ann" && user.managedObjectContext == nil)
  }
}
