import SyncStore
import TestSupport
import Testing

/// Unsent changes are read once, and then only later commits.
@Suite struct UnsentHistoryTests {
  private let temporary: TemporaryStore
  private var store: Store { temporary.store }

  init() throws {
    temporary = try TemporaryStore(TestModels.userNotes()) { $0.keepsHistory = true }
  }

  /// Changes an object in this program, or as a sync does.
  private func write(
    _ source: TransactionInfo.Source = .local, _ body: (StoreTransaction) throws -> Void
  ) throws {
    try store.write(TransactionInfo(source: source)) { try body($0) }
  }

  /// The objects that are unsent, and whether changes in the history were read to know that.
  private func unsent() throws -> String {
    var objects: [String] = []
    let statements = try store.recorder.record {
      try store.write { transaction in
        let history = try #require(try transaction.unsentHistory())
        objects = history.fold.entries.map { "\($0.kind) \($0.id.row)" }
      }
    }
    let hasRead = statements.contains { $0.contains("_syncstack_history_changes") }
    return "\(hasRead ? "read" : "known"): \(objects.joined(separator: ", "))"
  }

  @Test func aTransactionReadsOnlyWhatCameSinceTheLastOne() throws {
    try write { try $0.insert("User", [["id": 1], ["id": 2]]) }
    #expect(try unsent() == "read: insert 1, insert 2")
    #expect(try unsent() == "known: insert 1, insert 2")
    // Commits of syncs are passed over once.
    try write(.import) { try $0.update("User", 2, ["name": "x"]) }
    #expect(try unsent() == "read: insert 1, insert 2")
    #expect(try unsent() == "known: insert 1, insert 2")
    try write { transaction in
      try transaction.delete("User", [2])
      try transaction.insert("User", [["id": 3]])
    }
    #expect(try unsent() == "read: insert 1, insert 3")
    #expect(try unsent() == "known: insert 1, insert 3")
  }

  @Test func whatIsAcknowledgedIsUnsentNoMore() throws {
    try write { try $0.insert("User", [["id": 1]]) }
    #expect(try unsent().hasSuffix(": insert 1"))
    let token = try #require(try store.read { try $0.latestHistoryToken() })
    try write { try $0.update("User", 1, ["name": "x"]) }
    #expect(try unsent().hasSuffix(": insert 1"))
    try write {
      try $0.setHistoryConsumer(HistoryConsumer(name: "server", token: token, isDurable: true))
    }
    #expect(try unsent() == "read: update 1")
    // Purging moves the beginning, too.
    try write { _ = try $0.purgeHistory(through: token) }
    #expect(try unsent() == "read: update 1")
    try write { try $0.removeHistory() }
    let isGone = try store.write { try $0.unsentHistory() == nil }.0
    #expect(isGone)
  }

  @Test func whatWasRolledBackIsNoneOfIt() throws {
    struct Stop: Error {}
    try write { try $0.insert("User", [["id": 1]]) }
    #expect(throws: Stop.self) {
      try write { transaction in
        _ = try transaction.unsentHistory()
        try transaction.insert("User", [["id": 2]])
        throw Stop()
      }
    }
    #expect(try unsent().hasSuffix(": insert 1"))
  }

  @Test func aDeletedObjectIsFoundByWhatIdentifiesIt() throws {
    let user = try store.model.requireEntity(named: "User")
    let slots = [try #require(user.primaryKey?.slot)]
    try write(.import) { try $0.insert("User", (1...3).map { ["id": .int($0)] }) }
    func find(_ key: Int64) throws -> Int64? {
      try store.write { transaction in
        try transaction.unsentHistory()?.deletedObject(user, slots, [.int(key)])?.row
      }.0
    }
    #expect(try find(2) == nil)
    try write { _ = try $0.delete([2], of: user) }
    #expect(try find(2) == 2)
    #expect(try find(3) == nil)
    // Those that come later are found, too.
    try write { _ = try $0.delete([3], of: user) }
    #expect(try find(3) == 3)
    #expect(try find(2) == 2)
  }
}
