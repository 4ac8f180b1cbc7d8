import Foundation
import SyncStack
import TestSupport
import Testing

/// Commits of a stack are taken back.
@Suite struct UndoOperationTests {
  private let folder: TemporaryFolder
  private let stack: DataStack

  init() throws {
    folder = try TemporaryFolder()
    stack = try DataStack(
      model: TestModels.social(), store: .sqlite(folder.file()), history: .values)
  }

  /// Everything but the versions of rows and what the store keeps about itself.
  private func content(_ stack: DataStack) throws -> [String: [String]] {
    try stack.store.read { try $0.dump() }.filter { !$0.key.hasPrefix("_syncstack") }.mapValues {
      $0.map { line in
        var fields = line.split(separator: " | ")
        if fields.count > 2 { fields.remove(at: 1) }
        return fields.joined(separator: " | ")
      }
    }
  }

  private func users(_ names: [Int: String]) -> JSONValue {
    .array(
      names.sorted { $0.key < $1.key }.map { id, name in
        [
          "id": .integer(Int64(id)), "name": .string(name),
          "notes": [["id": .integer(Int64(id * 10)), "text": .string(name)]],
          "tags": [["id": .integer(Int64(id % 3 + 1))]],
        ]
      })
  }

  private func fill() async throws -> HistoryToken {
    try await stack.sync(users([1: "Ann", 2: "Ben", 3: "Cid"]), inEntityNamed: "User")
    return try stack.latestHistoryToken()
  }

  private func identifier(of id: Int64) throws -> ManagedObjectID? {
    try stack.inBackground { try $0.fetch(id, inEntityNamed: "User")?.objectID }
  }

  private func name(of id: Int64) throws -> String? {
    try stack.inBackground { try $0.fetch(id, inEntityNamed: "User")?["name"] as? String }
  }

  /// Edits a user by hand.
  private func edit(_ id: Int64, _ body: (ManagedObject) -> Void) throws {
    try stack.inBackground { context in
      body(try #require(try context.fetch(id, inEntityNamed: "User")))
      try context.save()
    }
  }

  @Test func aSyncIsTakenBackWithDeletionsLinksAndIdentifiers() async throws {
    _ = try await fill()
    let before = try content(stack)
    let id = try identifier(of: 2)
    #expect(id != nil)
    try await stack.sync(users([1: "nonsense", 4: "new"]), inEntityNamed: "User")
    let nonsense = try stack.latestHistoryToken()
    #expect(try content(stack) != before)
    let report = try await stack.undo(nonsense, author: "night watch")
    #expect(try content(stack) == before)
    #expect(report.left == [])
    #expect(report.undone["User"] == UndoReport.Counts(inserted: 2, updated: 1, deleted: 1))
    #expect(try identifier(of: 2) == id)
    let last = try #require(try stack.history(since: nonsense).last)
    #expect(last.source == .undo)
    #expect(last.author == "night watch")
    #expect(report.token == last.token)
  }

  @Test func theUndoIsACommitThatCanBeUndone() async throws {
    _ = try await fill()
    try await stack.sync(users([1: "nonsense", 4: "new"]), inEntityNamed: "User")
    let nonsense = try content(stack)
    let report = try await stack.undo(try stack.latestHistoryToken())
    let undo = try #require(report.token)
    try await stack.undo(undo)
    #expect(try content(stack) == nonsense)
  }

  @Test func laterEditsStayAndAreNamed() async throws {
    _ = try await fill()
    try await stack.sync(users([1: "bad", 2: "worse", 3: "Cid"]), inEntityNamed: "User")
    let bad = try stack.latestHistoryToken()
    try edit(1) { $0["name"] = "Anna" }
    let report = try await stack.undo(bad)
    #expect(report.left.map(\.description) == ["User 1 name (changed since)"])
    #expect(try [1, 2].map(name) == ["Anna", "Ben"])
  }

  @Test func aRangeIsTakenBackInOneStep() async throws {
    let first = try await fill()
    let before = try content(stack)
    for number in 0..<3 {
      try await stack.sync(users([1: "a\(number)", number + 5: "b"]), inEntityNamed: "User")
    }
    let last = try stack.latestHistoryToken()
    let report = try await stack.undo(HistoryToken(number: first.number + 1)...last)
    #expect(report.left == [])
    #expect(try content(stack) == before)
    #expect(try stack.differences(since: first) == [])
  }

  @Test func aDryRunWritesNothingAndSaysTheSame() async throws {
    _ = try await fill()
    try await stack.sync(users([1: "nonsense"]), inEntityNamed: "User")
    let (before, token) = (try content(stack), try stack.latestHistoryToken())
    let trial = try await stack.undo(token, isDryRun: true)
    #expect(try content(stack) == before)
    #expect(try stack.latestHistoryToken() == token)
    let report = try await stack.undo(token)
    #expect(trial.undone == report.undone)
    #expect(trial.token == nil)
    #expect(trial.isDryRun)
  }

  @Test func whatTheGuardRefusesLeavesTheStoreAsItWas() async throws {
    let token = try await fill()
    let before = try stack.store.read { try $0.dump() }
    await expectError("SyncError deletionRefused") {
      try await stack.undo(token, deletionGuard: .on(count: 0, share: 0.5))
    }
    #expect(try stack.store.read { try $0.dump() } == before)
  }

  @Test func inATaskThatIsCancelledAlreadyNothingIsUndone() async throws {
    let token = try await fill()
    let before = try stack.store.read { try $0.dump() }
    let task = Task { [stack] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stack.undo(token, deletionGuard: .off)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try stack.store.read { try $0.dump() } == before)
  }

  @Test func aCancelledUndoLeavesTheStoreAsItWas() async throws {
    let token = try await fill()
    let before = try stack.store.read { try $0.dump() }
    // Held up by another writer until it is cancelled.
    let undo = Undo(token...token, dataStack: stack)
    undo.deletionGuard = .off
    try stack.store.write { _ in
      undo.start()
      undo.cancel()
    }
    await #expect(throws: CancellationError.self) { try await undo.value }
    #expect(try stack.store.read { try $0.dump() } == before)
  }

  @Test(arguments: [1, 8, 40, 200, 700])
  func anUndoThatIsCancelledAmidItsWritesIsAllOrNothing(_ statements: Int) async throws {
    let names = Dictionary(uniqueKeysWithValues: (1...300).map { ($0, "name \($0)") })
    try await stack.sync(users(names), inEntityNamed: "User")
    let before = try content(stack)
    try await stack.sync(users(names.mapValues { "no \($0)" }), inEntityNamed: "User")
    let token = try stack.latestHistoryToken()
    let after = try content(stack)
    let undo = Undo(token...token, dataStack: stack)
    undo.deletionGuard = .off
    let recorder = try stack.store.recorder
    let begin = recorder.executed
    undo.start()
    while recorder.executed < begin + statements, !undo.isFinished { await Task.yield() }
    undo.cancel()
    let report = try? await undo.value
    #expect(try content(stack) == (report == nil ? after : before))
  }

  @Test func anInsertedObjectThatAnotherOneRefersToStays() async throws {
    _ = try await fill()
    let companies: JSONValue = [["id": 9, "name": "Acme"]]
    try await stack.sync(companies, inEntityNamed: "Company")
    let made = try stack.latestHistoryToken()
    let hired: JSONValue = [["id": 1, "company": 9]]
    let sync = Sync(hired, inEntityNamed: "User", dataStack: stack)
    sync.operations = [.update]
    stack.syncQueue.addOperation(sync)
    _ = try await sync.value
    let report = try await stack.undo(made)
    #expect(report.isEmpty)
    #expect(report.left.map(\.reason) == [.referredTo])
    #expect(report.left.map(\.key) == [9])
  }

  // MARK: - Values

  @Test func theValuesBeforeACommitAreRead() async throws {
    _ = try await fill()
    try await stack.sync(users([1: "Eve", 2: "Ben"]), inEntityNamed: "User")
    let token = try stack.latestHistoryToken()
    let found = try stack.values(before: token).filter { $0.entity == "User" }
    #expect(found.map(\.key) == [1, 3])
    #expect(found.map(\.kind) == [.update, .delete])
    #expect(found[0].old["name"] == "Ann")
    #expect(found[1].old["name"] == "Cid")
    let now = try stack.differences(since: HistoryToken(number: token.number - 1))
    #expect(now.first { $0.key == 1 && $0.entity == "User" }?.new["name"] == "Eve")
  }

  @Test(arguments: [-1, 99, Int64.max])
  func aCommitThatIsNotThereIsAnError(_ number: Int64) async throws {
    _ = try await fill()
    let token = HistoryToken(number: number)
    expectError("StoreError unsupported", "There is no commit \(number)") {
      _ = try stack.differences(since: token)
    }
    expectError("StoreError unsupported", "There is no commit \(number)") {
      _ = try stack.values(before: token)
    }
  }

  @Test func withoutFormerValuesAnUndoIsRefused() async throws {
    let plain = try DataStack(model: TestModels.social(), store: .inMemory, tracksChanges: true)
    try await plain.sync(users([1: "Ann"]), inEntityNamed: "User")
    let token = try plain.latestHistoryToken()
    await expectError("StoreError unsupported") { try await plain.undo(token) }
  }

  @Test func valuesBeyondTheLimitsAreForgottenAndUndoSaysSo() async throws {
    let small = try DataStack(
      model: TestModels.social(), store: .inMemory, history: .values(upTo: 200))
    try await small.sync(users([1: "Ann", 2: "Ben"]), inEntityNamed: "User")
    let first = try small.latestHistoryToken()
    for name in ["a", "b", "c", "d"].map({ String(repeating: $0, count: 40) }) {
      try await small.sync(users([1: name, 2: name]), inEntityNamed: "User")
    }
    await expectError("StoreError historyExpired") { try await small.undo(first) }
    try await small.undo(try small.latestHistoryToken())
  }

  @Test func purgingForgetsTheValuesToo() async throws {
    let first = try await fill()
    try await stack.sync(users([1: "x"]), inEntityNamed: "User")
    try stack.purgeHistory(through: try stack.latestHistoryToken())
    let left = try stack.store.read { try $0.dump() }
    #expect(left["_syncstack_history_values"] == [])
    #expect(left["_syncstack_history_kept"] == [])
    await expectError("StoreError historyExpired") { try await stack.undo(first) }
  }

  // MARK: - Unsent edits

  @Test func aDeletionThatWasTakenBackIsNotPending() async throws {
    let start = try await fill()
    try edit(3) { $0.managedObjectContext?.delete($0) }
    try await stack.undo(try stack.latestHistoryToken())
    let pending = try stack.pendingChanges(for: "server", since: start)
    #expect(pending.deletions == [])
    // A sync finds it, and does not take it for deleted here.
    try await stack.sync(users([1: "Ann", 2: "Ben", 3: "Cleo"]), inEntityNamed: "User")
    #expect(try name(of: 3) == "Cleo")
  }

  @Test func anUndoIsNoLocalEdit() async throws {
    _ = try await fill()
    try await stack.sync(users([1: "nonsense"]), inEntityNamed: "User")
    let token = try stack.latestHistoryToken()
    try await stack.undo(token)
    #expect(try stack.pendingChanges(for: "server").isEmpty)
  }

  // MARK: - Telling

  @Test func logAndChangeSetsSayThatItIsAnUndo() async throws {
    _ = try await fill()
    try await stack.sync(users([1: "nonsense", 2: "Ben", 3: "Cid"]), inEntityNamed: "User")
    let token = try stack.latestHistoryToken()
    await stack.delivery.drain()
    let lines = Locked<[String]>([])
    let log = SyncLogger(stack, values: true) { line in lines.withLock { $0.append(line) } }
    try await stack.undo(token)
    await stack.delivery.drain()
    log.cancel()
    #expect(lines.withLock { $0 }.contains("User 1 updated by undo: name “nonsense” → “Ann”"))
  }

  // MARK: - Other models

  @Test func namesAndTypesFollowTheModelAndWhatIsGoneIsNamed() async throws {
    func open(_ entities: EntityDraft...) throws -> DataStack {
      try DataStack(
        model: ManagedObjectModel(entities), store: .sqlite(folder.file("models.sqlite")),
        history: .values)
    }
    let old = try open("Item: id, label, size integer32, waste", "Extra: id, x")
    let items: JSONValue = [["id": 1, "label": "one", "size": 3, "waste": "w"]]
    try await old.sync(items, inEntityNamed: "Item")
    try await old.sync([["id": 1, "x": "a"]] as JSONValue, inEntityNamed: "Extra")
    let bad: JSONValue = [["id": 1, "label": "bad", "size": 4, "waste": "v"]]
    try await old.sync(bad, inEntityNamed: "Item")
    let first = try old.latestHistoryToken()
    try await old.sync([["id": 1, "x": "b"]] as JSONValue, inEntityNamed: "Extra")
    let last = try old.latestHistoryToken()
    try old.close()
    let new = try open("Item: id, title was label, size double")
    let report = try await new.undo(first...last)
    #expect(try new.values("Item", "title") == ["one"])
    #expect(try new.values("Item", "size") == [.double(3)])
    #expect(report.left.map(\.reason) == [.notInModel, .notInModel])
    #expect(report.left.map(\.entity) == ["Extra", "Item"])
    #expect(report.left.map(\.property) == [nil, "waste"])
  }
}
