import Foundation
import SyncStack
import TestSupport
import Testing

/// The effect of every call with entity, JSON and operations.
@Suite(.timeLimit(.minutes(30))) struct RunBehaviourTests {
  private static let store = BehaviourCase.Step(
    "User", #"[{"id": 0, "name": "a"}, {"id": 1, "name": "a"}]"#)
  private static let change = #"[{"id": 0, "name": "b"}, {"id": 6, "name": "b"}]"#

  private static func options(_ operations: SyncOperations, _ lines: String...) -> BehaviourCase {
    BehaviourCase(
      "\(operations)", "Notes", [store, .init("User", change, operations)],
      expectations: [.init("User", "remoteID name", lines)])
  }

  static let runs = [
    options(.insert, "0 a", "1 a", "6 b"), options([.insert, .update], "0 b", "1 a", "6 b"),
    options(.all, "0 b", "6 b"),
    BehaviourCase(
      "deleting follows the rules of the model", "Notes",
      [
        .init("User", #"[{"id": 1, "notes": [{"id": 1}], "company": {"id": 2}}, {"id": 3}]"#),
        .init("User", #"[{"id": 3}]"#),
      ],
      .init("Note", "remoteID"), .init("Company", "remoteID users", "2 {}")),
    BehaviourCase(
      "many-to-many, [1,2,3] becomes [3,4,5,2]", "Ordered",
      [
        .init("Cart", #"[{"id": 1, "items": [{"id": 1}, {"id": 2}, {"id": 3}]}]"#),
        .init("Cart", #"[{"id": 1, "items": [{"id": 3}, {"id": 4}, {"id": 5}, {"id": 2}]}]"#),
      ],
      .init("Cart", "id items", "1 [3,4,5,2]")),
  ]

  @Test(arguments: runs, SyncCall.allCases)
  func everyCallRunsTheSame(_ test: BehaviourCase, _ call: SyncCall) async throws {
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
