import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// What a page session keeps in the store is read and written in pieces, and cancelling stops between two.
@Suite(.timeLimit(.minutes(30))) struct SessionPieceTests {
  private static let users = 12_000
  private static let limit = 200_000

  /// Every object is mentioned and listed, every third list leaves a stored note out, and every user refers
  /// to a tag that nobody has.
  private func makeStack() async throws -> DataStack {
    let stack = try DataStack.social()
    let stored = (1...Self.users).map { "{\"id\":\($0),\"notes\":[{\"id\":\($0)}]}" }
    let page = (1...Self.users).map { id in
      "{\"id\":\(id),\"notes\":[{\"id\":\(id % 3 == 0 ? id : id + 100_000)}],\"tags_ids\":[\(id)]}"
    }
    try await stack.sync(text(stored), inEntityNamed: "User")
    try await session(stack).sync(text(page))
    return stack
  }

  private func text(_ items: [String]) -> Data { Data("[\(items.joined(separator: ","))]".utf8) }

  private func session(_ stack: DataStack) throws -> SyncSession {
    let session = try SyncSession(entity: "User", dataStack: stack, name: "daily")
    session.deletionGuard = .off
    return session
  }

  @Test func noPieceIsLarge() async throws {
    let stack = try await makeStack()
    let data = try #require(try stack.store.read { try $0.kept("session", "User/daily") })
    let sizes = try KeptPieces.sizes(of: data)
    #expect(sizes.pieces.count > 12)
    #expect(sizes.pieces.allSatisfy { $0 <= Self.limit } && sizes.json <= Self.limit, "\(sizes)")
  }

  /// The end decides by what the first page found in scope.
  @Test(arguments: [0, 1, 2])
  func pagesOfOtherSettingsAreRefused(_ other: Int) async throws {
    let stack = try DataStack.social()
    try await stack.sync(text(["{\"id\":1}", "{\"id\":2}", "{\"id\":3}"]), inEntityNamed: "User")
    let first = try session(stack)
    first.filter = Filter("id < 3")
    try await first.sync(text(["{\"id\":1}"]))
    let second = try session(stack)
    switch other {
    case 0: second.filter = nil
    case 1: second.filter = Filter("id < 4")
    default: (second.filter, second.operations) = (first.filter, [.insert, .update])
    }
    let third = try session(stack)
    third.settings = second.settings
    for work in [third.page(.json([["id": 3]])), second.finishOperation()] {
      let error = await #expect(throws: SyncError.self) { try await stack.sync(work) }
      let name = other == 2 ? "operations" : "filter"
      #expect(error?.message.contains("\(name) was “") == true, "\(error?.message ?? "")")
    }
    #expect(try stack.keys("User") == [1, 2, 3])
    second.settings = first.settings
    try await second.finish()
    #expect(try stack.keys("User") == [1, 3])
  }

  @Test func readingItCanBeCancelled() async throws {
    let stack = try await makeStack()
    let user = try stack.model.requireEntity(named: "User")
    let control = SyncControl()
    control.cancel()
    let state = SessionState(entity: user, name: "daily")
    #expect(throws: CancellationError.self) {
      try stack.store.read { try state.restore(from: $0, control) }
    }
    try stack.store.read { try state.restore(from: $0, SyncControl()) }
    let report = try await session(stack).finish()
    #expect(report.deleted == Self.users / 3 * 2)
    #expect(report.findingCounts["unresolvedReference"] == Self.users)
  }
}
