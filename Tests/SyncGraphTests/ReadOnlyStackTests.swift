import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// A stack that only reads, as widgets and extensions do beside the app that writes.
@Suite(.timeLimit(.minutes(5))) struct ReadOnlyStackTests {
  private let folder: TemporaryFolder
  private let url: URL
  private let app: DataStack

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file()
    app = try DataStack(model: .social(), store: .sqlite(url))
    try insert(1)
  }

  private func insert(_ id: Int64) throws {
    try app.edit { $0.insert(User.self).id = id }
  }

  private func open() throws -> DataStack {
    try DataStack(model: .social(), store: .sqlite(url), readOnly: true)
  }

  @Test func itReadsBesideTheAppAndHearsOfItsCommits() async throws {
    let widget = try open()
    let context = widget.newBackgroundContext()
    let count = { try context.performAndWait { try context.count(Fetch<User>()) } }
    #expect(try count() == 1)
    let store = try app.store
    try store.write { transaction in
      try transaction.insert("User", [["id": 2]])
      let second = try open()
      let inside = second.newBackgroundContext()
      #expect(try inside.performAndWait { try inside.count(Fetch<User>()) } == 1)
      try second.close()
    }
    #expect(try count() == 2)
    let changes = widget.changes
    let heard = Task { await changes.first { _ in true } }
    try insert(3)
    await widget.drainNotifications()
    #expect(await heard.value != nil)
    #expect(try count() == 3)
    #expect(try await widget.rows("SELECT 1 FROM User").count == 3)
  }

  @Test func itChangesNothing() throws {
    let widget = try open()
    let context = widget.newBackgroundContext()
    context.performAndWait {
      context.insert(User.self).id = 9
      #expect { try context.save() } throws: { ($0 as? StoreError)?.code == .readOnly }
      #expect(context.hasChanges)
    }
    let changes: [() throws -> Void] = [
      { _ = try widget.store.write { _ in } }, { try widget.drop() },
      { try widget.stopTrackingChanges() },
    ]
    for change in changes {
      let error = #expect(throws: StoreError.self, performing: change)
      #expect(error?.code == .readOnly)
    }
    #expect(try app.rows("SELECT 1 FROM User").count == 1)
  }

  @Test func itFoldsNoLog() throws {
    let log = url.path + "-wal"
    let size = { try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int }
    let before = try size()
    #expect(before ?? 0 > 0)
    let widget = try open()
    #expect(try widget.rows("SELECT 1 FROM User").count == 1)
    try widget.close()
    #expect(try size() == before)
    let database = try Data(contentsOf: url)
    try open().close()
    #expect(try Data(contentsOf: url) == database)
  }

  @Test func itMakesNoFile() throws {
    let missing = folder.url.appending(path: "none/a.sqlite")
    let error = #expect(throws: StoreError.self) {
      try DataStack(model: .social(), store: .sqlite(missing), readOnly: true)
    }
    #expect(error?.code == .cannotOpen)
    #expect(error?.message.contains("There is no store at \(missing.path)") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "none").path))
  }

  @Test func itMigratesNothing() throws {
    let model = try ManagedObjectModel(["User: id, nick"])
    let before = try Data(contentsOf: url)
    #expect {
      try DataStack(model: model, store: .sqlite(url), readOnly: true)
    } throws: { ($0 as? StoreError)?.code == .migrationNeeded }
    #expect(try Data(contentsOf: url) == before)
  }

  @Test func itLeavesTheFileAloneToo() async throws {
    let widget = try open()
    #expect(try await widget.rows("SELECT 1 FROM User").count == 1)
    try await widget.suspend()
    try insert(2)
    widget.resume()
    #expect(try await widget.rows("SELECT 1 FROM User").count == 2)
  }
}
