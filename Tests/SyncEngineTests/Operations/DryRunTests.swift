import Foundation
import SyncStack
import TestSupport
import Testing

/// A dry run reports the same as the run would, leaves nothing behind, and tells no observer.
@Suite(.timeLimit(.minutes(5))) struct DryRunTests {
  private static let stored: JSONValue = [
    ["id": 1, "name": "a", "tags": [["id": 1]], "notes": [["id": 3], ["id": 4]]], ["id": 2],
  ]
  private static let payload: JSONValue = [
    ["id": 1, "name": "b", "tags": [["id": 2]], "notes": [["id": 4], ["id": 5]]],
    ["name": "nobody"], ["id": 3, "company_id": 99],
  ]

  private func sync(_ stack: DataStack, _ policy: ItemErrorPolicy, isDryRun: Bool) -> Sync {
    let sync = Sync(.json(Self.payload), inEntityNamed: "User", dataStack: stack)
    sync.onItemError = policy
    sync.isDryRun = isDryRun
    return sync
  }

  @Test(arguments: [ItemErrorPolicy.skip, .quarantine])
  func theReportIsThatOfTheRunAndNothingElseHappens(_ policy: ItemErrorPolicy) async throws {
    let stack = try DataStack(model: TestModels.social(), store: .inMemory, tracksChanges: true)
    try await stack.sync(Self.stored, inEntityNamed: "User")
    await stack.drainNotifications()
    let before = try stack.store.read { try $0.dump() }
    let history = try stack.store.read { try $0.latestHistoryToken() }
    let heard = Log<Int>()
    let token = NotificationCenter.default.addObserver(
      forName: .dataStackDidChange, object: stack, queue: nil
    ) { _ in heard.append(1) }
    defer { NotificationCenter.default.removeObserver(token) }

    var dry = try await stack.sync(sync(stack, policy, isDryRun: true))
    await stack.drainNotifications()
    #expect(heard.all.isEmpty)
    #expect(try stack.store.read { try $0.dump() } == before)
    #expect(try stack.store.read { try $0.latestHistoryToken() } == history)
    #expect(try stack.quarantine.items().isEmpty)

    var real = try await stack.sync(sync(stack, policy, isDryRun: false))
    await stack.drainNotifications()
    #expect(heard.all == [1])
    #expect(try stack.quarantine.items().count == (policy == .quarantine ? 1 : 0))
    #expect(dry.isDryRun && !real.isDryRun)
    (dry.isDryRun, dry.phaseDurations, real.phaseDurations) = (false, [:], [:])
    #expect(dry == real)
    try stack.close()
  }

  /// The next run reads everything, as it would have without the dry run.
  @Test func itLeavesNoFingerprints() async throws {
    let stack = try DataStack.social()
    let sync = Sync(.json(items(1...50)), inEntityNamed: "User", dataStack: stack)
    sync.isDryRun = true
    #expect(try await stack.sync(sync).inserted == 50)
    #expect(try await stack.sync(items(1...50), inEntityNamed: "User").inserted == 50)
    #expect(try stack.keys("User").count == 50)
  }

  @Test func whatIsRefusedIsRefusedInItToo() async throws {
    let stack = try DataStack.social()
    try await stack.sync(items(1...1_200), inEntityNamed: "User")
    let sync = Sync(.json(items(1...3)), inEntityNamed: "User", dataStack: stack)
    sync.isDryRun = true
    await expectError("SyncError deletionRefused") { try await stack.sync(sync) }
    #expect(try stack.keys("User").count == 1_200)
  }
}
