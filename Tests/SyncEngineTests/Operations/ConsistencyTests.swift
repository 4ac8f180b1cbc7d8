import Foundation
import SyncStack
import TestSupport
import Testing

/// The check of a store finds damage that no store writes, and repairs values that can be derived.
@Suite(.timeLimit(.minutes(5))) struct ConsistencyTests {
  struct Damage: CustomTestStringConvertible, Sendable {
    let kind: ConsistencyProblem.Kind
    let table: String
    let statement: String
    var count = 1
    var isRepairable = true

    var testDescription: String { statement }

    init(
      _ kind: ConsistencyProblem.Kind, _ table: String, _ statement: String, count: Int = 1,
      isRepairable: Bool = true
    ) {
      self.kind = kind
      self.table = table
      self.statement = statement
      self.count = count
      self.isRepairable = isRepairable
    }
  }

  static let damages: [Damage] = [
    Damage(.rows, "Note", "UPDATE Note SET _row = -5 WHERE _row = 1", isRepairable: false),
    Damage(.rows, "Note", "UPDATE Note SET _row = 1 << 62 WHERE _row = 1", isRepairable: false),
    Damage(
      .versions, "User", "UPDATE User SET _version = 9223372036854775807 WHERE _row < 3", count: 2),
    Damage(.versions, "User", "UPDATE User SET _version = -1 WHERE _row = 3"),
    Damage(
      .entities, "Animal", "UPDATE Animal SET _entity = 77 WHERE _row = 1", isRepairable: false),
    Damage(
      .counters, "_syncstack",
      "UPDATE _syncstack SET value = 9223372036854775807 WHERE key = 'generation'"),
    Damage(.counters, "_syncstack", "UPDATE _syncstack SET value = -1 WHERE key = 'fingerprints'"),
    Damage(
      .sequences, "_syncstack_sequences",
      "UPDATE _syncstack_sequences SET next = 9223372036854775807 WHERE name = 'Note'"),
    Damage(
      .sequences, "_syncstack_sequences",
      "UPDATE _syncstack_sequences SET next = 2 WHERE name = 'Note'"),
    Damage(
      .sequences, "_syncstack_sequences", "DELETE FROM _syncstack_sequences WHERE name = 'Note'"),
    Damage(.references, "Note", "UPDATE Note SET user = 4444, user_position = 0 WHERE _row = 1"),
    Damage(.references, "Note", "UPDATE Note SET user = -4 WHERE _row = 1"),
    Damage(.references, "User", "UPDATE User SET pet = 1 << 62 WHERE _row = 1"),
    Damage(.links, "User_tags", "UPDATE User_tags SET target = 1 << 62 WHERE source = 2"),
    Damage(.links, "User_tags", "UPDATE User_tags SET source = 400 WHERE source = 1", count: 2),
    Damage(.inverses, "User", "UPDATE User SET partner = NULL WHERE _row = 2"),
    Damage(.inverses, "User_friends", "DELETE FROM User_friends WHERE source = 2"),
    Damage(.orders, "Note", "UPDATE Note SET user_position = 4 WHERE user = 1"),
    Damage(
      .orders, "User_tags",
      "UPDATE User_tags SET source_position = 9223372036854775807 WHERE source = 2"),
    Damage(.keys, "Tag", "UPDATE Tag SET id = 'a'", isRepairable: false),
    Damage(
      .fingerprints, "_syncstack_print_sets",
      "UPDATE _syncstack_print_sets SET id = 1 << 62 WHERE id = 1"),
    Damage(
      .fingerprints, "_syncstack_print_sets",
      "UPDATE _syncstack_print_sets SET generation = 4444 WHERE id = 1"),
    Damage(
      .fingerprints, "_syncstack_print_log",
      "INSERT OR REPLACE INTO _syncstack_print_log SELECT value, x'01' FROM _syncstack "
        + "WHERE key = 'generation'"),
    Damage(
      .sessions, "_syncstack_open_references",
      "UPDATE _syncstack_open_references SET object_key = x'00'", count: 1),
    Damage(
      .sessions, "_syncstack_open_members",
      "INSERT INTO _syncstack_open_members VALUES (99, 'order', 1, 1)"),
    Damage(
      .history, "_syncstack_history", "UPDATE _syncstack_history SET ts_ms = 1 << 62 WHERE txn = 1",
      isRepairable: false),
    Damage(
      .history, "_syncstack_history_changes",
      "UPDATE _syncstack_history_changes SET object_row = -1 WHERE txn = 1 AND seq = 1",
      isRepairable: false),
  ]

  /// Keeps a session in which a reference waits.
  private func file() async throws -> DamagedStore {
    let file = try DamagedStore()
    let stack = try file.open()
    defer { try? stack.close() }
    let session = try SyncSession(entity: "User", dataStack: stack, name: "nightly")
    try await session.sync([["id": 3, "partner": 99]] as JSONValue)
    return file
  }

  @Test func aStoreThatNoOtherProgramWroteToIsConsistent() async throws {
    let file = try await file()
    let stack = try file.open()
    defer { try? stack.close() }
    // Deletions leave gaps in orders, and references that wait.
    let sync = Sync(
      changes: [["id": 1, "notes": [["id": 12]], "tags": [["id": "b"]]]] as JSONValue,
      inEntityNamed: "User", dataStack: stack)
    sync.deletionGuard = .off
    try await stack.sync(sync)
    let context = stack.newBackgroundContext()
    try await context.perform {
      let user = try context.insert(entityNamed: "User")
      for text in ["a", "b", "c"] {
        let note = try context.insert(entityNamed: "Note")
        note["text"] = text
        note["user"] = user
      }
      try context.save()
      let notes = try context.fetch(
        Fetch<ManagedObject>(entityNamed: "Note", Filter("text == %@", "b")))
      for note in notes { context.delete(note) }
      try context.save()
    }
    let report = try await stack.checkConsistency()
    #expect(report.isConsistent, "\(report)")
    #expect(report.description == "Nothing is wrong.")
  }

  @Test(arguments: damages) func whatIsWrongIsFoundAndRepaired(_ damage: Damage) async throws {
    let file = try await file()
    try file.execute(damage.statement)
    let stack = try file.open()
    defer { try? stack.close() }
    let found = try await stack.checkConsistency()
    let problem = try #require(
      found.problems.first { $0.kind == damage.kind && $0.table == damage.table }, "\(found)")
    #expect(problem.count >= damage.count)
    #expect(problem.isRepairable == damage.isRepairable)
    #expect(problem.description.contains(damage.table))
    guard damage.isRepairable else { return }
    // A kind that is not asked for stays.
    if damage.kind != .counters {
      let other = try await stack.checkConsistency(repairing: [.keys])
      #expect(other.problems == found.problems)
    }
    let report = try await stack.checkConsistency(repairing: found.repairableKinds)
    #expect(report.isConsistent, "\(report)")
    #expect(report.repaired.contains { $0.kind == damage.kind }, "\(report)")
    // The store is used as any other.
    try await stack.sync(DamagedStore.users, inEntityNamed: "User", operations: [.insert, .update])
    try await stack.sync([["id": 30]] as JSONValue, inEntityNamed: "Note", operations: [.insert])
    let after = try await stack.checkConsistency()
    #expect(after.isConsistent, "\(after)")
  }

  /// A repair of relationships is a commit that contexts merge and the history knows.
  @Test func changesOfRelationshipsAreRecorded() async throws {
    let file = try DamagedStore()
    try file.execute(
      "UPDATE User SET pet = 4444 WHERE _row = 1",
      "UPDATE User_tags SET target = 1 << 62 WHERE source = 2")
    let stack = try file.open()
    defer { try? stack.close() }
    let token = try stack.latestHistoryToken()
    let report = try await stack.checkConsistency(repairing: [.references, .links])
    #expect(report.repaired.map(\.kind) == [.references, .links])
    #expect(report.repaired.map(\.property) == ["User.pet", "User.tags"])
    let commits = try stack.history(since: token)
    let changes = commits.flatMap(\.changes).filter { $0.entity == "User" }
    #expect(commits.map(\.source) == [.import])
    #expect(changes.map(\.row) == [1, 2])
    #expect(changes.map(\.properties) == [["pet"], ["tags"]])
  }

  /// Everything else of a list stays in its order.
  @Test func aListIsNumberedInTheOrderInWhichItWasRead() async throws {
    let file = try DamagedStore()
    try file.execute(
      "UPDATE Note SET user_position = 7 WHERE user = 1",
      "UPDATE User_tags SET source_position = -3 WHERE source = 1 AND target = 2")
    let stack = try file.open()
    defer { try? stack.close() }
    try await stack.checkConsistency(repairing: [.orders])
    let context = stack.newBackgroundContext()
    try await context.perform {
      let user = try #require(
        try context.fetch(Fetch<ManagedObject>(entityNamed: "User", "id == 1")).first)
      let notes = try #require(user["notes"] as? [ManagedObject])
      #expect(notes.map { $0["id"] as? Int64 } == [11, 12])
      let tags = try #require(user["tags"] as? [ManagedObject])
      #expect(tags.map { $0["id"] as? String } == ["b", "a"])
    }
    #expect(
      try file.scalar("SELECT group_concat(user_position) = '0,1' FROM Note WHERE user = 1") == 1)
  }

  @Test func anIndexThatLacksRowsIsMadeAnew() async throws {
    let file = try DamagedStore()
    // Another index under the same name, so that SQLite misses rows in it.
    try file.execute(
      "CREATE INDEX other_index ON Note (text) WHERE text = 'never'", "PRAGMA writable_schema = ON",
      "UPDATE sqlite_schema SET sql = 'CREATE INDEX other_index ON Note (text)' "
        + "WHERE name = 'other_index'")
    let stack = try file.open()
    defer { try? stack.close() }
    let found = try await stack.checkConsistency()
    #expect(found.problems.contains { $0.kind == .file && $0.isRepairable }, "\(found)")
    let report = try await stack.checkConsistency(repairing: [.file])
    #expect(report.isConsistent, "\(report)")
  }

  @Test func aReadOnlyStoreIsCheckedAndNotRepaired() async throws {
    let file = try DamagedStore()
    try file.execute("UPDATE User SET pet = 4444 WHERE _row = 1")
    var configuration = Store.Configuration(.file(file.url))
    configuration.isReadOnly = true
    let stack = try DataStack(
      model: ManagedObjectModel(DamagedStore.entities), configuration: configuration)
    defer { try? stack.close() }
    let report = try await stack.checkConsistency()
    #expect(report.problems.map(\.kind) == [.references])
    await expectError("StoreError readOnly") {
      try await stack.checkConsistency(repairing: [.references])
    }
  }
}
