import Foundation
import SyncStack
import SyncStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StoreMetadataTests {
  private let stack: DataStack

  init() throws { stack = try DataStack.social() }

  private static let values: [(String, Value)] = [
    ("topics.cursor", .string("Grüße, 1")), ("count", .int(-7)), ("share", .double(0.1)),
    ("on", true), ("at", .date(Date(timeIntervalSinceReferenceDate: 1.25))),
    ("bytes", .data(Data([0, 255]))), ("", .string("")),
    ("id", .uuid(UUID(uuidString: "6E8BC430-9C3A-11D9-9669-0800200C9A66")!)),
  ]

  @Test func isCommittedWithTheRowsOfASyncAndReadBackFromTheFile() throws {
    let folder = try TemporaryFolder()
    let first = try DataStack(model: TestModels.social(), store: .sqlite(folder.file()))
    let sync = Sync(items([1]), inEntityNamed: "User", dataStack: first)
    for (name, value) in Self.values { sync.metadata[name] = value }
    try sync.run()
    try first.close()
    let stack = try DataStack(model: TestModels.social(), store: .sqlite(folder.file()))
    let stored = try stack.metadata
    for (name, value) in Self.values { #expect(stored[name] == value) }
    #expect(stored.names == Self.values.map(\.0).sorted())
    #expect(try stack.keys("User") == [1])
  }

  @Test func aNameThatIsSetToNilIsRemovedAndOthersStay() throws {
    for metadata in [["a": Value.int(1), "b": .int(2)], ["a": .null]] {
      let sync = Sync(items([1]), inEntityNamed: "User", dataStack: stack)
      for (name, value) in metadata { sync.metadata[name] = value.isNull ? nil : value }
      try sync.run()
    }
    #expect(try stack.metadata["a"] == nil)
    #expect(try stack.metadata["b"] == .int(2))
  }

  @Test(arguments: ["dry run", "failure", "cancelled"])
  func aSyncThatStoresNothingLeavesItAsItWas(_ way: String) throws {
    let payload: JSONValue = way == "failure" ? [["name": "no key"]] : items([1])
    let sync = Sync(payload, inEntityNamed: "User", dataStack: stack)
    sync.metadata["cursor"] = .string("next")
    sync.isDryRun = way == "dry run"
    if way == "cancelled" { sync.cancel() }
    sync.start()
    #expect(try stack.metadata.isEmpty)
  }

  @Test func ofASyncWithACommitPerBatchItComesWithTheLastOne() throws {
    let sync = Sync(items([1, 2, 3]), inEntityNamed: "User", dataStack: stack)
    sync.transaction = .perBatch(1)
    sync.metadata["cursor"] = .string("next")
    let seen = Locked<[Value?]>([])
    sync.stepObserver = { step in
      if step.phase == .match { seen.withLock { $0.append(try? stack.metadata["cursor"]) } }
    }
    try sync.run()
    #expect(seen.withLock { !$0.isEmpty && $0.allSatisfy { $0 == nil } })
    #expect(try stack.metadata["cursor"] == .string("next"))
  }

  @Test func aPageHasItsOwnAndTheEndThatOfTheSession() async throws {
    let session = try SyncSession(entity: "User", dataStack: stack)
    session.metadata["finished"] = true
    let page = session.page(items([1]))
    page.metadata["page"] = .int(1)
    try await stack.sync(page)
    #expect(try stack.metadata["page"] == .int(1))
    #expect(try stack.metadata["finished"] == nil)
    try await session.finish()
    #expect(try stack.metadata["finished"] == true)
  }

  @Test(arguments: [true, false]) func aSaveWritesItWithItsEditsOrAlone(_ edits: Bool) throws {
    try stack.inBackground { context in
      if edits { try context.insert(entityNamed: "User").setValue(1, forKey: "id") }
      context.metadata["imported"] = .int(3)
      #expect(context.hasChanges)
      #expect(try context.saveIfChanged())
      #expect(!context.hasChanges)
    }
    #expect(try stack.metadata["imported"] == .int(3))
    #expect(try stack.keys("User").count == (edits ? 1 : 0))
  }

  @Test(arguments: ["rollback", "reset"]) func isDroppedByWhatDropsEdits(_ way: String) throws {
    try stack.inBackground { context in
      context.metadata["imported"] = .int(3)
      if way == "reset" { context.reset() } else { context.rollback() }
      #expect(!context.hasChanges)
      try context.save()
    }
    #expect(try stack.metadata.isEmpty)
  }

  @Test func aChildHandsItToItsParent() throws {
    let parent = stack.newBackgroundContext()
    let child = parent.newChildContext(.privateQueue)
    try child.performAndWait {
      child.metadata["imported"] = .int(3)
      try child.save()
    }
    #expect(try stack.metadata.isEmpty)
    try parent.performAndWait {
      #expect(parent.metadata["imported"] == .int(3))
      try parent.save()
    }
    #expect(try stack.metadata["imported"] == .int(3))
  }
}
