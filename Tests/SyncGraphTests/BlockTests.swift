import Foundation
import SyncGraph
import TestSupport
import Testing

/// Values that a block has read stay as they were read until the block ends.
@Suite struct BlockTests {
  private let folder: TemporaryFolder
  private let stack: DataStack
  private let context: ManagedObjectContext
  private let other: ManagedObjectContext
  private let x: ManagedObjectID
  private let y: ManagedObjectID

  init() throws { try self.init(isFile: false) }

  private init(isFile: Bool) throws {
    folder = try TemporaryFolder()
    stack = try DataStack(
      model: .social(), store: isFile ? .sqlite(folder.file("block.sqlite")) : .inMemory)
    context = stack.newBackgroundContext()
    let other = stack.newBackgroundContext()
    self.other = other
    (x, y) = try other.performAndWait {
      let users = ["x", "y"].map { name in other.insertUser(name == "x" ? 1 : 2, name) }
      other.insertNote(1, of: users[0])
      try other.save()
      return (users[0].objectID, users[1].objectID)
    }
  }

  /// Renames x, gives it another note, and deletes y.
  private func overtake() throws {
    try other.edit {
      let user = try other.existingObject(with: x, as: User.self)
      user.name = "new"
      other.insertNote(2, of: user)
      other.delete(other.object(with: y))
    }
  }

  enum Call: CaseIterable, Sendable {
    case fetch, count, insert, delete, save, rollback, find, batch, nested
  }

  @Test(arguments: Call.allCases, [false, true])
  func noCallChangesWhatABlockHasRead(call: Call, isFile: Bool) throws {
    let scene = try BlockTests(isFile: isFile)
    let context = scene.context
    let (first, second) = try context.performAndWait {
      let first = try context.existingObject(with: scene.x, as: User.self)
      let second = try context.existingObject(with: scene.y, as: User.self)
      let notes = first.notes
      try scene.overtake()
      switch call {
      case .fetch: _ = try context.fetch(Fetch<User>())
      case .count: _ = try context.count(Fetch<User>())
      case .insert: _ = context.insert(Tag.self)
      case .delete: context.delete(try #require(context.fetch(Fetch<Note>()).first))
      case .save:
        _ = context.insert(Tag.self)
        try context.save()
        _ = try context.fetch(Fetch<User>())
      case .rollback: context.rollback()
      case .find: _ = try context.existingObject(with: scene.x)
      case .batch: _ = try context.batchUpdate(Fetch<Tag>(), ["name": "ab"])
      case .nested: context.performAndWait { _ = context.hasChanges }
      }
      #expect(first.name == "x" && !second.isDeleted && second.name == "y", "\(call)")
      if call != .delete { #expect(first.notes == notes, "\(call)") }
      // Nothing stops the program that looked first.
      context.insertNote(3, of: second)
      context.rollback()
      return (Unchecked(first), Unchecked(second))
    }
    context.performAndWait {
      #expect(first.value.name == "new" && second.value.isDeleted)
      #expect(first.value.notes.count == 2)
    }
  }

  @Test func newValuesComeInTheMidstOfABlockWhenAskedFor() throws {
    try context.performAndWait {
      let user = try context.existingObject(with: x, as: User.self)
      let second = try context.existingObject(with: y, as: User.self)
      try overtake()
      context.processPendingChanges()
      #expect(user.name == "new" && second.isDeleted)
    }
    let scene = try BlockTests()
    try scene.context.performAndWait {
      let user = try scene.context.existingObject(with: scene.x, as: User.self)
      #expect(user.name == "x")
      try scene.overtake()
      scene.context.refresh(user)
      #expect(user.name == "new")
    }
  }

  // MARK: - The main context

  @Test @MainActor func aPassOfTheMainActorIsABlock() async throws {
    let main = stack.mainContext
    // The drain of the main queue is noticed when it has ended a pass.
    _ = try main.count(Fetch<User>())
    await withCheckedContinuation { ended in DispatchQueue.main.async { ended.resume() } }
    let user = try main.existingObject(with: x, as: User.self)
    #expect(user.name == "x")
    // Another program commits, on another thread, and no context here waits.
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      #expect(throws: Never.self) { try overtake() }
      done.signal()
    }
    done.wait()
    _ = try main.fetch(Fetch<Tag>())
    #expect(user.name == "x" && user.notes.count >= 1)
    main.performAndWait { #expect(user.name == "x") }
    await other.perform {}
    #expect(user.name == "new")
  }

  /// The main thread waits by a semaphore: values that a block has read stay until it ends, and the
  /// next one begins with the latest commit, though it uses nothing but a property.
  @Test @MainActor func aWaitForASemaphoreBelongsToItsBlock() async throws {
    let main = stack.mainContext
    let user = try main.existingObject(with: x, as: User.self)
    func commit(_ round: Int) {
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [other, x] in
        #expect(throws: Never.self) {
          try other.edit {
            let user = try other.existingObject(with: x, as: User.self)
            let chore = other.insert(Chore.self)
            chore.title = "\(round)"
            user.chores.insert(chore, at: 0)
            user.name = "\(round)"
          }
        }
        done.signal()
      }
      done.wait()
    }
    func endBlock() async {
      await withCheckedContinuation { ended in DispatchQueue.main.async { ended.resume() } }
    }
    await endBlock()
    for round in 0..<20 {
      let before = user.chores.map(\.title)
      let name = user.name
      commit(2 * round)
      #expect(user.chores.map(\.title) == before && user.name == name)
      await endBlock()
      // No block is open now, and the main queue gets to nothing before the next one begins.
      commit(2 * round + 1)
      #expect(user.chores.first?.title == "\(2 * round + 1)")
      #expect(user.chores.count == 2 * round + 2 && user.name == "\(2 * round + 1)")
    }
  }

  @Test @MainActor func waitingForAnotherContextEndsThePass() throws {
    let main = stack.mainContext
    let user = try main.existingObject(with: x, as: User.self)
    #expect(user.name == "x")
    try overtake()
    _ = try main.count(Fetch<User>())
    #expect(user.name == "new")
  }
}
