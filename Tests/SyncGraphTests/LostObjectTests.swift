import SyncGraph
import TestSupport
import Testing

/// Objects of which a child context changed relationships only, and which are deleted above it.
@Suite struct LostObjectTests {
  private let stack: DataStack
  private let main: ManagedObjectContext

  init() throws {
    stack = try .social()
    main = stack.newBackgroundContext()
    let main = main
    try main.edit {
      for id in 3...4 as ClosedRange<Int64> {
        let user = User(context: main)
        user.id = id
        user.name = "\(id)"
      }
      let tag = Tag(context: main)
      tag.id = 1
      let note = Note(context: main)
      note.id = 1
    }
  }

  private func user(_ id: Int64, in context: ManagedObjectContext) throws -> User {
    try #require(try context.fetch(Fetch<User>("id == %@", id)).first)
  }

  /// The object is kept for its unsaved changes, can be read, and the save names the object that
  /// would be lost.
  private func expectKept(
    in context: ManagedObjectContext, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let users = try context.fetch(Fetch<User>())
    #expect(users.allSatisfy { !$0.isDeleted }, sourceLocation: sourceLocation)
    #expect(users.map(\.id) == [3, 4], sourceLocation: sourceLocation)
    #expect(try context.count(Fetch<User>()) == 2, sourceLocation: sourceLocation)
    let note = try #require(try context.fetch(Fetch<Note>()).first)
    let tag = try #require(try context.fetch(Fetch<Tag>()).first)
    for user in users {
      #expect(user.notes.contains(note) == (note.user === user), sourceLocation: sourceLocation)
      #expect(user.tags.contains(tag) == tag.users.contains(user), sourceLocation: sourceLocation)
    }
    let error = #expect(throws: GraphError.self, sourceLocation: sourceLocation) {
      try context.save()
    }
    #expect(error?.code == .conflict, sourceLocation: sourceLocation)
  }

  /// The change that the grandchild makes to the user that goes.
  enum Change: CaseIterable, Sendable {
    case toOneOfAnother, manyToMany
  }

  private func change(_ change: Change, in context: ManagedObjectContext) throws {
    let user3 = try user(3, in: context)
    switch change {
    case .toOneOfAnother: try #require(try context.fetch(Fetch<Note>()).first).user = user3
    case .manyToMany: try #require(try context.fetch(Fetch<Tag>()).first).users.insert(user3)
    }
  }

  @Test(arguments: Change.allCases)
  func aGrandchildFetchesNoDeletedShell(_ change: Change) throws {
    let child = main.newChildContext(.privateQueue)
    let grandchild = child.newChildContext(.privateQueue)
    try grandchild.performAndWait { try self.change(change, in: grandchild) }
    try child.performAndWait { child.delete(try user(3, in: child)) }
    try main.performAndWait { try user(3, in: main).name = "z" }
    try grandchild.performAndWait { try expectKept(in: grandchild) }
  }

  @Test(arguments: Change.allCases)
  func aCommitUnderAnUnsavedDeletionMakesNoShell(_ change: Change) throws {
    let child = main.newChildContext(.privateQueue)
    try child.performAndWait { try self.change(change, in: child) }
    try main.performAndWait { main.delete(try user(3, in: main)) }
    try stack.edit { try user(3, in: $0).name = "z" }
    main.performAndWait {}
    try child.performAndWait { try expectKept(in: child) }
  }
}
