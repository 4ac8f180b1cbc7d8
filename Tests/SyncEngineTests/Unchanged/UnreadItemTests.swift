import Foundation
import SyncStack
import TestSupport
import Testing

/// How many items of a payload are read that came before.
@Suite struct UnreadItemTests {
  private static let json = payload(1..<51)

  static func payload(_ users: Range<Int>) -> String {
    String(decoding: KnownItemBench.array(users.map { KnownItemBench.user($0) }), as: UTF8.self)
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

  /// An edit that is not sent, and the items that it has read.
  struct Edit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var payload = UnreadItemTests.json
    let reads: Int
    let protected: (entity: String, count: Int)
    /// What the next sync does once the edit was sent.
    var taken: (updated: Int, deleted: Int)?
    let body: @Sendable (ManagedObjectContext) throws -> Void
  }

  static let edits = [
    Edit(
      testDescription: "of an attribute: its own item", reads: 1, protected: ("User", 1),
      taken: (1, 0)
    ) { try $0.fetch(7, inEntityNamed: "User")?["name"] = "mine" },
    Edit(
      testDescription: "of a relationship: the items of both ends", reads: 2, protected: ("Note", 1)
    ) {
      try $0.fetch(70, inEntityNamed: "Note")?["user"] = $0.fetch(9, inEntityNamed: "User")
    },
    Edit(
      testDescription: "an object made or deleted: the item that lists it", reads: 2,
      protected: ("Note", 2)
    ) { context in
      let note = try context.insert(entityNamed: "Note")
      note["id"] = 9_999
      note["user"] = try context.fetch(3, inEntityNamed: "User")
      context.delete(try #require(try context.fetch(40, inEntityNamed: "Note")))
    },
    // The item of the owner does not name it, so that its row is none of the item's.
    Edit(
      testDescription: "of an object that is kept for it: the item that omits it",
      payload: json.replacing(#"[{"id": 70, "text": "note 70"}]"#, with: "[]"), reads: 1,
      protected: ("Note", 1), taken: (0, 1)
    ) { try $0.fetch(70, inEntityNamed: "Note")?["text"] = "mine" },
  ]

  /// A store in a file: one in memory is asked for known items when all were read.
  @Test(arguments: edits) func anUnsentEditHasItsOwnItemsReadAlone(_ edit: Edit) throws {
    let folder = try TemporaryFolder()
    let stack = try DataStack(
      model: TestModels.social(), store: .sqlite(folder.file()), tracksChanges: true)
    defer { try? stack.close() }
    let bench = try SyncBench(stack)
    #expect(try sync(bench, Self.json).readCount == 50)
    #expect(try sync(bench, Self.json).readCount == 0)
    try stack.inBackground { context in
      try edit.body(context)
      try context.save()
    }
    let entity = edit.protected.entity
    for _ in 1...3 {
      let (report, readCount) = try sync(bench, edit.payload)
      #expect(readCount == edit.reads)
      #expect(report.entities[entity]?.protected == edit.protected.count)
      #expect(report.isUnchanged)
    }
    guard let expected = edit.taken else { return }
    try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
    let taken = try sync(bench, edit.payload)
    #expect(taken.readCount == 1)
    #expect(taken.report.entities[entity]?.updated == expected.updated)
    #expect(taken.report.entities[entity]?.deleted == expected.deleted)
    #expect(try sync(bench, edit.payload).readCount == 0)
  }
}
