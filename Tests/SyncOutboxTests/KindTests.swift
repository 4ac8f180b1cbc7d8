import SyncStack
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
}
