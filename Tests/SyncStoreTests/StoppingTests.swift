import Dispatch
import Foundation
import SyncStore
import TestSupport
import Testing

/// A transaction that is stopped ends wherever it is, and nothing of it stays.
@Suite(.timeLimit(.minutes(5))) struct StoppingTests {
  /// Runs a write that inserts and then waits inside its transaction.
  private final class LongWrite: Sendable {
    private let began = DispatchSemaphore(value: 0)
    private let mayEnd = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(_ store: Store) {
      Thread.detachNewThread { [self] in
        _ = try? store.write { transaction in
          try transaction.insert("User", [["id": 1]])
          began.signal()
          mayEnd.wait()
        }
        ended.signal()
      }
      began.wait()
    }

    func end() {
      mayEnd.signal()
      ended.wait()
    }
  }

  private func interruption(_ body: () throws -> Void) -> StoreError.Code? {
    (#expect(throws: StoreError.self) { try body() })?.code
  }

  /// Runs a write that is given a function that stops it, and expects that nothing of it is stored.
  private func expectStopped(
    isStoppedBefore: Bool = false, _ body: (StoreTransaction, _ stop: () -> Void) throws -> Void
  ) throws {
    let temporary = try TemporaryStore(TestModels.userNotes())
    defer { withExtendedLifetime(temporary) {} }
    let store = temporary.store
    let token = TransactionToken()
    if isStoppedBefore { store.interrupt(token) }
    let code = interruption {
      try store.write(token: token) { transaction in
        try body(transaction) { store.interrupt(token) }
      }
    }
    #expect(code == .interrupted)
    #expect(try store.count("User") == 0)
  }

  @Test func stoppedBetweenTwoStatementsItTakesNoMore() throws {
    try expectStopped { transaction, stop in
      try transaction.insert("User", [["id": 1]])
      stop()
      try transaction.insert("User", [["id": 2]])
      Issue.record("The second statement ran.")
    }
  }

  @Test func stoppedAfterItsLastStatementItDoesNotCommit() throws {
    try expectStopped { transaction, stop in
      try transaction.insert("User", [["id": 1]])
      stop()
    }
  }

  @Test func stoppedBeforeItBeginsItNeverDoes() throws {
    try expectStopped(isStoppedBefore: true) { _, _ in Issue.record("It ran.") }
  }

  @Test func stoppedWhileAnotherOneWritesItDoesNotWait() throws {
    let temporary = try TemporaryStore(TestModels.userNotes())
    let store = temporary.store
    let long = LongWrite(store)
    let token = TransactionToken()
    Thread.detachNewThread {
      while store.turn.waitingCount == 0 { Thread.sleep(forTimeInterval: 0) }
      store.interrupt(token)
    }
    #expect(
      interruption { try store.write(token: token) { _ in Issue.record("It ran.") } }
        == .interrupted)
    // Only now.
    long.end()
    try store.write { try $0.insert("User", [["id": 2]]) }
    #expect(try store.count("User") == 2)
  }

  @Test func stoppedWhileAnotherConnectionHoldsTheFileItDoesNotWait() throws {
    let temporary = try TemporaryStore(TestModels.userNotes(), .file) { $0.busyTimeout = 600 }
    let store = temporary.store
    let other = try Store(model: store.model, configuration: .init(.file(temporary.folder.file())))
    let long = LongWrite(other)
    let token = TransactionToken()
    Thread.detachNewThread { store.interrupt(token) }
    _ = interruption { try store.write(token: token) { _ in Issue.record("It ran.") } }
    long.end()
    try store.write { try $0.insert("User", [["id": 2]]) }
    #expect(try store.count("User") == 2)
    try other.close()
  }

  @Test(arguments: [0.0, 0.03])
  func aLockedFileIsWaitedForNoLongerThanTheTimeLimit(_ limit: Double) throws {
    let temporary = try TemporaryStore(TestModels.userNotes(), .file) { $0.busyTimeout = limit }
    let other = try Store(
      model: temporary.store.model, configuration: .init(.file(temporary.folder.file())))
    let long = LongWrite(other)
    #expect(interruption { try temporary.store.write { _ in } } == .busy)
    long.end()
    try other.close()
  }

  /// The log is folded back between the two writes, and neither waits for that.
  @Test func writesFollowAFoldedLog() throws {
    let temporary = try TemporaryStore(TestModels.userNotes(), .file)
    let text = Value.string(String(repeating: "x", count: 4_000))
    for start in [0, 3_000] {
      try temporary.store.write { transaction in
        try transaction.insert(
          "User", (start..<start + 3_000).map { ["id": .int(Int64($0)), "name": text] })
      }
    }
    #expect(try temporary.store.count("User") == 6_000)
  }
}

extension Store {
  fileprivate func count(_ name: String) throws -> Int {
    var count = 0
    let entity = try model.requireEntity(named: name)
    try read { try $0.scan(entity, .all, slots: []) { _ in count += 1 } }
    return count
  }
}
