import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// What a sync costs that has nothing to do: nobody waits for the disk.
@Suite struct UnchangedSyncTests {
  private static let payload: JSONValue = [["id": 1, "name": "a"], ["id": 2, "name": "b"]]

  /// Bytes of the log that a sync by a new stack leaves behind.
  private func logSize(
    _ folder: TemporaryFolder, _ payload: JSONValue
  ) throws -> Int {
    let stack = try DataStack(model: TestModels.social(), store: .sqlite(folder.file()))
    let sync = Sync(.json(payload), inEntityNamed: "User", dataStack: stack)
    sync.start()
    _ = try #require(sync.result).get()
    let log = folder.url.appending(path: "test.sqlite-wal").path
    let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
    try stack.close()
    return size ?? 0
  }

  @Test func whatIsKnownBeginsNoLog() throws {
    let folder = try TemporaryFolder()
    #expect(try logSize(folder, Self.payload) > 0)
    #expect(try logSize(folder, Self.payload) == 0)
    #expect(try logSize(folder, [["id": 2, "name": "b"], ["id": 1, "name": "a"]]) == 0)
  }

  @Test func whatIsNewOrGoneDoes() throws {
    let folder = try TemporaryFolder()
    #expect(try logSize(folder, Self.payload) > 0)
    #expect(try logSize(folder, [["id": 1, "name": "a"], ["id": 2, "name": "changed"]]) > 0)
    #expect(try logSize(folder, [["id": 1, "name": "a"]]) > 0)
    #expect(try logSize(folder, [["id": 1, "name": "a"], ["id": 3]]) > 0)
  }
}
