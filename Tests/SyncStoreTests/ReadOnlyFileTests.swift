import Foundation
import TestSupport
import Testing

@testable import SyncStore

/// A store in a folder where no file can be made is read, or its error names the obstacle.
@Suite struct ReadOnlyFileTests {
  /// A store with one user, and the files beside it while it is open.
  private func withStore(
    _ name: String = "a.sqlite", _ journal: Store.Configuration.Journal = .writeAheadLog,
    _ body: (_ folder: URL, _ url: URL, _ close: () throws -> Void) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: name)
    var configuration = Store.Configuration(.file(url))
    configuration.journal = journal
    let store = try Store(model: TestModels.users(), configuration: configuration)
    try store.write { try $0.insert("User", [["id": 1]]) }
    try body(folder, url) { try store.close() }
    try store.close()
  }

  @Test(arguments: ["a.sqlite", "a b%20?immutable=0#é.sqlite"])
  func aClosedStoreIsReadAsOneThatDoesNotChange(_ name: String) throws {
    try withStore(name) { _, url, close in
      try close()
      let mode = try ReadOnlyFile(url.path, canMakeFiles: false).mode()
      #expect(mode == .unchanging)
      let connection = try Connection(
        path: url.path, options: .init(mode: mode), recorder: StatementRecorder())
      defer { connection.close() }
      let tables = try connection.scalar("SELECT count(*) FROM sqlite_schema WHERE type = 'table'")
      #expect(tables ?? 0 > 0)
      #expect(throws: StoreError.self) { try connection.execute("CREATE TABLE other (x)") }
      for suffix in ["-wal", "-shm"] {
        #expect(!FileManager.default.fileExists(atPath: url.path + suffix))
      }
    }
  }

  @Test func aLogThatCannotBeReadIsNamed() throws {
    try withStore { folder, url, _ in
      let copy = folder.appending(path: "copy.sqlite")
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
      }
      let error = #expect(throws: StoreError.self) {
        try ReadOnlyFile(copy.path, canMakeFiles: false).mode()
      }
      #expect(error?.code == .cannotOpen && error?.message.contains("\(copy.path)-wal") == true)
      #expect(error?.message.contains("Copy both files") == true)
    }
  }

  @Test func otherwiseSQLiteReadsAsAlways() throws {
    try withStore { _, url, _ in
      // The log's index is there.
      let mode = try ReadOnlyFile(url.path, canMakeFiles: false).mode()
      #expect(mode == .reader)
    }
    try withStore { _, url, close in
      try close()
      for canMakeFiles in [true, nil] {
        let mode = try ReadOnlyFile(url.path, canMakeFiles: canMakeFiles).mode()
        #expect(mode == .reader)
      }
    }
    try withStore("b.sqlite", .rollback) { _, url, close in
      try close()
      let mode = try ReadOnlyFile(url.path, canMakeFiles: false).mode()
      #expect(mode == .reader)
    }
    let missing = try ReadOnlyFile("/nowhere/a.sqlite", canMakeFiles: false).mode()
    #expect(missing == .reader)
  }
}
