import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Many-to-many relationships travel as pairs.
@Suite(.timeLimit(.minutes(5))) struct PairTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  private static func model(_ tags: String = "tags") throws -> ManagedObjectModel {
    return try ManagedObjectModel([
      EntityDraft(
        "Note",
        [
          "title",
          .toMany(
            tags, to: "Tag", inverse: "notes", renamingIdentifier: tags == "tags" ? nil : "tags"),
          "friends ->> Note.friends", "seen ->> Tag",
        ]),
      EntityDraft("Tag", ["name", .toMany("notes", to: "Note", inverse: tags)]),
    ])
  }

  private func clients(_ count: Int = 2) throws -> [Client] {
    let model = try Self.model()
    return try (0..<count).map { _ in try Client(server, model: model) }
  }

  private func row(_ client: Client, _ entity: String, _ name: String) throws -> Int64 {
    let property = entity == "Note" ? "title" : "name"
    let index = try #require(try client.values(entity, property).firstIndex(of: .string(name)))
    return try client.rows(entity)[index].row
  }

  private func members(
    _ client: Client, _ note: String, _ relationship: String = "tags"
  ) throws -> Set<Int64> {
    let row = try row(client, "Note", note)
    return try client.stack.store.read { reader in
      let entity = try reader.model.requireEntity(named: "Note")
      let relationship = try #require(entity.property(named: relationship)?.relationship)
      return Set(try reader.members(of: relationship, in: entity, owners: [row]).map(\.row))
    }
  }

  @Test(arguments: [("Note", "tags"), ("Tag", "notes"), ("Note", "friends"), ("Note", "seen")])
  func whatIsJoinedOrPartedHereIsSoEverywhere(
    _ entity: String, _ relationship: String
  ) async throws {
    let all = try clients()
    let (here, there) = (all[0], all[1])
    let notes = try ["a", "b"].map { try here.insert("Note", ["title": .string($0)]) }
    let tags = try ["x", "y"].map { try here.insert("Tag", ["name": .string($0)]) }
    let owner = entity == "Note" ? notes[0] : tags[0]
    let others =
      relationship == "friends" ? [notes[1]] : entity == "Note" ? tags : notes
    try here.link(entity, owner, relationship, others)
    try await settle(all, fresh: server)
    let joined = try there.graph()
    try here.link(entity, owner, relationship, [others[0]], isAdded: false)
    #expect(try await here.engine.push().sent == 1)
    try await settle(all, fresh: server)
    #expect(try there.graph() != joined)
    try here.link(entity, owner, relationship, [others[0]])
    #expect(try await here.engine.push().sent == 1)
    try await settle(all, fresh: server)
    #expect(try there.graph() == joined)
    // Nothing comes back as an echo.
    for client in all { #expect(try await client.engine.push() == PushReport()) }
  }

  @Test func theSamePairJoinedOnTwoMachinesIsOneRecord() async throws {
    let all = try clients()
    let note = try all[0].insert("Note", ["title": "a"])
    let tag = try all[0].insert("Tag", ["name": "x"])
    try await settle(all, fresh: server)
    try all[0].link("Note", note, "tags", [tag])
    try all[1].link("Tag", try row(all[1], "Tag", "x"), "notes", [try row(all[1], "Note", "a")])
    try await settle(all, fresh: server)
    #expect(server.records(in: all[0].engine.zone).count == 3)
    #expect(try members(all[1], "a") == [try row(all[1], "Tag", "x")])
  }

  @Test(arguments: [true, false])
  func theLaterOfJoiningAndPartingWins(_ partsLater: Bool) async throws {
    let all = try clients()
    let note = try all[0].insert("Note", ["title": "a"])
    let tags = try ["x", "y"].map { try all[0].insert("Tag", ["name": .string($0)]) }
    try all[0].link("Note", note, "tags", tags)
    try await settle(all, fresh: server)
    let other = try row(all[1], "Note", "a")
    let others = [try row(all[1], "Tag", "x")]
    if partsLater {
      try all[1].link("Note", other, "tags", others, isAdded: false)
      try all[1].link("Note", other, "tags", others)
      try await all[1].passStamps()
      try all[0].link("Note", note, "tags", [tags[0]], isAdded: false)
    } else {
      try all[0].link("Note", note, "tags", [tags[0]], isAdded: false)
      try await all[0].passStamps()
      try all[1].link("Note", other, "tags", others, isAdded: false)
      try await all[1].passStamps()
      try all[1].link("Note", other, "tags", others)
    }
    try await settle(all, fresh: server)
    #expect(try members(all[0], "a").contains(tags[0]) == !partsLater)
    #expect(try members(all[0], "a").contains(tags[1]))
  }

  @Test func aPairWaitsForItsEnds() async throws {
    let all = try clients()
    let model = all[0].stack.model
    let note = try all[0].insert("Note", ["title": "a"])
    let tag = try all[0].insert("Tag", ["name": "x"])
    try all[0].link("Note", note, "tags", [tag])
    try await all[0].engine.push()
    // The pair first, then one end, then the other.
    let records = server.records(in: all[0].engine.zone).values.sorted {
      ($0.content?["type"]?.stringValue?.count ?? 0)
        > ($1.content?["type"]?.stringValue?.count ?? 0)
    }
    let second = MemoryTransport()
    let zone = all[0].engine.zone
    _ = try await second.open(zone, create: true)
    let late = try Client(second, model: model)
    for (index, record) in records.enumerated() {
      try await second.create(record.name, record.content ?? [:], in: zone)
      try await late.engine.sync()
      #expect(late.engine.status.waitingLinks == [2, 1, 0][index])
    }
    #expect(try members(late, "a") == [try row(late, "Tag", "x")])
  }

  @Test func aRenamedRelationshipIsTheSameToMachinesThatKnowItByItsOldName() async throws {
    let folder = try TemporaryFolder()
    let there = try Client(server, model: Self.model())
    var here = try Client(server, model: Self.model(), file: folder.file())
    let note = try here.insert("Note", ["title": "a"])
    let tags = try ["x", "y"].map { try here.insert("Tag", ["name": .string($0)]) }
    try here.link("Note", note, "tags", [tags[0]])
    try await settle([here, there], fresh: server)
    try here.close()
    here = try Client(server, model: Self.model("labels"), file: folder.file())
    // Nothing is said anew.
    #expect(try await here.engine.push() == PushReport())
    let other = try row(there, "Note", "a")
    try there.link("Note", other, "tags", [try row(there, "Tag", "x")], isAdded: false)
    try await there.engine.push()
    try here.link("Note", note, "labels", [tags[1]])
    try await sync(here, there)
    #expect(try members(here, "a", "labels") == [tags[1]])
    #expect(try members(there, "a") == [try row(there, "Tag", "y")])
    try here.close()
  }

  @Test func manyObjectsThatComeAtOnceAreJoinedAsTheyWere() async throws {
    let all = try clients()
    let tags = try (0..<20).map { try all[0].insert("Tag", ["name": .string("\($0)")]) }
    try await settle(all, fresh: server)
    try all[0].stack.store.write { transaction in
      let notes = try transaction.insert("Note", (0..<60).map { ["title": .string("\($0)")] })
      let entity = try transaction.model.requireEntity(named: "Note")
      let relationship = try #require(entity.property(named: "tags")?.relationship)
      try transaction.addLinks(
        relationship, of: entity,
        pairs: notes.enumerated().flatMap { index, note in
          [(owner: note, member: tags[index % 20]), (owner: note, member: tags[(index + 7) % 20])]
        })
    }
    try await settle(all, fresh: server)
    #expect(server.records(in: all[0].engine.zone).count == 20 + 60 + 120)
    for client in all { #expect(try members(client, "0").count == 2) }
    for title in ["1", "2"] {
      try all[1].link(
        "Note", try row(all[1], "Note", title), "tags", try all[1].rows("Tag").map(\.row),
        isAdded: false)
    }
    try await settle([all[1], all[0]], fresh: server)
    #expect(try members(all[0], "1").isEmpty && members(all[0], "2").isEmpty)
    #expect(try members(all[0], "3").count == 2)
  }

  @Test func whatOutlivesItsDeletionHasItsMembersAgain() async throws {
    let all = try clients()
    let note = try all[0].insert("Note", ["title": "a"])
    let tag = try all[0].insert("Tag", ["name": "x"])
    try all[0].link("Note", note, "tags", [tag])
    try await settle(all, fresh: server)
    try all[0].delete("Note", note)
    try await all[0].engine.push()
    try all[1].update("Note", try row(all[1], "Note", "a"), ["title": "b"])
    try await settle([all[1], all[0]], fresh: server)
    #expect(try members(all[0], "b") == [tag])
  }

  @Test func theServersPairsTakeThePlaceOfThoseHere() async throws {
    let all = try clients()
    let note = try all[0].insert("Note", ["title": "a"])
    let tags = try ["x", "y"].map { try all[0].insert("Tag", ["name": .string($0)]) }
    try all[0].link("Note", note, "tags", [tags[0]])
    try await settle(all, fresh: server)
    try all[0].link("Note", note, "tags", [tags[0]], isAdded: false)
    try all[0].link("Note", note, "tags", [tags[1]])
    try await all[0].engine.replaceLocal()
    #expect(try members(all[0], "a") == [tags[0]])
    try await settle(all, fresh: server)
  }

  @Test(arguments: [UInt64.random(in: 0...UInt64(Int.max))])
  func machinesThatJoinAndPartAtRandomEndEqual(_ seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let model = try Self.model()
    let faults = (0..<3).map { FaultyTransport(server, seed: seed &+ $0) }
    let all = try zip(faults, [0.0, -300, 180]).map { try Client($0, model: model, clock: $1) }
    for index in 0..<6 {
      try all[0].insert("Note", ["title": .string("\(index)")])
      try all[0].insert("Tag", ["name": .string("\(index)")])
    }
    for client in all { try await client.engine.sync() }
    for fault in faults { fault.lossRate = 0.04 }
    for number in 0..<150 {
      let client = all[Int.random(in: 0..<3, using: &generator)]
      let notes = try client.rows("Note").map(\.row)
      let tags = try client.rows("Tag").map(\.row)
      guard let note = notes.randomElement(using: &generator),
        let tag = tags.randomElement(using: &generator),
        let friend = notes.randomElement(using: &generator)
      else { continue }
      switch Int.random(in: 0..<10, using: &generator) {
      case 0 where notes.count > 4: try client.delete("Note", note)
      case 1: try client.insert("Note", ["title": .string("new \(number)")])
      case 2: try client.update("Note", note, ["title": .string("edit \(number)")])
      case 3..<5 where friend != note:
        try client.link("Note", note, "friends", [friend], isAdded: Bool.random(using: &generator))
      default:
        try client.link("Note", note, "tags", [tag], isAdded: Bool.random(using: &generator))
      }
      if Int.random(in: 0..<6, using: &generator) == 0 { try await client.syncWithLosses() }
    }
    for fault in faults { fault.lossRate = 0 }
    try await settle(all, fresh: server)
    print("pairs converged: seed \(seed)")
  }
}
