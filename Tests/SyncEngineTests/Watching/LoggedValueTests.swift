import Foundation
import SyncStack
import TestSupport
import Testing

/// A logger that asks for values tells those before and those now, of every kind of change.
@Suite(.timeLimit(.minutes(5))) struct LoggedValueTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func stack(isFile: Bool) throws -> DataStack {
    let stack = try DataStack(
      model: TestModels.social(), store: isFile ? .sqlite(folder.file("values.sqlite")) : .inMemory)
    try stack.sync(
      [["id": 6, "name": "a", "notes": [["id": 12, "text": "Hello"], ["id": 13]]], ["id": 7]]
        as JSONValue, inEntityNamed: "User")
    return stack
  }

  /// The lines that are logged while a body runs, whose edits are saved.
  private func lines(
    of stack: DataStack, _ format: SyncLogger.Format = .text,
    _ body: (ManagedObjectContext) throws -> Void
  ) throws -> [String] {
    let lines = Log<String>()
    let log = SyncLogger(stack, format: format, values: true) { lines.append($0) }
    try stack.inBackground { context in
      try body(context)
      try context.save()
    }
    stack.drainNotifications()
    log.cancel()
    return lines.all
  }

  private func object(
    _ entity: String, _ id: Int64, _ context: ManagedObjectContext
  ) throws -> ManagedObject { try #require(try context.fetch(id, inEntityNamed: entity)) }

  @Test(arguments: [false, true]) func valuesOfSyncsAreLogged(isFile: Bool) throws {
    let stack = try stack(isFile: isFile)
    let payload: JSONValue = [
      [
        "id": 6, "name": "b", "email": "b@example.org",
        "notes": [["id": 13], ["id": 301, "text": "New"]],
      ], ["id": 7],
    ]
    let told = try lines(of: stack) { _ in try stack.sync(payload, inEntityNamed: "User") }
    #expect(
      told == [
        "User 6 updated: name “a” → “b”, email nil → “b@example.org”, notes",
        "Note 301 inserted: id 301, text “New”, user 6",
        "Note 12 deleted: id 12, text “Hello”, user 6",
      ])
  }

  @Test(arguments: [false, true]) func ofSavesAndWhatTheyCascadeTo(isFile: Bool) throws {
    let stack = try stack(isFile: isFile)
    let told = try lines(of: stack) { context in
      let note = try object("Note", 13, context)
      note["user"] = try object("User", 7, context)
      note["text"] = "first"
      try context.save()
      note["text"] = "second"
      try context.save()
      context.delete(try object("User", 7, context))
    }
    #expect(
      told.filter { !$0.hasSuffix(": notes") } == [
        "Note 13 updated: text nil → “first”, user 6 → 7",
        "Note 13 updated: text “first” → “second”",
        "User 7 deleted: id 7",
        "Note 13 deleted: id 13, text “second”, user 7",
      ])
  }

  @Test func valuesOfBatchesAreLogged() throws {
    let stack = try stack(isFile: true)
    let told = try lines(of: stack) { context in
      try context.batchUpdate(Fetch<ManagedObject>(entityNamed: "User", "id == 6"), ["age": 20])
      try context.batchDelete(Fetch<ManagedObject>(entityNamed: "Note", "id == 12"))
    }
    #expect(
      told.contains("User 6 updated: age nil → 20")
        && told.contains("Note 12 deleted: id 12, text “Hello”, user 6"), "\(told)")
  }

  @Test func asJSON() throws {
    let stack = try stack(isFile: false)
    let told = try lines(of: stack, .ndjson) { try object("User", 6, $0)["name"] = "b" }
    #expect(
      told == [
        #"{"entity":"User","change":"updated","row":1,"key":6,"properties":["name"],"#
          + #""old":{"name":"a"},"new":{"name":"b"},"generation":2}"#
      ])
  }

  /// Values of a dry run are not the ones from before.
  @Test func whatWasUndoneIsForgotten() throws {
    let stack = try stack(isFile: true)
    let told = try lines(of: stack) { context in
      let payload: JSONValue = [["id": 6, "name": "x"], ["id": 7, "name": "x"]]
      let rehearsal = Sync(.json(payload), inEntityNamed: "User", dataStack: stack)
      rehearsal.dryRun = true
      rehearsal.start()
      try object("User", 6, context)["name"] = "b"
    }
    #expect(told == ["User 6 updated: name “a” → “b”"])
  }

  @Test func withoutALoggerThatAsksThereAreNone() throws {
    let stack = try stack(isFile: true)
    _ = try lines(of: stack) { try object("User", 6, $0)["name"] = "b" }
    let plain = Log<LoggedChange>()
    let log = SyncLogger(
      stack,
      format: .custom {
        plain.append($0)
        return nil
      }
    ) { _ in }
    try stack.inBackground { context in
      try object("User", 6, context)["name"] = "c"
      try context.save()
    }
    stack.drainNotifications()
    #expect(plain.all.map(\.oldValues) == [[:]] && plain.all.map(\.newValues) == [[:]])
    log.cancel()
  }

  @Test func dropKeepsAsking() throws {
    let stack = try stack(isFile: true)
    let told = try lines(of: stack) { context in
      try stack.drop()
      try stack.sync([["id": 1, "name": "x"]] as JSONValue, inEntityNamed: "User")
      try stack.sync([["id": 1, "name": "y"]] as JSONValue, inEntityNamed: "User")
    }
    #expect(told.last == "User 1 updated: name “x” → “y”")
  }

  @Test func memoryIsBounded() throws {
    let stack = try DataStack.social()
    let payload = JSONValue.array((1...10_001).map { ["id": .integer(Int64($0))] })
    let told = try lines(of: stack) { _ in try stack.sync(payload, inEntityNamed: "User") }
    #expect(told.count == 10_001)
    #expect(told[9_999] == "User 10000 inserted: id 10000")
    #expect(told[10_000] == "User 10001 inserted")
  }
}
