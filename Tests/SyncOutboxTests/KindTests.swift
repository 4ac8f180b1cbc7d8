import SyncStack
import TestSupport
import Testing

/// Objects of several kinds that go to one address.
@Suite struct KindTests {
  class Animal: ManagedObject {
    override class var entityUserInfo: [String: String] { ["sync.typeKey": "kind"] }
    @PrimaryKey var id: Int64?
    @Attribute var name: String?
  }

  final class Dog: Animal {
    @Attribute var breed: String?
  }

  /// The changed part of an update is no whole object, so it says no kind.
  @Test func aWholeObjectSaysItsKind() async throws {
    let stack = try DataStack.tracking(Animal.self, Dog.self)
    let outbox = try Outbox(stack, name: "api")
    let log = Locked<[OutboxChange]>([])
    outbox.send(Animal.self) { change in
      log.withLock { $0.append(change) }
      return .accepted(["id": 7, "kind": "Dog", "breed": "Collie"])
    }
    try await stack.edit { Dog(context: $0).name = "Rex" }
    try await outbox.send()
    try await stack.edit { context in
      let dog = try #require(try context.fetch(Fetch<Dog>()).first)
      #expect(dog.id == 7)
      #expect(dog.breed == "Collie")
      dog.name = "Max"
    }
    try await outbox.send()
    let changes = log.withLock { $0 }
    #expect(
      changes.map(\.json) == [
        ["name": "Rex", "kind": "Dog", "breed": nil],
        ["id": 7, "name": "Max", "kind": "Dog", "breed": "Collie"],
      ])
    #expect(changes.map(\.changedJSON) == [changes[0].json, ["name": "Max"]])
  }

  @Test func aKeyMayBeDeclaredBelowARootWithoutOne() async throws {
    let shop = try DraftedShop(
      ["abstract Base: note", "Message < Base: id, text"], sending: "Message")
    shop.server.answer(.accepted(["id": 7, "text": "hello"]))
    try await shop.edit { context, _ in
      try context.insert(entityNamed: "Message")["text"] = "hello"
    }
    try await shop.outbox.sendAll()
    #expect(try shop.values("Message", "id", "text") == ["7 hello"])
  }

  private func contents() async throws -> DraftedShop {
    let shop = try DraftedShop(
      [
        "abstract Content: id, text", "Post < Content: comments ->> Comment.post cascade",
        "Comment < Content: post -> Post.comments", "Answer < Comment: isAccepted boolean",
      ], sending: "Post", "Comment")
    try await shop.sync([["id": 1, "text": "p1", "comments": [["id": 20]]]], "Post")
    return shop
  }

  /// The API numbers the objects of each kind from 1.
  @Test func anObjectOfAnotherKindIsNoCopy() async throws {
    let shop = try await contents()
    shop.server.answer(.accepted(["id": 1, "text": "new"]))
    try await shop.edit { context, find in
      let comment = try context.insert(entityNamed: "Comment")
      comment["text"] = "new"
      comment["post"] = try find("Post", "id == 1")
    }
    #expect(try await shop.outbox.sendAll()["Comment"].joined.isEmpty)
    #expect(try shop.values("Post", "id", "text") == ["1 p1"])
    #expect(try shop.values("Comment", "id", "post_id") == ["1 1", "20 1"])
    #expect(try await shop.stack.checkConsistency().problems.isEmpty)
  }

  /// References to an answer cannot lead to a comment.
  @Test func aCopyOfAMoreSpecialKindStays() async throws {
    let shop = try await contents()
    try await shop.sync([["id": 30, "text": "theirs"]], "Answer")
    shop.server.answer(.accepted(["id": 30]))
    try await shop.edit { context, _ in
      try context.insert(entityNamed: "Comment")["text"] = "mine"
    }
    #expect(try await shop.outbox.send().refused == 1)
    #expect(try shop.values("Answer", "id", "text") == ["30 theirs"])
  }
}
