import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// The owner ends a share, and keeps all that is in it, also what is not among the objects here.
@Suite(.timeLimit(.minutes(5))) struct EndedShareTests {
  private let server = MemoryTransport(account: "ann")
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let old: [EntityDraft] = [
    "List: id key, items ->> Item.list cascade",
    "Item cloud.parent=list: id key, list -> List.items",
  ]

  /// A later one, that knows more of items, and memos.
  private static let new: [EntityDraft] = [
    "List: id key, items ->> Item.list cascade, memos ->> Memo.list cascade",
    "Item cloud.parent=list: id key, stars integer64, list -> List.items",
    "Memo cloud.parent=list: id key, list -> List.memos",
  ]

  private func owner(_ drafts: [EntityDraft], isStored: Bool = false) throws -> Client {
    try Client(
      server, model: ManagedObjectModel(drafts), file: isStored ? folder.file() : nil)
  }

  /// The list of a client, shared with a guest.
  private func share(_ owner: Client, _ drafts: [EntityDraft]) async throws -> Client {
    let guest = try Client(server.signedIn(as: "bob"), model: ManagedObjectModel(drafts))
    let list = try #require(try owner.rows("List").first).id
    let share = try await owner.engine.share(list, with: [.init("bob", .readWrite)])
    try await guest.engine.accept(share.invitation)
    return guest
  }

  private func end(_ owner: Client, _ guest: Client) async throws {
    try await owner.engine.stopSharing(try #require(try owner.rows("List").first).id)
    try await sync(owner, guest)
    #expect(try guest.rows("Item").isEmpty)
  }

  @Test func anItemThatWasRemovedHereOnlyIsBack() async throws {
    let owner = try owner(Self.old)
    try await owner.sync(#"[{"id":1,"items":[{"id":1},{"id":2}]}]"#, "List")
    try await owner.engine.sync()
    let guest = try await share(owner, Self.old)
    try await sync(guest, owner)
    try await owner.engine.evict(try #require(try owner.rows("Item").last).id)
    try await end(owner, guest)
    #expect(try owner.values("Item", "id") == [1, 2])
    try await settle([owner], fresh: server)
  }

  @Test func whatALaterModelOfAGuestHasAddedComesHomeAsItIs() async throws {
    var owner = try owner(Self.old, isStored: true)
    try await owner.sync(#"[{"id":1,"items":[{"id":1}]}]"#, "List")
    try await owner.engine.sync()
    let guest = try await share(owner, Self.new)
    try guest.update("Item", try #require(try guest.rows("Item").first).row, ["stars": 5])
    try guest.insert(
      "Memo", ["id": 1, "list": .int(try #require(try guest.rows("List").first).row)])
    try await sync(guest, owner)
    try await end(owner, guest)
    #expect(owner.engine.status.waiting == 0)
    try owner.close()
    owner = try self.owner(Self.new, isStored: true)
    try await settle([owner], fresh: server)
    #expect(try owner.values("Item", "stars") == [5])
    #expect(try owner.values("Memo", "list").allSatisfy { !$0.isNull })
    #expect(try owner.rows("Memo").count == 1)
    try owner.close()
  }

  @Test func aRecordThatIsPutAsideIsStoredOnceNothingIsInTheWay() async throws {
    let drafts: [EntityDraft] = [
      "List: id key, items ->> Item.list cascade",
      EntityDraft(
        "Item", ["id key", "name", "list -> List.items"], uniquenessConstraints: [["name"]],
        userInfo: ["cloud.parent": "list"]),
    ]
    let owner = try owner(drafts)
    try await owner.sync(#"[{"id":1,"items":[{"id":1,"name":"a"}]}]"#, "List")
    try await owner.engine.sync()
    let guest = try await share(owner, drafts)
    let list = try #require(try guest.rows("List").first).row
    try guest.insert("Item", ["id": 2, "name": "b", "list": .int(list)])
    let row = try owner.insert("Item", ["id": 3, "name": "b"])
    try await sync(guest, owner)
    #expect(owner.engine.status.problems.count == 1)
    try await end(owner, guest)
    #expect(owner.engine.status.waiting == 0)
    try owner.update("Item", row, ["name": "c"])
    try await owner.engine.sync()
    try await settle([owner], fresh: server)
    #expect(Set(try owner.values("Item", "name")) == ["a", "b", "c"])
  }
}
