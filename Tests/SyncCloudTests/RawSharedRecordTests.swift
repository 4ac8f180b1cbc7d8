import Foundation
import SyncCore
import SyncGraph
import SyncStore
import TestSupport
import Testing

@testable import SyncCloud

/// What a participant who may write says with requests of his own about what is not in his zone.
@Suite(.timeLimit(.minutes(10))) struct RawSharedRecordTests {
  private let owner: Client
  private let phone: Client
  private let zone: CloudZone
  private let guest: any CloudTransport
  private let model: ManagedObjectModel

  init() async throws {
    model = try ManagedObjectModel([
      EntityDraft(
        "List", [.attribute("name", .string), .toMany("sections", to: "Section", inverse: "list")]),
      EntityDraft(
        "Section",
        [
          .attribute("name", .string), .toOne("list", to: "List", inverse: "sections"),
          .toOne("cover", to: "Cover", inverse: "section"),
          .toOne("reminder", to: "Reminder", inverse: "section"),
          .toMany("notes", to: "Note", inverse: "section"),
        ], userInfo: ["cloud.parent": "list"]),
      EntityDraft(
        "Cover", [.attribute("name", .string), .toOne("section", to: "Section", inverse: "cover")],
        userInfo: ["cloud.parent": "section"]),
      EntityDraft(
        "Note",
        [.attribute("name", .string), .toOne("section", to: "Section", inverse: "notes")],
        userInfo: ["cloud.parent": "section"]),
      EntityDraft(
        "Reminder",
        [.attribute("name", .string), .toOne("section", to: "Section", inverse: "reminder")]),
      EntityDraft("Diary", [.attribute("name", .string)]),
      EntityDraft(
        "Book", [.attribute("name", .string), .toMany("pages", to: "Page", inverse: "book")]),
      EntityDraft(
        "Page", [.attribute("name", .string), .toOne("book", to: "Book", inverse: "pages")],
        userInfo: ["cloud.parent": "book"]),
    ])
    let server = MemoryTransport(account: "ann")
    guest = server.signedIn(as: "bob")
    owner = try Client(server, model: model)
    phone = try Client(server, model: model)
    for (list, section) in [("Shared", "Food"), ("Private", "Secret")] {
      let row = try owner.insert("List", ["name": .string(list)])
      let below = try owner.insert("Section", ["name": .string(section), "list": .int(row)])
      try owner.insert("Cover", ["name": .string(section), "section": .int(below)])
      try owner.insert("Note", ["name": .string(section), "section": .int(below)])
    }
    let share = try await owner.engine.share(
      ManagedObjectID(entity: model.requireEntity(named: "List"), row: 1),
      with: [.init("bob", .readWrite)])
    zone = CloudZone(share.zone.name, owner: "ann")
    try await phone.engine.sync()
  }

  private func name(_ entity: String, _ row: Int64) throws -> String {
    try #require(try owner.record(entity, row)).name
  }

  private func write(_ name: String, _ content: JSONObject) async throws {
    let known = try await guest.record(name, in: zone)
    let save: CloudSave =
      known.map { .update(name: name, tag: $0.tag, content: content) }
      ?? .create(name: name, content: content)
    let result = try await guest.save([save], in: zone).first
    guard case .saved? = result else {
      Issue.record("The server did not take it.")
      return
    }
  }

  private static let later = Stamp(
    milliseconds: Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000, writer: "guestsss"
  ).text

  /// Rows of all entities on a machine, but for those of a name.
  private func rows(_ client: Client, except name: String = "") throws -> [String] {
    try model.entities.flatMap { entity in
      try client.rows(entity.name).filter { $0.values[0] != .string(name) }
        .map { "\(entity.name) \($0.id.row) \($0.values)" }
    }
  }

  /// - Returns: The problems of both machines.
  private func sync() async throws -> [[CloudProblem]] {
    for _ in 1...2 {
      try await owner.engine.sync()
      try await phone.engine.sync()
    }
    return try [owner, phone].map { try $0.engine.status.problems }
  }

  @Test func aPrivateOneToOneIsNotPulledIn() async throws {
    let before = try (rows(owner), rows(phone))
    let cover = try name("Cover", 2)
    try await write(
      name("Section", 1),
      ["f_cover": ["r", .string(cover), "Cover"], "t_cover": .string(Self.later)])
    let problems = try await sync()
    #expect(problems.map(\.count) == [1, 1])
    for (client, before) in [(owner, before.0), (phone, before.1)] {
      let now = try rows(client)
      #expect(now.filter { $0.contains("Secret") } == before.filter { $0.contains("Secret") })
    }
    #expect(try owner.record("Cover", 2)?.zone == owner.engine.zone.key)
  }

  /// What comes, and what is there, attaches to nothing private.
  @Test(arguments: [true, false]) func nothingIsAttachedToAPrivateSection(_ isNew: Bool)
    async throws
  {
    let secret = try name("Section", 2)
    let before = try owner.rows("Section").filter { $0.id.row == 2 }.map(\.values)
    try await write(
      isNew ? "guests-note" : name("Note", 1),
      [
        "type": "Note", "f_name": "bait", "t_name": .string(Self.later),
        "f_section": ["r", .string(secret), "Section"], "t_section": .string(Self.later),
      ])
    let problems = try await sync()
    #expect(problems.map(\.count) == [1, 1])
    for client in [owner, phone] {
      let baits = try client.rows("Note").filter { $0.values[0] == .string("bait") }
      #expect(baits.map { $0.values[1] } == [.null])
      let row = try #require(baits.first).id.row
      #expect(try client.record("Note", row)?.zone != client.engine.zone.key)
    }
    #expect(try owner.rows("Section").filter { $0.id.row == 2 }.map(\.values) == before)
  }

  @Test(arguments: ["Diary", "Book", "Page", "List"])
  func objectsThatCannotBeBelowTheRootDoNotAppear(_ entity: String) async throws {
    let before = try (rows(owner), rows(phone))
    try await write(
      "guests", ["type": .string(entity), "f_name": "bait", "t": .string(Self.later)])
    let problems = try await sync()
    #expect(problems.map(\.count) == [1, 1])
    #expect(try rows(owner) == before.0)
    #expect(try rows(phone) == before.1)
  }

  /// A one-to-one across the border is the owner's own matter: what the private half says counts.
  @Test func thePrivateHalfOfAOneToOneCounts() async throws {
    try owner.insert("Reminder", ["name": "mine", "section": .int(1)])
    try owner.insert("Reminder", ["name": "other"])
    #expect(try await sync().map(\.count) == [0, 0])
    let section = try #require(try phone.rows("Section").first { $0.values[0] == .string("Food") })
    #expect(try phone.rows("Reminder").map { $0.values[1] } == [.int(section.id.row), .null])
    let other = try name("Reminder", 2)
    try await write(
      name("Section", 1),
      ["f_reminder": ["r", .string(other), "Reminder"], "t_reminder": .string(Self.later)])
    #expect(try await sync().map(\.count) == [1, 1])
    #expect(try owner.rows("Reminder").map { $0.values[1] }.last == .null)
    #expect(try phone.rows("Reminder").map { $0.values[1] }.last == .null)
  }
}
