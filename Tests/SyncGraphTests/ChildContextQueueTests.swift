import Dispatch
import SyncCore
import SyncGraph
import Testing

@Suite(.timeLimit(.minutes(1))) struct ChildContextQueueTests {
  private enum Parent: CaseIterable, Sendable { case main, background, child }

  private func parent(_ kind: Parent, _ stack: DataStack) -> ManagedObjectContext {
    switch kind {
    case .main: stack.mainContext
    case .background: stack.newBackgroundContext()
    case .child: stack.newBackgroundContext().newChildContext(.privateQueue)
    }
  }

  /// Children on queues of their own, their parent and somebody else all work at the same time.
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

  private static func work(_ context: ManagedObjectContext, _ worker: Int64) async throws {
    for round in 0..<15 as Range<Int64> {
      try await context.perform {
        let user = context.insert(User.self)
        user.id = worker * 100 + round
        let note = context.insert(Note.self)
        note.id = user.id
        note.user = user
        for known in try context.fetch(Fetch<User>("id >= %@", worker * 100)) {
          known.email = known.notes.first?.text
        }
        try context.save()
      }
    }
  }
}
