import Foundation
import SyncStack
import TestSupport
import Testing

@Suite struct StoreExportTests {
  /// Users with two notes each, a company and shared tags.
  private func bench(users: Int) throws -> ExportBench {
    let bench = try ExportBench(TestModels.social())
    let items = (0..<users).map { number in
      let notes = "[{\"id\": \(number * 2)}, {\"id\": \(number * 2 + 1)}]"
      return """
        {"id": \(number), "age": \(number % 50), "notes": \(notes), "company": {"id": \(number % 7)},
        "tags": [{"id": \(number % 3)}, {"id": 3}]}
        """
    }
    try bench.sync("[\(items.joined(separator: ","))]")
    return bench
  }

  @Test func fileHandleAndTreeAreTheSame() throws {
    let bench = try bench(users: 600)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let url = folder.file("users.json")
    #expect(try bench.stack.export("User", to: url) == 600)
    let file = try Data(contentsOf: url)
    #expect(try JSONValue(parsing: file) == bench.stack.export("User"))
    let other = folder.file("other.json")
    _ = FileManager.default.createFile(atPath: other.path, contents: nil)
    let handle = try FileHandle(forWritingTo: other)
    #expect(try bench.stack.export("User", to: handle) == 600)
    try handle.close()
    #expect(try Data(contentsOf: other) == file)
    let context = bench.stack.newBackgroundContext()
    #expect(try context.performAndWait { try context.export("User") } == JSONValue(parsing: file))
  }

  @Test func linesAndPrettyTextAreReadBack() throws {
    let bench = try bench(users: 20)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let url = folder.file("users.json")
    var options = ExportOptions()
    options.layout = .lines
    try bench.stack.export("User", to: url, using: options)
    let lines = try Data(contentsOf: url)
    #expect(lines.count { $0 == UInt8(ascii: "\n") } == 20)
    #expect(try bench.sync(.data(lines), "User").isUnchanged)
    options = ExportOptions()
    options.isPretty = true
    try bench.stack.export("User", to: url, using: options)
    let pretty = try Data(contentsOf: url)
    #expect(String(decoding: pretty.prefix(12), as: UTF8.self) == "[\n  {\n    \"i")
    #expect(try bench.sync(.data(pretty), "User").isUnchanged)
  }

  @Test func statementsFollowTheModelNotTheObjects() throws {
    let bench = try bench(users: 2_000)
    let store = try bench.stack.store
    func statements(_ limit: Int) throws -> Int {
      let user = try bench.stack.model.requireEntity(named: "User")
      let before = store.recorder.executed
      let export = StoreExport(store, plans: bench.stack.mappingPlans, options: ExportOptions())
      try export.forEach(FetchPlan(entity: user, limit: limit)) { _ in }
      return store.recorder.executed - before
    }
    let few = try statements(10)
    #expect(try statements(200) == few)
    #expect(try statements(2_000) <= few * 8)
  }

  @Test func filterAndOrderAreThoseOfAFetch() throws {
    let bench = try bench(users: 600)
    let json = try bench.stack.export(
      "User", where: "age < 2", sortedBy: ["-id"], using: .excludedRelationships)
    let expected = (0..<600).filter { $0 % 50 < 2 }.map { Int64($0) }
    let ids = json.arrayValue?.compactMap { $0["id"]?.integerValue }
    #expect(ids == Array(expected.reversed()))
    let unsorted = try bench.stack.export("User", where: "age < 2")
    #expect(unsorted.arrayValue?.compactMap { $0["id"]?.integerValue } == expected)
  }

  @Test func aFailedExportLeavesTheFileAsItWas() throws {
    let bench = try bench(users: 1)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let url = folder.file("users.json")
    try Data("old".utf8).write(to: url)
    #expect(throws: FilterError.self) { try bench.stack.export("User", where: "nope = 1", to: url) }
    #expect(try Data(contentsOf: url) == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["users.json"])
    try bench.stack.export("User", to: url)
    #expect(try JSONValue(parsing: Data(contentsOf: url)).arrayValue?.count == 1)
  }

  @Test func aFileThatCannotBeMadeIsNamed() throws {
    let bench = try bench(users: 1)
    let url = try TemporaryFolder().file("no/such/folder/users.json")
    expectError("ExportError", "no/such/folder") { try bench.stack.export("User", to: url) }
  }

  @Test func anUnknownEntityIsAnErrorThatNamesTheKnownOnes() throws {
    expectError("ModelError", "User") { try bench(users: 1).stack.export("Usr") as JSONValue }
  }

  @Test func aCancelledTaskEndsTheExport() async throws {
    let bench = try bench(users: 300)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try bench.stack.export("User")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func unsavedValuesAreExportedByContextsOnly() throws {
    let bench = try bench(users: 1)
    let context = bench.stack.newBackgroundContext()
    let (own, stored) = try context.queueConfined {
      let user = try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "User")).first)
      user["name"] = "unsaved"
      let task = try context.insert(entityNamed: "Task")
      task["id"] = 5
      user["tasks"] = [task]
      return (try context.export("User")[0], try bench.stack.export("User")[0])
    }
    #expect(own?["name"] == "unsaved")
    #expect(own?["tasks"] == [["id": 5, "title": nil]])
    #expect(stored?["name"] == .null)
    #expect(stored?["tasks"] == [])
  }
}
