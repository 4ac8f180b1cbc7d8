import SyncStack
import TestSupport
import Testing

/// An object whose key was edited here: the server knows it by the one before.
@Suite struct EditedKeyTests {
  private let shop: DraftedShop

  init() async throws {
    shop = try DraftedShop(["Topic: slug string key, name"], sending: "Topic")
    try await shop.sync([["slug": "red", "name": "r"]], "Topic")
  }

  @Test func itsUpdateGoesToTheKeyBefore() async throws {
    try await shop.edit { try $1("Topic", "slug == 'red'")["slug"] = "crimson" }
    #expect(try shop.outbox.pending.map(\.key) == ["red"])
    try await shop.outbox.sendAll()
    let change = try #require(shop.server.sent.first)
    #expect(change.id == "red")
    #expect(change.changedJSON == ["slug": "crimson"])
    // From now on the server knows the new one.
    try await shop.edit { try $1("Topic", "slug == 'crimson'")["name"] = "c" }
    try await shop.outbox.sendAll()
    #expect(shop.server.sent.map(\.id) == ["red", "crimson"])
  }

  /// - Parameter isRead: Whether the outbox has taken the edit in before the deletion.
  @Test(arguments: [false, true])
  func soDoesItsDeletion(_ isRead: Bool) async throws {
    try await shop.edit { try $1("Topic", "slug == 'red'")["slug"] = "crimson" }
    if isRead {
      shop.server.answer(.retry())
      try await shop.outbox.send()
      shop.server.answer(.refused("no"))
      try await shop.outbox.send()
      shop.server.answer(.accepted())
      shop.server.forget()
    }
    try await shop.edit { context, find in
      context.delete(try find("Topic", "slug == 'crimson'"))
    }
    try await shop.outbox.sendAll()
    #expect(shop.server.sent.map(\.id) == ["red"])
    #expect(shop.server.sent.map(\.json) == [["slug": "red"]])
  }
}
