import Foundation
import SyncStack
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SyncSessionTests {
  private let stack: DataStack

  init() throws { stack = try Self.makeStack() }

  private static func makeStack() throws -> DataStack {
    let stack = try DataStack.social()
    let stored: JSONValue = [["id": 1, "notes": [["id": 9]]], ["id": 8, "notes": [["id": 7]]]]
    try stack.sync(stored, inEntityNamed: "User")
    return stack
  }

  @Test func pagesInAnyOrderAndOnManyQueuesGiveWhatOnePayloadGives() throws {
    let whole = try Self.makeStack()
    try whole.sync(
      .array(
        (101...500).map { .object(["id": .integer($0), "company": ["id": .integer($0 % 7)]]) })
        as JSONValue, inEntityNamed: "User")
    let session = try SyncSession(entity: "User", dataStack: stack)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 4
    var generator = SeededGenerator(seed: 4)
    let starts = stride(from: 101, through: 500, by: 10).shuffled(using: &generator)
    for start in starts {
      let page = (start..<start + 10).map { id in
        JSONValue.object(["id": .integer(Int64(id)), "company": ["id": .integer(Int64(id % 7))]])
      }
      queue.addOperation(session.page(.json(.array(page))))
    }
    let end = session.finishOperation()
    stack.syncQueue.addOperations([end], waitUntilFinished: true)
    #expect(try end.result?.get().entities["User"]?.deleted == 2)
    #expect(Set(try stack.keys("User")) == Set(try whole.keys("User")))
    #expect(try stack.keys("Company").count == 7)
    #expect(Set(try stack.keys("Note")) == Set(try whole.keys("Note")))
  }

  @Test func abandonedItDeletesNothingAndTakesNoMorePages() async throws {
    let session = try SyncSession(entity: "User", dataStack: stack, name: "daily")
    try await session.sync(items([2]))
    try session.abandon()
    #expect(try stack.keys("User") == [1, 8, 2])
    #expect(try stack.store.read { try $0.openSyncs("session") }.isEmpty)
    await expectError("SyncError invalidRequest") { try await session.sync(items([3])) }
    await #expect(throws: SyncError.self) { try await session.finish() }
    #expect(try stack.keys("User") == [1, 8, 2])
  }

  @Test func abandoningCancelsPagesThatWait() async throws {
    let session = try SyncSession(entity: "User", dataStack: stack, name: "daily")
    let queue = OperationQueue()
    let gate = try ClosedGate(stack)
    let page = session.page(.json(items([5])))
    queue.addOperation(page)
    await gate.untilWaiting(1)
    let abandoned = Task { try session.abandon() }
    queue.waitUntilFinishedElsewhere()
    gate.open()
    try await abandoned.value
    #expect(throws: CancellationError.self) { try page.result?.get() }
    #expect(try stack.keys("User") == [1, 8])
  }

  /// A rehearsal of a page mentions no object that is to stay.
  @Test(arguments: [nil, "daily"]) func dryRunsAreNoPages(_ name: String?) async throws {
    let session = try SyncSession(entity: "User", dataStack: stack, name: name)
    func rehearse() async throws {
      let page = session.page(.json(items([1])), named: "1")
      page.isDryRun = true
      try await stack.sync(page)
    }
    try await rehearse()
    await #expect(throws: SyncError.self) { try await session.finish() }
    // It does not make up for one that failed either.
    try await session.sync(items([8]), named: "8")
    await #expect(throws: JSONError.self) {
      try await session.sync(Data("[{".utf8), named: "1")
    }
    try await rehearse()
    await #expect(throws: SyncError.self) { try await session.finish() }
    #expect(try stack.keys("User") == [1, 8])
    try await session.sync(items([1]), named: "1")
    try await session.finish()
    #expect(try stack.keys("User") == [1, 8])
  }

  @Test func theGuardCanBeSwitchedOff() async throws {
    let stack = try DataStack.social()
    try await stack.sync(items(1...1_200), inEntityNamed: "User")
    let session = try SyncSession(entity: "User", dataStack: stack)
    session.deletionGuard = .off
    try await session.sync(items([1]))
    try await session.finish()
    #expect(try stack.keys("User") == [1])
  }

  @Test func filterAndOperationsHoldForPagesAndEnd() async throws {
    let stack = try DataStack.social()
    try await stack.sync(items(1...6), inEntityNamed: "User")
    let session = try SyncSession(entity: "User", dataStack: stack)
    session.filter = "id < 4"
    session.operations = [.insert, .delete]
    try await session.sync([["id": 2, "name": "new"], ["id": 9]] as JSONValue)
    try await session.finish()
    #expect(try stack.keys("User") == [2, 4, 5, 6, 9])
    #expect(try stack.values("User", "name").allSatisfy(\.isNull))
  }

  @Test(arguments: ["parent", "filter", "operations"], [nil, "daily"] as [String?])
  func anEndOfAnotherScopeThanThePagesIsRefused(_ setting: String, _ name: String?) async throws {
    let parent = try stack.inBackground {
      try $0.fetch(Fetch<ManagedObject>(entityNamed: "User", "id == 1"))[0].objectID
    }
    let session = try SyncSession(entity: "Note", dataStack: stack, name: name)
    func limit(_ sync: Sync) {
      switch setting {
      case "parent": sync.parent = parent
      case "filter": sync.filter = "user.id == 1"
      default: sync.operations = [.insert, .update]
      }
    }
    let page = session.page(items([5]))
    limit(page)
    try await stack.sync(page)
    await expectError("SyncError invalidRequest", setting) { try await session.finish() }
    #expect(try Set(stack.keys("Note")) == [5, 7, 9])
    let end = session.finishOperation()
    limit(end)
    try await stack.sync(end)
    // The note of another user stays.
    #expect(try stack.keys("Note").contains(7))
  }

  @Test(arguments: [nil, "daily"] as [String?])
  func objectsThatOthersDeleteMeanwhileHideNoOmittedOnes(_ name: String?) async throws {
    let session = try SyncSession(entity: "User", dataStack: stack, name: name)
    try await session.sync(items([1, 10]))
    try stack.inBackground { context in
      for user in try context.fetch(Fetch<ManagedObject>(entityNamed: "User", "id == 10")) {
        context.delete(user)
      }
      try context.save()
    }
    #expect(try await session.finish().deleted == 2)
    #expect(try stack.keys("User") == [1])
  }

  @Test func anOmittedMemberThatOthersMoveMeanwhileStays() async throws {
    let session = try SyncSession(entity: "User", dataStack: stack)
    try await session.sync([["id": 1, "notes": []], ["id": 8]] as JSONValue)
    try await stack.sync(
      [["id": 8, "notes": [["id": 9], ["id": 7]]]] as JSONValue, inEntityNamed: "User",
      operations: [.update, .updateRelationships])
    #expect(try await session.finish().deleted == 0)
    #expect(try Set(stack.keys("Note", "user.id == 8")) == [7, 9])
  }

  @Test func completionsGetTheReportOfTheEnd() async throws {
    let session = try SyncSession(entity: "User", dataStack: stack)
    try await session.sync(items([1]))
    let result = await withCheckedContinuation { continuation in
      session.finish { continuation.resume(returning: $0) }
    }
    #expect(result.value?.entities["User"]?.deleted == 1)
  }

  @Test func unknownEntitiesAndThoseWithoutKeyAreRefusedAtOnce() throws {
    #expect(throws: ModelError.self) { try SyncSession(entity: "Nobody", dataStack: stack) }
  }

  @Test func anEndThatIsADryRunLeavesTheSessionOpen() async throws {
    let session = try SyncSession(entity: "User", dataStack: stack)
    try await session.sync(items([1]))
    let rehearsal = session.finishOperation()
    rehearsal.isDryRun = true
    #expect(try await stack.sync(rehearsal).entities["User"]?.deleted == 1)
    #expect(try stack.keys("User") == [1, 8])
    try await session.finish()
    #expect(try stack.keys("User") == [1])
  }
}
