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
    let user = main.insert(User.self)
    user.id = 1
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
      let user = context.insert(User.self)
      user.id = 7
      try context.save()
      return user.objectID
    }
    #expect(onMain { stack.mainContext.object(with: id)["id"] as? Int64 } == 7)
  }

  // MARK: - Wrong queues

  @Test func contextsOnTheWrongQueueStop() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = try DataStack.social().newBackgroundContext()
      _ = context.insert(User.self)
    }
    #expect(Self.text(result).contains("perform { }"))
  }

  @Test func objectsOnTheWrongQueueStop() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = try DataStack.social().newBackgroundContext()
      nonisolated(unsafe) var user: User?
      context.performAndWait { user = context.insert(User.self) }
      _ = user?.name
    }
    #expect(Self.text(result).contains("objectID"))
  }

  @Test func mainObjectsOnOtherQueuesStop() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let stack = try DataStack.social()
      let main = stack.mainContext
      nonisolated(unsafe) var user: User?
      main.performAndWait { user = main.insert(User.self) }
      let background = stack.newBackgroundContext()
      background.performAndWait { user?.name = "Ann" }
    }
    #expect(Self.text(result).contains("belongs to the main queue"))
  }

  private static func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}
