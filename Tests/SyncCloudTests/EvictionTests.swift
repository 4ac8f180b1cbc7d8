import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Objects that are removed here only, many at once, and come back.
@Suite(.timeLimit(.minutes(5))) struct EvictionTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 3))

  private func fetch(
    _ entity: String, _ format: String, _ argument: String
  ) -> Fetch<ManagedObject> {
    Fetch<ManagedObject>(entityNamed: entity, format, argument)
  }

  @Test func deleteRulesTakeAlongWhatTheyWouldDeleteAndAllComesBack() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let old = try here.insert("Folder", ["name": "old"])
    let inner = try here.insert("Folder", ["name": "inner", "parent": .int(old)])
    let new = try here.insert("Folder", ["name": "new"])
    for folder in [old, inner, new] {
      try here.insert("Note", ["title": .string("in \(folder)"), "folder": .int(folder)])
    }
    try await settle([here, there], fresh: server)
    let before = try here.graph()
    #expect(try await here.engine.evict(where: fetch("Folder", "name == %@", "old")) == 4)
    #expect(try here.values("Folder", "name") == ["new"])
    #expect(try here.rows("Note").count == 1)
    #expect(try await here.engine.push() == PushReport())
    // Edits of others do not bring it back.
    let row = try #require(try there.rows("Note").first).row
    try there.update("Note", row, ["text": "edited"])
    try await there.engine.push()
    try await here.engine.pull()
    #expect(try here.rows("Note").count == 1)
    #expect(try await here.engine.bringBack("Note") == 2)
    #expect(try here.rows("Note").count == 3 && here.rows("Folder").count == 1)
    #expect(try here.values("Note", "text").contains("edited"))
    #expect(try await here.engine.bringBack() == 2)
    #expect(try await here.engine.bringBack() == 0)
    #expect(try Set(here.graph().keys) == Set(before.keys))
    try await settle([here, there], fresh: server)
  }

  @Test func whatWasNotSentStaysWithWhateverWouldTakeItAlong() async throws {
    let here = try Client(server)
    let folders = try ["a", "b"].map { try here.insert("Folder", ["name": .string($0)]) }
    let notes = try folders.map { try here.insert("Note", ["title": "x", "folder": .int($0)]) }
    try await settle([here], fresh: server)
    try here.update("Note", notes[0], ["title": "not sent"])
    #expect(try await here.engine.evict(where: Fetch<ManagedObject>(entityNamed: "Folder")) == 2)
    #expect(try here.values("Folder", "name") == ["a"])
    #expect(try here.values("Note", "title") == ["not sent"])
    try await here.engine.sync()
    #expect(try await here.engine.bringBack() == 2)
    try await settle([here], fresh: server)
  }

  @Test func onlyTheObjectsThatAreFoundGo() async throws {
    let here = try Client(server)
    let folder = try here.insert("Folder", ["name": "a"])
    for number in 0..<5 {
      try here.insert("Note", ["stars": .int(Int64(number)), "folder": .int(folder)])
    }
    try await settle([here], fresh: server)
    let few = Fetch<ManagedObject>(entityNamed: "Note", "stars < %@", 3)
    #expect(try await here.engine.evict(where: few.limit(2)) == 2)
    #expect(try here.values("Note", "stars") == [2, 3, 4])
    #expect(try here.values("Folder", "name") == ["a"])
    #expect(try await here.engine.evict(where: few) == 1)
    #expect(try await here.engine.bringBack("Folder") == 0)
    await #expect(throws: ModelError.self) { try await here.engine.bringBack("Nothing") }
    #expect(try await here.engine.bringBack() == 3)
  }

  @Test func whatAnImportBringsAgainTakesNothingFromTheServer() async throws {
    let model = try ManagedObjectModel(["Note: id key, title, text, stars integer64"])
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    try here.insert("Note", ["id": 1, "title": "a", "text": "mine", "stars": 5])
    try await settle([here, there], fresh: server)
    let all = Fetch<ManagedObject>(entityNamed: "Note")
    #expect(try await here.engine.evict(where: all) == 1)
    try await here.sync(#"[{"id":1,"title":"b"}]"#, "Note")
    try await settle([here, there], fresh: server)
    for client in [here, there] {
      #expect(try client.values("Note", "text") == ["mine"])
      #expect(try client.values("Note", "stars") == [5])
      #expect(try client.values("Note", "title") == ["b"])
    }
  }

  @Test(arguments: ["Note", "Tag"])
  func whatComesBackIsJoinedAsItWas(_ entity: String) async throws {
    let here = try Client(server, model: IdentityTests.tagged())
    let note = try here.insert("Note", ["id": "n"])
    let tags = try ["s", "t"].map { try here.insert("Tag", ["id": .string($0)]) }
    try here.link("Note", note, "tags", tags)
    try await settle([here], fresh: server)
    let before = try here.graph()
    #expect(try await here.engine.evict(where: Fetch<ManagedObject>(entityNamed: entity)) > 0)
    #expect(try await here.engine.bringBack() > 0)
    #expect(try here.graph() == before)
    try await settle([here], fresh: server)
  }
}
