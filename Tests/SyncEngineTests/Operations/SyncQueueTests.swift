import Foundation
import SyncStack
import TestSupport
import Testing

/// Syncs are operations like any other, and no arrangement of them waits for itself.
@Suite(.timeLimit(.minutes(5))) struct SyncQueueTests {
  private let stack: DataStack

  init() throws { stack = try DataStack.social() }

  private func sync(_ keys: ClosedRange<Int>, _ stack: DataStack, name: String = "") -> Sync {
    let sync = Sync(.json(items(keys)), inEntityNamed: "User", dataStack: stack)
    sync.operations = [.insert, .update]
    sync.name = name
    return sync
  }

  // MARK: - Order

  @Test func anUrgentSyncBehindTwentyLongOnesRunsNext() async throws {
    let order = Log<String>()
    let gate = try ClosedGate(stack)
    var syncs: [Sync] = []
    for number in 0..<20 { syncs.append(sync(1...50, stack, name: "\(number)")) }
    let urgent = sync(51...51, stack, name: "urgent")
    urgent.queuePriority = .veryHigh
    for sync in syncs + [urgent] {
      sync.whenFinished { [name = sync.name ?? ""] _ in order.append(name) }
      stack.syncQueue.addOperation(sync)
      if sync === syncs[0] { await gate.untilWaiting(1) }
    }
    gate.open()
    stack.syncQueue.waitUntilFinishedElsewhere()
    #expect(order.all == ["0", "urgent"] + (1..<20).map(String.init))
  }

  @Test func ofSyncsThatWaitOnManyQueuesTheMostUrgentGoesFirst() async throws {
    let gate = try ClosedGate(stack)
    var queues: [OperationQueue] = []
    let priorities: [Operation.QueuePriority] = [.low, .normal, .veryHigh]
    for (number, priority) in priorities.enumerated() {
      let sync = sync(number...number, stack)
      sync.queuePriority = priority
      let queue = OperationQueue()
      queue.addOperation(sync)
      queues.append(queue)
      await gate.untilWaiting(number + 1)
    }
    gate.open()
    for queue in queues { queue.waitUntilFinishedElsewhere() }
    #expect(try stack.keys("User") == [2, 1, 0])
  }

  @Test func onASuspendedQueueNothingHappens() throws {
    stack.syncQueue.isSuspended = true
    let waiting = sync(1...3, stack)
    stack.syncQueue.addOperation(waiting)
    try stack.sync(items([7]), inEntityNamed: "User")
    #expect(try stack.keys("User") == [7])
    #expect(waiting.result == nil)
    stack.syncQueue.isSuspended = false
    stack.syncQueue.waitUntilAllOperationsAreFinished()
    #expect(try stack.keys("User") == [7, 1, 2, 3])
  }

  @Test func syncsOfTwoStacksRunAtTheSameTime() async throws {
    let stuck = try DataStack.social()
    let free = try DataStack.social()
    let gate = try ClosedGate(stuck)
    let waiting = sync(1...3, stuck)
    stuck.syncQueue.addOperation(waiting)
    await gate.untilWaiting(1)
    try await free.sync(items([1]), inEntityNamed: "User")
    #expect(waiting.result == nil)
    gate.open()
    stuck.syncQueue.waitUntilFinishedElsewhere()
    #expect(try waiting.result?.get().inserted == 3)
  }

  @Test func syncsThatWaitKeepNoThreads() async throws {
    let gate = try ClosedGate(stack)
    let queues = (0..<40).map { number in
      let queue = OperationQueue()
      queue.addOperation(sync(number...number, stack))
      return queue
    }
    try await gate.untilAllWait(40, stack)
    // Blocks on the global queue still get a thread.
    for _ in 0..<100 {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume() }
      }
    }
    gate.open()
    for queue in queues { queue.waitUntilFinishedElsewhere() }
    #expect(try stack.keys("User").count == 40)
  }

  @Test func parkedSyncsBehaveAsAnyOperation() async throws {
    let gate = try ClosedGate(stack)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 20
    let syncs = (0..<20).map { sync($0...$0, stack) }
    let done = Log<Int>()
    let after = BlockOperation { done.append(-1) }
    for sync in syncs {
      sync.completionBlock = { done.append(1) }
      after.addDependency(sync)
      queue.addOperation(sync)
    }
    queue.addOperation(after)
    try await gate.untilAllWait(20, stack)
    #expect(syncs.allSatisfy { $0.isExecuting && !$0.isFinished })
    for sync in syncs[10...] { sync.cancel() }
    // Those end while the gate is closed, parked or not.
    for sync in syncs[10...] { sync.waitUntilFinishedElsewhere() }
    #expect(syncs.filter(\.isFinished).count == 10)
    gate.open()
    queue.waitUntilFinishedElsewhere()
    #expect(try stack.keys("User").count == 10)
    // Completion blocks come on a queue of the system's own, each once.
    while done.all.count < 21 { await Task.yield() }
    #expect(done.all.count { $0 == 1 } == 20)
    #expect(done.all.count { $0 == -1 } == 1)
    for sync in syncs[10...] {
      #expect(throws: CancellationError.self) { try sync.result?.get() }
    }
  }

  @Test(arguments: [QualityOfService.background, .userInitiated])
  func aParkedSyncRunsWithItsQualityOfService(_ quality: QualityOfService) async throws {
    let gate = try ClosedGate(stack)
    let seen = Log<QualityOfService>()
    let queue = OperationQueue()
    let sync = sync(1...3, stack)
    sync.qualityOfService = quality
    sync.stepObserver = { _ in seen.append(Thread.current.qualityOfService) }
    queue.addOperation(sync)
    try await gate.untilAllWait(1, stack)
    gate.open()
    queue.waitUntilFinishedElsewhere()
    #expect(Set(seen.all) == [quality])
  }

  @Test func someoneUrgentPassesThoseThatAreParked() async throws {
    let gate = try ClosedGate(stack)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 20
    for key in 0..<10 { queue.addOperation(sync(key...key, stack)) }
    try await gate.untilAllWait(10, stack)
    let urgent = sync(99...99, stack)
    urgent.queuePriority = .veryHigh
    queue.addOperation(urgent)
    try await gate.untilAllWait(11, stack)
    gate.open()
    queue.waitUntilFinishedElsewhere()
    #expect(try stack.keys("User").first == 99)
  }

  // MARK: - Cancellation

  @Test func cancellingTheTaskCancelsTheSync() async throws {
    let gate = try ClosedGate(stack)
    let stackTask = Task { try await stack.sync(items([1]), inEntityNamed: "User") }
    await gate.untilWaiting(1)
    stackTask.cancel()
    await #expect(throws: CancellationError.self) { try await stackTask.value }
    let context = stack.newBackgroundContext()
    let contextTask = Task { try await context.sync(items([1]), inEntityNamed: "User") }
    await gate.untilWaiting(1)
    contextTask.cancel()
    await #expect(throws: CancellationError.self) { try await contextTask.value }
    gate.open()
    #expect(try stack.keys("User").isEmpty)
  }

  @Test func inATaskThatIsCancelledAlreadyNothingRuns() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stack.sync(items([1]), inEntityNamed: "User")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try stack.keys("User").isEmpty)
  }

  @Test func cancelledAsItStartsItHasAResultAllTheSame() throws {
    let other = DispatchQueue(label: "other")
    for _ in 0..<2_000 {
      let sync = sync(1...1, stack)
      let heard = Log<Bool>()
      sync.whenFinished { heard.append((try? $0.get()) != nil) }
      other.async { sync.cancel() }
      sync.start()
      #expect(sync.isFinished && heard.all.count == 1)
    }
  }

  // MARK: - No deadlock

  @Test func aContextsObserverMayStartASyncInItsContext() throws {
    let context = stack.newBackgroundContext()
    let reports = Log<Int>()
    let token = NotificationCenter.default.addObserver(
      forName: .managedObjectContextObjectsDidChange, object: context, queue: nil
    ) { note in
      guard reports.all.isEmpty, let context = note.object as? ManagedObjectContext else { return }
      let report = try? context.sync(items([2]), inEntityNamed: "User", operations: [.insert])
      reports.append(report?.inserted ?? -1)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.performAndWait { _ = try context.sync(items([1]), inEntityNamed: "User") }
    stack.drainNotifications()
    #expect(reports.all == [1])
    #expect(try stack.keys("User") == [1, 2])
  }

  @Test func aCompletionHandlerMayStartASync() throws {
    let second = Log<Int>()
    let first = sync(1...2, stack)
    first.whenFinished { _ in
      let report = try? stack.sync(items([5]), inEntityNamed: "User", operations: [.insert])
      second.append(report?.inserted ?? -1)
    }
    stack.syncQueue.addOperations([first], waitUntilFinished: true)
    #expect(second.all == [1])
  }

  @Test func aSyncInsideAContextsPerformWaitsForNoOtherQueue() async throws {
    let context = stack.newBackgroundContext()
    let inserted = try await context.perform {
      try stack.sync(items([1]), inEntityNamed: "User").inserted
        + context.sync(items([1, 2]), inEntityNamed: "User").inserted
    }
    #expect(inserted == 2)
    try context.performAndWait {
      stack.syncQueue.addOperations([sync(3...4, stack)], waitUntilFinished: true)
      let count = try context.count(Fetch<ManagedObject>(entityNamed: "User"))
      #expect(count == 4)
    }
  }

  @Test @MainActor func theMainThreadMayWaitForTheQueue() throws {
    _ = try stack.mainContext.fetch(Fetch<ManagedObject>(entityNamed: "User"))
    for number in 0..<5 { stack.syncQueue.addOperation(sync(number...number, stack)) }
    stack.syncQueue.waitUntilAllOperationsAreFinished()
    #expect(try stack.mainContext.count(Fetch<ManagedObject>(entityNamed: "User")) == 5)
  }

  /// A call that a delegate may not make in the middle of a sync.
  enum Forbidden: CaseIterable, Sendable {
    case save, saveInAnotherContext, batch, sync, close, drop
  }

  @Test(arguments: Forbidden.allCases)
  func whatWouldWaitForTheSyncItselfIsRefused(_ forbidden: Forbidden) throws {
    final class Meddler: SyncDelegate {
      let stack: DataStack
      let forbidden: Forbidden
      let errors = Log<GraphError.Code?>()
      init(_ stack: DataStack, _ forbidden: Forbidden) {
        self.stack = stack
        self.forbidden = forbidden
      }
      func sync(
        _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
      ) throws -> JSONValue {
        do { try meddle() } catch let error as GraphError {
          errors.append(error.code)
        } catch let error as SyncError where error.code == .invalidRequest {
          errors.append(.invalidRequest)
        }
        return item
      }
      private func meddle() throws {
        let context = stack.newBackgroundContext()
        switch forbidden {
        case .save:
          try context.performAndWait {
            try context.insert(entityNamed: "User")["id"] = 9
            try context.save()
          }
        case .saveInAnotherContext:
          let other = stack.newBackgroundContext()
          try context.performAndWait {
            try other.performAndWait {
              try other.insert(entityNamed: "User")["id"] = 9
              try other.save()
            }
          }
        case .batch:
          _ = try context.performAndWait { try context.batchDelete(Fetch(entityNamed: "User")) }
        case .sync:
          try context.performAndWait { _ = try stack.sync(items([9]), inEntityNamed: "User") }
        case .close: try stack.close()
        case .drop: try stack.drop()
        }
      }
    }
    let meddler = Meddler(stack, forbidden)
    let sync = sync(1...1, stack)
    sync.delegate = meddler
    stack.syncQueue.addOperations([sync], waitUntilFinished: true)
    #expect(meddler.errors.all == [.invalidRequest])
    #expect(try stack.keys("User") == [1])
  }

  @Test func aClosedStackTakesNoSessionAndStaysClosed() throws {
    try stack.close()
    let ended = #expect(throws: StoreError.self) {
      try SyncSession(entity: "User", dataStack: stack)
    }
    let dropped = #expect(throws: StoreError.self) { try stack.drop() }
    #expect(ended?.code == .closed && dropped?.code == .closed)
    #expect(throws: StoreError.self) { try stack.keys("User") }
  }

  @Test func aFailingDelegateEndsTheSyncAndStoresNothing() throws {
    struct Refusal: Error {}
    final class Refuser: SyncDelegate {
      func sync(
        _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
      ) throws -> JSONValue { throw Refusal() }
    }
    let refuser = Refuser()
    let sync = sync(1...1, stack)
    sync.delegate = refuser
    sync.start()
    #expect(throws: Refusal.self) { try sync.result?.get() }
    #expect(try stack.keys("User").isEmpty)
  }
}

/// Lets a closure that a sync holds speak of the sync.
final class WeakSync: Sendable {
  weak let sync: Sync?
  init(_ sync: Sync) { self.sync = sync }
}
