import Foundation
import SyncStack
import TestSupport
import Testing

/// The costs of a sync that has nothing to do: it does not wait for the disk.
@Suite struct UnchangedSyncTests {
  private static let payload: JSONValue = [["id": 1, "name": "a"], ["id": 2, "name": "b"]]

  /// Bytes of the log that a sync by a new stack leaves behind.
  private func logSize(_ folder: TemporaryFolder, _ payload: JSONValue) throws -> Int {
    try logSize(folder) { stack in
      try Sync(.json(payload), inEntityNamed: "User", dataStack: stack).run()
    }
  }

  private func logSize(
    _ folder: TemporaryFolder, _ body: (DataStack) throws -> Void
  ) throws -> Int {
    let stack = try DataStack(model: TestModels.social(), store: .sqlite(folder.file()))
    try body(stack)
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

  // MARK: - Without fingerprints

  /// Ways to sync that write nothing but objects.
  enum Way: CaseIterable {
    case whole
    case rehearsal
    case predicate
    case pages
  }

  private func sync(_ payload: JSONValue, _ way: Way, _ stack: DataStack) throws {
    func run(_ sync: Sync) throws {
      sync.usesFingerprints = false
      try sync.run()
    }
    if way == .pages {
      let session = try SyncSession(entity: "User", dataStack: stack)
      try run(session.page(.json(payload)))
      return try run(session.finishOperation())
    }
    let sync = Sync(
      changes: payload, inEntityNamed: "User",
      predicate: way == .predicate ? Filter("id < 10") : nil, dataStack: stack)
    sync.isDryRun = way == .rehearsal
    try run(sync)
  }

  private func stored(_ payload: JSONValue) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    #expect(try logSize(folder) { try sync(payload, .whole, $0) } > 0)
    return folder
  }

  @Test(arguments: Way.allCases) func whatIsStoredBeginsNoLog(_ way: Way) throws {
    let folder = try stored(Self.payload)
    #expect(try logSize(folder) { try sync(Self.payload, way, $0) } == 0)
  }

  @Test(arguments: [Way.whole, .predicate, .pages]) func whatIsNotDoes(_ way: Way) throws {
    let folder = try stored(Self.payload)
    let payload: JSONValue = [["id": 1, "name": "a"], ["id": 2, "name": "c"]]
    #expect(try logSize(folder) { try sync(payload, way, $0) } > 0)
  }

  @Test func aSyncOfNothingBeginsNoLog() throws {
    let folder = try TemporaryFolder()
    #expect(try logSize(folder) { _ in } > 0)
    #expect(try logSize(folder) { try sync([], .whole, $0) } == 0)
  }

  /// A payload that another thread scans, of rows that two threads read.
  private func many(_ change: (Int) -> Int?) -> JSONValue {
    .array(
      (0..<6000).compactMap(change).map {
        ["id": .integer(Int64($0)), "name": .string(String(repeating: "name ", count: 12))]
      })
  }

  @Test func manyThatAreStoredBeginNoLog() throws {
    let payload = many { $0 }
    let folder = try stored(payload)
    #expect(try logSize(folder) { try sync(payload, .whole, $0) } == 0)
    #expect(try logSize(folder) { try sync(payload, .pages, $0) } == 0)
    #expect(try logSize(folder) { try sync(many { $0 % 2 == 0 ? nil : $0 }, .whole, $0) } > 0)
  }
}
