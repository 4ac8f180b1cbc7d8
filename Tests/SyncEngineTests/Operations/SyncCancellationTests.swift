import Foundation
import SyncStack
import TestSupport
import Testing

/// However and wherever a sync is cancelled, it fails with a `CancellationError` and the store is
/// as it was.
@Suite(.timeLimit(.minutes(5))) struct SyncCancellationTests {
  enum Way: CaseIterable {
    case operation
    case progress
    case task
  }

  private static let stored: JSONValue = [
    ["id": 1, "name": "a", "tags": [["id": 1]], "notes": [["id": 3]]], ["id": 2],
  ]
  private static let payload: JSONValue = [
    ["id": 1, "name": "b", "tags": [["id": 2]], "notes": [["id": 4]]], ["id": 3],
  ]

  @Test(arguments: SyncPhase.allCases, Way.allCases)
  func everyWayWorksInEveryPhase(_ phase: SyncPhase, _ way: Way) async throws {
    let folder = try TemporaryFolder()
    let stack = try DataStack(model: TestModels.social(), store: .sqlite(folder.file()))
    try await stack.sync(Self.stored, inEntityNamed: "User")
    let before = try stack.store.read { try $0.dump() }
    let sync = Sync(.json(Self.payload), inEntityNamed: "User", dataStack: stack)
    let cancel = Locked<(@Sendable () -> Void)?>(nil)
    sync.stepObserver = { step in
      guard step.phase == phase else { return }
      let cancel = cancel.withLock { $0 }
      cancel?()
    }
    let task = Task {
      while cancel.withLock({ $0 == nil }) { await Task.yield() }
      return try await stack.sync(sync)
    }
    // The operation holds the observer, which holds this.
    defer { cancel.withLock { $0 = nil } }
    cancel.withLock {
      $0 =
        switch way {
        case .operation: { sync.cancel() }
        case .progress: { sync.progress.cancel() }
        case .task: { task.cancel() }
        }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(throws: CancellationError.self) { try sync.result?.get() }
    #expect(try stack.store.read { try $0.dump() } == before)
    try await stack.sync(Self.payload, inEntityNamed: "User")
    #expect(try stack.keys("User") == [1, 3])
    try stack.close()
  }

  @Test(arguments: [SyncPhase.delete, .save])
  func theEndOfASessionCanBeCancelledAndRepeated(_ phase: SyncPhase) async throws {
    let stack = try DataStack.social()
    try await stack.sync(Self.stored, inEntityNamed: "User")
    let session = try SyncSession(entity: "User", dataStack: stack, name: "daily")
    try await session.sync(items([1]))
    let before = try stack.store.read { try $0.dump() }
    let end = session.finishOperation()
    let weak = WeakSync(end)
    end.stepObserver = { if $0.phase == phase { weak.sync?.cancel() } }
    await #expect(throws: CancellationError.self) { try await stack.sync(end) }
    #expect(try stack.store.read { try $0.dump() } == before)
    try await session.finish()
    #expect(try stack.keys("User") == [1])
  }

  @Test func aSyncThatWaitsForAnotherWriterEndsAtOnce() async throws {
    let stack = try DataStack.social()
    let store = try stack.store
    let (began, mayEnd) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
    let writer = Thread {
      _ = try? store.write { _ in
        began.continuation.finish()
        mayEnd.wait()
      }
    }
    writer.start()
    for await _ in began.stream {}
    let sync = Sync(.json(items([1])), inEntityNamed: "User", dataStack: stack)
    stack.syncQueue.addOperation(sync)
    while store.turn.waitingCount == 0 { await Task.yield() }
    sync.cancel()
    sync.waitUntilFinishedElsewhere()
    // The other one is still writing.
    #expect(throws: CancellationError.self) { try sync.result?.get() }
    mayEnd.signal()
    #expect(try stack.keys("User").isEmpty)
  }
}
