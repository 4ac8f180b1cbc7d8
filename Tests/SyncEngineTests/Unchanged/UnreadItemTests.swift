import Foundation
import SyncStack
import TestSupport
import Testing

/// How many items of a payload are read that came before.
@Suite struct UnreadItemTests {
  static func payload(_ users: Range<Int>) -> String {
    let items = users.map { user in
      """
      {"id": \(user), "name": "user \(user)", "notes": [{"id": \(user * 10), "text": "note of \(user)"}]}
      """
    }
    return "[\(items.joined(separator: ",\n"))]"
  }

  /// Syncs, and counts the items that reached the matching.
  func sync(
    _ bench: SyncBench, _ json: String, _ change: (inout SyncRequest) -> Void = { _ in }
  ) throws -> (report: SyncReport, readCount: Int) {
    let control = SyncControl()
    let count = Locked(0)
    control.observe { step in
      if step.phase == .match, step.begins { count.withLock { $0 += step.total } }
    }
    let report = try bench.syncWithChanges(json, "User", change, control: control).report
    return (report, count.withLock { $0 })
  }

  // MARK: - Unsent edits

  /// A store in a file: one in memory is asked for known items when all were read.
  private func stack(_ folder: TemporaryFolder, _ json: String) throws -> (DataStack, SyncBench) {
    let stack = try DataStack(
      model: TestModels.social(), store: .sqlite(folder.file()), tracksChanges: true)
    let bench = try SyncBench(stack)
    #expect(try sync(bench, json).readCount == 50)
    #expect(try sync(bench, json).readCount == 0)
    return (stack, bench)
  }

  private func edit(_ stack: DataStack, _ body: (ManagedObjectContext) throws -> Void) throws {
    let context = stack.newBackgroundContext()
    try context.performAndWait {
      try body(context)
      try context.save()
    }
  }

  private func object(
    _ entity: String, _ key: Int, in context: ManagedObjectContext
  ) throws -> ManagedObject {
    let fetch = Fetch<ManagedObject>(entityNamed: entity, Filter("id == %@", key))
    return try #require(try context.fetch(fetch).first)
  }

  @Test func anUnsentEditHasItsOwnItemReadAlone() throws {
    let json = Self.payload(1..<51)
    let folder = try TemporaryFolder()
    let (stack, bench) = try stack(folder, json)
    defer { try? stack.close() }
    try edit(stack) { try object("User", 7, in: $0)["name"] = "mine" }
    for _ in 1...3 {
      let (report, readCount) = try sync(bench, json)
      #expect(readCount == 1)
      #expect(report.entities["User"]?.protected == 1)
      #expect(report.entities["User"]?.unchanged == 50)
    }
    try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
    let taken = try sync(bench, json)
    #expect(taken.readCount == 1)
    #expect(taken.report.entities["User"]?.updated == 1)
    #expect(try sync(bench, json).readCount == 0)
  }

  @Test func anUnsentEditOfARelationshipHasTheItemsOfBothEndsRead() throws {
    let json = Self.payload(1..<51)
    let folder = try TemporaryFolder()
    let (stack, bench) = try stack(folder, json)
    defer { try? stack.close() }
    try edit(stack) { try object("Note", 70, in: $0)["user"] = object("User", 9, in: $0) }
    for _ in 1...3 {
      let (report, readCount) = try sync(bench, json)
      #expect(readCount == 2)
      #expect(report.entities["Note"]?.protected == 1)
      #expect(report.isUnchanged)
    }
  }

  @Test func anObjectMadeOrDeletedHereHasTheItemThatListsItRead() throws {
    let json = Self.payload(1..<51)
    let folder = try TemporaryFolder()
    let (stack, bench) = try stack(folder, json)
    defer { try? stack.close() }
    try edit(stack) { context in
      let note = try context.insert(entityNamed: "Note")
      note["id"] = 9_999
      note["user"] = try object("User", 3, in: context)
      try context.delete(object("Note", 40, in: context))
    }
    for _ in 1...3 {
      let (report, readCount) = try sync(bench, json)
      #expect(readCount == 2)
      #expect(report.entities["Note"]?.protected == 2)
      #expect(report.isUnchanged)
    }
  }

  /// The item of the owner does not name it, so that its row is none of the item's.
  @Test func anObjectThatIsKeptForAnEditHasTheItemThatOmitsItRead() throws {
    let folder = try TemporaryFolder()
    let (stack, bench) = try stack(folder, Self.payload(1..<51))
    defer { try? stack.close() }
    let without = Self.payload(1..<51).replacing(
      #""notes": [{"id": 70, "text": "note of 7"}]"#, with: #""notes": []"#)
    try edit(stack) { try object("Note", 70, in: $0)["text"] = "mine" }
    for _ in 1...3 {
      let (report, readCount) = try sync(bench, without)
      #expect(readCount == 1)
      #expect(report.entities["Note"]?.protected == 1)
      #expect(report.isUnchanged)
    }
    try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
    let taken = try sync(bench, without)
    #expect(taken.readCount == 1)
    #expect(taken.report.entities["Note"]?.deleted == 1)
    #expect(try sync(bench, without).readCount == 0)
  }
}
