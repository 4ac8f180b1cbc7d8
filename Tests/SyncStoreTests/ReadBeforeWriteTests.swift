import Dispatch
import Foundation
import SyncCore
import TestSupport
import Testing

@testable import SyncStore

/// Whoever reads a little and then writes opens no connection for that, and waits for nobody.
@Suite struct ReadBeforeWriteTests {
  private func connection(
    _ read: ((StoreReader) throws -> ObjectIdentifier) throws -> ObjectIdentifier
  ) rethrows -> ObjectIdentifier {
    try read { ObjectIdentifier($0.connection) }
  }

  @Test func withoutReadersItIsTheWriters() throws {
    let temporary = try TemporaryStore(TestModels.userNotes(), .file)
    defer { withExtendedLifetime(temporary) {} }
    let store = temporary.store
    let writer = try store.write { ObjectIdentifier($0.connection) }.0
    #expect(try connection(store.readBeforeWrite) == writer)
    #expect(try store.readBeforeWrite { try $0.generation() } == 0)
    // It is given back: the next write goes on.
    try store.write { try $0.insert("User", [["id": 1]]) }
    #expect(try store.readBeforeWrite { try $0.generation() } == 1)
  }

  @Test func anOpenReaderIsUsed() throws {
    let temporary = try TemporaryStore(TestModels.userNotes(), .file)
    defer { withExtendedLifetime(temporary) {} }
    let store = temporary.store
    let reader = try connection(store.read)
    #expect(try connection(store.readBeforeWrite) == reader)
  }

  @Test func aWriteThatRunsIsNotWaitedFor() throws {
    let temporary = try TemporaryStore(TestModels.userNotes(), .file)
    defer { withExtendedLifetime(temporary) {} }
    let store = temporary.store
    let count = Locked<Int?>(nil)
    try store.write { transaction in
      try transaction.insert("User", [["id": 1]])
      let hasRead = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let user = try? store.model.requireEntity(named: "User")
        let found = try? user.map { user in
          try store.readBeforeWrite { try $0.rowCount(of: user) }
        }
        count.withLock { $0 = found ?? nil }
        hasRead.signal()
      }
      hasRead.wait()
    }
    #expect(count.withLock { $0 } == 0, "the state before the write")
  }

  @Test func aClosedStoreSaysSo() throws {
    let temporary = try TemporaryStore(TestModels.userNotes(), .file)
    defer { withExtendedLifetime(temporary) {} }
    try temporary.store.close()
    let error = #expect(throws: StoreError.self) {
      try temporary.store.readBeforeWrite { try $0.generation() }
    }
    #expect(error?.code == .closed)
  }
}
