import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Files go where their objects go.
@Suite(.timeLimit(.minutes(5))) struct SharedFileTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      "List: name, notes ->> Note.list",
      EntityDraft(
        "Note",
        [
          "title", .attribute("photo", .binary, userInfo: ["cloud.asset": "onDemand"]),
          .attribute("film", .string, userInfo: ["cloud.asset": "onDemand"]), "list -> List.notes",
        ], userInfo: ["cloud.parent": "list"]),
    ])
  }

  private func fetch(_ title: String, _ client: Client) async throws -> [Data] {
    let place = try client.values("Note", "title").firstIndex(of: .string(title))
    let row = try client.rows("Note")[try #require(place)]
    let id = ManagedObjectID(entity: row.entity, row: row.row)
    var found: [Data] = []
    for field in ["photo", "film"] {
      try await client.engine.fetchAsset(of: id, field)
      let slot = try #require(row.entity.property(named: field)).slot
      let value = try client.rows("Note").first { $0.row == row.row }?.values[slot]
      if case .data(let data)? = value { found.append(data) }
      if case .string(let name)? = value {
        found.append(try Data(contentsOf: #require(client.engine.assetURL(name))))
      }
    }
    return found
  }

  @Test(arguments: SharingServer.available)
  func filesThatAreNotHereMoveIntoAShareAndHome(_ server: SharingServer) async throws {
    let transports = try await server.accounts()
    let model = try Self.model()
    func client(_ account: Int) throws -> Client { try Client(transports[account], model: model) }
    let (first, second, guest) = (try client(0), try client(0), try client(1))
    let bytes = (0..<4).map { AssetTests.bytes(300, $0) }
    let list = try first.insert("List", ["name": "a"])
    let film = try await first.engine.addAsset(bytes[1], pathExtension: "film")
    try first.insert(
      "Note",
      ["title": "mine", "photo": .data(bytes[0]), "film": .string(film), "list": .int(list)])
    try await first.engine.sync()
    // The machine that shares has neither.
    try await sync(second, guest)
    let root = ManagedObjectID(entity: try model.requireEntity(named: "List"), row: 1)
    let share = try await second.engine.share(
      root, with: [CloudParticipant(try await transports[1].account(), .readWrite)])
    let accepted = try await guest.engine.accept(share.invitation)
    #expect(try await fetch("mine", guest) == [bytes[0], bytes[1]])
    // And a file that a guest adds comes home when that ends.
    let other = try await guest.engine.addAsset(bytes[3])
    try guest.insert(
      "Note",
      [
        "title": "theirs", "photo": .data(bytes[2]), "film": .string(other),
        "list": .int(accepted.row),
      ])
    try await sync(guest, second)
    try await second.engine.stopSharing(root)
    #expect(try await fetch("mine", second) == [bytes[0], bytes[1]])
    #expect(try await fetch("theirs", second) == [bytes[2], bytes[3]])
    try await first.engine.sync()
    #expect(try await fetch("theirs", first) == [bytes[2], bytes[3]])
    let content = second.engine.files.folder.content().map(\.name)
    #expect(Set(content) == [film, other, "looked"])
  }

  /// With a photo, as with one that comes later.
  @Test func acceptBringsFilesThatAreToBeHere() async throws {
    let transports = try await SharingServer.memory.accounts()
    let model = try ManagedObjectModel([
      "List: name, notes ->> Note.list",
      EntityDraft(
        "Note",
        [.attribute("photo", .binary, userInfo: ["cloud.asset": "eager"]), "list -> List.notes"],
        userInfo: ["cloud.parent": "list"]),
    ])
    let owner = try Client(transports[0], model: model)
    let guest = try Client(transports[1], model: model)
    let list = try owner.insert("List", ["name": "a"])
    let photo = AssetTests.bytes(300)
    try owner.insert("Note", ["photo": .data(photo), "list": .int(list)])
    let root = ManagedObjectID(entity: try model.requireEntity(named: "List"), row: list)
    let share = try await owner.engine.share(root, with: [.init("bob", .readOnly)])
    try await guest.engine.accept(share.invitation)
    #expect(try guest.values("Note", "photo") == [.data(photo)])
  }

  @Test(arguments: SharingServer.available)
  func aShareLosesFilesWithoutAReference(_ server: SharingServer) async throws {
    let transports = try await server.accounts()
    let model = try Self.model()
    func client(_ account: Int) throws -> Client { try Client(transports[account], model: model) }
    let (owner, guest) = (try client(0), try client(1))
    let list = try owner.insert("List", ["name": "a"])
    let photo = AssetTests.bytes(300)
    try owner.insert("Note", ["title": "n", "photo": .data(photo), "list": .int(list)])
    try await guest.engine.sync()
    let root = ManagedObjectID(entity: try model.requireEntity(named: "List"), row: list)
    func share(_ right: CloudZoneState.Access) async throws -> CloudShare {
      try await owner.engine.share(
        root, with: [CloudParticipant(try await transports[1].account(), right)])
    }
    let invitation = try await share(.readOnly).invitation
    try await guest.engine.accept(invitation)
    let shared = try #require(try await owner.engine.sharedZones().first)
    func files() async throws -> Int {
      let page = try await transports[0].changes(
        in: ServedFile.manifests(of: shared), after: nil, limit: 100)
      return page.records.count { $0.content?["size"] != nil }
    }
    #expect(try await files() == 1)
    try owner.update("Note", 1, ["photo": .null])
    try await sync(owner, guest)
    // A participant that may only read does not touch it.
    for _ in 1...2 { #expect(try await guest.engine.removeUnusedAssets(after: 0) == 0) }
    #expect(try await files() == 1)
    _ = try await share(.readWrite)
    try await guest.engine.sync()
    #expect(try await guest.engine.removeUnusedAssets(after: 0) == 0)
    #expect(try await guest.engine.removeUnusedAssets(after: 0) == 1)
    #expect(try await files() == 0)
  }

  /// How the share ends for the guest.
  enum End: String, CaseIterable { case revoked, left, signedOut }

  /// Files go as rows do, at once; files that an object of one's own names stay.
  @Test(arguments: End.allCases)
  func filesOfWhatIsSharedNoMoreGoWithIt(_ end: End) async throws {
    let transports = try await SharingServer.memory.accounts()
    let model = try Self.model()
    func client(_ account: Int) throws -> Client { try Client(transports[account], model: model) }
    let (owner, guest) = (try client(0), try client(1))
    let bytes = (0..<2).map { AssetTests.bytes(300, $0) }
    let list = try owner.insert("List", ["name": "a"])
    for (title, data) in zip(["one", "two"], bytes) {
      let film = try await owner.engine.addAsset(data, pathExtension: "film")
      try owner.insert(
        "Note", ["title": .string(title), "film": .string(film), "list": .int(list)])
    }
    try await sync(owner, guest)
    let root = ManagedObjectID(entity: try model.requireEntity(named: "List"), row: list)
    let account = try await transports[1].account()
    let share = try await owner.engine.share(root, with: [.init(account, .readWrite)])
    let accepted = try await guest.engine.accept(share.invitation)
    #expect(try await fetch("one", guest) == [bytes[0]])
    #expect(try await fetch("two", guest) == [bytes[1]])
    let kept = try await guest.engine.addAsset(bytes[1], pathExtension: "film")
    try guest.insert("Note", ["title": "mine", "film": .string(kept)])
    // Not set on any object yet.
    let fresh = try await guest.engine.addAsset(AssetTests.bytes(10))
    switch end {
    case .revoked: try await owner.engine.share(root, with: [])
    case .left: try await guest.engine.leave(accepted)
    case .signedOut: try await guest.engine.signOut(wipe: false)
    }
    if end != .signedOut { try await guest.engine.sync() }
    #expect(try guest.values("Note", "title") == ["mine"])
    let files = guest.engine.files.folder.content().map(\.name).filter { !$0.hasPrefix("looked") }
    #expect(Set(files.filter { !$0.hasPrefix("sent-") }) == [kept, fresh])
  }
}
