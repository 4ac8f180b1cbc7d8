import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Records that no engine makes, which a guest who may write sends into the owner's zone. Of an
/// object that is not there they say nothing: that is a problem with a name.
@Suite(.timeLimit(.minutes(5))) struct RawRecordTests {
  private let server = MemoryTransport(account: "ann")
  private let guest: MemoryTransport
  private let model: ManagedObjectModel
  private let owner: Client
  private let phone: Client
  private let zone: CloudZone
  private let stamp = JSONValue.string(
    Stamp(
      milliseconds: Int64(Date().timeIntervalSince1970 * 1000) + 60_000, writer: "aaaaaaaa"
    ).text)

  /// A shared list “Shopping” with a section “Food” with the note “bread”, and a private one,
  /// “Secret” with “S” and “mine”. Notes have a detail each, and labels are below nothing.
  init() async throws {
    model = try ManagedObjectModel([
      "List: name, sections ->> Section.list",
      "Section cloud.parent=list: name, list -> List.sections, notes ->> Note.section",
      EntityDraft(
        "Note",
        ["name", "section -> Section.notes", "detail -> Detail.note", "label -> Label.notes"],
        userInfo: ["cloud.parent": "section"]),
      "Detail cloud.parent=note: name, note -> Note.detail",
      "Label: name, notes ->> Note.label",
    ])
    guest = server.signedIn(as: "bob")
    owner = try Client(server, model: model)
    phone = try Client(server, model: model)
    for (list, section, note) in [("Shopping", "Food", "bread"), ("Secret", "S", "mine")] {
      let list = try owner.insert("List", ["name": .string(list)])
      let section = try owner.insert("Section", ["name": .string(section), "list": .int(list)])
      let row = try owner.insert("Note", ["name": .string(note), "section": .int(section)])
      if note == "mine" {
        let detail = try owner.insert("Detail", ["name": "private"])
        try owner.stack.store.write { transaction in
          let entity = try transaction.model.requireEntity(named: "Detail")
          let half = try #require(entity.property(named: "note")?.relationship)
          try transaction.lead(half, of: entity, row: detail, to: row)
        }
      }
    }
    try owner.insert("Label", ["name": "l"])
    try await owner.engine.sync()
    let list = try #require(try owner.rows("List").first).id
    let share = try await owner.engine.share(list, with: [.init("bob", .readWrite)])
    zone = CloudZone(share.zone.name, owner: "ann")
    try await phone.engine.sync()
  }

  private func name(_ entity: String, _ name: String) throws -> String {
    let row = try #require(try owner.rows(entity).first { $0.values[0] == .string(name) })
    return try #require(try owner.record(entity, row.id.row)).name
  }

  /// Sends members of a record, which is made where there is none.
  private func send(_ name: String, _ content: JSONObject) async throws {
    let known = server.records(in: CloudZone(zone.name))[name]
    let save: CloudSave =
      known.map { .update(name: name, tag: $0.tag, content: content) }
      ?? .create(name: name, content: content)
    guard case .saved? = try await guest.save([save], in: zone).first else {
      Issue.record("The server has not taken \(name).")
      return
    }
  }

  private func note(_ title: String, in section: String?) -> JSONObject {
    var content: JSONObject = ["type": "Note", "t": stamp, "f_name": .string(title)]
    content["f_section"] = section.map { ["r", .string($0), "Section"] }
    return content
  }

  /// Names of objects with those that they lead to, by a property.
  private func leads(_ entity: String, _ property: String, _ client: Client) throws -> [String] {
    let slot = try #require(model.requireEntity(named: entity).property(named: property)).slot
    let target = try model.requireEntity(named: entity).destination(
      of: #require(model.requireEntity(named: entity).property(named: property)?.relationship))
    let others = try client.rows(target.name)
    func text(_ value: Value?) -> String {
      if case .string(let text)? = value { text } else { "-" }
    }
    return try client.rows(entity).map { row in
      guard case .int(let other) = row.values[slot] else { return "\(text(row.values[0])) -" }
      return "\(text(row.values[0])) \(text(others.first { $0.id.row == other }?.values[0]))"
    }.sorted()
  }

  /// Expects notes with their sections, and no problem.
  private func expect(_ notes: [String], _ clients: Client...) throws {
    for client in clients.isEmpty ? [owner, phone] : clients {
      #expect(try leads("Note", "section", client) == notes)
      #expect(client.engine.status.problems.isEmpty)
    }
  }

  /// Syncs both machines twice and expects one problem each that says so.
  private func expectProblem(_ words: String) async throws {
    try await sync(owner, phone, rounds: 2)
    for client in [owner, phone] {
      let reasons = client.engine.status.problems.map(\.description)
      #expect(reasons.count == 1 && reasons[0].contains(words), "\(reasons)")
      #expect(client.engine.status.waiting == 0)
    }
  }

  @Test func aGuestPutsNothingBelowAPrivateSection() async throws {
    try await send("raw", note("raw", in: try name("Section", "S")))
    try await expectProblem("“section” is to lead to Section")
    for client in [owner, phone] {
      #expect(try leads("Note", "section", client) == ["bread Food", "mine S", "raw -"])
    }
    // Moved into the share it is below that, as it says.
    let section = try #require(try owner.rows("Section").first { $0.values[0] == "S" })
    let list = try #require(try owner.rows("List").first)
    try owner.update("Section", section.id.row, ["list": .int(list.id.row)])
    try await sync(owner, phone, rounds: 2)
    try expect(["bread Food", "mine S", "raw S"])
  }

  @Test func theProblemOfAReferenceGoesWithItsObject() async throws {
    try await send("raw", note("raw", in: try name("Section", "S")))
    try await expectProblem("“section” is to lead to Section")
    let section = try #require(try owner.rows("Section").first { $0.values[0] == "S" })
    try owner.delete("Section", section.id.row)
    try await sync(owner, phone, rounds: 2)
    try expect(["bread Food", "mine -", "raw -"])
  }

  @Test func aGuestMovesNoSharedNoteIntoAPrivateSection() async throws {
    let section = JSONValue.array(["r", .string(try name("Section", "S")), "Section"])
    try await send(name("Note", "bread"), ["f_section": section, "t_section": stamp])
    try await expectProblem("“section” is to lead to Section")
    for client in [owner, phone] {
      #expect(try leads("Note", "section", client) == ["bread -", "mine S"])
    }
    // An edit ends that.
    let row = try #require(try phone.rows("Note").first { $0.values[0] == "bread" }).id.row
    let food = try #require(try phone.rows("Section").first { $0.values[0] == "Food" }).id.row
    try phone.update("Note", row, ["section": .int(food)])
    try await sync(phone, owner, phone)
    try expect(["bread Food", "mine S"])
  }

  @Test func aGuestTakesNoPrivateChildOfOneToOne() async throws {
    let detail = JSONValue.array(["r", .string(try name("Detail", "private")), "Detail"])
    try await send(name("Note", "bread"), ["f_detail": detail, "t_detail": stamp])
    try await expectProblem("“detail” is to lead to Detail")
    for client in [owner, phone] {
      #expect(try leads("Note", "detail", client) == ["bread -", "mine private"])
      #expect(try leads("Detail", "note", client) == ["private mine"])
    }
  }

  @Test(arguments: ["Label", "List"])
  func whatIsBelowNothingOfAShareDoesNotAppear(_ entity: String) async throws {
    try await send("raw", ["type": .string(entity), "t": stamp, "f_name": "raw"])
    try await expectProblem("An object of \(entity) is not below List")
    for client in [owner, phone] {
      #expect(try !client.values(entity, "name").contains("raw"))
    }
  }

  /// Of the object at the other end it says nothing.
  @Test func aPlainReferenceLeadsOutOfAShareOnMachinesOfTheAccount() async throws {
    let row = try #require(try owner.rows("Note").first { $0.values[0] == "bread" }).id.row
    let label = try #require(try owner.rows("Label").first).id.row
    try owner.update("Note", row, ["label": .int(label)])
    try await sync(owner, phone)
    #expect(try leads("Note", "label", phone) == ["bread l", "mine -"])
    #expect(phone.engine.status.problems.isEmpty)
  }

  /// The owner has taken the section home, and a participant puts a note below it before he hears.
  @Test func whatIsPutBelowASectionThatWentComesAlong() async throws {
    let food = try #require(try owner.rows("Section").first { $0.values[0] == "Food" }).id.row
    let secret = try #require(try owner.rows("List").last).id.row
    let record = try name("Section", "Food")
    try owner.update("Section", food, ["list": .int(secret)])
    try await owner.engine.sync()
    try await send("late", note("late", in: record))
    try await sync(owner, phone, rounds: 2)
    try expect(["bread Food", "late Food", "mine S"])
  }

  /// The same while the owner tells it: another machine of hers sees the section at home, and the
  /// note below it, before it sees the section leave.
  @Test func whatIsPutBelowASectionThatGoesComesAlong() async throws {
    let food = try name("Section", "Food")
    let isSent = Locked(false)
    let line = FaultyTransport(server) { saves in
      let leaves = saves.contains { $0.content["m"]?[1] == "" }
      guard leaves, !isSent.withLock({ $0 }) else { return }
      isSent.withLock { $0 = true }
      try await send("late", note("late", in: food))
      try await phone.engine.sync()
      #expect(try leads("Note", "section", phone) == ["bread Food", "late -", "mine S"])
    }
    let tablet = try Client(line, model: model)
    try await tablet.engine.sync()
    let section = try #require(try tablet.rows("Section").first { $0.values[0] == "Food" }).id.row
    let secret = try #require(try tablet.rows("List").first { $0.values[0] == "Secret" }).id.row
    try tablet.update("Section", section, ["list": .int(secret)])
    try await tablet.engine.push()
    #expect(isSent.withLock { $0 })
    try await phone.engine.pull()
    try expect(["bread Food", "late Food", "mine S"], phone)
    try await sync(owner, phone, tablet, rounds: 3)
    try expect(["bread Food", "late Food", "mine S"], owner, phone, tablet)
  }
}
