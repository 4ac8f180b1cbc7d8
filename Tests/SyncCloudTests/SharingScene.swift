import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// A server on which two accounts are signed in.
enum SharingServer: String, CaseIterable, CustomTestStringConvertible {
  case memory, kinto
  case kintoOnPostgreSQL = "kinto on PostgreSQL"
  case database

  var testDescription: String { rawValue }

  /// Transports for an owner, a guest and a third one.
  func accounts() async throws -> [any CloudTransport] {
    switch self {
    case .memory:
      let server = MemoryTransport(account: "ann")
      return [server, server.signedIn(as: "bob"), server.signedIn(as: "carl")]
    case .kinto, .kintoOnPostgreSQL:
      let kind: TestServer.Kind = self == .kinto ? .memory : .postgres
      return try await [
        TestServer.transport(kind), TestServer.transport(kind), TestServer.transport(kind),
      ]
    case .database:
      return try await [TestServer.database(), TestServer.database(), TestServer.database()]
    }
  }

  /// Those that can be had here. Kinto on PostgreSQL, which keeps the same contract as Kinto in
  /// memory, is one of them with `SYNCSTACK_CLOUD_SERVERS=1`.
  static let available: [SharingServer] = allCases.filter {
    switch $0 {
    case .memory: true
    case .kinto: TestServer.isAvailable(.memory)
    case .kintoOnPostgreSQL: setting("SERVERS") != nil && TestServer.isAvailable(.postgres)
    case .database: TestServer.isAvailable(.database)
    }
  }
}

/// An owner with two machines, and a guest.
struct Scene {
  let transports: [any CloudTransport]
  let owner: Client
  let guest: Client
  let guestName: String
  let list: Int64
  let sections: [Int64]
  let notes: [Int64]
  let model: ManagedObjectModel
  let now: (@Sendable () -> Date)?

  /// Lists with sections with notes; notes have tags, which have no parent.
  private static func sharedModel() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      "Shelf: name, lists ->> List.shelf",
      EntityDraft(
        "List", ["name", "shelf -> Shelf.lists", "sections ->> Section.list cascade"],
        userInfo: ["cloud.parent": "shelf"]),
      EntityDraft(
        "Section", ["name", "list -> List.sections", "notes ->> Note.section cascade"],
        userInfo: ["cloud.parent": "list"]),
      EntityDraft(
        "Note",
        [
          "title", "stars integer64", "section -> Section.notes", "related ->> Note.relatedTo",
          "relatedTo ->> Note.related",
        ], userInfo: ["CloudCoreParent": "section"]),
    ])
  }

  init(_ server: SharingServer) async throws {
    try await self.init(server.accounts())
  }

  /// - Parameter now: The clock of all machines.
  init(_ transports: [any CloudTransport], now: (@Sendable () -> Date)? = nil) async throws {
    (self.transports, self.now) = (transports, now)
    model = try Scene.sharedModel()
    let owner = try Client(transports[0], model: model, now: now)
    self.owner = owner
    guest = try Client(transports[1], model: model, now: now)
    guestName = try await transports[1].account()
    let shelf = try owner.insert("Shelf", ["name": "Home"])
    list = try owner.insert("List", ["name": "Shopping", "shelf": .int(shelf)])
    let list = list
    let (first, second) = (
      try owner.insert("Section", ["name": "Food", "list": .int(list)]),
      try owner.insert("Section", ["name": "Tools", "list": .int(list)])
    )
    sections = [first, second]
    notes = try (1...18).map { number in
      try owner.insert(
        "Note", ["title": .string("n\(number)"), "section": .int(number < 10 ? first : second)])
    }
    try owner.link("Note", notes[0], "related", [notes[1], notes[17]])
    // Objects that no other account may see.
    let secret = try owner.insert("List", ["name": "Secret", "shelf": .int(shelf)])
    let section = try owner.insert("Section", ["name": "S", "list": .int(secret)])
    let hidden = try owner.insert("Note", ["title": "hidden", "section": .int(section)])
    try owner.link("Note", hidden, "related", [notes[2]])
    try await sync(owner, guest)
  }

  func id(_ entity: String, _ row: Int64) throws -> ManagedObjectID {
    ManagedObjectID(entity: try model.requireEntity(named: entity), row: row)
  }

  /// A scene in memory whose list the guest has.
  static func shared(_ access: CloudZoneState.Access = .readWrite) async throws -> (
    scene: Scene, share: CloudShare, root: ManagedObjectID
  ) {
    let scene = try await Scene(.memory)
    let share = try await scene.share(access)
    return (scene, share, try await scene.guest.engine.accept(share.invitation))
  }

  func share(_ access: CloudZoneState.Access) async throws -> CloudShare {
    try await owner.engine.share(try id("List", list), with: [CloudParticipant(guestName, access)])
  }

  /// Everything that a client has, by titles and names, without looking at records.
  static func texts(_ client: Client) throws -> [String] {
    let notes = try client.rows("Note").map { row in
      "\(text(row.values[0])) \(text(row.values[1]))"
    }
    let others = try ["List", "Section"].flatMap { try client.values($0, "name") }
      .map(text)
    return (notes + others).sorted()
  }

  /// Notes with their sections and lists.
  static func paths(_ client: Client) throws -> [String] {
    let (lists, sections) = (try client.rows("List"), try client.rows("Section"))
    func name(_ rows: [StoredRow], _ value: Value) -> StoredRow? {
      guard case .int(let row) = value else { return nil }
      return rows.first { $0.id.row == row }
    }
    return try client.rows("Note").map { note in
      let section = name(sections, note.values[2])
      let list = section.flatMap { name(lists, $0.values[1]) }
      return [list?.values[0], section?.values[0], note.values[0], note.values[1]]
        .map { $0.map(text) ?? "none" }.joined(separator: "/")
    }.sorted()
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .string(let text): text
    case .int(let number): String(number)
    default: "-"
    }
  }

  /// A clock that goes on with each look at it, so that a seed decides the order of edits.
  static func clock() -> @Sendable () -> Date {
    let start = Date()
    let looks = Locked(0.0)
    return {
      start.addingTimeInterval(
        looks.withLock { looks in
          looks += 1
          return looks / 1000
        })
    }
  }

  /// Another machine of an account.
  func machine(_ number: Int) throws -> Client {
    try Client(transports[number], model: model, now: now)
  }

  /// The names of records that raw requests of the guest show of a zone; nil when that is missing.
  func seen(_ share: CloudShare) async throws -> [String]? {
    let zone = CloudZone(share.zone.name, owner: try await transports[0].account())
    do {
      return try await transports[1].changes(in: zone, after: nil, limit: 1000).records.map(\.name)
    } catch let error as CloudError where error.code == .zoneMissing {
      return nil
    }
  }

  func title(_ client: Client, _ row: Int64) throws -> Value? {
    try client.rows("Note").first { $0.id.row == row }?.values[0]
  }

  func row(_ client: Client, titled title: String) throws -> Int64? {
    try client.rows("Note").first { $0.values[0] == .string(title) }?.id.row
  }
}
