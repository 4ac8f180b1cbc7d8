import Dispatch
import Foundation
import SyncGraph
import TestSupport
import Testing

@testable import SyncStore

/// A suspended stack leaves its file alone, as another process sees it.
@Suite(.timeLimit(.minutes(5))) struct SuspensionTests {
  private let folder: TemporaryFolder
  private let url: URL
  private let stack: DataStack

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file()
    stack = try DataStack(model: .social(), store: .sqlite(url))
    try insert(1, into: stack)
  }

  private func insert(_ id: Int64, into stack: DataStack) throws {
    try stack.edit { $0.insert(User.self).id = id }
  }

  private func count() throws -> Int {
    let context = stack.newBackgroundContext()
    return try context.performAndWait { try context.count(Fetch<User>()) }
  }

  /// Whether the process that calls gets the whole file for itself, which any lock of another one
  /// prevents, be it one that only reads.
  private static func takesAll(_ path: String) -> Bool {
    do {
      let connection = try Connection(
        path: path, options: .init(mode: .writer, busyTimeout: 0), recorder: StatementRecorder())
      defer { connection.close() }
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
      try connection.execute("BEGIN EXCLUSIVE")
      try connection.execute("ROLLBACK")
      return true
    } catch {
      return false
    }
  }

  private func expectFree(_ location: SourceLocation = #_sourceLocation) async {
    let path = url.path
    await #expect(processExitsWith: .success, sourceLocation: location) {
      [path = path as String] in
      exit(SuspensionTests.takesAll(path) ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  private func expectTaken(_ location: SourceLocation = #_sourceLocation) async {
    let path = url.path
    await #expect(processExitsWith: .failure, sourceLocation: location) {
      [path = path as String] in
      exit(SuspensionTests.takesAll(path) ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  /// Runs a body on a thread of its own: one that waits must not hold those of all tasks.
  private func apart<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) -> Task<Result, any Error> {
    let queue = DispatchQueue(label: "apart")
    return Task {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Swift.Result(catching: body)) }
      }
    }
  }

  private func waitForWriters(_ count: Int) async throws {
    while try stack.store.turn.waitingCount < count { await Task.yield() }
  }

  // MARK: - Locks

  @Test func noLockIsHeldWhileItIsSuspended() async throws {
    #expect(try count() == 1)
    await expectTaken()
    try await stack.suspend()
    #expect(stack.isSuspended)
    await expectFree()
    stack.resume()
    #expect(!stack.isSuspended)
    try insert(2, into: stack)
    #expect(try count() == 2)
    await expectTaken()
    // Twice is as once.
    try await stack.suspend()
    try await stack.suspend()
    await expectFree()
    stack.resume()
    stack.resume()
    try insert(3, into: stack)
    #expect(try count() == 3)
  }

  @Test func whatWaitsGoesOnAfterwards() async throws {
    try await stack.suspend()
    let stack = stack
    let save = apart { try insert(2, into: stack) }
    let read = Task.detached { try await stack.rows("SELECT count(*) FROM User") }
    try await waitForWriters(1)
    await expectFree()
    stack.resume()
    try await save.value
    #expect(try await read.value.count == 1)
    #expect(try count() == 2)
  }

  @Test func aWriteThatRunsIsWaitedFor() async throws {
    let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let store = try stack.store
    let queue = DispatchQueue(label: "a writer")
    let isDone = Locked(false)
    queue.async {
      _ = try? store.write { transaction in
        begun.signal()
        end.wait()
        try transaction.insert("User", [["id": 2]])
        isDone.withLock { $0 = true }
      }
    }
    while begun.wait(timeout: .now()) == .timedOut { await Task.yield() }
    let suspension = Task.detached { [stack] in try await stack.suspend() }
    try await waitForWriters(1)
    #expect(stack.isSuspended)
    end.signal()
    try await suspension.value
    #expect(isDone.withLock { $0 })
    await expectFree()
    stack.resume()
    #expect(try count() == 2)
  }

  @Test func aReadThatRunsIsWaitedFor() async throws {
    let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let store = try stack.store
    DispatchQueue(label: "a reader").async {
      try? store.read { _ in
        begun.signal()
        end.wait()
      }
    }
    while begun.wait(timeout: .now()) == .timedOut { await Task.yield() }
    let isAsleep = Locked(false)
    let suspension = Task.detached { [stack] in
      try await stack.suspend()
      isAsleep.withLock { $0 = true }
    }
    while !stack.isSuspended { await Task.yield() }
    await expectTaken()
    #expect(!isAsleep.withLock { $0 })
    // It may be woken before it is asleep, and does not wait any longer then.
    stack.resume()
    try await suspension.value
    end.signal()
    try insert(2, into: stack)
    try await stack.suspend()
    await expectFree()
    stack.resume()
  }

  // MARK: - The main thread

  @MainActor @Test func theMainThreadReadsAndDoesNotWait() async throws {
    let context = stack.mainContext
    let user = try #require(try context.fetch(Fetch<User>()).first)
    try await stack.suspend()
    #expect(try context.fetch(Fetch<User>("id == 1")).first === user)
    #expect(user.notes.isEmpty)
    await expectFree()
    user.name = "Ann"
    #expect { try context.save() } throws: { ($0 as? StoreError)?.code == .suspended }
    #expect(user.hasChanges)
    await expectFree()
    stack.resume()
    try context.save()
    #expect(
      try await stack.rows("SELECT name FROM User").map { try $0.value("name", as: String.self) }
        == ["Ann"])
  }

  @Test func aWriterThatMustNotWaitIsSentAway() async throws {
    let temporary = try TemporaryStore(.social(), .file) { $0.mayWait = { false } }
    let store = temporary.store
    let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    DispatchQueue(label: "a writer").async {
      _ = try? store.write { _ in
        begun.signal()
        end.wait()
      }
    }
    while begun.wait(timeout: .now()) == .timedOut { await Task.yield() }
    let writer = apart { _ = try store.write { _ in } }
    while store.turn.waitingCount < 1 { await Task.yield() }
    let suspension = apart { store.suspend() }
    await #expect { _ = try await writer.value } throws: { ($0 as? StoreError)?.code == .suspended }
    end.signal()
    try await suspension.value
    #expect { try store.write { _ in } } throws: { ($0 as? StoreError)?.code == .suspended }
    store.resume()
    try store.write { _ in }
  }

  // MARK: - Others

  @Test func aWriterThatWaitsCanBeStopped() async throws {
    try await stack.suspend()
    let store = try stack.store
    let token = TransactionToken()
    let writer = apart { _ = try store.write(token: token) { _ in } }
    try await waitForWriters(1)
    store.interrupt(token)
    let error = await #expect(throws: StoreError.self) { _ = try await writer.value }
    #expect(error?.code == .interrupted)
    stack.resume()
  }

  @Test func closingLetsThoseThatWaitGo() async throws {
    try await stack.suspend()
    let stack = stack
    let save = apart { try insert(2, into: stack) }
    try await waitForWriters(1)
    try stack.close()
    await #expect { try await save.value } throws: { ($0 as? StoreError)?.code == .closed }
    await expectFree()
  }

  @Test(arguments: [false, true])
  func commitsOfOthersAreNoticedAfterwards(_ keepsHistory: Bool) async throws {
    let url = folder.file("other.sqlite")
    let (here, there) = (
      try DataStack(model: .social(), store: .sqlite(url), tracksChanges: keepsHistory),
      try DataStack(model: .social(), store: .sqlite(url), tracksChanges: keepsHistory)
    )
    try insert(1, into: here)
    let context = here.newBackgroundContext()
    let user = try context.performAndWait {
      Unchecked(try #require(try context.fetch(Fetch<User>()).first))
    }
    let changes = here.changes
    let heard = Task { await changes.first { $0.isUnknown || $0.counts.updated > 0 } }
    try await here.suspend()
    try there.edit { try #require(try $0.fetch(Fetch<User>()).first).name = "Ann" }
    here.resume()
    #expect(context.performAndWait { user.value.name } == "Ann")
    await here.drainNotifications()
    #expect(await heard.value != nil)
  }

  @Test func nothingIsLostHoweverOftenItIsSuspended() async throws {
    let stack = stack
    let writers = (1...3).map { writer in
      apart { for number in 0..<20 { try insert(Int64(100 * writer + number), into: stack) } }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<20 {
            try await stack.suspend()
            await Task.yield()
            stack.resume()
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
    stack.resume()
    for writer in writers { try await writer.value }
    #expect(try count() == 61)
    #expect(try await stack.checkConsistency().isConsistent)
    stack.trim()
    #expect(try count() == 61)
  }
}
