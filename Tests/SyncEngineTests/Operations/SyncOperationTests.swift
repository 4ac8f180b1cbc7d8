import Foundation
import SyncStack
import TestSupport
import Testing

@Suite struct SyncOperationTests {
  private func makeStack() throws -> DataStack { try DataStack.social() }

  private let users: JSONValue = [["id": 1, "name": "Ada"], ["id": 2, "name": "Bob"]]

  @Test func everyCallTakesPayloadsInTheirShortFormTextAndEncodableValuesAsTheyAre() async throws {
    struct Person: Encodable {
      var id: Int
      var name: String
    }
    let stack = try makeStack()
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    try Data(#"[{"id": 1}]"#.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let more = SyncOperations.all.subtracting(.delete)
    try await stack.sync(.file(file), inEntityNamed: "User", operations: more)
    try await stack.sync(
      .encodable([Person(id: 2, name: "Bea")]), inEntityNamed: "User", operations: more)
    try await stack.sync(.json([["id": 3]] as JSONValue), inEntityNamed: "User", operations: more)
    try await stack.sync(#"[{"id": 4}]"#, inEntityNamed: "User", operations: more)
    try await stack.sync(
      .encodable([Person(id: 5, name: "Eve")]), inEntityNamed: "User", operations: more)
    try await stack.sync(
      .encodable(Person(id: 6, name: "Fay")), inEntityNamed: "User", operations: more)
    let context = stack.newBackgroundContext()
    try await context.sync(
      .encodable([Person(id: 7, name: "G")]), inEntityNamed: "User", operations: more)
    try await context.perform {
      try context.sync(
        .encodable([Person(id: 8, name: "H")]), inEntityNamed: "User", operations: more)
      try context.sync(.file(file), inEntityNamed: "User", operations: more)
    }
    try synchronously(stack, more, [Person(id: 9, name: "I")])
    let session = try SyncSession(entity: "User", dataStack: stack)
    session.operations = more
    try await session.sync(.file(file))
    try await session.sync(.data(Data("[]".utf8)), named: "b")
    try await session.sync(.encodable([Person(id: 10, name: "K")]), named: "c")
    try await session.finish()
    let sync = Sync(changes: .file(file), inEntityNamed: "User", dataStack: stack)
    sync.operations = more
    try await stack.sync(sync)
    let names = try stack.export("User").arrayValue?.map { $0["name"]?.stringValue ?? "" }
    #expect(names == ["", "Bea", "", "", "Eve", "Fay", "G", "H", "I", "K"])
  }

  private func synchronously(
    _ stack: DataStack, _ operations: SyncOperations, _ values: some Encodable
  ) throws {
    try stack.sync(.encodable(values), inEntityNamed: "User", operations: operations)
    try stack.sync(.objects([["id": 1]]), inEntityNamed: "User", operations: operations)
    let dictionaries: [[String: Any]] = [["id": 1]]
    try stack.sync(dictionaries, inEntityNamed: "User", operations: operations)
    try stack.sync([["id": 1]], inEntityNamed: "User", operations: operations)
  }

  @Test func aSyncThatRanRunsOrIsAboutToIsRefusedWithAnError() async throws {
    let stack = try makeStack()
    let sync = Sync(.json(users), inEntityNamed: "User", dataStack: stack)
    try await stack.sync(sync)
    let queued = Sync(.json(users), inEntityNamed: "User", dataStack: stack)
    stack.syncQueue.isSuspended = true
    stack.syncQueue.addOperation(queued)
    let started = Sync(.json(users), inEntityNamed: "User", dataStack: stack)
    started.start()
    for sync in [sync, queued, started] {
      await expectError("SyncError invalidRequest") { try await stack.sync(sync) }
    }
    stack.syncQueue.isSuspended = false
    let result = await withCheckedContinuation { continuation in
      queued.whenFinished { continuation.resume(returning: $0) }
    }
    #expect(try result.get().unchanged == 2)
  }

  @Test(arguments: [0, -1, Int.min])
  func limitsThatCannotBeMeantAreRefused(_ number: Int) async throws {
    let stack = try makeStack()
    let batches = Sync(.json(users), inEntityNamed: "User", dataStack: stack)
    batches.transaction = .perBatch(number)
    let counting = Sync(.json(users), inEntityNamed: "User", dataStack: stack)
    counting.deletionGuard = .on(count: min(number, -1))
    let sharing = Sync(.json(users), inEntityNamed: "User", dataStack: stack)
    sharing.deletionGuard = .on(share: number == 0 ? .nan : 1.5)
    for sync in [batches, counting, sharing] {
      await expectError("SyncError invalidRequest") { try await stack.sync(sync) }
    }
    #expect(try stack.export("User") == [])
  }

  @Test func observersHearOfEachCommitOnceAndInOrder() async throws {
    let stack = try makeStack()
    let heard = Locked<[ChangeSet]>([])
    let token = NotificationCenter.default.addObserver(
      forName: .dataStackDidChange, object: stack, queue: nil
    ) { note in
      let changes = note.changeSet
      heard.withLock { $0.append(changes) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try await stack.sync(users, inEntityNamed: "User")
    try await stack.sync(users, inEntityNamed: "User")
    try await stack.sync(
      [["id": 1, "name": "Ada L."], ["id": 3]] as JSONValue, inEntityNamed: "User")
    await stack.drainNotifications()
    let sets = heard.withLock { $0 }
    #expect(sets.count == 2, "a sync that changes nothing announces no change")
    #expect(sets.map(\.counts.inserted) == [2, 1])
    #expect(sets.map(\.counts.updated) == [0, 1])
    #expect(sets.map(\.counts.deleted) == [0, 1])
    #expect(sets[0].generation < sets[1].generation)
    let updated = try #require(sets[1].updated.first)
    #expect(sets[1].changedProperties(of: updated) == ["name"])
  }

  @Test func theMainContextSeesASyncWhenItIsNextUsed() async throws {
    let stack = try makeStack()
    try await stack.sync(users, inEntityNamed: "User")
    let before = try await MainActor.run {
      try stack.mainContext.fetch(Fetch<ManagedObject>(entityNamed: "User")).map {
        $0["name"] as? String
      }
    }
    #expect(before == ["Ada", "Bob"])
    try await stack.sync([["id": 2, "name": "Robert"]] as JSONValue, inEntityNamed: "User")
    let after = try await MainActor.run {
      try stack.mainContext.fetch(Fetch<ManagedObject>(entityNamed: "User")).map {
        $0["name"] as? String
      }
    }
    #expect(after == ["Robert"])
  }

  // MARK: - The delegate

  final class LocalKeys: SyncDelegate {
    let asked = Locked<[String]>([])

    func sync(
      _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
    ) -> JSONValue {
      asked.withLock { $0.append("\(entityName) \(item["id"] ?? .null)") }
      var item = item
      if entityName == "User" { item["email"] = "local" }
      return item
    }
  }

  @Test(arguments: [true, false])
  func membersThatTheDelegateAddsToTheJSONEndUpInTheObject(queued: Bool) throws {
    let stack = try DataStack.opened("Notes")
    let delegate = LocalKeys()
    let sync = try Sync(
      changes: dictionaries(#"[{"id": 1, "company": {"id": 2}, "notes": [{"id": 3}]}]"#),
      inEntityNamed: "User", dataStack: stack)
    sync.delegate = delegate
    if queued {
      let queue = OperationQueue()
      queue.addOperations([sync], waitUntilFinished: true)
    } else {
      sync.start()
    }
    #expect(sync.isFinished && !sync.isExecuting && !sync.isCancelled)
    #expect(try stack.shown("User", "remoteID email") == ["1 local"])
    #expect(delegate.asked.withLock { $0.sorted() } == ["Company 2", "Note 3", "User 1"])
  }

  @Test func thePagesOfASessionAskItsDelegate() async throws {
    let stack = try DataStack.opened("Notes")
    let delegate = LocalKeys()
    let session = try SyncSession(entity: "User", dataStack: stack)
    session.delegate = delegate
    try await session.sync([["id": 1]] as JSONValue)
    #expect(try stack.shown("User", "remoteID email") == ["1 local"])
    #expect(delegate.asked.withLock { $0 } == ["User 1"])
  }
}
