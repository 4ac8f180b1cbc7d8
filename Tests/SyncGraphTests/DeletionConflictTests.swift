import SyncGraph
import TestSupport
import Testing

/// Deletions of objects that another context has changed meanwhile.
@Suite struct DeletionConflictTests {
  private let stack: DataStack
  private let early: ManagedObjectContext
  private let late: ManagedObjectContext

  init() throws {
    stack = try .social()
    early = stack.newBackgroundContext()
    late = stack.newNonMergingBackgroundContext()
  }

  /// Hands over an object as the late context has read it, edited elsewhere since.
  private func scene(
    _ edit: (User, ManagedObjectContext) -> Void, then body: (User) throws -> Void
  ) throws {
    let id = try early.stored { early.insertUser(1, "Ann") }
    try late.performAndWait {
      let user = try late.existingObject(with: id, as: User.self)
      #expect(user.name == "Ann")
      try early.edit { edit(try early.existingObject(with: id, as: User.self), early) }
      try body(user)
    }
  }

  private func count<Object: ManagedObject>(_ type: Object.Type) throws -> Int {
    try early.performAndWait { try early.count(Fetch<Object>()) }
  }

  @Test(arguments: MergePolicy.allCases)
  func onlyTheErrorPolicyRefusesIt(policy: MergePolicy) throws {
    late.mergePolicy = policy
    let edit = { (user: User, _: ManagedObjectContext) in user.name = "Eve" }
    try scene(edit) { user in
      late.delete(user)
      guard policy == .error else {
        try late.save()
        return
      }
      let error = #expect(throws: GraphError.self) { try late.save() }
      let conflict = try #require(error?.conflicts.first)
      #expect(error?.code == .conflict && conflict.objectID == user.objectID)
      #expect(conflict.committed["name"] == "Ann" && conflict.stored?["name"] == "Eve")
      #expect(conflict.edited.isEmpty && late.deletedObjects == [user])
      late.rollback()
      late.refresh(user, mergeChanges: false)
      #expect(user.name == "Eve")
      user.delete()
      try late.save()
    }
    #expect(try count(User.self) == 0)
  }

  @Test func newMembersAreNoConflictAndGoToo() throws {
    let edit = { (user: User, context: ManagedObjectContext) in
      _ = context.insertNote(1, of: user)
    }
    try scene(edit) { user in
      late.delete(user)
      try late.save()
    }
    #expect(try count(Note.self) == 0)
  }

  @Test func aContextThatMergesDeletesWhatItHasSeenOnly() throws {
    let merging = stack.newBackgroundContext()
    let id = try early.stored { early.insertUser(1) }
    try merging.performAndWait {
      merging.delete(merging.object(with: id))
      try early.edit { early.object(with: id)["name"] = "Eve" }
      #expect(throws: GraphError.self) { try merging.save() }
      merging.rollback()
      merging.processPendingChanges()
      let user = try merging.existingObject(with: id, as: User.self)
      #expect(user.name == "Eve")
      merging.delete(user)
      try merging.save()
      #expect(try merging.count(Fetch<User>()) == 0)
    }
  }
}
