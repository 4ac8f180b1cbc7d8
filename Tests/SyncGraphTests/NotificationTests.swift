import Foundation
import SyncGraph
import TestSupport
import Testing

@Suite struct NotificationTests {
  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
  }

  private func save(_ ids: Int64...) throws {
    try context.edit {
      for id in ids { context.insertUser(id) }
    }
  }

  /// Observes for as long as it is held.
  final class Observation: @unchecked Sendable {
    // Unchecked: set once, before another thread has it.
    private let token: any NSObjectProtocol

    init(
      _ name: Notification.Name, _ object: Any, _ body: @escaping @Sendable (Notification) -> Void
    ) {
      token = NotificationCenter.default.addObserver(
        forName: name, object: object, queue: nil, using: body)
    }

    deinit { NotificationCenter.default.removeObserver(token) }
  }

  @Test func commitsAreDeliveredInOrderAfterTheFact() throws {
    let log = Locked<[(Int64, Int)]>([])
    let stack = stack
    let observation = Observation(.dataStackDidChange, stack) { note in
      let changes = note.changeSet
      // The posted changes are committed.
      let reader = stack.newBackgroundContext()
      let count = try? reader.performAndWait { try reader.count(Fetch<User>()) }
      #expect((count ?? 0) >= changes.inserted.count)
      log.withLock { $0.append((changes.generation, changes.inserted.count)) }
    }
    for number in 0..<20 as Range<Int64> { try save(number * 2, number * 2 + 1) }
    stack.drainNotifications()
    let found = log.withLock { $0 }
    #expect(found.map(\.1) == Array(repeating: 2, count: 20))
    #expect(found.map(\.0) == found.map(\.0).sorted())
    withExtendedLifetime(observation) {}
  }

  @Test func aSaveWithoutChangesIsSilent() throws {
    try save(1)
    let count = Locked(0)
    let observation = Observation(.dataStackDidChange, stack) { _ in count.withLock { $0 += 1 } }
    stack.drainNotifications()
    let before = count.withLock { $0 }
    try context.edit {
      let user = try #require(try context.fetch(Fetch<User>()).first)
      user.name = user.name
    }
    stack.drainNotifications()
    #expect(count.withLock { $0 } == before)
    withExtendedLifetime(observation) {}
  }

  @Test func changeSetsAreExact() throws {
    let last = Locked<ChangeSet?>(nil)
    let observation = Observation(.dataStackDidChange, stack) { note in
      let changes = note.changeSet
      last.withLock { $0 = changes }
    }
    context.author = "me"
    context.name = "work"
    let ids = try context.performAndWait {
      let user = context.insertUser(1)
      let note = context.insertNote(5)
      try context.save()
      return (user.objectID, note.objectID)
    }
    stack.drainNotifications()
    var changes = try #require(last.withLock { $0 })
    #expect(changes.inserted == [ids.0, ids.1] && changes.updated.isEmpty)
    #expect(changes.author == "me" && changes.contextName == "work")
    try context.edit {
      let user = try context.existingObject(with: ids.0, as: User.self)
      let note = try context.existingObject(with: ids.1, as: Note.self)
      user.notes.insert(note)
      user.name = "Ann"
    }
    stack.drainNotifications()
    changes = try #require(last.withLock { $0 })
    #expect(changes.inserted.isEmpty && changes.updated == [ids.0, ids.1])
    #expect(Set(changes.changedProperties(of: ids.0)) == ["name", "notes"])
    #expect(changes.changedProperties(of: ids.1) == ["user"])
    try context.edit { context.delete(try context.existingObject(with: ids.1)) }
    stack.drainNotifications()
    changes = try #require(last.withLock { $0 })
    #expect(changes.deleted == [ids.1] && changes.updated == [ids.0])
    #expect(changes.changedProperties(of: ids.0) == ["notes"])
    #expect(changes.entities.first { $0.entity.name == "Note" }?.deletedKeys == [5])
    withExtendedLifetime(observation) {}
  }

  @Test func aSlowObserverHoldsNoCommitUp() throws {
    let gate = DispatchSemaphore(value: 0)
    let observation = Observation(.dataStackDidChange, stack) { _ in gate.wait() }
    for number in 0..<3 as Range<Int64> { try save(number) }
    let count = try context.performAndWait { try context.count(Fetch<User>()) }
    #expect(count == 3)
    for _ in 0..<3 { gate.signal() }
    stack.drainNotifications()
    withExtendedLifetime(observation) {}
  }

  @Test func drainingInsideAnObserverReturns() throws {
    let stack = stack
    let isDone = Locked(false)
    let observation = Observation(.dataStackDidChange, stack) { _ in
      stack.drainNotifications()
      isDone.withLock { $0 = true }
    }
    try save(1)
    stack.drainNotifications()
    #expect(isDone.withLock { $0 })
    withExtendedLifetime(observation) {}
  }

  // MARK: - Contexts

  private struct Seen: Sendable, Equatable {
    var name: String
    var inserted: [Int64] = []
    var updated: [Int64] = []
    var deleted = 0

    init(_ name: String, _ note: Notification) {
      self.name = name
      inserted = note.insertedObjects.compactMap { $0["id"] as? Int64 }.sorted()
      updated = note.updatedObjects.compactMap { $0["id"] as? Int64 }.sorted()
      deleted = note.deletedObjects.count
    }

    init(_ name: String, _ inserted: [Int64], _ updated: [Int64], _ deleted: Int) {
      (self.name, self.inserted, self.updated, self.deleted) = (name, inserted, updated, deleted)
    }
  }

  @Test func contextsTellWhatChangedAndWhatWasSaved() throws {
    let log = Locked<[Seen]>([])
    let context = context
    let first = Observation(.managedObjectContextObjectsDidChange, context) { note in
      let seen = Seen("change", note)
      log.withLock { $0.append(seen) }
    }
    let second = Observation(.managedObjectContextDidSave, context) { note in
      let seen = Seen("save", note)
      log.withLock { $0.append(seen) }
    }
    try context.performAndWait {
      let user = context.insertUser(1)
      context.insertNote(2, of: user)
      try context.save()
      user.name = "Ann"
    }
    try context.edit {
      let user = try #require(try context.fetch(Fetch<User>()).first)
      context.delete(user)
    }
    #expect(
      log.withLock { $0 } == [
        Seen("change", [1, 2], [], 0), Seen("save", [1, 2], [], 0),
        Seen("change", [], [1], 0), Seen("change", [], [], 2), Seen("save", [], [], 2),
      ])
    withExtendedLifetime((first, second)) {}
  }

  @Test @MainActor func theMainContextTellsOfBackgroundSaves() async throws {
    let log = Locked<[Seen]>([])
    let observation = Observation(.managedObjectContextObjectsDidChange, stack.mainContext) {
      note in
      let seen = Seen("change", note)
      log.withLock { $0.append(seen) }
    }
    try save(1, 2)
    try context.edit {
      let users = try context.fetch(Fetch<User>())
      users[0].name = "Ann"
      context.delete(users[1])
    }
    await stack.drainNotifications()
    #expect(
      log.withLock { $0 } == [Seen("change", [1], [], 0), Seen("change", [], [1], 1)]
        || log.withLock { $0 }.map(\.deleted) == [0, 1])
    withExtendedLifetime(observation) {}
  }

  // MARK: - Sequences

  @Test func sequencesGetEveryCommitAndEnd() async throws {
    let notes = stack.changes(of: Note.self)
    let all = stack.changes
    try save(1)
    try context.edit { context.insertNote(7, of: try context.fetch(Fetch<User>()).first) }
    await stack.drainNotifications()
    try stack.close()
    var counts: [Int] = []
    for await changes in all { counts.append(changes.inserted.count + changes.updated.count) }
    #expect(counts == [1, 2])
    var found: [ChangeSet] = []
    for await changes in notes { found.append(changes) }
    #expect(found.map(\.entities.count) == [1] && found.first?.insertedKeys() == [7])
  }
}

extension ChangeSet {
  fileprivate func insertedKeys() -> [Value] { entities.flatMap(\.insertedKeys) }
}
