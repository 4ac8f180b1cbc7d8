import Foundation
import SyncStack
import TestSupport
import Testing

/// One run, its options and orders.
@Suite(.timeLimit(.minutes(30))) struct RunBehaviourTests {
  private static let store = BehaviourCase.Step(
    "User", #"[{"id": 0, "name": "a"}, {"id": 1, "name": "a"}]"#)
  private static let change = #"[{"id": 0, "name": "b"}, {"id": 6, "name": "b"}]"#

  static let wholeRuns = [
    BehaviourCase(
      "text keys given as numbers are the same keys", "PrimaryKey",
      [
        .init("SimpleID", #"[{"id": "1", "name": "a"}]"#),
        .init("SimpleID", #"[{"id": 1, "name": "b"}]"#),
      ],
      .init("SimpleID", "id name", "1 b")),
    BehaviourCase(
      "an empty list empties a small store", "Notes", [store, .init("User", "[]")],
      .init("User", "remoteID")),
    BehaviourCase(
      "deleting follows the rules of the model", "Notes",
      [
        .init("User", #"[{"id": 1, "notes": [{"id": 1}], "company": {"id": 2}}, {"id": 3}]"#),
        .init("User", #"[{"id": 3}]"#),
      ],
      .init("Note", "remoteID"), .init("Company", "remoteID users", "2 {}")),
  ]

  @Test("runs", arguments: wholeRuns, SyncCall.allCases)
  func runs(_ test: BehaviourCase, _ call: SyncCall) async throws { try await test.check(call) }

  @Test("inserts in the order of the payload ([31, 32])", arguments: SyncCall.allCases)
  func payloadOrder(_ call: SyncCall) async throws {
    let stack = try DataStack.opened("Notes")
    try await call.run(stack, #"[{"id": 32}, {"id": 31}]"#, "User", .all)
    try await call.run(stack, #"[{"id": 31}, {"id": 7}, {"id": 32}, {"id": 1}]"#, "User", .all)
    let keys = try stack.inMain { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: "User")).map {
        $0.value(forKey: "remoteID") as? Int64
      }
    }
    #expect(keys == [32, 31, 7, 1])
  }

  @Test("a predicate limits what is deleted and never what is found", arguments: 0..<3)
  func predicates(_ form: Int) throws {
    let stack = try DataStack.opened("Notes")
    try stack.sync(
      dictionaries(#"[{"id": 0, "name": "a"}, {"id": 1, "name": "b"}, {"id": 2}]"#),
      inEntityNamed: "User")
    let items = try dictionaries(#"[{"id": 1, "name": "c"}, {"id": 9}]"#)
    let filter = Filter("remoteID == %@", 0)
    switch form {
    case 0: try stack.sync(items, inEntityNamed: "User", predicate: filter)
    case 1:
      try Sync.changes(items, inEntityNamed: "User", predicate: filter, dataStack: stack)
    default:
      try stack.inMain {
        _ = try $0.sync(items, inEntityNamed: "User", predicate: filter, parent: nil)
      }
    }
    #expect(try stack.shown("User", "remoteID name") == ["1 c", "2 -", "9 -"])
  }

  // MARK: - Options

  private static func options(_ operations: SyncOperations, _ lines: String...) -> BehaviourCase {
    BehaviourCase(
      "\(operations)", "Notes", [store, .init("User", change, operations)],
      expectations: [.init("User", "remoteID name", lines)])
  }

  static let roots = [
    options(.insert, "0 a", "1 a", "6 b"), options(.update, "0 b", "1 a"),
    options(.delete, "0 a"), options([.insert, .update], "0 b", "1 a", "6 b"),
    options(.all, "0 b", "6 b"),
  ]

  @Test("options at the root", arguments: roots, SyncCall.some)
  func holdsAtTheRoot(_ test: BehaviourCase, _ call: SyncCall) async throws {
    try await test.check(call)
  }

  @Test("the bits of the options")
  func bits() {
    let bits: [SyncOperations] = [
      .insert, .update, .delete, .insertRelationships, .updateRelationships, .deleteRelationships,
    ]
    #expect(bits.map(\.rawValue) == [1, 2, 4, 8, 16, 32])
    #expect(SyncOperations.all.rawValue == 63)
    #expect(SyncOperations(rawValue: 63) == .all)
  }

  // MARK: - Order

  static let orders = [
    BehaviourCase(
      "many-to-many, [1,2,3] becomes [3,4,5,2]", "Ordered",
      [
        .init("Cart", #"[{"id": 1, "items": [{"id": 1}, {"id": 2}, {"id": 3}]}]"#),
        .init("Cart", #"[{"id": 1, "items": [{"id": 3}, {"id": 4}, {"id": 5}, {"id": 2}]}]"#),
      ],
      .init("Cart", "id items", "1 [3,4,5,2]")),
    BehaviourCase(
      "[1,3,2,5,4] from stored items that nobody linked", "Ordered",
      [
        .init("Thing", #"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}, {"id": 5}]"#),
        .init(
          "Cart",
          #"[{"id": 1, "items": [{"id": 1}, {"id": 3}, {"id": 2}, {"id": 5}, {"id": 4}]}]"#),
      ],
      .init("Cart", "id items", "1 [1,3,2,5,4]")),
    BehaviourCase(
      "the order of ids counts, the same members too", "Ordered",
      [
        .init("Slideshow", #"[{"id": 1, "slides": [{"id": 1}, {"id": 2}]}]"#),
        .init("Slideshow", #"[{"id": 1, "slides_ids": [2, 1]}]"#),
      ],
      .init("Slideshow", "id slides", "1 [2,1]")),
    BehaviourCase(
      "items_ids: [3,4,5,2]", "Ordered",
      [
        .init("Thing", #"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}, {"id": 5}]"#),
        .init("Cart", #"[{"id": 1, "items_ids": [1, 2, 3]}]"#),
        .init("Cart", #"[{"id": 1, "items_ids": [3, 4, 5, 2]}]"#),
      ],
      .init("Cart", "id items", "1 [3,4,5,2]")),
    BehaviourCase(
      "an ordered relationship without inverse", "Ordered",
      [
        .init("Thing", #"[{"id": 1}, {"id": 2}, {"id": 3}]"#),
        .init("Cart", #"[{"id": 1, "pinned_ids": [3, 1, 2]}]"#),
      ],
      .init("Cart", "id pinned", "1 [3,1,2]")),
  ]

  @Test("orders", arguments: orders, SyncCall.some)
  func ordered(_ test: BehaviourCase, _ call: SyncCall) async throws { try await test.check(call) }
}
