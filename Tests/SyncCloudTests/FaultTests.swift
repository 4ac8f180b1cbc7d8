import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// An engine and a server that fails, refuses, or wants to be left alone.
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  private static func isBad(_ save: CloudSave) -> Bool {
    save.content["f_title"]?.stringValue?.hasPrefix("bad") ?? false
  }

  /// Whatever their names are, and however few tries there are.
  @Test(arguments: [(1, 0), (1, 2), (2, 2), (6, 2), (6, 0)])
  func aFewBadRecordsHoldNothingBack(_ bad: Int, _ attempts: Int) async throws {
    let transport = FaultyTransport(server)
    let here = try Client(transport, retry: RetryPolicy(attempts: attempts, delay: 0))
    for index in 0..<27 { try here.insert("Note", ["title": .string("\(index)")]) }
    try await here.drain()
    let names = try here.rows("Note").compactMap { try here.record("Note", $0.row)?.name }.sorted()
    let poisoned = Set(names.prefix(bad))
    transport.poison { poisoned.contains($0.name) ? .fails(.unreachable) : nil }
    for _ in 0..<(bad == 1 ? 1 : 4) {
      await #expect(throws: CloudError.self) { try await here.engine.push() }
    }
    #expect(server.records(in: here.engine.zone).count == 27 - bad)
    #expect(here.engine.status.waiting == bad)
    transport.poison { _ in nil }
    #expect(try await here.engine.push().sent == bad)
    try await settle([here], fresh: server)
  }

  /// Alone it may be the server that takes nothing: it is tried again, and is named meanwhile.
  @Test func whatAPushSaysIsTooLargeIsAProblemAtOnce() async throws {
    let transport = FaultyTransport(server)
    transport.poison { _ in .fails(.tooLarge) }
    let here = try Client(transport, retry: RetryPolicy(attempts: 2, delay: 0))
    let row = try here.insert("Note", ["title": "large"])
    for _ in 0..<2 {
      let error = await #expect(throws: CloudError.self) { try await here.engine.push() }
      #expect(error?.code == .tooLarge)
      let problems = here.engine.status.problems
      #expect(problems.map(\.row) == [row] && problems.allSatisfy { !$0.reason.isEmpty })
    }
    transport.poison { _ in nil }
    #expect(try await here.engine.push().sent == 1)
    #expect(here.engine.status.problems.isEmpty)
  }

  @Test(arguments: [CloudError.Code?.none, .unreachable, .tooLarge])
  func badRecordsAreProblemsAndTheOthersArrive(_ failure: CloudError.Code?) async throws {
    let transport = FaultyTransport(server)
    transport.poison { save in
      Self.isBad(save) ? failure.map { .fails($0) } ?? .refused("It is bad.") : nil
    }
    let here = try Client(transport)
    for index in 0..<303 {
      let kind = index % 101 == 50 ? "bad" : "good"
      try here.insert("Note", ["title": .string("\(kind) \(index)")])
    }
    if failure == .unreachable {
      // The server's fault, whatever it has against them: they wait, and the push says so.
      for round in 0..<2 {
        let error = await #expect(throws: CloudError.self) { try await here.engine.push() }
        #expect(error?.code == .unreachable)
        #expect(round == 1 || error?.message.contains("3 records stay") == true)
        #expect(server.records(in: here.engine.zone).count == 300)
        #expect(here.engine.status.waiting == 3)
        #expect(here.engine.status.problems.isEmpty)
      }
      transport.poison { _ in nil }
      #expect(try await here.engine.push().sent == 3)
      return try await settle([here], fresh: server)
    }
    let report = try await here.engine.push()
    #expect(report.sent == 300)
    #expect(report.refused == 3)
    let problems = here.engine.status.problems
    #expect(problems.count == 3)
    #expect(problems.allSatisfy { !$0.reason.isEmpty })
    #expect(server.records(in: here.engine.zone).count == 300)
    // They are not tried again for nothing.
    let batches = transport.saves.count
    try await here.engine.sync()
    #expect(transport.saves.count == batches)
    // Editing cures them.
    for problem in problems {
      try here.update("Note", try #require(problem.row), ["title": "cured"])
    }
    #expect(try await here.engine.push().sent == 3)
    try await settle([here], fresh: server)
  }

  @Test func aRecordIsTooLargeOnlyWhileOthersGoThrough() async throws {
    let transport = FaultyTransport(server)
    transport.poison { Self.isBad($0) ? .fails(.tooLarge) : nil }
    let here = try Client(transport)
    try here.insert("Note", ["title": "bad"])
    await expectError(.tooLarge) { try await here.engine.push() }
    #expect(here.engine.status.waiting == 1 && here.engine.status.problems.count == 1)
    try here.insert("Note", ["title": "good"])
    #expect(try await here.engine.push().refused == 1)
    #expect(here.engine.status.problems.count == 1)
  }

  @Test func noRequestIsMadeEarlierThanTheServerAllowed() async throws {
    let transport = FaultyTransport(server)
    let here = try Client(transport)
    try here.insert("Note", ["title": "a"])
    try await here.engine.pull()
    for operation in [{ try await here.engine.push() as Any }, { try await here.engine.pull() }] {
      let before = transport.calls.count
      transport.fail(CloudError(.busy, message: "Busy.", retryAfter: 0.2))
      _ = try await operation()
      let calls = Array(transport.calls[before...])
      #expect(calls.count > 1)
      #expect(calls[0].duration(to: calls[1]) >= .milliseconds(200))
      try here.insert("Note", ["title": "b"])
    }
  }

  @Test func aServerThatIsDownFailsAfterTheRetriesAndAllStaysWaiting() async throws {
    let transport = FaultyTransport(server)
    let here = try Client(transport, retry: RetryPolicy(attempts: 3, delay: 0))
    try here.insert("Note", ["title": "a"])
    try await here.engine.pull()
    transport.lossRate = 1
    let before = transport.calls.count
    await expectError(.unreachable) { try await here.engine.push() }
    #expect(transport.calls.count - before == 4)
    #expect(here.engine.status.waiting == 1)
    #expect((here.engine.status.lastError as? CloudError)?.code == .unreachable)
    transport.lossRate = 0
    #expect(try await here.engine.push().sent == 1)
    #expect(here.engine.status.lastError == nil)
  }

  @Test(arguments: [
    CloudError.Code.notSignedIn, .readOnly, .endOfService, .forbidden, .redirected, .unsupported,
  ])
  func whatDoesNotPassIsAnErrorAtOnce(_ code: CloudError.Code) async throws {
    let transport = FaultyTransport(server)
    let here = try Client(transport)
    for index in 0..<60 { try here.insert("Note", ["title": .string("\(index)")]) }
    // In the middle: the first batch has gone.
    let isFirst = Locked(true)
    transport.beforeEachCall { _ in
      guard transport.saves.count == 2, isFirst.withLock({ $0 }) else { return }
      isFirst.withLock { $0 = false }
      throw CloudError(code, message: "No.")
    }
    await expectError(code) { try await here.engine.push() }
    #expect(transport.saves.count == 2)
    #expect(here.engine.status.waiting == 35)
    #expect(try await here.engine.push().sent == 35)
    try await settle([here], fresh: server)
  }

  @Test func pullsGoOnWhileAZoneCanOnlyBeRead() async throws {
    let there = try Client(server)
    try there.insert("Note", ["title": "there"])
    try await there.engine.push()
    let here = try Client(ReadOnlyTransport(server))
    try here.insert("Note", ["title": "here"])
    #expect(try await here.engine.pull().inserted == 1)
    await expectError(.readOnly) { try await here.engine.push() }
    #expect(here.engine.status.waiting == 1)
  }

  @Test(arguments: [true, false])
  func aRunThatIsCancelledAnywhereLeavesAStoreWithWhichTheNextOneCompletes(
    _ isBeforeCalls: Bool
  ) async throws {
    let there = try Client(server)
    for index in 0..<120 { try there.insert("Note", ["title": .string("there \(index)")]) }
    try await there.engine.push()
    let transport = FaultyTransport(server)
    let here = try Client(transport)
    for index in 0..<60 { try here.insert("Note", ["title": .string("here \(index)")]) }
    var checkpoint = 0
    while true {
      let wasReached = Locked(false)
      let first = transport.calls.count
      let place = checkpoint
      let task = Locked<Task<Void, any Error>?>(nil)
      let cancel: @Sendable (Int) -> Void = { number in
        guard number - first == place else { return }
        wasReached.withLock { $0 = true }
        task.withLock { $0 }?.cancel()
      }
      if isBeforeCalls {
        transport.beforeEachCall(cancel)
      } else {
        transport.afterEachCall(cancel)
      }
      let gate = AsyncStream<Void>.makeStream()
      let run = Task {
        for await _ in gate.stream { break }
        _ = try await here.engine.sync()
      }
      task.withLock { $0 = run }
      gate.continuation.yield()
      let result = await run.result
      guard wasReached.withLock({ $0 }) else {
        try result.get()
        break
      }
      // The answer of the last call may be all that was missing.
      if isBeforeCalls {
        #expect(throws: CancellationError.self) { try result.get() }
      } else if case .failure(let error) = result {
        #expect(error is CancellationError)
      }
      checkpoint += 1
    }
    #expect(checkpoint > 3)
    try await settle([here, there], fresh: server)
    #expect(try here.rows("Note").count == 180)
  }

  @Test func aFirstPullThatEndsBetweenPagesFetchesNoPageTwice() async throws {
    let there = try Client(server)
    for index in 0..<500 { try there.insert("Note", ["title": .string("\(index)")]) }
    try await there.engine.push()
    let transport = FaultyTransport(server)
    let here = try Client(transport, retry: RetryPolicy(attempts: 0, delay: 0))
    transport.beforeEachCall { _ in
      if transport.pages == 4 {
        throw CloudError(.unreachable, message: "The connection is gone.")
      }
    }
    await #expect(throws: CloudError.self) { try await here.engine.pull() }
    transport.beforeEachCall { _ in }
    #expect(try here.rows("Note").count == 150)
    #expect(try await here.engine.pull().records == 350)
    // The page that failed is the only one that was asked for twice.
    #expect(transport.pages == 11)
    try await settle([here, there], fresh: server)
  }

  @Test func whatWasEditedCountsAsWaitingAtOnce() async throws {
    let here = try Client(server)
    let row = try here.insert("Note", ["title": "a"])
    #expect(here.engine.status.waiting == 1)
    try await here.engine.sync()
    #expect(here.engine.status.waiting == 0)
    try here.update("Note", row, ["title": "b"])
    try here.update("Note", row, ["title": "c"])
    #expect(here.engine.status.waiting == 1)
    let gone = try here.insert("Note", ["title": "came and went"])
    let more = try here.insert("Note", ["title": "more"])
    try here.delete("Note", gone)
    #expect(here.engine.status.waiting == 2)
    try await here.drain()
    #expect(here.engine.status.waiting == 2)
    try here.update("Note", row, ["title": "d"])
    try here.delete("Note", more)
    #expect(here.engine.status.waiting == 2)
    try await here.engine.sync()
    #expect(here.engine.status.waiting == 0)
    try here.delete("Note", row)
    #expect(here.engine.status.waiting == 1)
    try await settle([here], fresh: server)
  }

  @Test func fiftySavesDuringAPushSendTheirRecordAtMostTwice() async throws {
    let transport = FaultyTransport(server)
    let here = try Client(transport)
    let row = try here.insert("Note", ["title": "a"])
    let push = Task { try await here.engine.push() }
    for index in 0..<50 { try here.update("Note", row, ["stars": .int(Int64(index))]) }
    _ = try await push.value
    try await here.engine.push()
    #expect(transport.saves.flatMap { $0 }.count <= 2)
    try await settle([here], fresh: server)
  }

  @Test func aBigDeltaAmongManyObjectsIsOnlyWhatWasEdited() async throws {
    let server = MemoryTransport(limits: CloudLimits(batch: 200, page: 1000))
    let transport = FaultyTransport(server)
    let here = try Client(transport)
    try here.stack.store.write { transaction in
      _ = try transaction.insert("Note", (0..<1000).map { ["title": .string("\($0)")] })
    }
    try await here.engine.push()
    let batches = transport.saves.count
    for (index, row) in try here.rows("Note").prefix(10).enumerated() {
      try here.update("Note", row.row, ["stars": .int(Int64(index))])
    }
    #expect(try await here.engine.push().sent == 10)
    let sent = transport.saves[batches...]
    #expect(sent.count == 1)
    #expect(sent.first?.allSatisfy { $0.content.keys == ["f_stars", "t_stars"] } == true)
  }
}

/// A server that may only be read.
private struct ReadOnlyTransport: RelayingTransport {
  let inner: any CloudTransport

  init(_ inner: any CloudTransport) { self.inner = inner }

  func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    CloudZoneState(
      generation: try await inner.open(zone, create: create).generation, access: .readOnly)
  }
  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    throw CloudError(.readOnly, message: "Read only.")
  }
}
