import SyncStack
import TestSupport
import Testing

/// Edits made here, in a store without an outbox, end when they are taken back.
@Suite struct UndoneTrackingTests {
  private let stack: DataStack
  private let start: HistoryToken

  private static let json: JSONValue = [
    ["id": 1, "name": "Ann", "company": ["id": 5], "tags": [["id": 1]], "notes": [["id": 10]]],
    ["id": 2, "name": "Ben"],
  ]

  init() async throws {
    stack = try DataStack(model: TestModels.social(), store: .inMemory, history: .values)
    try await stack.sync(UndoneTrackingTests.json, inEntityNamed: "User")
    start = try stack.latestHistoryToken()
  }

  private func edit(_ name: String) throws {
    try stack.inBackground { context in
      func objects(_ entity: String) throws -> [ManagedObject] {
        try context.fetch(Fetch<ManagedObject>(entityNamed: entity))
      }
      let users = try objects("User")
      switch name {
      case "value": for user in users { user["name"] = "mine" }
      case "reference": for user in users { user["company"] = nil }
      case "deletion": for user in users { context.delete(user) }
      case "insertion": _ = try context.insert(entityNamed: "User")
      default: Issue.record("There is no edit \(name).")
      }
      try context.save()
    }
  }

  private func pending() throws -> [String] {
    try stack.pendingChanges(for: "server").changes.map(\.description).sorted()
  }

  @Test(arguments: ["value", "reference", "deletion", "insertion"], [false, true])
  func itIsPendingNoMoreAndAgainWhenTheUndoIsUndone(_ name: String, _ isKnown: Bool) async throws {
    if isKnown { try stack.acknowledge(through: start, for: "server") }
    try edit(name)
    let edits = try pending()
    #expect(!edits.isEmpty)
    for _ in 0..<3 {
      try await stack.undo(try stack.latestHistoryToken(), deletionGuard: .off)
      #expect(try pending() == [])
      try await stack.undo(try stack.latestHistoryToken(), deletionGuard: .off)
      #expect(try pending() == edits)
    }
    // It is protected from syncs again.
    try await stack.sync(UndoneTrackingTests.json, inEntityNamed: "User")
    #expect(try pending() == edits)
  }

  @Test func whatWasEditedBeforeStaysPending() async throws {
    try edit("value")
    let edits = try pending()
    try edit("deletion")
    try await stack.undo(try stack.latestHistoryToken(), deletionGuard: .off)
    #expect(try pending() == edits)
    try edit("insertion")
    let inserted = try pending()
    try edit("deletion")
    try await stack.undo(try stack.latestHistoryToken(), deletionGuard: .off)
    #expect(try pending() == inserted)
  }

  @Test func anAcknowledgedEditThatIsTakenBackIsNotPending() async throws {
    try edit("value")
    let commit = try stack.latestHistoryToken()
    try stack.acknowledge(through: commit, for: "server")
    try await stack.undo(commit)
    #expect(try pending() == [])
  }

  @Test func undoingASyncLeavesEditsPending() async throws {
    try edit("reference")
    let edits = try pending()
    try await stack.sync(
      [["id": 1, "name": "Eve", "company": ["id": 5]], ["id": 3]] as JSONValue,
      inEntityNamed: "User")
    let sync = try stack.latestHistoryToken()
    let undo = try await stack.undo(sync).token
    #expect(try pending() == edits)
    try await stack.undo(#require(undo))
    #expect(try pending() == edits)
  }
}
