import Foundation
import SyncStack
import TestSupport
import Testing

/// Syncs in one call, on stack, context and class.
@Suite(.timeLimit(.minutes(5))) struct ConvenienceCallTests {
  private let stack: DataStack

  init() throws { stack = try DataStack.social() }

  /// The same throwing call, whatever the context of the caller prefers.
  private func immediately<T>(_ call: () throws -> T) rethrows -> T { try call() }

  @Test func theCallsOfAStackTakePredicateParentAndOperations() async throws {
    try await completed { stack.sync(items(1...3), inEntityNamed: "User", completion: $0) }
    try await completed {
      stack.sync(items([4]), inEntityNamed: "User", operations: [.insert], completion: $0)
    }
    #expect(try stack.keys("User") == [1, 2, 3, 4])
    try await completed {
      stack.sync(items([1]), inEntityNamed: "User", predicate: "id < 3", completion: $0)
    }
    #expect(try stack.keys("User") == [1, 3, 4])
    try await completed {
      stack.sync(
        items([9]), inEntityNamed: "User", predicate: "id < 4", operations: [.delete],
        completion: $0)
    }
    #expect(try stack.keys("User") == [4])
    stack.sync(items([5]), inEntityNamed: "User", completion: nil)
    stack.syncQueue.waitUntilFinishedElsewhere()
    #expect(try stack.keys("User") == [5])
  }

  @Test func completionsCarryTheError() async throws {
    await #expect(throws: ModelError.self) {
      try await completed { stack.sync(items([1]), inEntityNamed: "Nobody", completion: $0) }
    }
    await #expect(throws: JSONError.self) {
      try await completed { stack.sync(Data("[".utf8), inEntityNamed: "User", completion: $0) }
    }
    await #expect(throws: FilterError.self) {
      try await completed {
        stack.sync(items([1]), inEntityNamed: "User", predicate: "nothing == 1", completion: $0)
      }
    }
  }

  @Test func completionsAreCalledOnTheMainQueue() async throws {
    try await completed { done in
      stack.sync(items([1]), inEntityNamed: "User") { error in
        dispatchPrecondition(condition: .onQueue(.main))
        done(error)
      }
    }
  }

  @Test func theClassFormsDoTheSame() async throws {
    try await completed {
      Sync.changes(items(1...3), inEntityNamed: "User", dataStack: stack, completion: $0)
    }
    try await completed {
      Sync.changes(
        items([4]), inEntityNamed: "User", dataStack: stack, operations: .insert, completion: $0)
    }
    try await completed {
      Sync.changes(
        items([1]), inEntityNamed: "User", predicate: "id < 3", dataStack: stack, completion: $0)
    }
    #expect(try stack.keys("User") == [1, 3, 4])
    try await completed {
      Sync.changes(
        items([5]), inEntityNamed: "User", persistentContainer: stack, operations: [.insert],
        completion: $0)
    }
    try await Sync.changes(
      items([6]), inEntityNamed: "User", dataStack: stack, operations: [.insert])
    try await Sync.changes(
      items([6]), inEntityNamed: "User", persistentContainer: stack, operations: [.insert])
    _ = try immediately {
      try Sync.changes(items([7]), inEntityNamed: "User", dataStack: stack, operations: [.insert])
    }
    #expect(try stack.keys("User") == [1, 3, 4, 5, 6, 7])
  }

  @Test(
    arguments: [
      (CompatibleOperationOptions.insert, 0, [0, 1, 6], false),
      (.update, 1, [0, 1], true),
      (.delete, 2, [0], false),
      (.insertUpdate, 3, [0, 1, 6], true),
      (.insertDelete, 4, [0, 6], false),
      (.updateDelete, 5, [0], true),
      (.all, 6, [0, 6], true),
    ])
  func numberedOptionsMeanWhatTheirNamesSay(
    _ options: CompatibleOperationOptions, _ number: Int, _ keys: [Int64], _ isUpdated: Bool
  ) async throws {
    #expect(options.rawValue == number)
    let stored: JSONValue = [["id": 0, "name": "old"], ["id": 1, "name": "old"]]
    try await stack.sync(stored, inEntityNamed: "User")
    let payload: JSONValue = [["id": 0, "name": "new"], ["id": 6, "name": "new"]]
    try await completed {
      Sync.compatibleChanges(
        payload, inEntityNamed: "User", dataStack: stack, operations: options, completion: $0)
    }
    #expect(try stack.keys("User") == keys)
    #expect(try stack.values("User", "name").first == (isUpdated ? "new" : "old"))
  }

  @Test func aContextCallIsDoneWhenItReturns() throws {
    try stack.inBackground { context in
      let errors = Log<String>()
      context.sync(items([1, 2]), inEntityNamed: "User") { errors.append("\($0 as Any)") }
      #expect(errors.all == ["nil"])
      let known = try #require(try context.fetch(2, inEntityNamed: "User"))
      Sync.changes(
        [["id": 2, "name": "B"]] as JSONValue, inEntityNamed: "User", inContext: context,
        operations: [.update]
      ) { errors.append("\($0 as Any)") }
      #expect(errors.all.count == 2)
      #expect(known["name"] as? String == "B", "the context has merged when the call returns")
      try context.changes(items([2]), inEntityNamed: "User", predicate: "id < 2")
      context.changes(items([2]), inEntityNamed: "User", completion: nil)
      #expect(try stack.keys("User") == [2])
      context.sync(items([1]), inEntityNamed: "Nobody") { errors.append("\($0 is ModelError)") }
      #expect(errors.all.last == "Optional(true)" || errors.all.last == "true")
    }
  }

  @Test func aContextCallWaitsAsynchronouslyFromAnywhere() async throws {
    let context = stack.newBackgroundContext()
    let report = try await context.sync(items([1, 2]), inEntityNamed: "User")
    #expect(report.inserted == 2)
    try await context.changes(items([1, 2]), inEntityNamed: "User", operations: [.update])
    try await Sync.changes(items([2]), inEntityNamed: "User", inContext: stack.mainContext)
    #expect(try stack.keys("User") == [2])
  }

  @Test func unsavedEditsAreLeftAloneAndWinUntilTheyAreSaved() throws {
    let context = stack.newBackgroundContext()
    try context.performAndWait {
      try context.sync([["id": 1, "name": "a", "age": 1]] as JSONValue, inEntityNamed: "User")
      let user = try #require(try context.fetch(1, inEntityNamed: "User"))
      user["name"] = "mine"
      try context.sync([["id": 1, "name": "theirs", "age": 2]] as JSONValue, inEntityNamed: "User")
      #expect(user["name"] as? String == "mine")
      #expect(user["age"] as? Int64 == 2, "the sync is the block's own")
      #expect(context.hasChanges)
    }
    try context.performAndWait {
      let user = try #require(try context.fetch(1, inEntityNamed: "User"))
      #expect(user["name"] as? String == "mine")
      #expect(user["age"] as? Int64 == 2)
    }
    #expect(try stack.values("User", "name") == ["theirs"])
  }

  @Test func aParentThatIsNotStoredIsAnError() throws {
    try stack.inBackground { context in
      let parent = try context.insert(entityNamed: "User")
      expectError("SyncError parentNotFound") {
        try context.sync(items([1]), inEntityNamed: "Note", parent: parent)
      }
    }
  }

  @Test func aDisposableContextKeepsNothing() async throws {
    try await MainActor.run {
      let context = stack.newDisposableMainContext()
      let report = try immediately { try context.sync(items([1, 2]), inEntityNamed: "User") }
      #expect(report.inserted == 2)
      #expect(try context.count(Fetch<ManagedObject>(entityNamed: "User")) == 0)
    }
    #expect(try stack.keys("User").isEmpty)
  }

  @Test func anOperationIsMadeWithEverythingInItsInitialiser() throws {
    try stack.sync(items(1...3), inEntityNamed: "User")
    let context = stack.newBackgroundContext()
    context.author = "importer"
    stack.drainNotifications()
    let authors = Log<String?>()
    let token = NotificationCenter.default.addObserver(
      forName: .dataStackDidChange, object: stack, queue: nil
    ) { authors.append($0.changeSet.author) }
    defer { NotificationCenter.default.removeObserver(token) }
    let sync = Sync(
      changes: items([2, 9]), inEntityNamed: "User", predicate: "id < 3", parent: nil,
      parentRelationship: nil, context: context, dataStack: stack, operations: [.insert, .delete])
    sync.start()
    #expect(sync.isFinished)
    #expect(try stack.keys("User") == [2, 3, 9])
    stack.drainNotifications()
    #expect(authors.all == ["importer"])
  }

  @Test func aPayloadThatIsNoPayloadIsReported() throws {
    let rubbish: [[String: Any]] = [["id": NSObject()]]
    #expect(throws: JSONError.self) { try stack.sync(rubbish, inEntityNamed: "User") }
  }
}
