import SyncStack
import TestSupport
import Testing

/// The effect of every call with entity, JSON and operations.
@Suite(.timeLimit(.minutes(5))) struct RunBehaviourTests {
  private static func options(_ operations: SyncOperations, _ objects: String...) -> SyncCase {
    SyncCase(
      "\(operations)", in: "Notes",
      .sync("User", #"[{"id": 0, "name": "a"}, {"id": 1, "name": "a"}]"#),
      .sync("User", #"[{"id": 0, "name": "b"}, {"id": 6, "name": "b"}]"#, operations),
      leaves: ["User": objects])
  }

  static let runs = [
    options(.insert, "name=a remoteID=0", "name=a remoteID=1", "name=b remoteID=6"),
    options([.insert, .update], "name=a remoteID=1", "name=b remoteID=0", "name=b remoteID=6"),
    options(.all, "name=b remoteID=0", "name=b remoteID=6"),
    SyncCase(
      "deleting follows the rules of the model", in: "Notes",
      .sync("User", #"[{"id": 1, "notes": [{"id": 1}], "company": {"id": 2}}, {"id": 3}]"#),
      .sync("User", #"[{"id": 3}]"#), leaves: ["Note": [], "Company": ["remoteID=2"]]),
    SyncCase(
      "many-to-many, [1,2,3] becomes [3,4,5,2]", in: "Ordered",
      .sync("Cart", #"[{"id": 1, "items": [{"id": 1}, {"id": 2}, {"id": 3}]}]"#),
      .sync("Cart", #"[{"id": 1, "items": [{"id": 3}, {"id": 4}, {"id": 5}, {"id": 2}]}]"#),
      leaves: ["Cart": ["id=1 items=[3,4,5,2]"]]),
  ]

  @Test(arguments: runs, SyncCall.allCases)
  func everyCallRunsTheSame(_ test: SyncCase, _ call: SyncCall) async throws {
    try await test.check(call)
  }

  @Test func objectsAreInsertedInTheOrderOfThePayload() throws {
    let stack = try DataStack.opened("Notes")
    try stack.sync([["id": 32], ["id": 31]], inEntityNamed: "User")
    try stack.sync([["id": 31], ["id": 7], ["id": 32], ["id": 1]], inEntityNamed: "User")
    let keys = try stack.inMain { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: "User")).map {
        $0.value(forKey: "remoteID") as? Int64
      }
    }
    #expect(keys == [32, 31, 7, 1])
  }
}
