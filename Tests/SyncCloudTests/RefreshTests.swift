import SyncStack
import Testing

@testable import SyncCloud

/// `refresh(_:)` takes one object and those that it refers to.
@Suite(.timeLimit(.minutes(5))) struct RefreshTests {
  private let server = MemoryTransport()

  private func id(_ entity: String, _ row: Int64, in client: Client) throws -> ManagedObjectID {
    ManagedObjectID(entity: try client.stack.model.requireEntity(named: entity), row: row)
  }

  @Test func theObjectAndWhatItLeadsToComeAndNothingElse() async throws {
    let transport = FaultyTransport(server)
    let (here, there) = (try Client(server), try Client(transport))
    let folder = try here.insert("Folder", ["name": "old"])
    let note = try here.insert("Note", ["title": "old", "folder": .int(folder)])
    let other = try here.insert("Note", ["title": "old"])
    try await settle([here, there], fresh: server)
    let name = try #require(try here.record("Note", note)?.name)
    // The folder changes, and so does where the note is: in one that is new, below another new one.
    let top = try here.insert("Folder", ["name": "top"])
    let new = try here.insert("Folder", ["name": "new", "parent": .int(top)])
    try here.update("Note", note, ["title": "new", "folder": .int(new)])
    try here.update("Note", other, ["title": "new"])
    try await here.engine.push()
    let row = try #require(try there.row(name))
    let pages = transport.pages
    try await there.engine.refresh(try id("Note", row, in: there))
    #expect(transport.pages == pages)
    #expect(try there.values("Note", "title") == ["new", "old"])
    #expect(try there.values("Folder", "name") == ["old", "new", "top"])
    let graph = try there.graph()
    #expect(graph[name]?["folder in row"] == (try here.graph()[name]?["folder in row"]))
    // An object that it refers to is fetched though it is here.
    try here.update("Folder", new, ["name": "newer"])
    try await here.engine.push()
    try await there.engine.refresh(try id("Note", row, in: there))
    #expect(try there.values("Folder", "name") == ["old", "newer", "top"])
    try await settle([here, there], fresh: server)
  }

  @Test func editsThatWereNotSentStay() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let note = try here.insert("Note", ["title": "a", "text": "a"])
    try await settle([here, there], fresh: server)
    try here.update("Note", note, ["title": "here", "text": "here"])
    try await here.engine.push()
    let row = try #require(try there.rows("Note").first).row
    try there.update("Note", row, ["title": "there"])
    try await there.engine.refresh(try id("Note", row, in: there))
    #expect(try there.values("Note", "title") == ["there"])
    #expect(try there.values("Note", "text") == ["here"])
    try await settle([there, here], fresh: server)
  }

  @Test func whatTheServerHasNotIsNotFound() async throws {
    let here = try Client(server)
    let note = try here.insert("Note", ["title": "a"])
    for row in [note, note + 1] {
      await expectError(.notFound) { try await here.engine.refresh(try id("Note", row, in: here)) }
    }
  }
}
