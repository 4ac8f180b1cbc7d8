import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// A renamed entity or field is the same to machines that know it by its old name.
@Suite(.timeLimit(.minutes(5))) struct WireNameTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  private static func model(isRenamed: Bool) throws -> ManagedObjectModel {
    func name(_ old: String, _ new: String) -> String { isRenamed ? new : old }
    func identifier(_ old: String) -> String? { isRenamed ? old : nil }
    return try ManagedObjectModel([
      EntityDraft(
        name("Note", "Memo"),
        [
          "id key",
          .attribute(name("title", "heading"), .string, renamingIdentifier: identifier("title")),
          "stars integer64",
          .toOne(
            name("folder", "binder"), to: name("Folder", "Binder"), inverse: name("notes", "memos"),
            renamingIdentifier: identifier("folder")),
        ], userInfo: ["cloud.identity": "primaryKey"], renamingIdentifier: identifier("Note")),
      EntityDraft(
        name("Folder", "Binder"),
        [
          "name",
          .toMany(
            name("notes", "memos"), to: name("Note", "Memo"), inverse: name("folder", "binder"),
            isOrdered: true, renamingIdentifier: identifier("notes")),
        ], renamingIdentifier: identifier("Folder")),
    ])
  }

  @Test func machinesWithTheOldAndTheNewModelSeeEachOthersEdits() async throws {
    let folder = try TemporaryFolder()
    let old = try Client(server, model: Self.model(isRenamed: false))
    var new = try Client(server, model: Self.model(isRenamed: false), file: folder.file())
    let home = try new.insert("Folder", ["name": "home"])
    let note = try new.insert("Note", ["id": 1, "title": "a", "folder": .int(home)])
    try await settle([new, old], fresh: server)
    // Edited before the model was changed, sent afterwards.
    try new.update("Note", note, ["title": "b"])
    try new.close()
    new = try Client(server, model: Self.model(isRenamed: true), file: folder.file())
    try old.update("Note", try #require(try old.rows("Note").first).row, ["stars": 5])
    try old.insert(
      "Note",
      ["id": 2, "title": "both", "stars": 2, "folder": .int(try old.rows("Folder")[0].row)])
    try new.insert("Memo", ["id": 2, "heading": "both", "stars": 2, "binder": .int(home)])
    try new.insert("Memo", ["id": 3, "heading": "new", "binder": .int(home)])
    for _ in 0..<2 { for client in [new, old] { try await client.engine.sync() } }
    for (client, entity, title, list) in [
      (old, "Note", "title", "folder"), (new, "Memo", "heading", "binder"),
    ] {
      #expect(try client.values(entity, "id") == [1, 2, 3])
      #expect(try client.values(entity, title) == ["b", "both", "new"])
      #expect(try client.values(entity, "stars") == [5, 2, .null])
      #expect(try client.values(entity, list).filter(\.isNull).isEmpty)
      #expect(client.engine.status.waiting == 0)
    }
    #expect(try old.rows("Folder").count == 1)
    // Nothing on the server says the new names.
    let records = server.records(in: old.engine.zone).values
    #expect(Set(records.compactMap { $0.content?["type"]?.stringValue }) == ["Note", "Folder"])
    let text = records.map { "\($0.content ?? [:])" }.joined()
    for word in ["Memo", "Binder", "heading", "binder", "memos"] { #expect(!text.contains(word)) }
    // Clearing, parting and deleting go both ways.
    let memos = try new.rows("Memo").map(\.row)
    try new.update("Memo", memos[0], ["binder": .null, "heading": .null])
    try old.delete("Note", try old.rows("Note")[1].row)
    for _ in 0..<2 { for client in [new, old] { try await client.engine.sync() } }
    #expect(try old.values("Note", "title") == [.null, "new"])
    #expect(try new.values("Memo", "heading") == [.null, "new"])
    #expect(try old.values("Note", "folder").first == .null)
    try new.close()
  }

  /// A field that was kept aside, and that the model learns under yet another name.
  @Test func aFieldThatWasKeptIsFoundByTheNameUnderWhichItCame() async throws {
    let folder = try TemporaryFolder()
    func model(_ properties: [PropertyDraft]) throws -> ManagedObjectModel {
      try ManagedObjectModel([EntityDraft("Note", [.attribute("name", .string)] + properties)])
    }
    let there = try Client(server, model: model([.attribute("title", .string)]))
    try there.insert("Note", ["name": "a", "title": "kept"])
    try await there.engine.push()
    var here = try Client(server, model: model([]), file: folder.file())
    try await here.engine.pull()
    try here.close()
    here = try Client(
      server, model: model([.attribute("heading", .string, renamingIdentifier: "title")]),
      file: folder.file())
    #expect(try here.values("Note", "heading") == ["kept"])
    #expect(try await here.engine.push() == PushReport())
    try here.close()
  }

  @Test func twoThingsCannotTravelUnderOneName() throws {
    let fields = try ManagedObjectModel(["Note: heading was title, title"])
    let entities = try ManagedObjectModel(["Note: title", "Memo was Note: title"])
    let similar = try ManagedObjectModel(["Note: subtitle was title, title"])
    let places = [
      (fields, "Note.heading travels"), (entities, "Memo travels"),
      (similar, "Note.subtitle travels"),
    ]
    for (model, place) in places {
      #expect {
        _ = try Client(server, model: model)
      } throws: { error in
        let error = error as? CloudError
        return error?.code == .unsupported && error?.message.contains(place) == true
      }
    }
  }
}
