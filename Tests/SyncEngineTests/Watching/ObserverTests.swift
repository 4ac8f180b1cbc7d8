import Foundation
import SyncStack
import TestSupport
import Testing

/// Observers are told everything, and can do anything without harm to a sync.
@Suite(.timeLimit(.minutes(5))) struct ObserverTests {
  private let stack: DataStack

  init() throws { stack = try DataStack.social() }

  /// Observes commits for as long as it is held.
  private final class Observation: @unchecked Sendable {
    // Unchecked: set once, before another thread has it; removing is safe on any thread.
    private let token: any NSObjectProtocol

    init(
      _ stack: DataStack, _ name: Notification.Name = .dataStackDidChange,
      _ body: @escaping @Sendable (Notification) -> Void
    ) {
      token = NotificationCenter.default.addObserver(
        forName: name, object: stack, queue: nil, using: body)
    }

    func end() { NotificationCenter.default.removeObserver(token) }

    deinit { end() }
  }

  @Test func aNotificationOfASyncSaysWhatItIsAbout() throws {
    let names: [Notification.Name] = [
      .syncDidStart, .syncDidBeginPhase, .syncDidFinish, .syncDidCancel, .syncDidFail,
    ]
    let heard = Log<Notification.Name>()
    let told = Log<String>()
    let observations = names.map { name in
      Observation(stack, name) { note in
        heard.append(note.name)
        let entity = note.sync?.entityName ?? "no sync"
        let phase = note.syncPhase.map { " \($0)" } ?? ""
        let report = note.syncReport.map { " \($0.inserted) in" } ?? ""
        let error = note.syncError is ModelError ? " no entity" : ""
        told.append(entity + phase + report + error)
        #expect(note.syncFraction == nil)
        #expect(note.changeSet.isEmpty)
      }
    }
    try stack.sync(items(1...3), inEntityNamed: "User")
    #expect(throws: ModelError.self) { try stack.sync(items([1]), inEntityNamed: "Nobody") }
    let cancelled = Sync(changes: items([1]), inEntityNamed: "Tag", dataStack: stack)
    cancelled.cancel()
    cancelled.start()
    stack.drainNotifications()
    let said = told.all
    #expect(said.first == "User")
    #expect(said.contains("User match") && said.contains("User save"))
    #expect(said.suffix(4) == ["User 3 in", "Nobody", "Nobody no entity", "Tag"])
    #expect(heard.all.suffix(2) == [.syncDidFail, .syncDidCancel])
    withExtendedLifetime(observations) {}
  }

  // MARK: - Observers that misbehave

  @Test func anObserverMaySyncAndSaveAndLeave() throws {
    let seen = Log<Int>()
    let held = Locked<[Observation]>([])
    let stack = stack
    let observation = Observation(stack) { note in
      let inserted = note.changeSet.counts.inserted
      seen.append(inserted)
      guard inserted == 3 else { return }
      // Syncs, saves, waits, observes and leaves, all from inside.
      _ = try? stack.sync(items(1...4), inEntityNamed: "User")
      let context = stack.newBackgroundContext()
      try? context.performAndWait {
        try context.insert(entityNamed: "Tag")["id"] = 1
        try context.insert(entityNamed: "Tag")["id"] = 2
        try context.save()
      }
      stack.drainNotifications()
      for observation in held.withLock({ $0 }) { observation.end() }
    }
    held.withLock { $0 = [observation] }
    try stack.sync(items(1...3), inEntityNamed: "User")
    stack.drainNotifications()
    stack.drainNotifications()
    #expect(seen.all == [3])
    #expect(try stack.keys("User") == [1, 2, 3, 4])
    #expect(try stack.keys("Tag") == [1, 2])
  }

  @Test func whatAnObserverDoesIsToldAfterwards() throws {
    let seen = Log<Int64>()
    let stack = stack
    let observation = Observation(stack) { note in
      seen.append(note.changeSet.generation)
      let count = note.changeSet.counts.inserted
      guard count > 0, count < 5 else { return }
      _ = try? stack.sync(
        items(seen.all.count * 10...seen.all.count * 10 + count), inEntityNamed: "Tag")
    }
    try stack.sync(items([1]), inEntityNamed: "User")
    while seen.all.count < 5 { stack.drainNotifications() }
    #expect(seen.all == seen.all.sorted())
    #expect(Set(seen.all).count == seen.all.count)
    withExtendedLifetime(observation) {}
  }

  @Test func anObserverMayCloseTheStack() throws {
    let stack = try DataStack.social()
    let observation = Observation(stack) { _ in try? stack.close() }
    try stack.sync(items(1...3), inEntityNamed: "User")
    stack.drainNotifications()
    #expect(throws: StoreError.self) { try stack.sync(items([1]), inEntityNamed: "User") }
    withExtendedLifetime(observation) {}
  }

  @Test func aSlowObserverHoldsNeitherSyncsNorContextsUp() throws {
    let gate = DispatchSemaphore(value: 0)
    let seen = Log<Int>()
    let observation = Observation(stack) { note in
      gate.wait()
      seen.append(note.changeSet.counts.inserted)
    }
    // All of this happens while the observer is still busy with the first commit.
    for count in 1...20 { try stack.sync(items(1...count), inEntityNamed: "User") }
    let context = stack.newBackgroundContext()
    let count = try context.performAndWait {
      try context.insert(entityNamed: "Tag")["id"] = 1
      try context.save()
      return try context.count(Fetch<ManagedObject>(entityNamed: "User"))
    }
    #expect(count == 20)
    #expect(seen.all.isEmpty)
    for _ in 0..<21 { gate.signal() }
    stack.drainNotifications()
    #expect(seen.all == Array(repeating: 1, count: 21))
    withExtendedLifetime(observation) {}
  }

  @Test func aReaderThatThrowsOrStopsLeavesTheOthersAlone() async throws {
    struct Stop: Error {}
    let failing = stack.changes
    let lasting = stack.changes
    let task = Task { for await _ in failing { throw Stop() } }
    for count in 1...5 { try await stack.sync(items(1...count), inEntityNamed: "User") }
    await #expect(throws: Stop.self) { try await task.value }
    var generations: [Int64] = []
    for await changes in lasting {
      generations.append(changes.generation)
      if generations.count == 5 { break }
    }
    #expect(generations == [1, 2, 3, 4, 5])
  }

  // MARK: - Cost

  @Test @MainActor func thousandsOfChangesAreDeliveredAsValues() throws {
    let payload = items(1...5_000)
    let alone = try DataStack.social()
    let before = try alone.store.recorder.record {
      try alone.sync(payload, inEntityNamed: "User")
      alone.drainNotifications()
    }
    let lines = Locked(0)
    let counts = Log<Int>()
    let log = SyncLogger(stack) { _ in lines.withLock { $0 += 1 } }
    let observation = Observation(stack) { note in
      counts.append(note.changeSet.inserted.count)
      counts.append(note.changeSet.entities.flatMap(\.insertedKeys).count)
    }
    let after = try stack.store.recorder.record {
      try stack.sync(payload, inEntityNamed: "User")
      stack.drainNotifications()
    }
    #expect(lines.withLock { $0 } == 5_000)
    #expect(counts.all == [5_000, 5_000])
    // Observers cost the store nothing, and made no object.
    #expect(after == before)
    #expect(stack.mainContext.registeredObjects.isEmpty)
    withExtendedLifetime((log, observation)) {}
  }

  @Test(arguments: [1, 60, 6_000])
  func aSyncPostsTheSameForOneObjectAndForThousands(_ count: Int) async throws {
    let names = Log<String>()
    let observed: [Notification.Name] = [
      .syncDidStart, .syncDidBeginPhase, .syncDidProgress, .syncDidFinish, .syncDidCancel,
      .syncDidFail, .dataStackDidChange,
    ]
    let observations = observed.map { name in
      Observation(stack, name) { names.append($0.name.rawValue) }
    }
    defer { withExtendedLifetime(observations) {} }
    try await stack.sync(items(1...count), inEntityNamed: "User")
    await stack.drainNotifications()
    // Progress goes by the clock, ten a second at most.
    let posted = names.all.filter { $0 != Notification.Name.syncDidProgress.rawValue }
    let phases = Array(
      repeating: Notification.Name.syncDidBeginPhase, count: SyncPhase.allCases.count)
    let expected =
      [.syncDidStart] + phases + [.dataStackDidChange, Notification.Name.syncDidFinish]
    #expect(posted == expected.map(\.rawValue))
  }

  // MARK: - Selection

  @Test func aLoggerMayAskAboutEachChange() throws {
    let lines = Log<String>()
    let log = SyncLogger(
      stack, format: .custom { "\($0.contextName ?? "") \($0.key ?? 0)" },
      where: { $0.properties.contains("name") || $0.kind == .inserted }, { lines.append($0) })
    let sync = Sync(.json(items(1...2)), inEntityNamed: "User", dataStack: stack)
    sync.name = "first"
    sync.start()
    try stack.sync(
      [["id": 1, "name": "x"], ["id": 2, "age": 5]] as JSONValue, inEntityNamed: "User")
    stack.drainNotifications()
    #expect(lines.all == ["first 1", "first 2", " 1"])
    log.cancel()
  }

  @Test func anObjectCanBeWatched() async throws {
    try await stack.sync(items(1...3), inEntityNamed: "User")
    await stack.drainNotifications()
    let context = stack.newBackgroundContext()
    let stack = stack
    let changes = try await context.perform {
      let request = Fetch<ManagedObject>(entityNamed: "User", Filter("id == 2"))
      let user = try #require(context.fetch(request).first)
      return stack.changes(of: user)
    }
    try await stack.sync(
      [["id": 1, "name": "x"], ["id": 2], ["id": 3]] as JSONValue, inEntityNamed: "User")
    try await stack.sync(items([1, 3]), inEntityNamed: "User")
    for await change in changes {
      #expect(change.counts == (0, 0, 1))
      break
    }
  }
}
