import Foundation
import SyncStack
import TestSupport
import Testing

/// The calls as people type them: defaults left out, trailing closures, JSON as `JSONSerialization`
/// gives it, and everything inferred that can be.
@Suite struct SpellingTests {
  private let json = #"[{"id": 1, "name": "Ada", "email": "a@b.c"}]"#

  @Test func synchronousCallsCompileInEverySpelling() throws {
    let stack = try DataStack.opened("Notes")
    let users = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]] ?? []
    let any = try JSONSerialization.jsonObject(with: Data(json.utf8))
    #expect(any is [[String: Any]])
    try stack.sync(users, inEntityNamed: "User")
    try stack.sync(users, inEntityNamed: "User", operations: [.insert, .update])
    try stack.sync(users, inEntityNamed: "User", operations: .all)
    try stack.sync(users, inEntityNamed: "User", predicate: Filter("remoteID = %@", 1))
    try stack.sync(users, inEntityNamed: "User", predicate: "remoteID = 1", operations: .update)
    try stack.sync([["id": 1, "name": "Ada"]], inEntityNamed: "User")
    try stack.sync([["id": 1]], inEntityNamed: "User")
    try stack.sync([["id": 1, "name": NSNull()]] as [[String: Any]], inEntityNamed: "User")
    try stack.sync(["id": 1, "name": "Ada"], inEntityNamed: "User")
    try Sync.changes(users, inEntityNamed: "User", dataStack: stack)
    try Sync.changes(users, inEntityNamed: "User", predicate: nil, dataStack: stack)
    try Sync.changes(users, inEntityNamed: "User", persistentContainer: stack)
    try Sync.compatibleChanges(
      users, inEntityNamed: "User", dataStack: stack, operations: .insertUpdate)
    let sync = Sync(changes: users, inEntityNamed: "User", dataStack: stack)
    sync.start()
    #expect(sync.isFinished && !sync.isExecuting && !sync.isCancelled && sync.isAsynchronous)
    let operation = Sync(changes: users, inEntityNamed: "User", predicate: nil, dataStack: stack)
    OperationQueue().addOperations([operation], waitUntilFinished: true)
    #expect(try stack.shown("User", "remoteID name") == ["1 Ada"])
  }

  @Test func trailingClosuresAreCalledInEverySpelling() async throws {
    let stack = try DataStack.opened("Notes")
    let users = SyncPayload.objects(try dictionaries(json))
    await withCheckedContinuation { done in
      stack.sync(users, inEntityNamed: "User") { error in
        #expect(error == nil)
        done.resume()
      }
    }
    await withCheckedContinuation { done in
      stack.sync(users, inEntityNamed: "User", operations: [.update]) { _ in done.resume() }
    }
    await withCheckedContinuation { done in
      Sync.changes(users, inEntityNamed: "User", dataStack: stack) { _ in done.resume() }
    }
    try await stack.sync(users, inEntityNamed: "User")
    try await Sync.changes(users, inEntityNamed: "User", dataStack: stack, operations: .all)
    #expect(try stack.shown("User", "remoteID name") == ["1 Ada"])
  }

  @Test @MainActor func singleObjects() throws {
    let stack = try DataStack.opened("Notes")
    try stack.inMain { context in
      let user: ManagedObject = try stack.insertOrUpdate(
        ["id": 1, "name": "Ada"], inEntityNamed: "User")
      let same = try context.insertOrUpdate(
        ["id": 1, "email": "x"] as [String: Any], inEntityNamed: "User")
      #expect(user == same)
      _ = try Sync.insertOrUpdate(["id": 2], inEntityNamed: "User", using: context)
      let found = try stack.fetch(1, inEntityNamed: "User")
      #expect(found?.value(forKey: "name") as? String == "Ada")
      let typed: ManagedObject? = try Sync.fetch("1", inEntityNamed: "User", using: context)
      #expect(typed == user)
      let updated = try stack.update(1, with: ["name": "Eva"], inEntityNamed: "User")
      #expect(updated == user)
      let missing = try context.update(9, with: ["name": "Eva"], inEntityNamed: "User")
      #expect(missing == nil)
      let renamed = try Sync.update(1, with: ["id": 3], inEntityNamed: "User", using: context)
      #expect(renamed?.value(forKey: "remoteID") as? Int64 == 3)
      try stack.delete(2, inEntityNamed: "User")
      try context.delete(9, inEntityNamed: "User")
      try Sync.delete(3, inEntityNamed: "User", using: context)
      let count = try context.count(Fetch(entityNamed: "User"))
      #expect(count == 0)
    }
  }

  @Test func objectsInABackgroundContext() throws {
    let stack = try DataStack.opened("Notes")
    try stack.inBackground { context in
      try Sync.changes(dictionaries(json), inEntityNamed: "User", inContext: context)
      try context.sync(dictionaries(json), inEntityNamed: "User")
      context.sync(SyncPayload.objects(try dictionaries(json)), inEntityNamed: "User") { error in
        #expect(error == nil)
      }
      let user = try context.insert(entityNamed: "User")
      try user.fill(with: ["id": 4, "name": "Bo"])
      try user.hyp_fill(with: ["email": "b@o"] as [String: Any])
      try context.save()
      let exported = try user.export()
      #expect(exported["id"] == 4)
      #expect(try user.export(using: .camelCase)["remoteID"] == nil)
      #expect(try user.export(using: .excludedRelationships)["notes"] == nil)
      #expect(try user.hyp_dictionary()["notes_attributes"] != nil)
    }
    #expect(try stack.inMain { try $0.count(Fetch(entityNamed: "User")) } == 2)
    #expect(stack.viewContext === stack.mainContext)
  }
}
