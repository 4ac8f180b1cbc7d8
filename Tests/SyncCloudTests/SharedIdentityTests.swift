import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// A shared object and one's own that have one key.
@Suite(.timeLimit(.minutes(5))) struct SharedIdentityTests {
  /// Two accounts that sync the same source with JSON have a list each under one key.
  @Test func aSyncOfJSONDeletesNoListOfAnotherAccount() async throws {
    let server = MemoryTransport(account: "ann")
    let model = try ManagedObjectModel([
      "List: id key, items ->> Item.list cascade",
      "Item cloud.parent=list: id key, list -> List.items",
    ])
    let owner = try Client(server, model: model)
    let guest = try Client(server.signedIn(as: "bob"), model: model)
    let source = #"[{"id":1,"items":[{"id":1},{"id":2}]}]"#
    for client in [owner, guest] {
      try await client.sync(source, "List")
      try await client.engine.sync()
    }
    let share = try await owner.engine.share(
      try #require(try owner.rows("List").first).id, with: [.init("bob", .readWrite)])
    let shared = try await guest.engine.accept(share.invitation)
    try await guest.sync(source, "List")
    try await sync(guest, owner)
    for (client, count) in [(owner, 1), (guest, 2)] {
      #expect(try client.rows("List").count == count)
      #expect(try client.rows("Item").count == 2 * count)
    }
    #expect(try guest.rows("List").contains { $0.id == shared })
    try await settle([owner], fresh: server)
  }
}
