import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// SQL that a program writes: one statement that reads, whatever else it may look like.
@Suite(.timeLimit(.minutes(5))) struct SQLTests {
  private let folder: TemporaryFolder
  private let stack: DataStack

  init() throws { try self.init(.file) }

  private init(_ kind: StoreKind) throws {
    folder = try TemporaryFolder()
    stack = try DataStack(
      model: .social(), store: kind == .file ? .sqlite(folder.file()) : .inMemory)
    try stack.edit { context in
      for (id, name, age) in [(1, "Ann", 20), (2, "Bob; '", 40), (3, nil, 60)] {
        let user = context.insertUser(Int64(id), name, age: Int64(age))
        user.createdAt = name.map { _ in Date(timeIntervalSinceReferenceDate: Double(age) + 0.25) }
      }
    }
  }

  /// The code of the error that a statement is refused with, and its message.
  private func refusal(_ sql: String, _ arguments: [any ValueConvertible] = []) -> String? {
    do {
      _ = try stack.rows(sql, arguments)
      return nil
    } catch let error as StoreError {
      return error.code == .invalidQuery ? error.message : "\(error.code)"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: StoreKind.allCases) func rowsHaveTypedValues(_ kind: StoreKind) throws {
    let test = try Self(kind)
    let rows = try test.stack.rows(
      "SELECT name, age, createdAt, age > 30 AS old, NULL AS none FROM User WHERE age > ? ORDER BY id",
      [30])
    #expect(rows.count == 2)
    let row = try #require(rows.first)
    #expect(row.columns == ["name", "age", "createdAt", "old", "none"])
    #expect(row["name"] == .string("Bob; '") && row[1] == .int(40) && row["nme"] == nil)
    #expect(try row.value("name", as: String.self) == "Bob; '")
    #expect(try row.value("age", as: Int.self) == 40)
    #expect(try row.value("age", as: Double.self) == 40)
    #expect(try row.value("old", as: Bool.self))
    #expect(try row.value(4, as: Int?.self) == nil)
    let date = Date(timeIntervalSinceReferenceDate: 40.25)
    #expect(try row.value("createdAt", as: Date.self) == date)
    #expect(try rows[1].value("createdAt", as: Date?.self) == nil)
    #expect(row.description.hasPrefix("name: Bob; ', age: 40"))
    // An argument is stored as an attribute of its type would be.
    let since: [any ValueConvertible] = [date, String?.none, Value.int(1)]
    #expect(
      try test.stack.rows(
        "SELECT id FROM User WHERE createdAt >= ?1 AND ?2 IS NULL AND ?3 = 1", since
      ).map { try $0.value("id", as: Int64.self) } == [2])
  }

  @Test func otherTypesThanThoseOfTheValueAreErrors() throws {
    let row = try #require(try stack.rows("SELECT name, age FROM User").first)
    for read in [
      { _ = try row.value("name", as: Int.self) }, { _ = try row.value("nme", as: Int.self) },
      { _ = try row.value("name", as: Date.self) }, { _ = try row.value("age", as: Bool.self) },
    ] {
      let error = #expect(throws: StoreError.self, performing: read)
      #expect(error?.code == .invalidQuery)
    }
    let null = try #require(try stack.rows("SELECT NULL AS none").first)
    let error = #expect(throws: StoreError.self) { try null.value("none", as: Int.self) }
    #expect(error?.message.contains("as an optional") == true)
  }

  @Test(arguments: [
    "SELECT 1", "  select ';' -- ; DELETE FROM User\n", "/* DROP */ SELECT 1; ; /* ; */ -- end",
    "WITH a AS (SELECT 1 AS x) SELECT x FROM a;", "VALUES (1)", "SELECT 1 AS \"a;b\"",
    "SELECT 1 AS [a;b]", "SELECT 1 AS `a;b`", "SELECT 'it''s; so'", "SELECT 1 /* open",
    "EXPLAIN QUERY PLAN SELECT * FROM User",
  ])
  func oneQueryIsAnswered(_ sql: String) throws {
    #expect(try !stack.rows(sql).isEmpty)
  }

  @Test(arguments: [
    ("", "is empty"), (" ; -- nothing", "is empty"), ("DELETE FROM User", "begins with “DELETE”"),
    ("/**/ update User SET age = 1", "begins with “UPDATE”"),
    ("PRAGMA journal_mode = DELETE", "begins with “PRAGMA”"),
    ("EXPLAIN PRAGMA user_version = 7", "begins with “PRAGMA”"),
    ("ATTACH 'other.sqlite' AS other", "begins with “ATTACH”"), ("BEGIN", "begins with “BEGIN”"),
    ("COMMIT", "begins with “COMMIT”"), ("VACUUM", "begins with “VACUUM”"),
    ("WITH a AS (SELECT 1) DELETE FROM User", "would write"),
    ("WITH a AS (SELECT 1) INSERT INTO User (_row) SELECT 9 FROM a RETURNING 1", "would write"),
    ("SELECT 1; DELETE FROM User", "more behind its first semicolon"),
    ("SELECT 1; PRAGMA user_version = 7", "more behind its first semicolon"),
    ("SELECT 1\0; DELETE FROM User", "number zero"), ("SELECT nme FROM User", "nme"),
    ("SELECT * FROM Usr", "Usr"), ("SELECT name FROM", "incomplete input"),
    ("SELECT ?", "placeholders for 1 values, and 0 were given"),
  ])
  func everythingElseIsRefused(_ sql: String, _ reason: String) throws {
    for kind in StoreKind.allCases {
      let test = try Self(kind)
      let message = test.refusal(sql)
      #expect(message?.contains(reason) == true, "\(message ?? "It was answered.")")
      let rows = try test.stack.rows("SELECT count(*) FROM User")
      #expect(try rows[0].value(0, as: Int.self) == 3)
    }
  }

  @Test func unsavedChangesAreNotSeen() throws {
    let context = stack.newBackgroundContext()
    let age = { try stack.rows("SELECT age FROM User WHERE id = 1")[0].value(0, as: Int.self) }
    try context.performAndWait {
      let user = try #require(try context.fetch(Fetch<User>("id == 1")).first)
      user.age = 21
      #expect(try age() == 20)
      try context.save()
      #expect(try age() == 21)
    }
  }

  @Test func aWriteThatRunsIsReadBeside() throws {
    let context = stack.newBackgroundContext()
    try stack.store.write { transaction in
      try transaction.insert("User", [["id": 9]])
      // On the writer's queue: the rows so far.
      #expect(try stack.rows("SELECT 1 FROM User").count == 4)
      let others = DispatchQueue(label: "another thread")
      let count = try others.sync { try stack.rows("SELECT 1 FROM User").count }
      #expect(count == 3)
    }
    #expect(try stack.rows("SELECT 1 FROM User").count == 4)
    withExtendedLifetime(context) {}
  }

  @Test(arguments: StoreKind.allCases)
  func aCancelledTaskEndsItsStatement(_ kind: StoreKind) async throws {
    let test = try Self(kind)
    let stack = test.stack
    let recorder = try stack.store.recorder
    let before = recorder.executed
    let task = Task {
      try await stack.rows(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT count(*) FROM n
        """)
    }
    // A transaction of its own comes before it in a file.
    while recorder.executed < before + (kind == .file ? 2 : 1) { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await stack.rows("SELECT 1 FROM User").count == 3)
  }

  @Test func aClosedStackAnswersNothing() async throws {
    try stack.close()
    #expect(refusal("SELECT 1") == "closed")
    let error = await #expect(throws: StoreError.self) { try await stack.rows("SELECT 1") }
    #expect(error?.code == .closed)
  }
}
