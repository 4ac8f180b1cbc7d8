import Foundation
import SyncStack
import TestSupport
import Testing

/// The delegate of an operation.
@Suite(.timeLimit(.minutes(30))) struct SyncDelegateTests {
  final class LocalKeys: SyncDelegate {
    let asked = Locked<[String]>([])

    func sync(
      _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
    ) -> JSONValue {
      asked.withLock { $0.append("\(entityName) \(item["id"] ?? .null)") }
      var item = item
      if entityName == "User" { item["email"] = "local" }
      return item
    }
  }

  @Test(arguments: [true, false])
  func membersThatTheDelegateAddsToTheJSONEndUpInTheObject(queued: Bool) throws {
    let stack = try DataStack.opened("Notes")
    let delegate = LocalKeys()
    let sync = try Sync(
      changes: dictionaries(#"[{"id": 1, "company": {"id": 2}, "notes": [{"id": 3}]}]"#),
      inEntityNamed: "User", dataStack: stack)
    sync.delegate = delegate
    if queued {
      let queue = OperationQueue()
      queue.addOperations([sync], waitUntilFinished: true)
    } else {
      sync.start()
    }
    #expect(sync.isFinished && !sync.isExecuting && !sync.isCancelled)
    #expect(try stack.shown("User", "remoteID email") == ["1 local"])
    #expect(delegate.asked.withLock { $0.sorted() } == ["Company 2", "Note 3", "User 1"])
  }

  @Test func thePagesOfASessionAskItsDelegate() async throws {
    let stack = try DataStack.opened("Notes")
    let delegate = LocalKeys()
    let session = try SyncSession(entity: "User", dataStack: stack)
    session.delegate = delegate
    try await session.sync([["id": 1]] as JSONValue)
    #expect(try stack.shown("User", "remoteID email") == ["1 local"])
    #expect(delegate.asked.withLock { $0 } == ["User 1"])
  }
}
