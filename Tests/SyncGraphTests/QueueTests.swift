import Dispatch
import Foundation
import SyncCore
import SyncGraph
import Testing

@Suite struct QueueTests {
  @Test func performAndWaitIsReentrant() throws {
    let stack = try DataStack.social()
    let first = stack.newBackgroundContext()
    let second = stack.newBackgroundContext()
    let depth = first.performAndWait {
      first.performAndWait {
        second.performAndWait {
          // The first queue waits for this block, so its work may be done here.
          first.performAndWait {
            let user = first.insert(User.self)
            user.name = "Ann"
            return second.performAndWait { second.insert(User.self).age + 3 }
          }
        }
      }
    }
    #expect(depth == 3)
    #expect(first.performAndWait { first.insertedObjects.count } == 1)
  }

  @Test @MainActor func theMainContextIsUsableOnTheMainActor() async throws {
    let stack = try DataStack.social()
    let main = stack.mainContext
    let user = main.insertUser(1)
    try main.save()
    let background = stack.newBackgroundContext()
    let id = user.objectID
    let name = background.performAndWait {
      // The main queue waits for this one.
      main.performAndWait { user.name = "Ann" }
      return background.object(with: id)["name"] as? String
    }
    #expect(name == nil && user.name == "Ann")
    let count = try await main.perform { try main.count(Fetch<User>("name == %@", "Ann")) }
    #expect(count == 1)
  }

  @Test
  @MainActor func workThatIsWaitedForRunsOnTheWaitingThreadAlsoWhenTheQueueIsBusy() throws {
    let stack = try DataStack.social()
    let background = stack.newBackgroundContext()
    for _ in 0..<100 {
      background.perform { background.insert(User.self).id = 1 }
      let names = try background.performAndWait {
        // Isolated to the main actor, as the block around it: the runtime checks that.
        try background.fetch(Fetch<User>()).map { user in
          user.name = "Ann"
          return user.name
        }
      }
      #expect(names.last == "Ann")
    }
  }

  @Test func queuesThatWaitForEachOtherOnLentThreadsDoNotHang() async throws {
    let stack = try DataStack.social()
    let contexts = (0..<3).map { _ in stack.newBackgroundContext() }
    let rounds = 200
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          let (first, second) = (contexts[worker % 3], contexts[(worker + 1 + worker / 3) % 3])
          for _ in 0..<rounds {
            await first.perform {
              second.performAndWait {
                _ = second.insert(User.self)
                first.performAndWait { _ = first.insert(User.self) }
              }
            }
          }
        }
      }
    }
    let inserted = contexts.map { context in
      context.performAndWait { context.insertedObjects.count }
    }
    #expect(inserted.reduce(0, +) == 6 * rounds * 2)
  }

  @Test func performHandsResultsAndErrorsOver() async throws {
    let context = try DataStack.social().newBackgroundContext()
    let age = await context.perform { context.insert(User.self).age }
    #expect(age == 0)
    await #expect(throws: ModelError.self) {
      try await context.perform { try context.insert(entityNamed: "Nobody").objectID }
    }
    await confirmation { confirm in
      await withCheckedContinuation { continuation in
        context.perform {
          confirm()
          continuation.resume()
        }
      }
    }
  }

  @Test func backgroundTasksReturnResults() async throws {
    let stack = try DataStack.social()
    let id = try await stack.performBackgroundTask { context in
      let user = context.insertUser(7)
      try context.save()
      return user.objectID
    }
    #expect(onMain { stack.mainContext.object(with: id)["id"] as? Int64 } == 7)
  }

  // MARK: - Wrong queues

  @Test func mainObjectsOnOtherQueuesStop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try DataStack.social()
      let main = stack.mainContext
      nonisolated(unsafe) var user: User?
      main.performAndWait { user = main.insert(User.self) }
      let background = stack.newBackgroundContext()
      background.performAndWait { user?.name = "Ann" }
    }
    expectStop(result, says: "belongs to the main queue", "@MainActor")
  }

  /// A use of an object and its context.
  enum Use: String, CaseIterable, Codable, Sendable {
    case fetch, count, values, insert, find, save, rollback, reset, refresh, hasChanges, batch,
      watch
    case read, write, key, list, ordered, changes, delete, snapshot
  }

  @Test(arguments: Use.allCases)
  func everyUseOnTheWrongQueueStopsWithAMessage(use: Use) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [use] in
      let stack = try DataStack.social()
      let context = stack.newBackgroundContext()
      nonisolated(unsafe) var found: User?
      context.performAndWait { found = context.insert(User.self) }
      guard let user = found else { return }
      switch use {
      case .fetch: _ = try context.fetch(Fetch<User>())
      case .count: _ = try context.count(Fetch<User>())
      case .values: _ = try context.values(Fetch<User>(), ["name"])
      case .insert: _ = try context.insert(entityNamed: "User")
      case .find: _ = context.object(with: user.objectID)
      case .save: try context.save()
      case .rollback: context.rollback()
      case .reset: context.reset()
      case .refresh: context.refresh(user)
      case .hasChanges: _ = context.hasChanges
      case .batch: try context.batchDelete(Fetch<User>())
      case .watch: _ = try LiveResults(Fetch<User>(), in: context)
      case .read: _ = user.name
      case .write: user.name = "Ann"
      case .key: _ = user["name"]
      case .list: user.notes.removeAll()
      case .ordered: _ = user.chores.count
      case .changes: _ = user.changedValues()
      case .delete: user.delete()
      case .snapshot: _ = user.snapshot()
      }
    }
    expectStop(result, says: "perform { }")
    if use == .read { expectStop(result, says: "objectID") }
  }
}
