import Foundation
import SyncStack
import TestSupport
import Testing

/// The code that the README and the documentation print, as it stands there.
@Suite(.timeLimit(.minutes(5))) struct ProductPageTests {
  private let stack: DataStack

  init() throws { stack = try Self.makeStack() }

  final class Person: ManagedObject {
    override class var entityName: String { "User" }
    @PrimaryKey var id: Int64
    @Attribute var name: String?
    @Attribute(remoteKey: "contact.email") var email: String?
    @Attribute var age: Int?
    @Attribute var createdAt: Date?
    @Attribute var updatedAt: Date?
    @ToMany(inverse: "user", deleteRule: .cascade) var notes: Set<Remark>
    @ToOne(inverse: "employees") var company: Firm?
  }

  final class Remark: ManagedObject {
    override class var entityName: String { "Note" }
    @PrimaryKey var id: Int64
    @Attribute var text: String?
    @ToOne(inverse: "notes") var user: Person?
  }

  final class Firm: ManagedObject {
    override class var entityName: String { "Company" }
    @PrimaryKey var id: Int64
    @Attribute var name: String?
    @ToMany(inverse: "company") var employees: Set<Person>
  }

  private static func makeStack() throws -> DataStack {
    let model = try ManagedObjectModel(Person.self, Remark.self, Firm.self)
    return try DataStack(model: model, store: .inMemory)
  }

  private static let json = #"""
    [{"id": 6, "name": "Ann", "age": 30, "contact": {"email": "a@b.c"}, "created_at": "2015-09-10",
      "notes": [{"id": 301, "text": "milk"}], "company": {"id": 1, "name": "Inc"}},
     {"id": 7, "name": "Bob", "age": 17}]
    """#

  @Test func theFirstMinuteWorksAsThePageSays() async throws {
    let json = Data(Self.json.utf8)
    try await stack.sync(json, inEntityNamed: "User")
    let names = try await MainActor.run {
      let adults = try stack.mainContext.fetch(Fetch<Person>("age >= %@", 18).sorted(by: "name"))
      return adults.map(\.name)
    }
    #expect(names == ["Ann"])
  }

  @Test func askingWorksAsThePageSays() async throws {
    try await stack.sync(Data(Self.json.utf8), inEntityNamed: "User")
    let work = stack.newBackgroundContext()
    let names = try await work.perform {
      try work.managerFor(Person.self).filter("age < 40").orderBy("-age", "name").array.map(\.name)
    }
    #expect(names == ["Ann", "Bob"])
    let average = try await MainActor.run {
      try stack.mainContext.managerFor(Person.self).average("age")
    }
    #expect(average == 23.5)
    let found = try await work.perform {
      try work.count(
        Fetch<Person>(
          "createdAt > %@ AND ANY notes.text CONTAINS[cd] %@", Date(timeIntervalSince1970: 0),
          "MILK"))
    }
    #expect(found == 1)
  }

  final class Rewriter: SyncDelegate {
    func sync(
      _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
    ) throws -> JSONValue {
      var item = item
      if entityName == "User" { item["age"] = 1 }
      return item
    }
  }

  @Test func syncingWorksWithEverySettingThePageNames() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("users.json")
    try Data(Self.json.utf8).write(to: url)
    let queue = OperationQueue()
    let delegate = Rewriter()
    let yesterday = Date(timeIntervalSinceNow: -86_400)

    let sync = Sync(.file(url), inEntityNamed: "User", dataStack: stack)
    sync.filter = Filter("createdAt > %@", yesterday)
    sync.operations = [.insert, .update]
    sync.delegate = delegate
    sync.deferReferences = true
    sync.onItemError = .skip
    sync.transaction = .perBatch(1_000)
    sync.deletionGuard = .on
    queue.addOperation(sync)
    queue.waitUntilAllOperationsAreFinished()
    #expect(sync.progress.isFinished)
    let report: SyncReport? = try sync.result?.get()
    #expect(report?.inserted == 2, "nested objects need an option of their own")

    let rehearsal = Sync(.file(url), inEntityNamed: "User", dataStack: stack)
    rehearsal.dryRun = true
    stack.syncQueue.addOperation(rehearsal)
    stack.syncQueue.waitUntilAllOperationsAreFinished()
    #expect(try rehearsal.result?.get().inserted == 2)
    #expect(try rehearsal.result?.get().isDryRun == true)
    #expect(try stack.export("Note") == [])

    let cancelled = Sync(.file(url), inEntityNamed: "User", dataStack: stack)
    cancelled.cancel()
    queue.addOperation(cancelled)
    queue.waitUntilAllOperationsAreFinished()
    #expect(throws: CancellationError.self) { try cancelled.result?.get() }
  }

  @Test func pagesOfASessionWorkAsThePageSays() async throws {
    let queue = OperationQueue()
    let session = try SyncSession(entity: "User", dataStack: stack)
    for key in 1...3 as ClosedRange<Int64> {
      queue.addOperation(session.page(.json([["id": .integer(key)]])))
    }
    queue.waitUntilFinishedElsewhere()
    let report = try await session.finish()
    #expect(report.deleted == 0)
    #expect(try stack.export("User").arrayValue?.count == 3)
  }

  @Test func watchingWorksAsThePageSays() async throws {
    let lines = Locked<[String]>([])
    let log = SyncLogger(stack) { line in lines.withLock { $0.append(line) } }
    let counts = Locked<[Int]>([])
    let token = NotificationCenter.default.addObserver(
      forName: .dataStackDidChange, object: stack, queue: nil
    ) { note in
      let changes = note.changeSet
      counts.withLock { $0.append(changes.counts.inserted) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let sequence = stack.changes(of: Person.self)
    try await stack.sync(Data(Self.json.utf8), inEntityNamed: "User")
    try await stack.sync(
      Data(#"[{"id": 6, "contact": {"email": "x"}, "updated_at": 1, "notes": []}]"#.utf8),
      inEntityNamed: "User")
    await stack.drainNotifications()
    withExtendedLifetime(log) {}
    #expect(counts.withLock { $0 } == [4, 0])
    #expect(
      Set(lines.withLock { $0.suffix(3) })
        == ["User 6 updated: email, updatedAt, notes", "User 7 deleted", "Note 301 deleted"])
    for await changes in sequence {
      #expect(changes.counts.inserted == 2)
      break
    }
  }

  @Test func theWayBackToJSONWorksAsThePageSays() async throws {
    try await stack.sync(Data(Self.json.utf8), inEntityNamed: "User")
    let (one, all, rails) = try await MainActor.run {
      let context = stack.mainContext
      let user = try #require(try context.fetch(6, inEntityNamed: "User"))
      return (
        try user.export(using: .camelCase), try context.export("User"),
        try user.export(using: ExportOptions(relationshipType: .nested))
      )
    }
    #expect(one["contact"]?["email"] == "a@b.c" && one["createdAt"] == "2015-09-10T00:00:00Z")
    #expect(rails["notes_attributes"]?["0"]?["id"] == 301)
    #expect(try await stack.sync(all, inEntityNamed: "User").isUnchanged)
    let folder = try TemporaryFolder()
    let url = folder.file("adults.json")
    try stack.export("User", where: "age >= 18", to: url)
    #expect(try await stack.sync(url, inEntityNamed: "User", operations: .update).isUnchanged)
  }

  @Test func theCallsOfThePackagesFirstPageAreThoseOfTheREADME() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../README.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8).filter { !$0.isWhitespace }
    for line in [
      #"let stack = try DataStack(modelName: "Demo")"#,
      #"try await stack.sync(json, inEntityNamed: "User")"#,
      #"let adults = try stack.mainContext.fetch(Fetch<User>("age >= %@", 18).sorted(by: "name"))"#,
      #"let sync = Sync(.file(url), inEntityNamed: "User", dataStack: stack)"#,
      "sync.operations = [.insert, .update]", "queue.addOperation(sync)", "sync.cancel()",
    ] {
      // The page breaks long calls where its column ends.
      let isThere = text.contains(line.filter { !$0.isWhitespace })
      #expect(isThere, "\(line): the README says otherwise; change ProductPageTests with it.")
    }
  }
}
