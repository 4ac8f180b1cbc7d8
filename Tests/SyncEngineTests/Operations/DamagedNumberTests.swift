import Foundation
import SyncStack
import TestSupport
import Testing

/// Numbers that no store writes, because another program did or the disk failed: whatever meets one
/// says table and row, and nothing stops the process.
@Suite(.timeLimit(.minutes(5))) struct DamagedNumberTests {
  /// Where a number is put that does not belong there.
  struct Damage: CustomTestStringConvertible, Sendable {
    let table: String
    let statement: String

    /// Whether the daily work of a program meets it.
    var isMet = true

    var testDescription: String { statement }

    init(_ table: String, _ statement: String, isMet: Bool = true) {
      self.table = table
      self.statement = statement
      self.isMet = isMet
    }
  }

  private static let extremes = ["-5", "9223372036854775807"]

  /// A statement with each of the extremes in the place of `#`.
  private static func numbers(
    _ table: String, _ statement: String, isMet: Bool = true
  ) -> [Damage] {
    extremes.map {
      Damage(table, statement.replacingOccurrences(of: "#", with: $0), isMet: isMet)
    }
  }

  static let damages = ofRows + ofLinks + ofFingerprints + ofFile

  private static let ofRows: [Damage] =
    numbers("User", "UPDATE User SET _row = # WHERE _row = 3")
    + numbers("Note", "UPDATE Note SET _row = # WHERE _row = 2")
    + numbers("Animal", "UPDATE Animal SET _row = # WHERE _row = 2")
    + numbers("Animal", "UPDATE Animal SET _entity = # WHERE _row = 2")
    + numbers("User", "UPDATE User SET _version = # WHERE _row = 3")
    + numbers("User", "UPDATE User SET partner = # WHERE _row = 3")
    + numbers("User", "UPDATE User SET pet = # WHERE _row = 1")
    + numbers("Note", "UPDATE Note SET user = # WHERE _row = 2")
    + [
      Damage("User", "UPDATE User SET _row = 0 WHERE _row = 3"),
      Damage("User", "UPDATE User SET pet = 'seven' WHERE _row = 1"),
      Damage("Note", "UPDATE Note SET user_position = 9223372036854775807", isMet: false),
    ]

  private static let ofLinks: [Damage] =
    numbers("User_tags", "UPDATE User_tags SET target = # WHERE source = 2")
    + numbers("User_tags", "UPDATE User_tags SET source = # WHERE source = 2", isMet: false)
    + [
      Damage("User_tags", "UPDATE User_tags SET source_position = 9223372036854775807"),
      Damage(
        "User_tags", "UPDATE User_tags SET source_position = -9223372036854775807 - 1", isMet: false
      ),
      Damage("User_friends", "UPDATE User_friends SET target = 1 << 62"),
    ]

  private static let ofFingerprints: [Damage] =
    numbers("_syncstack", "UPDATE _syncstack SET value = # WHERE key = 'fingerprints'")
    + numbers("_syncstack_print_sets", "UPDATE _syncstack_print_sets SET id = # WHERE id = 1")
    + numbers("_syncstack_print_sets", "UPDATE _syncstack_print_sets SET generation = #")
    + [
      Damage(
        "_syncstack_fingerprints",
        "UPDATE _syncstack_fingerprints SET id = 9223372036854775807 "
          + "WHERE id = (SELECT max(id) FROM _syncstack_fingerprints)", isMet: false),
      // The log is not believed then, and everything is read.
      Damage(
        "_syncstack_print_log",
        "UPDATE _syncstack_print_log SET data = x'0100000000000000fbffffffffffffff'", isMet: false),
      Damage("_syncstack_print_log", "UPDATE _syncstack_print_log SET data = x'01'", isMet: false),
    ]

  private static let ofFile: [Damage] =
    numbers("_syncstack", "UPDATE _syncstack SET value = # WHERE key = 'generation'")
    + numbers("_syncstack_sequences", "UPDATE _syncstack_sequences SET next = #")
    + [
      Damage("_syncstack_sequences", "UPDATE _syncstack_sequences SET next = 1"),
      // The last number that is given out: then the table is full.
      Damage(
        "_syncstack_sequences", "UPDATE _syncstack_sequences SET next = 68719476736", isMet: false),
      Damage("_syncstack_sequences", "DELETE FROM _syncstack_sequences"),
      Damage("_syncstack_history", "UPDATE _syncstack_history SET ts_ms = 9223372036854775807"),
      Damage("_syncstack_history", "UPDATE _syncstack_history SET ts_ms = -(1 << 62)"),
      Damage(
        "_syncstack_history_changes", "UPDATE _syncstack_history_changes SET object_row = 1 << 62"),
      Damage(
        "_syncstack_history_changes", "UPDATE _syncstack_history_changes SET object_row = x'ff'"),
    ]
    + ["9223372036854775807", "1", "-2"].map { number in
      Damage(
        "_syncstack",
        "UPDATE _syncstack SET value = replace(value, '\"number\":2', '\"number\":\(number)') "
          + "WHERE key = 'model'")
    }

  @Test(arguments: damages) func everythingSaysWhatItMeets(_ damage: Damage) async throws {
    let file = try DamagedStore()
    try file.execute(damage.statement)
    let met = Met()
    for work in Self.works {
      try await met.during { try await Self.using(file) { try await work($0, met) } }
    }
    try await met.during { try await Self.migrated(file) }
    guard damage.isMet else { return }
    #expect(
      met.texts.contains { $0.contains("Table “\(damage.table)” is damaged") }, "\(met.texts)")
  }

  /// A number of a kept session.
  @Test(arguments: [
    "UPDATE _syncstack_open_rows SET page = -1", "UPDATE _syncstack_open_rows SET page = 1 << 62",
    "UPDATE _syncstack_open_members SET member = 1 << 62",
    "UPDATE _syncstack_open_members SET member = -1",
    "UPDATE _syncstack_open_references SET owner = -7",
    "UPDATE _syncstack_open_references SET position = -7",
    "UPDATE _syncstack_open_references SET position = 9223372036854775807",
    "UPDATE _syncstack_open_references SET number = 9223372036854775807 WHERE number = (SELECT max(number) FROM _syncstack_open_references)",
    "UPDATE _syncstack_open_references SET object_key = x'00'",
  ])
  func aKeptSessionSaysWhatItMeets(_ statement: String) async throws {
    let file = try DamagedStore()
    let stack = try file.open()
    let session = try SyncSession(entity: "User", dataStack: stack, name: "nightly")
    try await session.sync(
      [["id": 1, "notes": [["id": 12]]], ["id": 2, "partner": 99, "tags": ["z"]]] as JSONValue)
    try stack.close()
    try file.execute(statement)
    let met = Met()
    try await met.during {
      let stack = try file.open()
      defer { try? stack.close() }
      let session = try SyncSession(entity: "User", dataStack: stack, name: "nightly")
      try await session.sync([["id": 99], ["id": 3]] as JSONValue)
      try await session.finish()
    }
    let table = try #require(statement.split(separator: " ").first { $0.hasPrefix("_syncstack") })
    #expect(met.texts.contains { $0.contains("Table “\(table)” is damaged") }, "\(met.texts)")
  }

  /// No save goes by a list that seemed empty because it could not be read.
  @Test func aContextThatMetDamageDoesNotSaveUntilItIsReset() throws {
    let file = try DamagedStore()
    try file.execute("UPDATE Note SET _row = -7 WHERE _row = 2")
    let stack = try file.open()
    defer { try? stack.close() }
    try stack.inBackground { context in
      let user = try #require(try context.fetch(1, inEntityNamed: "User"))
      #expect((user["notes"] as? [ManagedObject])?.isEmpty == true)
      user["name"] = "Zoe"
      #expect(throws: StoreError.self) { try context.save() }
      context.rollback()
      user["name"] = "Zoe"
      #expect(throws: StoreError.self) { try context.save() }
      context.reset()
      let other = try #require(try context.fetch(2, inEntityNamed: "User"))
      other["name"] = "Zoe"
      try context.save()
    }
  }

  // MARK: - The work of programs

  /// Opens the file, and closes it whatever happens.
  private static func using(
    _ file: DamagedStore, adding attribute: String? = nil, _ body: (DataStack) async throws -> Void
  ) async throws {
    let stack = try file.open(adding: attribute)
    do {
      try await body(stack)
      try stack.close()
    } catch {
      try stack.close()
      throw error
    }
  }

  private static let names = ["User", "Note", "Tag", "Animal", "Dog"]

  private static let more: SyncOperations = [.insert, .update]

  /// What programs do with a stack. All that only reads is done with one.
  private static let works: [@Sendable (DataStack, Met) async throws -> Void] =
    [
      { stack, met in
        for name in names {
          try await met.during {
            let context = stack.newBackgroundContext()
            try await context.perform {
              _ = try context.count(Fetch<ManagedObject>(entityNamed: name))
              for object in try context.fetch(Fetch<ManagedObject>(entityNamed: name)) {
                for property in object.entity.properties { _ = object.value(forKey: property.name) }
              }
              try context.insert(entityNamed: "Tag")["id"] = name
              try context.save()
            }
          }
          try await met.during { _ = try stack.export(name) }
        }
        try await met.during { _ = try stack.history() }
        try await met.during { _ = try stack.pendingChanges(for: "server") }
      },
      // appended members
      { stack, _ in
        try await stack.sync(
          [["id": "q", "users": [["id": 1], ["id": 2]]]] as JSONValue, inEntityNamed: "Tag",
          operations: [.insert, .update, .insertRelationships])
      },
      // sync
      { stack, _ in
        try await stack.sync(
          [
            [
              "id": 2, "name": "Bo", "notes": [["id": 11], ["id": 14]],
              "tags": [["id": "c"], ["id": "a"]], "friends": [["id": 1]],
            ],
            ["id": 1, "name": "Ann", "notes": [], "tags": [["id": "b"]], "partner": ["id": 4]],
            ["id": 4, "name": "Dan", "pet": ["id": 7]],
          ] as JSONValue, inEntityNamed: "User",
          operations: [.insert, .update, .insertRelationships, .updateRelationships])
      },
      // unchanged sync
      { stack, _ in
        try await stack.sync(DamagedStore.users, inEntityNamed: "User", operations: more)
      },
      // dogs
      { stack, _ in
        let dogs: JSONValue = [["id": 8, "name": "Max"], ["id": 9]]
        try await stack.sync(dogs, inEntityNamed: "Dog", operations: more)
      },
      // save
      { stack, _ in
        let context = stack.newBackgroundContext()
        try await context.perform {
          for object in try context.fetch(Fetch<ManagedObject>(entityNamed: "User")) {
            object["name"] = "changed"
          }
          try context.insert(entityNamed: "User")["id"] = Int64(77)
          try context.save()
        }
      },
      // delete by sync
      { stack, _ in
        let sync = Sync(changes: items([1]), inEntityNamed: "User", dataStack: stack)
        sync.deletionGuard = .off
        sync.dryRun = true
        try await stack.sync(sync)
      },
      // delete
      { stack, _ in
        let context = stack.newBackgroundContext()
        try await context.perform {
          for object in try context.fetch(Fetch<ManagedObject>(entityNamed: "User")) {
            context.delete(object)
          }
          try context.save()
        }
      },
    ]

  private static func migrated(_ file: DamagedStore) async throws {
    try await using(file, adding: "extra") { stack in
      let users: JSONValue = [["id": 5, "extraUser": "x"]]
      try await stack.sync(users, inEntityNamed: "User", operations: [.insert])
    }
  }
}

/// The errors that work met: of the library's own kinds, no others.
private final class Met {
  private(set) var texts: [String] = []

  func during(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as StoreError {
      texts.append(error.message)
    } catch is GraphError {
    } catch is SyncError {
    }
  }
}
