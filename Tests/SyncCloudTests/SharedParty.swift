import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Accounts with some machines each, that share lists of sections of notes, all in order. Notes lead
/// to each other, and to tags, which are each account's own.
struct Party {
  let model: ManagedObjectModel
  let transports: [any CloudTransport]
  let now: @Sendable () -> Date

  /// By account.
  let machines: [[Client]]

  var all: [Client] { machines.flatMap(\.self) }
  var owner: Client { machines[0][0] }
  var phone: Client { machines[0][1] }
  var guest: Client { machines[1][0] }

  private static func sharedModel() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      "List: name, sections ->> Section.list ordered cascade",
      EntityDraft(
        "Section",
        ["name", "list -> List.sections", "notes ->> Note.section ordered cascade"],
        userInfo: ["cloud.parent": "list"]),
      EntityDraft(
        "Note",
        [
          "name", "stars integer64", "section -> Section.notes",
          "related ->> Note.relatedTo ordered", "relatedTo ->> Note.related", "tags ->> Tag.notes",
        ], userInfo: ["cloud.parent": "section"]),
      "Tag: name, notes ->> Note.tags",
    ])
  }

  /// - Parameter counts: How many machines each account has.
  init(_ transports: [any CloudTransport], _ counts: [Int]) async throws {
    model = try Self.sharedModel()
    now = Scene.clock()
    self.transports = transports
    let (model, now) = (model, now)
    machines = try zip(transports, counts).map { transport, count in
      try (0..<count).map { _ in try Client(transport, model: model, now: now) }
    }
  }

  static func inMemory(_ counts: [Int], _ limits: CloudLimits? = nil) async throws -> Party {
    let server =
      limits.map { MemoryTransport(account: "ann", limits: $0) }
      ?? MemoryTransport(account: "ann")
    let all = [server] + ["bob", "carl"].map { server.signedIn(as: $0) }
    return try await Party(Array(all.prefix(counts.count)), counts)
  }

  func fresh(_ account: Int) async throws -> Client {
    let client = try Client(transports[account], model: model, now: now)
    try await client.engine.sync()
    return client
  }

  // MARK: - Edits

  func row(_ entity: String, _ name: String, _ client: Client) throws -> Int64 {
    try #require(
      try client.rows(entity).first { $0.values[0] == .string(name) }, "No \(entity) “\(name)”."
    ).id.row
  }

  func id(_ entity: String, _ name: String, _ client: Client) throws -> ManagedObjectID {
    ManagedObjectID(
      entity: try model.requireEntity(named: entity), row: try row(entity, name, client))
  }

  /// A list with sections with notes, by their names.
  func make(_ list: String, _ sections: [String: [String]], _ client: Client) throws {
    let row = try client.insert("List", ["name": .string(list)])
    for (name, notes) in sections.sorted(by: { $0.key < $1.key }) {
      let section = try client.insert("Section", ["name": .string(name), "list": .int(row)])
      for note in notes {
        try client.insert("Note", ["name": .string(note), "section": .int(section)])
      }
    }
  }

  func move(_ entity: String, _ name: String, to target: String, _ client: Client) throws {
    let (field, owner) = entity == "Note" ? ("section", "Section") : ("list", "List")
    try client.update(entity, row(entity, name, client), [field: .int(row(owner, target, client))])
  }

  func arrange(
    _ entity: String, _ name: String, _ field: String, _ names: [String], _ client: Client
  )
    throws
  {
    let member = field == "sections" ? "Section" : "Note"
    let rows = try names.map { try row(member, $0, client) }
    let owner = try row(entity, name, client)
    _ = try client.stack.store.write { transaction in
      let entity = try transaction.model.requireEntity(named: entity)
      let list = try #require(entity.property(named: field)?.relationship)
      try transaction.arrange(list, of: entity, owner: owner, as: rows)
    }
  }

  func relate(_ one: String, _ other: String, _ client: Client, isAdded: Bool = true) throws {
    try client.link(
      "Note", row("Note", one, client), "related", [row("Note", other, client)], isAdded: isAdded)
  }

  func tag(_ note: String, _ tag: String, _ client: Client, isAdded: Bool = true) throws {
    if try !client.values("Tag", "name").contains(.string(tag)) {
      try client.insert("Tag", ["name": .string(tag)])
    }
    try client.link(
      "Note", row("Note", note, client), "tags", [row("Tag", tag, client)], isAdded: isAdded)
  }

  // MARK: - Sharing

  func share(_ list: String, _ access: CloudZoneState.Access = .readWrite) async throws {
    var participants: [CloudParticipant] = []
    for transport in transports.dropFirst() {
      participants.append(CloudParticipant(try await transport.account(), access))
    }
    let share = try await owner.engine.share(try id("List", list, owner), with: participants)
    for machines in machines.dropFirst() {
      try await machines[0].engine.accept(share.invitation)
    }
    for client in all { try await client.engine.sync() }
  }

  /// Syncs all until nothing moves.
  func settle(_ comment: Comment? = nil) async throws { try await rest(all, comment) }

  // MARK: - Looking

  /// The content of a client: lists with their sections with their notes in order, and the
  /// references and tags of notes.
  ///
  /// - Parameter only: A list of which alone the content is given that all its participants see.
  static func content(_ client: Client, of only: String? = nil) throws -> [String] {
    try client.stack.store.read { reader in
      func members(_ entity: String, _ field: String, _ row: Int64) throws -> [StoredRow] {
        let entity = try reader.model.requireEntity(named: entity)
        let list = try #require(entity.property(named: field)?.relationship)
        return try reader.members(of: list, in: entity, owners: [row]).flatMap {
          try reader.rows($0.entity, rows: [$0.row])
        }
      }
      func all(_ entity: String) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try reader.scan(reader.model.requireEntity(named: entity), .all) {
          rows.append(try $0.storedRow())
        }
        return rows
      }
      func name(_ row: StoredRow) -> String {
        if case .string(let text) = row.values[0] { text } else { "-" }
      }
      var lines: [String] = []
      var (seen, shared) = (Set<Int64>(), Set<Int64>())
      func note(_ path: String, _ note: StoredRow) throws {
        seen.insert(note.id.row)
        let path = "\(path)/\(name(note))"
        if case .int(let stars) = note.values[1] { lines.append("\(path) \(stars)") }
        var related = try members("Note", "related", note.id.row)
        if only != nil { related = related.filter { shared.contains($0.id.row) } }
        for other in related { lines.append("\(path) > \(name(other))") }
        if related.count > 1 { lines.append("\(path) related \(related.map(name))") }
        guard only == nil else { return }
        for tag in try members("Note", "tags", note.id.row) {
          lines.append("\(path) # \(name(tag))")
        }
      }
      for list in try all("List") where name(list) == only {
        for section in try members("List", "sections", list.id.row) {
          shared.formUnion(try members("Section", "notes", section.id.row).map(\.id.row))
        }
      }
      for list in try all("List") where only == nil || name(list) == only {
        let sections = try members("List", "sections", list.id.row)
        lines.append("\(name(list)): \(sections.map(name))")
        for section in sections {
          let path = "\(name(list))/\(name(section))"
          let notes = try members("Section", "notes", section.id.row)
          lines.append("\(path): \(notes.map(name))")
          for each in notes { try note(path, each) }
        }
      }
      if only == nil {
        for each in try all("Note") where !seen.contains(each.id.row) {
          lines.append("none/\(name(each))")
          try note("none", each)
        }
        for each in try all("Section") where each.values[1].isNull {
          lines.append("none: \(name(each))")
        }
      }
      return lines.sorted()
    }
  }

  /// Syncs all, and expects that the machines of each account have the same, new ones too.
  ///
  /// - Returns: The content of each account.
  @discardableResult
  func ends(_ comment: Comment? = nil) async throws -> [[String]] {
    try await settle(comment)
    var result: [[String]] = []
    for (account, clients) in machines.enumerated() {
      let expected = try Self.content(clients[0])
      for client in clients.dropFirst() + [try await fresh(account)] {
        let other = try Self.content(client)
        #expect(expected.filter { !other.contains($0) } == [], comment)
        #expect(other.filter { !expected.contains($0) } == [], comment)
      }
      for client in clients {
        #expect(client.engine.status.waiting == 0, comment)
        #expect(client.engine.status.problems.isEmpty, comment)
        _ = try client.graph()
      }
      result.append(expected)
    }
    return result
  }
}

extension [String] {
  /// Lines that begin or end in some way.
  func about(_ text: String) -> [String] { filter { $0.contains(text) } }
}
