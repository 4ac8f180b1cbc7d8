import Foundation
import SyncStack
import TestSupport
import Testing

/// Items that come again on pages of a session, and in a sync that commits per batch.
@Suite struct KnownPageTests {
  private let bench: KnownItemBench

  init() throws { bench = try KnownItemBench() }

  private static let users = 1...30

  private static var items: [String] { users.map { KnownItemBench.user($0) } }

  private static func array(_ items: some Sequence<String>) -> Data { KnownItemBench.array(items) }

  /// What a run says: the names that were read, and the sums of its pages.
  private struct Outcome {
    var readCount = 0
    var unchanged = 0
    var updated = 0
    var inserted = 0
    var deleted = 0

    mutating func add(_ report: SyncReport) {
      let users = report.entities["User"]
      unchanged += users?.unchanged ?? 0
      updated += users?.updated ?? 0
      inserted += users?.inserted ?? 0
      deleted += users?.deleted ?? 0
    }
  }

  /// Syncs items in pages of a session.
  ///
  /// - Parameter between: Called before each page with its number.
  private func sync(
    _ bench: KnownItemBench, _ items: [String], pageSize: Int = 7, named name: String? = nil,
    ends: Bool = true, usesFingerprints: Bool = true, between: (Int) throws -> Void = { _ in }
  ) throws -> Outcome {
    bench.read.withLock { $0 = [] }
    var outcome = Outcome()
    let session = try SyncSession(entity: "User", dataStack: bench.stack, name: name)
    for (number, start) in stride(from: 0, to: items.count, by: pageSize).enumerated() {
      try between(number)
      let page = session.page(Self.array(items[start..<min(start + pageSize, items.count)]))
      page.usesFingerprints = usesFingerprints
      outcome.add(try page.run())
    }
    if ends { outcome.add(try session.finishOperation().run()) }
    outcome.readCount = bench.read.withLock { $0.count }
    return outcome
  }

  // MARK: - Passing over

  @Test(arguments: [1, 7, 30], [nil, "nightly"])
  func pagesThatComeAgainAreNotRead(_ pageSize: Int, _ name: String?) throws {
    let bench = try KnownItemBench(in: TemporaryFolder())
    #expect(try sync(bench, Self.items, pageSize: pageSize, named: name).readCount == 30)
    for _ in 1...2 {
      let outcome = try sync(bench, Self.items, pageSize: pageSize, named: name)
      #expect(outcome.readCount == 0)
      #expect(outcome.unchanged == 30)
      #expect(outcome.deleted == 0)
    }
  }

  @Test func theNextDayOnlyNewAndChangedItemsOfPagesAreRead() throws {
    _ = try sync(bench, Self.items)
    var items = Self.items
    items[11] = KnownItemBench.user(12, "b")
    items.remove(at: 3)
    items.append(KnownItemBench.user(40))
    let outcome = try sync(bench, items)
    #expect(outcome.readCount == 2)
    #expect((outcome.updated, outcome.inserted, outcome.deleted) == (1, 1, 1))
    #expect(outcome.unchanged == 28)
    #expect(try sync(bench, items, pageSize: 5).readCount == 0)
  }

  @Test func pagesPartsAndWholePayloadsKnowTheSameItems() throws {
    let bench = try KnownItemBench(in: TemporaryFolder())
    _ = try sync(bench, Self.items)
    let count = try bench.readCount {
      try bench.stack.sync(Self.array(Self.items), inEntityNamed: "User")
    }
    #expect(count == 0)
    #expect(try sync(bench, Self.items).readCount == 0)
  }

  @Test func fingerprintsOfManyItemsAreUsedOnceEnoughPagesHaveCome() throws {
    let items = (1...300).map { KnownItemBench.user($0) }
    #expect(try sync(bench, items, pageSize: 300).readCount == 300)
    let outcome = try sync(bench, items, pageSize: 1)
    #expect(1...30 ~= outcome.readCount, "they are not read for a single page")
    #expect(outcome.unchanged == 300)
    #expect(outcome.deleted == 0)
  }

  @Test func pagesOfSeveralListsThatComeAgainAreNotRead() throws {
    for expected in [30, 0, 0] {
      let count = try bench.readCount {
        let session = try SyncSession(of: ["Company", "User"], dataStack: bench.stack)
        try session.page(Self.array([#"{"id": 1, "name": "one"}"#]), of: "Company").run()
        try session.page(Self.array(Self.items[..<20]), of: "User").run()
        try session.page(Self.array(Self.items[20...]), of: "User").run()
        try session.finishOperation().run()
      }
      #expect(count == expected)
    }
  }

  @Test(arguments: [1, 4, 30]) func batchesThatComeAgainAreNotRead(_ size: Int) throws {
    for expected in [30, 0, 0] {
      bench.read.withLock { $0 = [] }
      let report = try Sync(
        Self.array(Self.items), inEntityNamed: "User", dataStack: bench.stack
      ).run { $0.transaction = .perBatch(size) }
      #expect(bench.read.withLock { $0.count } == expected)
      #expect(report.entities["User"]?.unchanged == 30 - expected)
    }
  }

  // MARK: - Reading after all

  @Test(arguments: [true, false])
  func anotherWriterBetweenPagesHasTheRestRead(_ isUnderWay: Bool) throws {
    _ = try sync(bench, Self.items)
    let outcome = try sync(bench, Self.items) { number in
      guard number == 2 else { return }
      // A row of a page that was stored, or of one that is to come.
      try bench.rename(isUnderWay ? 2 : 29, "mine")
      try bench.acknowledge()
    }
    #expect(outcome.readCount == 16)
    #expect(try bench.name(of: isUnderWay ? 2 : 29) == (isUnderWay ? "mine" : "a 29"))
    // Of that session nothing was kept: the set from before knows which rows have changed since.
    #expect(try sync(bench, Self.items).readCount == 1)
    #expect(try bench.name(of: isUnderWay ? 2 : 29) == (isUnderWay ? "a 2" : "a 29"))
  }

  @Test func anotherWriterBetweenBatchesHasTheRestRead() throws {
    _ = try sync(bench, Self.items)
    bench.read.withLock { $0 = [] }
    let sync = Sync(Self.array(Self.items), inEntityNamed: "User", dataStack: bench.stack)
    sync.transaction = .perBatch(10)
    let outcome = Locked<Result<Void, any Error>?>(nil)
    sync.stepObserver = { step in
      // Before the second batch is stored, between two transactions.
      guard step.phase == .parse, step.completed > Self.array(Self.items).count / 2,
        outcome.withLock({ $0 == nil })
      else { return }
      let result = Result {
        try bench.rename(29, "mine")
        try bench.acknowledge()
      }
      outcome.withLock { $0 = result }
    }
    let report = try sync.run()
    try #require(outcome.withLock { $0 }).get()
    #expect(report.entities["User"]?.updated == 1)
    #expect(try bench.name(of: 29) == "a 29")
    #expect(10...20 ~= bench.read.withLock { $0.count })
    #expect(try self.sync(bench, Self.items).readCount == 1)
  }

  @Test func anItemIsReadWhereAnEarlierPageHasToDoWithItsObject() throws {
    let (with, without) = try (KnownItemBench(), KnownItemBench())
    var items = Self.items
    // The note of a later page's user comes to the first one.
    items[0] = KnownItemBench.user(1, notes: [10, 290])
    for (day, items) in [Self.items, items, items, Self.items, items].enumerated() {
      let outcome = try sync(with, items)
      if day == 1 { #expect(outcome.readCount == 2) }
      _ = try sync(without, items, usesFingerprints: false)
      #expect(try with.bench.objects("Note") == without.bench.objects("Note"), "Day \(day)")
      #expect(try with.bench.objects("User") == without.bench.objects("User"), "Day \(day)")
    }
  }

  @Test func aPageThatFailsHasTheRestReadAndTheSessionGoesOn() throws {
    _ = try sync(bench, Self.items)
    let session = try SyncSession(entity: "User", dataStack: bench.stack)
    bench.read.withLock { $0 = [] }
    try session.page(Self.array(Self.items[..<10])).run()
    #expect(throws: JSONError.self) { try session.page(Data("[{]".utf8)).run() }
    let page = session.page(Self.array(Self.items[10...]))
    #expect(try page.run().entities["User"]?.unchanged == 20)
    #expect(throws: SyncError.self) { try session.finishOperation().run() }
    #expect(try bench.bench.count("User") == 30)
    #expect(try sync(bench, Self.items).readCount == 0)
  }

  @Test func aSessionThatGoesOnInAnotherProcessIsRead() throws {
    let bench = try KnownItemBench(in: TemporaryFolder())
    _ = try sync(bench, Self.items)
    let first = try sync(bench, Array(Self.items[..<10]), named: "nightly", ends: false)
    #expect(first.readCount == 0)
    let rest = try sync(bench, Array(Self.items[10...]), named: "nightly")
    #expect(rest.readCount == 20)
    #expect(rest.deleted == 0)
    #expect(try bench.bench.count("User") == 30)
    #expect(try sync(bench, Self.items).readCount == 0)
  }

  @Test func fingerprintsThatAnotherSyncHasKeptMeanwhileStay() throws {
    _ = try sync(bench, Self.items)
    // The same values in other bytes: fingerprints change, rows do not.
    let other = Self.items.map { $0.replacing(#"{"id""#, with: #"{ "id""#) }
    let outcome = try sync(bench, Self.items) { number in
      if number == 2 { _ = try bench.stack.sync(Self.array(other), inEntityNamed: "User") }
    }
    #expect(outcome.updated == 0)
    #expect(try sync(bench, other).readCount == 0)
  }

  @Test func anUnsentEditHasItsOwnItemOfAPageReadAlone() throws {
    _ = try sync(bench, Self.items)
    try bench.rename(22, "mine")
    for _ in 1...2 {
      #expect(try sync(bench, Self.items).readCount == 1)
      #expect(try bench.name(of: 22) == "mine")
    }
    try bench.acknowledge()
    #expect(try sync(bench, Self.items).updated == 1)
    #expect(try bench.name(of: 22) == "a 22")
    #expect(try sync(bench, Self.items).readCount == 0)
  }

  @Test func pagesBesideEachOtherAreStoredWhole() async throws {
    let bench = try KnownItemBench(in: TemporaryFolder())
    for expected in [30, 0] {
      bench.read.withLock { $0 = [] }
      let session = try SyncSession(entity: "User", dataStack: bench.stack)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for start in stride(from: 0, to: 30, by: 3) {
          group.addTask { try await session.sync(Self.array(Self.items[start..<start + 3])) }
        }
        try await group.waitForAll()
      }
      let report = try await session.finish()
      #expect(report.entities["User"]?.deleted ?? 0 == 0)
      #expect(bench.read.withLock { $0.count } == expected)
      #expect(try bench.bench.count("User") == 30)
    }
  }
}
