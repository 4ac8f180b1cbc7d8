import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Objects that several machines make from the same source, and objects that go and come back under
/// their name.
@Suite(.timeLimit(.minutes(5))) struct IdentityTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  static func tagged(_ userInfo: [String: String] = [:]) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Note",
        ["id string key", "title", "tags ->> Tag.notes", "seen ->> Tag", "folder -> Folder.notes"],
        userInfo: userInfo),
      EntityDraft("Tag", ["id string key", "notes ->> Note.tags"], userInfo: userInfo),
      EntityDraft(
        "Folder", ["id string key", "name", "notes ->> Note.folder"], userInfo: userInfo),
    ])
  }

  private func clients(_ model: ManagedObjectModel, _ count: Int = 2) throws -> [Client] {
    try (0..<count).map { _ in try Client(server, model: model) }
  }

  private func tags(_ client: Client, _ note: String) throws -> [String] {
    try client.stack.store.read { reader in
      let (entity, tag) = (
        try reader.model.requireEntity(named: "Note"), try reader.model.requireEntity(named: "Tag")
      )
      let relationship = try #require(entity.property(named: "tags")?.relationship)
      let slots = (try #require(entity.primaryKey).slot, try #require(tag.primaryKey).slot)
      let owners = try client.rows("Note").filter { $0.values[slots.0] == .string(note) }
      let members = try reader.members(of: relationship, in: entity, owners: owners.map(\.row))
      return try reader.rows(tag, rows: members.map(\.row)).map { $0.values[slots.1].description }
        .sorted()
    }
  }

  // MARK: - Two importers

  @Test(arguments: ["default", "none"], [true, false])
  func twoMachinesThatImportOneFileKeepAllOfIt(_ identity: String, _ isEdited: Bool) async throws {
    let all = try clients(try Self.tagged(identity == "none" ? ["cloud.identity": "none"] : [:]), 3)
    let file = #"""
      [{"id":"n1","title":"a","tags":[{"id":"t1"},{"id":"t2"}],"folder":{"id":"f1"}},
       {"id":"n2","title":"b","tags":[{"id":"t2"}],"folder":{"id":"f1"}}, {"id":"n3","title":"c"}]
      """#
    for round in 0..<4 {
      for client in all.prefix(2) {
        try await client.sync(file, "Note")
        if isEdited, round == 0 {
          let row = try #require(try client.rows("Note").last).row
          try client.update("Note", row, ["title": "mine"])
        }
      }
      for client in all { try await client.engine.sync() }
    }
    // The objects that were told last are folded by the next import only, and only without unsent
    // edits.
    for client in all.prefix(2) { try await client.sync(file, "Note") }
    try await settle(all, fresh: server)
    for client in all {
      let ids = try client.values("Note", "id").map { $0.description }
      #expect(Set(ids) == ["n1", "n2", "n3"])
      #expect(Set(try tags(client, "n1")) == ["t1", "t2"])
      #expect(Set(try tags(client, "n2")) == ["t2"])
    }
    if identity == "default" {
      for client in all {
        #expect(try client.rows("Note").count == 3)
        #expect(try client.rows("Tag").count == 2)
        #expect(try tags(client, "n1") == ["t1", "t2"])
      }
      let records = server.records(in: all[0].engine.zone)
      #expect(records.count == 9)
    }
    // Without an identity each machine has made its own. Those with an owner stay, because the
    // copies of that owner are two, and children of different owners are never folded; the note
    // without one is folded, and no import adds any more.
    if identity == "none" {
      let before = try all[0].rows("Note").count
      try await all[0].sync(file, "Note")
      try await settle(all, fresh: server)
      for client in all {
        #expect(try client.values("Note", "id").count { $0 == "n3" } == 1)
        #expect(try client.rows("Note").count <= before)
      }
    }
  }

  @Test(arguments: [true, false])
  func anImportOnANewMachineUndoesNoEdits(_ isEditSentFirst: Bool) async throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "Note",
        [
          "id key", "title", .attribute("stars", .integer64, isOptional: false, defaultValue: 0),
          "text", "folder -> Folder.notes", "next ->> Note.before ordered", "before ->> Note.next",
        ]),
      "Folder: id key, notes ->> Note.folder",
    ])
    let (old, new) = (try Client(server, model: model), try Client(server, model: model))
    let file = #"[{"id":1,"title":"a"},{"id":2,"title":"b"},{"id":3,"title":"c"}]"#
    try await old.sync(file, "Note")
    let folder = try old.insert("Folder", ["id": 1])
    try old.update("Note", 1, ["stars": 5, "text": "mine", "folder": .int(folder)])
    try old.stack.edit { context in
      let notes = try context.fetch(Fetch<ManagedObject>(entityNamed: "Note"))
      notes[0]["next"] = [notes[2], notes[1]]
    }
    if isEditSentFirst { try await old.engine.sync() }
    try await new.sync(file, "Note")
    try await new.engine.sync()
    try await settle([old, new], fresh: server)
    for client in [old, new] {
      #expect(try client.values("Note", "stars") == [5, 0, 0])
      #expect(try client.values("Note", "text")[0] == "mine")
      #expect(try client.values("Note", "folder")[0] != .null)
      #expect(try client.engine.conflicts.isEmpty)
      let graph = try client.graph()
      let orders = graph.values.compactMap { $0["next in order"]?.arrayValue }
        .filter { !$0.isEmpty }
      #expect(orders.map { $0.map { graph[$0.stringValue ?? ""]?["title"] } } == [["c", "b"]])
    }
  }

  @Test func anObjectThatGotItsKeyLateIsFoldedIntoTheOneOfTheKey() async throws {
    let all = try clients(try Self.tagged())
    let row = try all[0].insert("Note", ["title": "made here"])
    try await all[0].engine.sync()
    try all[0].update("Note", row, ["id": "n1"])
    try await all[1].sync(#"[{"id":"n1","title":"imported"}]"#, "Note")
    for _ in 0..<3 {
      for client in all { try await client.engine.sync() }
      for client in all { try await client.sync(#"[{"id":"n1","title":"imported"}]"#, "Note") }
    }
    try await settle(all, fresh: server)
    for client in all { #expect(try client.values("Note", "id") == ["n1"]) }
  }

  @Test func unsentEditsOfADuplicateStayUntilTheyWereSent() async throws {
    let all = try clients(try Self.tagged(["cloud.identity": "none"]))
    let file = #"[{"id":"n1"}]"#
    for client in all { try await client.sync(file, "Note") }
    for client in all { try await client.engine.sync() }
    try await all[0].engine.sync()
    #expect(try all[0].rows("Note").count == 2)
    for row in try all[0].rows("Note") { try all[0].update("Note", row.row, ["title": "edited"]) }
    try await all[0].sync(file, "Note")
    #expect(try all[0].values("Note", "title") == ["edited", "edited"])
    try await all[0].engine.sync()
    try await all[0].sync(file, "Note")
    #expect(try all[0].values("Note", "title") == ["edited"])
    try await settle(all, fresh: server)
  }

  @Test func aKeyThatTheModelGivesIsNoIdentity() async throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "Item", [.attribute("id", .integer64, isPrimaryKey: true, defaultValue: 0), "name"])
    ])
    let all = try clients(model)
    try all[0].insert("Item", ["name": "here"])
    try all[1].insert("Item", ["name": "there"])
    try await settle(all, fresh: server)
    for client in all {
      let names = try client.values("Item", "name").map { $0.description }
      #expect(Set(names) == ["here", "there"])
    }
  }

  @Test func subentitiesThatCountTheirKeysEachForItselfStayApart() async throws {
    let model = try ManagedObjectModel([
      "abstract Item: id key, name",
      "Book < Item", "Film < Item",
    ])
    let all = try clients(model)
    try await all[0].sync(#"[{"id":1,"name":"a book"}]"#, "Book")
    try await all[0].sync(#"[{"id":1,"name":"a film"}]"#, "Film")
    try await all[1].sync(#"[{"id":1,"name":"a film"}]"#, "Film")
    try await all[1].sync(#"[{"id":1,"name":"a book"}]"#, "Book")
    try await settle(all, fresh: server)
    for client in all {
      #expect(try client.values("Book", "name") == ["a book"])
      #expect(try client.values("Film", "name") == ["a film"])
    }
  }

  @Test func keysThatAreUniquePerOwnerAreNoIdentity() async throws {
    let model = try ManagedObjectModel([
      "Order: id key, lines ->> Line.order cascade sync.keyScope=owner",
      "Line: id key, text, order -> Order.lines",
    ])
    let all = try clients(model)
    let orders = (1...3).map {
      "{\"id\":\($0),\"lines\":[{\"id\":0,\"text\":\"\($0) 0\"},{\"id\":1,\"text\":\"\($0) 1\"}]}"
    }
    let files = [orders, orders.reversed()].map { "[" + $0.joined(separator: ",") + "]" }
    for _ in 0..<4 {
      for (client, file) in zip(all, files) { try await client.sync(file, "Order") }
      for client in all { try await client.engine.sync() }
    }
    for (client, file) in zip(all, files) { try await client.sync(file, "Order") }
    try await settle(all, fresh: server)
    for client in all {
      let texts = try client.values("Line", "text").map { $0.description }
      #expect(texts.sorted() == ["1 0", "1 1", "2 0", "2 1", "3 0", "3 1"])
    }
  }

  // MARK: - Gone and made again

  @Test func whatWasJoinedBeforeADeletionIsNotJoinedAgain() async throws {
    let all = try clients(try Self.tagged(), 3)
    let payloads = [
      #"[{"id":"n1","tags":[{"id":"t1"}]},{"id":"n2"}]"#, #"[{"id":"n2"}]"#,
      #"[{"id":"n1","tags":[]},{"id":"n2"}]"#,
    ]
    // The third machine sees the end only.
    for payload in payloads {
      try await all[0].sync(payload, "Note")
      for client in all.prefix(2) { try await client.engine.sync() }
    }
    try await settle(all, fresh: server)
    for client in all { #expect(try tags(client, "n1").isEmpty) }
    // And joined once more, it is.
    try await all[1].sync(payloads[0], "Note")
    try await settle(all, fresh: server)
    for client in all { #expect(try tags(client, "n1") == ["t1"]) }
  }

  @Test(arguments: ["Note", "Tag"], [true, false])
  func aNameThatComesBackBeginsWithoutAny(_ entity: String, _ seesOnlyTheEnd: Bool) async throws {
    let all = try clients(try Self.tagged())
    let (here, there) = (all[0], all[1])
    let note = try here.insert("Note", ["id": "n1", "title": "a"])
    let tag = try here.insert("Tag", ["id": "t1"])
    try here.link("Note", note, "tags", [tag])
    try here.link("Note", note, "seen", [tag])
    try await settle(all, fresh: server)
    let key: [String: Value] = ["id": entity == "Note" ? "n1" : "t1"]
    try there.delete(entity, try #require(try there.rows(entity).first).row)
    if seesOnlyTheEnd { try await there.drain() } else { try await settle(all, fresh: server) }
    let again = try there.insert(entity, key)
    try await settle([there, here], fresh: server)
    for client in all { #expect(try tags(client, "n1").isEmpty) }
    let other = try #require(try there.rows(entity == "Note" ? "Tag" : "Note").first).row
    try there.link(entity, again, entity == "Note" ? "tags" : "notes", [other])
    try await settle([there, here], fresh: server)
    for client in all { #expect(try tags(client, "n1") == ["t1"]) }
  }

  @Test(arguments: [true, false])
  func whatALaterEditSavesKeepsWhatItIsJoinedTo(_ isEditSentFirst: Bool) async throws {
    let all = try clients(try Self.tagged(), 3)
    let note = try all[0].insert("Note", ["id": "n1", "title": "a"])
    let tag = try all[0].insert("Tag", ["id": "t1"])
    try all[0].link("Note", note, "tags", [tag])
    try await settle(all, fresh: server)
    try all[0].delete("Note", note)
    try await all[0].passStamps()
    try all[1].update("Note", try #require(try all[1].rows("Note").first).row, ["title": "b"])
    let order = isEditSentFirst ? [all[1], all[0], all[2]] : [all[0], all[1], all[2]]
    try await settle(order, fresh: server)
    for client in all {
      #expect(try client.values("Note", "title") == ["b"])
      #expect(try tags(client, "n1") == ["t1"])
    }
  }

  @Test func whatLedToANameLeadsToTheObjectThatTakesIt() async throws {
    let all = try clients(try Self.tagged())
    let (here, there) = (all[0], all[1])
    try here.insert("Folder", ["id": "f1"])
    try await settle(all, fresh: server)
    // A note that the machine that deletes the folder does not know.
    let folder = try #require(try there.rows("Folder").first).row
    try there.insert("Note", ["id": "n1", "folder": .int(folder)])
    try await there.passStamps()
    try here.delete("Folder", try #require(try here.rows("Folder").first).row)
    try await settle([here, there], fresh: server)
    for client in all { #expect(try client.values("Note", "folder") == [.null]) }
    let again = try here.insert("Folder", ["id": "f1"])
    try await settle([here, there], fresh: server)
    #expect(try here.values("Note", "folder") == [.int(again)])
  }

  /// A record that is made anew over one that is there says when each of its values was set: the
  /// server keeps stamps that are not sent, and those are of the object before.
  @Test func whatIsMadeAgainBeforeItsDeletionIsSentHasItsOwnStamps() async throws {
    let all = try clients(try Self.tagged())
    let first = try all[0].insert("Note", ["id": "n", "title": "a"])
    try await settle(all, fresh: server)
    try all[0].update("Note", first, ["title": "b"])
    try await settle(all, fresh: server)
    try all[0].delete("Note", first)
    try all[0].insert("Note", ["id": "n", "title": "c"])
    try await settle(all, fresh: server)
    #expect(try all[1].values("Note", "title") == ["c"])
  }
}
