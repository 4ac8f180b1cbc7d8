import Foundation
import SyncStack
import TestSupport
import Testing

/// The operation, its delegate and the convenience calls.
@Suite(.timeLimit(.minutes(30))) struct CallBehaviourTests {
  // MARK: - 12

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

  @Test("what the delegate adds to the JSON ends up in the object", arguments: [true, false])
  func delegate(queued: Bool) throws {
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

  @Test("cancelled before the start: finished at once, nothing touched")
  func cancelledBefore() throws {
    let stack = try DataStack.opened("Notes")
    let sync = try Sync(
      changes: dictionaries(#"[{"id": 1}]"#), inEntityNamed: "User", dataStack: stack)
    sync.cancel()
    sync.start()
    #expect(sync.isFinished && !sync.isExecuting && sync.isCancelled)
    #expect(try stack.count("User") == 0)
    sync.cancel()
    #expect(sync.isAsynchronous)
  }

  @Test("the outcome of a failed operation is there")
  func outcome() throws {
    let stack = try DataStack.opened("Notes")
    let sync = try Sync(
      changes: dictionaries(#"[{"id": 1}]"#), inEntityNamed: "Nobody", dataStack: stack)
    sync.start()
    #expect(sync.isFinished)
    #expect(throws: ModelError.self) { try sync.result?.get() }
  }

  // MARK: - 13.1

  @Test("every array call of a stack, by its completion form")
  func stackCompletions() async throws {
    let stack = try DataStack.opened("Notes")
    let one = SyncPayload.objects([["id": 1]])
    try await completed { stack.sync(one, inEntityNamed: "User", completion: $0) }
    try await completed {
      stack.sync(one, inEntityNamed: "User", operations: [.insert], completion: $0)
    }
    try await completed {
      stack.sync(one, inEntityNamed: "User", predicate: "remoteID == 1", completion: $0)
    }
    try await completed {
      stack.sync(
        one, inEntityNamed: "User", predicate: nil, operations: [.update], completion: $0)
    }
    let notes = SyncPayload.objects([["id": 7]])
    try await completed { done in
      stack.inMain { context in
        let parent = try? context.fetch(1, inEntityNamed: "User")
        stack.sync(
          notes, inEntityNamed: "Note", parent: parent, parentRelationship: "user",
          completion: done)
      }
    }
    try await completed {
      stack.sync(
        one, inEntityNamed: "User", predicate: nil, parent: nil, parentRelationship: nil,
        operations: .all, completion: $0)
    }
    stack.sync(one, inEntityNamed: "User", completion: nil)
    stack.syncQueue.waitUntilFinishedElsewhere()
    #expect(try stack.shown("User", "remoteID notes") == ["1 {7}"])
  }

  @Test("every array call of the class, by its completion form")
  func classCompletions() async throws {
    let stack = try DataStack.opened("Notes")
    let one = SyncPayload.objects([["id": 1]])
    try await completed {
      Sync.changes(one, inEntityNamed: "User", dataStack: stack, completion: $0)
    }
    try await completed {
      Sync.changes(
        one, inEntityNamed: "User", dataStack: stack, operations: [.insert], completion: $0)
    }
    try await completed {
      Sync.changes(
        one, inEntityNamed: "User", predicate: nil, dataStack: stack, completion: $0)
    }
    try await completed {
      Sync.changes(
        one, inEntityNamed: "User", predicate: nil, dataStack: stack, operations: .all,
        completion: $0)
    }
    let notes = SyncPayload.objects([["id": 7]])
    try await completed { done in
      stack.inMain { context in
        let parent = try? context.fetch(1, inEntityNamed: "User")
        Sync.changes(
          notes, inEntityNamed: "Note", parent: parent, parentRelationship: "user",
          dataStack: stack, completion: done)
      }
    }
    try await completed {
      Sync.changes(
        one, inEntityNamed: "User", predicate: nil, persistentContainer: stack, completion: $0)
    }
    try await completed {
      Sync.changes(
        one, inEntityNamed: "User", predicate: nil, persistentContainer: stack,
        operations: .all, completion: $0)
    }
    try await completed {
      Sync.compatibleChanges(
        one, inEntityNamed: "User", dataStack: stack, operations: .insertUpdate, completion: $0)
    }
    try await completed {
      Sync.compatibleChanges(
        one, inEntityNamed: "User", predicate: nil, dataStack: stack, operations: .all,
        completion: $0)
    }
    #expect(try stack.shown("User", "remoteID notes") == ["1 {7}"])
  }

  @Test("the container's calls have the async and the throwing form too")
  func containerForms() async throws {
    let stack = try DataStack.opened("Notes")
    try await Sync.changes(
      SyncPayload.objects([["id": 1]]), inEntityNamed: "User", persistentContainer: stack)
    func now() throws {
      try Sync.changes(
        [["id": 2]], inEntityNamed: "User", predicate: "remoteID > 5", persistentContainer: stack,
        operations: .all)
    }
    try now()
    #expect(try stack.shown("User", "remoteID") == ["1", "2"])
  }

  @Test("the calls of a context run now, on the calling thread")
  func contextCalls() throws {
    let stack = try DataStack.opened("Notes")
    let context = stack.newBackgroundContext()
    try context.performAndWait {
      let one = try dictionaries(#"[{"id": 1, "notes": [{"id": 3}]}]"#)
      var calls = 0
      let done: ((any Error)?) -> Void = { error in
        #expect(error == nil)
        calls += 1
      }
      context.sync(one, inEntityNamed: "User", completion: done)
      context.sync(one, inEntityNamed: "User", predicate: nil, parent: nil, completion: done)
      context.changes(
        one, inEntityNamed: "User", predicate: nil, parent: nil, parentRelationship: nil,
        operations: .all, completion: done)
      Sync.changes(
        one, inEntityNamed: "User", inContext: context, operations: .all, completion: done)
      Sync.changes(
        one, inEntityNamed: "User", predicate: nil, parent: nil, inContext: context,
        completion: done)
      Sync.changes(
        one, inEntityNamed: "User", predicate: nil, parent: nil, parentRelationship: nil,
        inContext: context, operations: .all, completion: done)
      #expect(calls == 6)
      #expect(try context.count(Fetch(entityNamed: "Note")) == 1)
    }
  }

  @Test("the calls of a context have an asynchronous form, from anywhere")
  func asynchronousContextCalls() async throws {
    let stack = try DataStack.opened("Notes")
    let context = stack.newBackgroundContext()
    let one = SyncPayload.objects([["id": 1]])
    try await context.sync(one, inEntityNamed: "User")
    try await context.changes(one, inEntityNamed: "User", operations: [.update])
    try await Sync.changes(one, inEntityNamed: "User", inContext: stack.mainContext)
    #expect(try stack.shown("User", "remoteID") == ["1"])
  }

  @Test("a parent without a relationship named: derived, children linked, others untouched")
  func parentInContext() throws {
    let stack = try DataStack.opened("Markets")
    try stack.sync(
      dictionaries(
        #"[{"id": 1, "events": [{"day": "2014-01-01"}]}, {"id": 2, "events": [{"day": "2015-01-01"}]}]"#
      ),
      inEntityNamed: "Calendar")
    try stack.inMain { main in
      let parent = try main.fetch(1, inEntityNamed: "Calendar")
      main.sync(
        try dictionaries(#"[{"day": "2014-02-02"}]"#), inEntityNamed: "Event", predicate: nil,
        parent: parent
      ) { #expect($0 == nil) }
    }
    #expect(
      try stack.shown("Event", "day calendar")
        == ["2014-02-02T00:00:00Z 1", "2015-01-01T00:00:00Z 2"])
  }

  @Test("the throwing form is complete when it returns")
  func synchronous() throws {
    let stack = try DataStack.opened("Notes")
    try stack.sync(dictionaries(#"[{"id": 1}, {"id": 2}]"#), inEntityNamed: "User")
    #expect(try stack.count("User") == 2)
  }

  @Test("completions come on the main queue")
  func mainQueue() async throws {
    let stack = try DataStack.opened("Notes")
    try await completed { done in
      stack.sync(SyncPayload.objects([["id": 1]]), inEntityNamed: "User") { error in
        dispatchPrecondition(condition: .onQueue(.main))
        done(error)
      }
    }
  }

  @Test("every mistake is an error of the completion, not the end of the process")
  func mistakes() async throws {
    let stack = try DataStack.opened("PrimaryKey")
    let one = SyncPayload.objects([["id": 1]])
    await #expect(throws: ModelError.self) {
      try await completed { stack.sync(one, inEntityNamed: "Nobody", completion: $0) }
    }
    await #expect(throws: SyncError.self) {
      try await completed { stack.sync(one, inEntityNamed: "NoID", completion: $0) }
    }
    await #expect(throws: FilterError.self) {
      try await completed {
        stack.sync(one, inEntityNamed: "User", predicate: "nothing == 1", completion: $0)
      }
    }
    let result: SyncResult<Value> = await withCheckedContinuation { continuation in
      stack.update(1, with: ["name": "x"], inEntityNamed: "User") {
        continuation.resume(returning: $0)
      }
    }
    #expect((result.error as? SyncError)?.code == .objectNotFound)
  }

  // MARK: - 13.2

  /// Where the single-object calls are made.
  enum Receiver: String, CaseIterable, Sendable {
    case stack, context, classUsingContext

    func fetch(_ id: Any, _ name: String, _ stack: DataStack) throws -> ManagedObject? {
      switch self {
      case .stack: try stack.fetch(id, inEntityNamed: name)
      case .context: try stack.mainContext.fetch(id, inEntityNamed: name)
      case .classUsingContext:
        try Sync.fetch(id, inEntityNamed: name, using: stack.mainContext)
      }
    }

    @MainActor func insertOrUpdate(_ item: [String: Any], _ name: String, _ stack: DataStack) throws
      -> ManagedObject
    {
      switch self {
      case .stack: try stack.insertOrUpdate(item, inEntityNamed: name)
      case .context: try stack.mainContext.insertOrUpdate(item, inEntityNamed: name)
      case .classUsingContext:
        try Sync.insertOrUpdate(item, inEntityNamed: name, using: stack.mainContext)
      }
    }

    @MainActor func update(_ id: Any, _ item: [String: Any], _ name: String, _ stack: DataStack)
      throws
      -> ManagedObject?
    {
      switch self {
      case .stack: try stack.update(id, with: item, inEntityNamed: name)
      case .context: try stack.mainContext.update(id, with: item, inEntityNamed: name)
      case .classUsingContext:
        try Sync.update(id, with: item, inEntityNamed: name, using: stack.mainContext)
      }
    }

    func delete(_ id: Any, _ name: String, _ stack: DataStack) throws {
      switch self {
      case .stack: try stack.delete(id, inEntityNamed: name)
      case .context: try stack.mainContext.delete(id, inEntityNamed: name)
      case .classUsingContext:
        try Sync.delete(id, inEntityNamed: name, using: stack.mainContext)
      }
    }
  }

  @Test(
    "fetch, insertOrUpdate, update and delete", arguments: Receiver.allCases,
    [("User", "remoteID", "id", false), ("SimpleID", "id", "id", true)])
  @MainActor func singleObjects(
    _ receiver: Receiver, _ entity: (name: String, local: String, remote: String, isText: Bool)
  ) throws {
    let stack = try DataStack.opened("PrimaryKey")
    func key(_ number: Int) -> Any { entity.isText ? "k\(number)" : number }
    func item(_ number: Int, _ name: String) -> [String: Any] {
      [entity.remote: key(number), "name": name]
    }
    let name = entity.name
    try stack.inMain { main in
      #expect(try receiver.fetch(key(1), name, stack) == nil)
      let inserted = try receiver.insertOrUpdate(item(1, "a"), name, stack)
      #expect(inserted.value(forKey: "name") as? String == "a")
      #expect(try receiver.fetch(key(1), name, stack) === inserted)
      #expect(!main.hasChanges)
      let updated = try receiver.insertOrUpdate(item(1, "b"), name, stack)
      #expect(updated === inserted && inserted.value(forKey: "name") as? String == "b")
      #expect(try receiver.update(key(9), ["name": "x"], name, stack) == nil)
      #expect(try receiver.update(key(1), ["name": "c"], name, stack) === inserted)
      #expect(inserted.value(forKey: "name") as? String == "c")
      // The JSON may give a new key, which is stored.
      #expect(try receiver.update(key(1), [entity.remote: key(2)], name, stack) === inserted)
      #expect(try receiver.fetch(key(1), name, stack) == nil)
      #expect(try receiver.fetch(key(2), name, stack) === inserted)
      // A second object of the key: both are updated, both are deleted.
      let twin = try main.insert(entityNamed: name)
      twin.setValue(key(2), forKey: entity.local)
      try main.save()
      _ = try receiver.update(key(2), ["name": "both"], name, stack)
      #expect(inserted.value(forKey: "name") as? String == "both")
      #expect(twin.value(forKey: "name") as? String == "both")
      try receiver.delete(key(7), name, stack)
      #expect(try main.count(Fetch(entityNamed: name)) == 2)
      try receiver.delete(key(2), name, stack)
      #expect(try main.count(Fetch(entityNamed: name)) == 0)
      #expect(!main.hasChanges)
    }
    #expect(try stack.count(name) == 0)
  }

  @Test("insertOrUpdate fills relationships, with everything allowed")
  func relationshipsOfSingleObjects() throws {
    let stack = try DataStack.opened("Notes")
    try stack.inMain { main in
      let item = try #require(
        dictionaries(#"[{"id": 1, "notes": [{"id": 1}, {"id": 2}], "company": {"id": 3}}]"#).first)
      let user = try main.insertOrUpdate(item, inEntityNamed: "User")
      #expect((user.value(forKey: "notes") as? Set<ManagedObject>)?.count == 2)
      #expect(
        (user.value(forKey: "company") as? ManagedObject)?.value(forKey: "remoteID") as? Int64 == 3)
      _ = try main.update(1, with: ["notes": [["id": 2]]] as [String: Any], inEntityNamed: "User")
      #expect(try main.count(Fetch(entityNamed: "Note")) == 1)
    }
  }

  @Test("the background forms give the key, or say why not")
  func backgroundForms() async throws {
    let stack = try DataStack.opened("PrimaryKey")
    let inserted: SyncResult<Value> = await withCheckedContinuation { continuation in
      stack.insertOrUpdate(["id": 1, "name": "a"] as [String: Any], inEntityNamed: "User") {
        continuation.resume(returning: $0)
      }
    }
    #expect(inserted.value == 1 && inserted.isSuccess && !inserted.isFailure)
    #expect(inserted.error == nil && inserted.description == "SUCCESS")
    #expect(inserted.debugDescription == "SUCCESS: 1")
    let updated: SyncResult<Value> = await withCheckedContinuation { continuation in
      stack.update(1, with: ["id": 2], inEntityNamed: "User") {
        continuation.resume(returning: $0)
      }
    }
    #expect(updated.value == 2)
    let failed: SyncResult<Value> = await withCheckedContinuation { continuation in
      stack.insertOrUpdate(["name": "a"], inEntityNamed: "User") {
        continuation.resume(returning: $0)
      }
    }
    #expect(failed.isFailure && failed.value == nil && failed.description == "FAILURE")
    #expect((failed.error as? SyncError)?.code == .missingKey)
    try await completed { stack.delete(2, inEntityNamed: "User", completion: $0) }
    #expect(try stack.count("User") == 0)
  }

  @Test("on the wrong queue the single-object calls throw (context safety)")
  func wrongQueue() throws {
    let stack = try DataStack.opened("PrimaryKey")
    let context = stack.newBackgroundContext()
    let error = #expect(throws: SyncError.self) { try context.fetch(1, inEntityNamed: "User") }
    #expect(error?.code == .invalidRequest)
  }

  @Test("the helpers of a context: safeObject and managedObjectIDs")
  func helpers() throws {
    let stack = try DataStack.opened("Notes")
    try stack.sync(
      dictionaries(#"[{"id": 1, "company": {"id": 3}}, {"id": 2}]"#), inEntityNamed: "User")
    try stack.inMain { main in
      let user = try #require(
        try main.safeObject("User", localPrimaryKey: 1, parent: nil, parentRelationshipName: nil))
      let company = try main.safeObject(
        "Company", localPrimaryKey: nil, parent: user, parentRelationshipName: "company")
      #expect(company?.value(forKey: "remoteID") as? Int64 == 3)
      let ids = try main.managedObjectIDs(in: "User", usingAsKey: "remoteID", predicate: nil)
      #expect(ids.count == 2 && ids[1] == user.objectID)
    }
    let texts = try DataStack.opened("PrimaryKey")
    try texts.sync(dictionaries(#"[{"id": "a"}, {"id": "b"}]"#), inEntityNamed: "SimpleID")
    try texts.inMain { main in
      let ids = try main.managedObjectIDs(in: "SimpleID", usingAsKey: "id")
      #expect(Set(ids.keys) == ["a", "b"])
    }
  }
}
