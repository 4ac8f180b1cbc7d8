import Dispatch
import SyncGraph
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChildContextQueueTests {
  private enum Parent: CaseIterable, Sendable { case main, background, child }

  private func parent(_ kind: Parent, _ stack: DataStack) -> ManagedObjectContext {
    switch kind {
    case .main: stack.mainContext
    case .background: stack.newBackgroundContext()
    case .child: stack.newBackgroundContext().newChildContext(.privateQueue)
    }
  }

  /// Children on queues of their own, their parent and another context all work at the same time.
  @Test(arguments: Parent.allCases) private func nothingIsLostWhenAllWorkAtOnce(
    kind: Parent
  ) async throws {
    let stack = try DataStack.social()
    let parent = parent(kind, stack)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<3 as Range<Int64> {
        let child = parent.newChildContext(.privateQueue)
        group.addTask { try await Self.work(child, worker) }
      }
      let other = stack.newBackgroundContext()
      group.addTask { try await Self.work(other, 3) }
      group.addTask {
        for _ in 0..<20 {
          try await parent.perform {
            for user in try parent.fetch(Fetch<User>("id < 1000")) { user.age += 1 }
            try parent.save()
          }
        }
      }
      try await group.waitForAll()
    }
    var context: ManagedObjectContext? = parent
    while let current = context {
      try await current.perform { try current.save() }
      context = current.parent
    }
    let reader = stack.newBackgroundContext()
    let counts = try await reader.perform {
      let users = try reader.fetch(Fetch<User>())
      return (users.count, Set(users.map(\.id)).count, users.filter { $0.notes.count == 1 }.count)
    }
    #expect(counts == (60, 60, 60))
  }

  /// A block of the parent enters the child, a block of the child reads from the parent and saves
  /// into it: each waits for the other, whichever comes first.
  @Test(arguments: [Kinship.ownQueues, .belowMain, .aboveBackground, .grandchild])
  func aParentMayEnterAChildThatReadsFromIt(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    let (root, parent, child) = (scene.root, scene.parent, scene.child)
    for round in 0..<40 as Range<Int64> {
      let isInside = DispatchSemaphore(value: 0)
      let isOver = DispatchSemaphore(value: 0)
      child.perform {
        isInside.signal()
        #expect(throws: Never.self) {
          let user = try child.user(1)
          user.age = round
          try child.save()
          #expect(try child.user(1).age == round)
        }
        isOver.signal()
      }
      let outer = round.isMultiple(of: 2) ? parent : root
      let found = try outer.performAndWait {
        isInside.wait()
        if outer === parent { try parent.user(2).age = round }
        return try child.performAndWait { () throws -> [Int64] in
          child.insertUser(1000 + round)
          return try [child.user(1).age, Int64(child.count(Fetch<User>()))]
        }
      }
      isOver.wait()
      #expect(found == [round, 4 + round])
    }
    #expect(try scene.inParent { try $0.user(1).age } == 39)
    #expect(child.performAndWait { child.insertedObjects.count } == 1)
  }

  /// The root enters a grandchild, which waits to read from the parent, while the parent is about
  /// to merge the root's changes and has to read from the root for that. No child may read from the
  /// parent meanwhile: some of its values are from before the change and some from after it.
  @Test(arguments: [ManagedObjectContext.Concurrency.mainQueue, .privateQueue])
  func aChildNeverReadsAHalfMergedParent(_ kind: ManagedObjectContext.Concurrency) throws {
    let stack = try DataStack.social()
    let root = kind == .mainQueue ? stack.mainContext : stack.newBackgroundContext()
    let parent = root.newChildContext(.privateQueue)
    try root.edit {
      for id in 1...2 as ClosedRange<Int64> { root.insert(User.self).id = id }
      root.insertNote(1, of: try root.user(1))
    }
    // An unsaved value, so that the merge has to read the note again.
    try parent.performAndWait { try #require(parent.fetch(Fetch<Note>()).first).text = "unsaved" }
    for round in 0..<40 as Range<Int64> {
      let child = parent.newChildContext(.privateQueue)
      let isInside = DispatchSemaphore(value: 0)
      let isWaiting = DispatchSemaphore(value: 0)
      let isOver = DispatchSemaphore(value: 0)
      parent.perform {
        #expect(throws: Never.self) { try Self.ends(parent) }
        isInside.signal()
        isWaiting.wait()
        parent.processPendingChanges()
        isOver.signal()
      }
      isInside.wait()
      let ends = try root.performAndWait {
        try #require(root.fetch(Fetch<Note>()).first).user = try root.user(1 + (round + 1) % 2)
        root.processPendingChanges()
        isWaiting.signal()
        return try child.performAndWait { try Self.ends(child) }
      }
      isOver.wait()
      #expect(ends.byNote == ends.byUser, "round \(round)")
    }
  }

  /// The owner of the only note, as both ends of the relationship say.
  private static func ends(
    _ context: ManagedObjectContext
  ) throws -> (byNote: Int64?, byUser: Int64?) {
    let users = try context.fetch(Fetch<User>())
    return (
      try context.fetch(Fetch<Note>()).first?.user?.id,
      users.first { !$0.notes.isEmpty }?.id
    )
  }

  @Test func contextsMayEnterEachOther() throws {
    let stack = try DataStack.social()
    let contexts = (0..<3).map { _ in stack.newBackgroundContext() }
    let isOver = DispatchSemaphore(value: 0)
    for round in 0..<120 {
      let (first, second) = (contexts[round % 3], contexts[(round + 1) % 3])
      first.perform {
        second.performAndWait {
          first.performAndWait { first.insert(User.self).id = Int64(round) }
          second.insert(User.self).id = Int64(round)
        }
        isOver.signal()
      }
    }
    for _ in 0..<120 { isOver.wait() }
    let count = contexts.reduce(0) { sum, context in
      sum + context.performAndWait { context.insertedObjects.count }
    }
    #expect(count == 240)
  }

  @Test func drainingReachesTheMainContextWhereItCan() throws {
    let stack = try DataStack.social()
    let main = stack.mainContext
    let editor = main.newChildContext(.privateQueue)
    let work = stack.newBackgroundContext()
    let results = try onMain { try LiveResults(Fetch<User>(), in: main) }
    let edited = try editor.performAndWait { try LiveResults(Fetch<User>(), in: editor) }
    func insert() throws {
      work.insertUser(1)
      try work.save()
    }
    try onMain {
      // The main queue waits for this block, so its deliveries are made here.
      try work.performAndWait {
        try insert()
        stack.drainNotifications()
      }
      #expect(results.objects.count == 1)
      #expect(editor.performAndWait { edited.objects.count } == 1)
    }
  }

  private static func work(_ context: ManagedObjectContext, _ worker: Int64) async throws {
    for round in 0..<15 as Range<Int64> {
      try await context.perform {
        let user = context.insertUser(worker * 100 + round)
        context.insertNote(user.id, of: user)
        for known in try context.fetch(Fetch<User>("id >= %@", worker * 100)) {
          known.email = known.notes.first?.text
        }
        try context.save()
      }
    }
  }
}
