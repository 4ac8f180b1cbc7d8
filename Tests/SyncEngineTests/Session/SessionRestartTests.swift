import Foundation
import SyncStack
import TestSupport
import Testing

/// A page session that is kept in the store goes on after its process was killed.
@Suite(.timeLimit(.minutes(5))) struct SessionRestartTests {
  private let stack: DataStack
  private let folder: TemporaryFolder

  init() throws {
    stack = try DataStack.social()
    folder = try TemporaryFolder()
  }

  private static let stored: JSONValue = [
    ["id": 1, "notes": [["id": 1]]], ["id": 2, "notes": [["id": 2]]], ["id": 3],
  ]
  private static let pages: [JSONValue] = [
    [["id": 1, "company_id": 9, "notes": [["id": 10]]]],
    [["id": 4, "notes": [["id": 2]]], ["id": 3, "name": "c"]],
    [["id": 5, "company": ["id": 9, "name": "late"]]],
  ]

  private static func open(_ path: String) throws -> DataStack {
    try DataStack(model: TestModels.social(), store: .sqlite(URL(filePath: path)))
  }

  private static func session(_ stack: DataStack) throws -> SyncSession {
    try SyncSession(entity: "User", dataStack: stack, name: "daily")
  }

  /// Stores users, and kills a process in a phase of its second page or of its end, when the first
  /// page is through.
  private func killed(
    in phase: SyncPhase, named names: [String] = [], isEnd: Bool = false, _ folder: TemporaryFolder
  ) async throws -> DataStack {
    let (path, phase) = (folder.file().path, phase.rawValue)
    let stack = try Self.open(path)
    try await stack.sync(Self.stored, inEntityNamed: "User")
    try stack.close()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [
        path = path as String, phase = phase as String, names = names as [String],
        isEnd = isEnd as Bool
      ] in
      let stack = try Self.open(path)
      let session = try Self.session(stack)
      try await session.sync(Self.pages[0], named: names.first)
      let next =
        isEnd ? session.finishOperation() : session.page(.json(Self.pages[1]), named: names.last)
      next.stepObserver = { if $0.phase.rawValue == phase { kill(getpid(), SIGKILL) } }
      try await stack.sync(next)
    }
    return try Self.open(path)
  }

  @Test(arguments: [SyncPhase.parse, .insert, .save])
  func whatIsMissingIsMadeUpFor(_ phase: SyncPhase) async throws {
    let whole = try DataStack.social()
    try await whole.sync(Self.stored, inEntityNamed: "User")
    try await whole.sync(
      .array(Self.pages.flatMap { $0.arrayValue ?? [] }) as JSONValue, inEntityNamed: "User")
    let after = try await killed(in: phase, folder)
    #expect(try Set(after.keys("User")) == [1, 2, 3], "the second page left no trace")
    let session = try Self.session(after)
    for page in Self.pages[1...].reversed() { try await session.sync(page) }
    try await session.finish()
    for entity in ["User", "Note", "Company"] {
      #expect(try SyncBench(after).objects(entity) == SyncBench(whole).objects(entity), "\(entity)")
    }
    #expect(try after.store.read { try $0.openSyncs("session") }.isEmpty)
    try after.close()
  }

  /// A page with a name that never came to its end is known to be missing.
  @Test func aPageThatWasKilledHasToBeMadeUpFor() async throws {
    let after = try await killed(in: .link, named: ["first", "second"], folder)
    let session = try Self.session(after)
    #expect(try session.storedPages() == ["first"])
    await expectError("SyncError", "second") { try await session.finish() }
    #expect(try Set(after.keys("User")) == [1, 2, 3])
    try await session.sync(Self.pages[1], named: "second")
    #expect(try session.storedPages() == ["first", "second"])
    try await session.finish()
    #expect(try Set(after.keys("User")) == [1, 3, 4])
    #expect(try after.store.read { try $0.openSyncs("session") }.isEmpty)
    try after.close()
  }

  @Test func aPageThatFailedIsMissingAfterARestartToo() async throws {
    let path = folder.file().path
    let stack = try Self.open(path)
    try await stack.sync(Self.stored, inEntityNamed: "User")
    let session = try Self.session(stack)
    session.onItemError = .fail
    try await session.sync(Self.pages[0], named: "first")
    await #expect(throws: SyncError.self) {
      try await session.sync([["name": "nobody"]] as JSONValue, named: "second")
    }
    try stack.close()
    let after = try Self.open(path)
    let again = try Self.session(after)
    await #expect(throws: SyncError.self) { try await again.finish() }
    #expect(try Set(after.keys("User")) == [1, 2, 3])
    try again.abandon()
    try after.close()
  }

  /// The process ends between two pages: the second was made and never began.
  @Test func aPageThatNeverBeganHasToBeMadeUpFor() async throws {
    try await stack.sync(Self.stored, inEntityNamed: "User")
    let session = try Self.session(stack)
    let pages = (0..<2).map { session.page(.json(Self.pages[$0]), named: "\($0)") }
    try await stack.sync(pages[0])
    #expect(
      try stack.keptSessions().map(\.description) == ["daily (User): 1 page stored, 1 missing"])

    let again = try Self.session(stack)
    #expect(try again.storedPages() == ["0"])
    await expectError("SyncError invalidRequest") { try await again.finish() }
    #expect(try stack.keys("User") == [1, 2, 3])
    try await again.sync(Self.pages[1], named: "1")
    try await again.finish()
    #expect(try Set(stack.keys("User")) == [1, 3, 4])
    #expect(try stack.keptSessions().isEmpty)
    withExtendedLifetime(pages) {}
  }

  /// A page that is cancelled while it is read, or while it waits for the store, ends at once. That
  /// it is missing is kept all the same.
  @Test func aPageThatWasCancelledBeforeTheStoreHasToBeMadeUpFor() async throws {
    try await stack.sync(Self.stored, inEntityNamed: "User")
    let session = try Self.session(stack)
    try await session.sync(Self.pages[0], named: "0")
    let gate = try ClosedGate(stack)
    let page = session.page(.json(Self.pages[1]), named: "1")
    let queue = OperationQueue()
    queue.addOperation(page)
    await gate.untilWaiting(1)
    page.cancel()
    queue.waitUntilFinishedElsewhere()
    #expect(throws: CancellationError.self) { try page.result?.get() }
    gate.open()
    while try stack.keptSessions().first?.missingPages.isEmpty != false { await Task.yield() }

    let again = try Self.session(stack)
    await #expect(throws: SyncError.self) { try await again.finish() }
    #expect(try stack.keys("User") == [1, 2, 3])
    try await again.sync(Self.pages[1], named: "1")
    try await again.finish()
    #expect(try Set(stack.keys("User")) == [1, 3, 4])
  }

  /// It was stored once, but its new content is not known.
  @Test func aPageThatComesAgainAndFailsIsNotStored() async throws {
    let session = try Self.session(stack)
    session.onItemError = .fail
    try await session.sync(Self.pages[0], named: "0")
    await #expect(throws: SyncError.self) {
      try await session.sync([["name": "nobody"]] as JSONValue, named: "0")
    }
    for session in [session, try Self.session(stack)] {
      #expect(try session.storedPages().isEmpty)
      await #expect(throws: SyncError.self) { try await session.finish() }
    }
    try session.abandon()
    #expect(try stack.keptSessions().isEmpty)
  }

  @Test func killedInItsEndItCanBeFinishedAgain() async throws {
    let after = try await killed(in: .save, isEnd: true, folder)
    #expect(try after.keys("User") == [1, 2, 3])
    try await Self.session(after).finish()
    #expect(try after.keys("User") == [1])
    try after.close()
  }

  /// The guard counts the mentions of pages before the restart.
  @Test func theGuardRemembersTheScope() async throws {
    let path = folder.file().path
    let stack = try Self.open(path)
    try await stack.sync(items(1...1_200), inEntityNamed: "User")
    let session = try Self.session(stack)
    try await session.sync(items(1...10))
    try stack.close()
    let after = try Self.open(path)
    let again = try Self.session(after)
    await expectError("SyncError deletionRefused") { try await again.finish() }
    try await again.sync(items(11...900))
    try await again.finish()
    #expect(try after.keys("User").count == 900)
    try after.close()
  }

  @Test func abandonedAfterARestartItIsForgotten() async throws {
    let path = folder.file().path
    let stack = try Self.open(path)
    try await stack.sync(Self.stored, inEntityNamed: "User")
    try await SyncSession(entity: "User", dataStack: stack, name: "daily").sync(Self.pages[0])
    try stack.close()
    let after = try Self.open(path)
    try Self.session(after).abandon()
    #expect(try after.store.read { try $0.openSyncs("session") }.isEmpty)
    #expect(try after.keys("User") == [1, 2, 3])
    // The next one of the name knows nothing of it.
    let next = try Self.session(after)
    try await next.sync(Self.pages[1])
    try await next.finish()
    #expect(try Set(after.keys("User")) == [3, 4])
    try after.close()
  }

  @Test func sessionsOfTwoNamesKnowNothingOfEachOther() async throws {
    try await stack.sync(items([1, 2, 3]), inEntityNamed: "User")
    let first = try SyncSession(entity: "User", dataStack: stack, name: "a")
    let second = try SyncSession(entity: "User", dataStack: stack, name: "b")
    try await first.sync(items([1]))
    try await second.sync(items([2]))
    try await first.finish()
    #expect(try stack.keys("User") == [1])
    #expect(try stack.store.read { try $0.openSyncs("session").map(\.name) } == ["User/b"])
    try second.abandon()
  }

  /// As when a task that runs every hour takes longer than an hour.
  @Test func twoLiveSessionsOfOneNameKnowOfEachOther() async throws {
    let path = folder.file().path
    let stack = try Self.open(path)
    try await stack.sync(items([1, 2, 3, 9]), inEntityNamed: "User")
    let other = try Self.open(path)
    let first = try SyncSession(entity: "User", dataStack: stack, name: "nightly")
    let second = try SyncSession(entity: "User", dataStack: other, name: "nightly")
    try await first.sync(items([1]), named: "a")
    try await second.sync(items([2]), named: "b")
    try await first.sync(items([3, 4]), named: "c")
    #expect(try second.storedPages() == ["a", "b", "c"])
    try await first.finish()
    #expect(try Set(stack.keys("User")) == [1, 2, 3, 4])
    await expectError("SyncError", "another session") { try await second.finish() }
    await #expect(throws: SyncError.self) { try await second.sync(items([5])) }
    #expect(try Set(other.keys("User")) == [1, 2, 3, 4])
    try other.close()
    try stack.close()
  }

  @Test(arguments: [true, false])
  func aSessionThatAnotherOneOfItsNameHasEndedTakesNoPages(_ isAbandoned: Bool) async throws {
    let stack = try Self.open(folder.file().path)
    let first = try SyncSession(entity: "User", dataStack: stack, name: "nightly")
    let second = try SyncSession(entity: "User", dataStack: stack, name: "nightly")
    try await second.sync(items([1]), named: "a")
    try await first.sync(items([2]), named: "b")
    if isAbandoned { try first.abandon() } else { try await first.finish() }
    let third = try SyncSession(entity: "User", dataStack: stack, name: "nightly")
    for isAgain in [false, true] {
      // A new session of the name is another one.
      if isAgain { try await third.sync(items([1, 2]), named: "a") }
      await expectError("SyncError", "another session") {
        try await second.sync(items([3]), named: "c")
      }
      #expect(try stack.keptSessions().count == (isAgain ? 1 : 0))
    }
    try await third.finish()
    #expect(try Set(stack.keys("User")) == [1, 2])
    try stack.close()
  }

  /// While one page is in the store, others are read: with a pool of one thread nothing would wait.
  @Test func pagesAreParsedWhileAnotherIsWritten() async throws {
    let session = try SyncSession(entity: "User", dataStack: stack)
    let gate = try ClosedGate(stack)
    let parsed = Log<Int>()
    let queue = OperationQueue()
    let pages = (0..<2).map { number in
      let page = session.page(.json(items(number * 300..<number * 300 + 300)))
      page.stepObserver = { step in
        if step.phase == .parse, step.completed == step.total { parsed.append(number) }
      }
      return page
    }
    for page in pages { queue.addOperation(page) }
    await gate.untilWaiting(2)
    // No user is in the store yet, and both pages have been read.
    #expect(pages.allSatisfy { $0.result == nil })
    gate.open()
    queue.waitUntilFinishedElsewhere()
    try await session.finish()
    #expect(try stack.keys("User").count == 600)
  }
}
