import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// A machine whose engine was started, with a clock that a test moves. No signals come from its
/// server.
private final class Machine: Sendable {
  let client: Client
  let transport: FaultyTransport
  let clock = ManualClock()

  init(_ server: any CloudTransport, file: URL? = nil, isListening: Bool = false) throws {
    transport = FaultyTransport(server)
    if isListening { transport.listen() }
    client = try Client(transport, file: file, retry: RetryPolicy(attempts: 0, delay: 0))
  }

  /// Starts, and returns when the first sync is over.
  func start() async {
    // Earlier commits are not heard of any more.
    await client.stack.drainNotifications()
    client.engine.start(clock: clock)
    await clock.sleeper(until: transport.lines.isEmpty ? .seconds(10) : .seconds(300))
  }

  /// Lets time pass, with every sync that falls into it.
  func pass(to seconds: Int) async {
    let end = Duration.seconds(seconds)
    while true {
      await clock.sleeper(until: nil)
      guard let next = clock.deadline, next <= end else { break }
      clock.move(to: next)
    }
    clock.move(to: end)
  }

  /// Returns when the status is one that is waited for.
  func status(_ condition: (CloudStatus) -> Bool) async throws {
    for await status in client.engine.statusUpdates where condition(status) { return }
    Issue.record("The stack was closed.")
  }
}

/// An engine that was started syncs by itself. `SYNCSTACK_CLOUD_ALONE` lets two of them run on a
/// real server that is stopped for so many seconds.
@Suite(.timeLimit(.minutes(5))) struct RunningTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  @Test func commitsAreSentTogetherAndArriveWithTheNextPoll() async throws {
    let (here, there) = (try Machine(server), try Machine(server))
    for machine in [here, there] { await machine.start() }
    // One commit: of several the later ones might arrive when the clock has moved.
    try here.client.stack.store.write { transaction in
      _ = try transaction.insert("Note", (0..<3).map { ["stars": .int($0)] })
    }
    await here.clock.sleeper(until: .seconds(2))
    #expect(here.transport.saves.isEmpty)
    here.clock.move(to: .seconds(2))
    await here.clock.sleeper(until: .seconds(12))
    #expect(here.transport.saves.map(\.count) == [3])
    there.clock.move(to: .seconds(10))
    // Its own commits are not sent.
    await there.clock.sleeper(until: .seconds(20))
    #expect(try there.client.values("Note", "stars") == [0, 1, 2])
    #expect(there.transport.saves.isEmpty)
  }

  @Test func whatWasThereBeforeIsSentAtOnce() async throws {
    let here = try Machine(server)
    try here.client.insert("Note", ["title": "before"])
    await here.start()
    #expect(server.records(in: here.client.engine.zone).count == 1)
  }

  @Test func commitsOfOthersOnTheSameFileAreSent() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file()
    let here = try Machine(server, file: file)
    await here.start()
    let other = try DataStack(model: CloudModels.notes(), store: .sqlite(file), tracksChanges: true)
    try other.store.write { _ = try $0.insert("Note", [["title": "other"]]) }
    await here.client.stack.drainNotifications()
    await here.clock.sleeper(until: .seconds(2))
    here.clock.move(to: .seconds(2))
    await here.clock.sleeper(until: .seconds(12))
    #expect(here.transport.saves.flatMap(\.self).map { $0.content["f_title"] } == ["other"])
    try other.close()
  }

  @Test func twoMachinesAreEqualWithinAnIntervalThoughTheirServerWasAwayTwice() async throws {
    let machines = [try Machine(server), try Machine(server)]
    var generator = SeededGenerator(seed: 36)
    let isDown = Locked(false)
    for machine in machines {
      machine.transport.beforeEachCall { _ in
        if isDown.withLock({ $0 }) {
          throw CloudError(.unreachable, message: "No server is there.")
        }
      }
      await machine.start()
    }
    var failures = 0
    for second in 0..<100 {
      isDown.withLock { $0 = (20..<40).contains(second) || (60..<80).contains(second) }
      for machine in machines {
        for _ in 0..<2 { try edit(machine.client, &generator) }
        await machine.pass(to: second + 1)
        if machine.client.engine.status.lastError != nil { failures += 1 }
      }
    }
    #expect(failures > 20)
    // The last edits, once the machines know the ones before.
    var now = 100
    while machines.contains(where: { $0.clock.deadline ?? .zero <= .seconds(now + 2) }) {
      now += 1
      for machine in machines {
        await machine.client.stack.drainNotifications()
        await machine.pass(to: now)
      }
    }
    for machine in machines {
      await machine.pass(to: now)
      try machine.client.insert("Note", ["title": "last"])
      await machine.clock.sleeper(until: .seconds(now + 2))
    }
    for machine in machines { await machine.pass(to: now + 2) }
    for machine in machines { await machine.pass(to: now + 12) }
    let (here, there) = (machines[0].client, machines[1].client)
    #expect(try here.graph() == there.graph())
    #expect(try here.rows("Note").count > 50)
    for client in [here, there] { #expect(client.engine.status.waiting == 0) }
    // Five minutes in which nothing happens.
    let before = machines.map { ($0.transport.calls.count, $0.transport.shown) }
    for machine in machines { await machine.pass(to: now + 312) }
    for (machine, (calls, shown)) in zip(machines, before) {
      #expect((1...10).contains(machine.transport.calls.count - calls))
      #expect(machine.transport.shown == shown)
    }
  }

  /// Makes a note, or edits one.
  private func edit(_ client: Client, _ generator: inout SeededGenerator) throws {
    let rows = try client.rows("Note").map(\.row)
    let number = Value.int(Int64.random(in: 0..<1000, using: &generator))
    if let row = rows.randomElement(using: &generator), Int.random(in: 0..<4, using: &generator) > 0
    {
      let field = ["title", "text"].randomElement(using: &generator) ?? "title"
      let isNumber = Bool.random(using: &generator)
      let text: [String: Value] = [field: .string("\(number)")]
      try client.update("Note", row, isNumber ? ["stars": number] : text)
    } else {
      try client.insert("Note", ["title": "new", "stars": number])
    }
  }

  @Test func paceStaysInOrder() {
    let pace = CloudPace(delay: .seconds(-1), shortest: .zero, longest: .zero)
    #expect(pace.delay == .zero && pace.shortest > .zero && pace.longest == pace.shortest)
  }

  // MARK: - Asking and halting

  @Test func wakingSyncsAtOnceAndOnlyWhenItWasStarted() async throws {
    let here = try Machine(server)
    here.client.engine.wake()
    #expect(here.transport.calls.isEmpty)
    await here.start()
    here.clock.move(to: .seconds(5))
    let pages = here.transport.pages
    here.client.engine.wake()
    await here.clock.sleeper(until: .seconds(15))
    #expect(here.transport.pages == pages + 1)
    // Starting once more is waking.
    here.clock.move(to: .seconds(6))
    here.client.engine.start()
    await here.clock.sleeper(until: .seconds(16))
  }

  @Test func aFailureThatAPersonHasToPutRightIsInTheStatusUntilItIsAwake() async throws {
    let here = try Machine(server)
    await here.start()
    here.transport.fail(CloudError(.notSignedIn, message: "Who is there?"))
    here.clock.move(to: .seconds(10))
    try await here.status { ($0.lastError as? CloudError)?.code == .notSignedIn && !$0.isRunning }
    try await here.status { $0.isStarted && $0.nextSync == nil && !$0.isRunning }
    here.clock.move(to: .seconds(1000))
    here.client.engine.wake()
    await here.clock.sleeper(until: .seconds(1010))
    let status = here.client.engine.status
    #expect(status.lastError == nil && status.nextSync != nil)
  }

  @Test func whoSaysThatWhatIsHereIsRightGoesOn() async throws {
    let here = try Machine(server)
    try here.client.insert("Note", ["title": "a"])
    await here.start()
    try await server.remove(here.client.engine.zone)
    here.clock.move(to: .seconds(10))
    try await here.status { ($0.lastError as? CloudError)?.code == .zoneReplaced && !$0.isRunning }
    try await here.status { $0.nextSync == nil && !$0.isRunning }
    try await here.client.engine.uploadEverything()
    await here.clock.sleeper(until: .seconds(20))
    #expect(server.records(in: here.client.engine.zone).count == 1)
  }

  // MARK: - Stopping

  @Test func stoppingCancelsWhatIsInFlightAndNothingComesAfterIt() async throws {
    let here = try Machine(server)
    let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
    here.transport.beforeEachCall { _ in
      arrival.yield()
      // Without end, until it is cancelled.
      for await _ in AsyncStream<Void>.makeStream().stream {}
      try Task.checkCancellation()
    }
    here.client.engine.start(clock: here.clock)
    for await _ in arrived { break }
    await here.client.engine.stop()
    let status = here.client.engine.status
    #expect(status.lastError is CancellationError)
    #expect(!status.isStarted && !status.isRunning)
    try here.client.insert("Note", ["title": "later"])
    here.clock.move(to: .seconds(1000))
    here.client.engine.wake()
    #expect(here.transport.calls.count == 1)
    // And it can be started again.
    here.transport.beforeEachCall { _ in }
    let clock = ManualClock()
    await here.client.stack.drainNotifications()
    here.client.engine.start(clock: clock)
    await clock.sleeper(until: .seconds(10))
    #expect(here.transport.saves.count == 1)
  }

  @Test func anEngineThatIsNotHeldIsStopped() async throws {
    let clock: ManualClock
    do {
      let here = try Machine(server)
      await here.start()
      clock = here.clock
    }
    #expect(clock.deadline == nil)
  }

  @Test func closingTheStackStops() async throws {
    let here = try Machine(server)
    await here.start()
    var updates = here.client.engine.statusUpdates.makeAsyncIterator()
    try here.client.close()
    while await updates.next() != nil {}
    while here.clock.deadline != nil { await Task.yield() }
  }

  // MARK: - Live signals

  @Test func aSignalOfTheServerPullsAtOnce() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let clocks = [ManualClock(), ManualClock()]
    var changes = there.stack.changes.makeAsyncIterator()
    for (client, clock) in zip([here, there], clocks) {
      client.engine.start(clock: clock)
      await clock.sleeper(until: .seconds(300))
    }
    try here.insert("Note", ["title": "live"])
    await clocks[0].sleeper(until: .seconds(2))
    clocks[0].move(to: .seconds(2))
    #expect(await changes.next()?.author == CloudEngine.author)
    #expect(try there.values("Note", "title") == ["live"])
    #expect(clocks[1].now.time == .zero)
  }

  @Test func aLineThatEndsIsComeBackToAndPollsGoOnMeanwhile() async throws {
    let here = try Machine(server, isListening: true)
    await here.start()
    here.transport.lines[0].finish()
    await here.clock.sleeper(until: .seconds(10))
    try Client(server).insert("Note", ["title": "missed"])
    while here.transport.lines.count < 2 {
      await here.pass(to: 20)
      await Task.yield()
    }
    here.clock.move(to: .seconds(25))
    here.transport.lines[1].yield()
    await here.clock.sleeper(until: .seconds(325))
  }

  // MARK: - A real server

  private func notes(_ client: Client) throws -> [String] {
    try client.rows("Note").map { "\($0.values)" }.sorted()
  }

  @Test(
    .enabled("SYNCSTACK_CLOUD_ALONE says how long the server is away") { setting("ALONE") != nil },
    .server(.postgres))
  func twoProgramsRunAloneOnAServerThatIsStoppedTwice() async throws {
    let away = Duration.seconds(setting("ALONE") ?? 20)
    let url = try TestServer.startOwn()
    defer { try? TestServer.stop(url) }
    let account = try await TestServer.account(on: url)
    let proxy = try TestProxy(before: url, account: account)
    // One meets a closed port, the other one connections that end.
    let clients = try [proxy.plain(), proxy.transport()].map {
      try Client($0, retry: RetryPolicy())
    }
    for client in clients { client.engine.start() }
    let outages = Task {
      for _ in 0..<2 {
        try await Task.sleep(for: away)
        try TestServer.setKinto(false, of: url)
        try await Task.sleep(for: away)
        try TestServer.setKinto(true, of: url)
      }
    }
    var generator = SeededGenerator(seed: 36)
    for _ in 0..<200 {
      for client in clients { try edit(client, &generator) }
      try await Task.sleep(for: away / 40)
    }
    try await outages.value
    // The last edit: both are equal within an interval, which is the longest one of a machine that
    // waits for its server.
    for client in clients { try client.insert("Note", ["title": "last"]) }
    let last = ContinuousClock.now
    let interval = CloudPace().delay + CloudPace().shortest
    while try notes(clients[0]) != notes(clients[1])
      || clients.contains(where: { $0.engine.status.waiting > 0 })
    {
      guard last.duration(to: .now) < .seconds(120) else { break }
      try await Task.sleep(for: .milliseconds(100))
    }
    let settled = last.duration(to: .now)
    #expect(try clients[0].graph() == clients[1].graph())
    // The first pulls after a push settle the place in the changes.
    try await Task.sleep(for: interval)
    _ = try await proxy.log()
    try await Task.sleep(for: .seconds(300))
    let idle = try await proxy.log()
    let records = idle.filter { !$0.path.contains("_fields=") }.map(\.records).reduce(0, +)
    print(
      "alone: 2 × 201 edits, away twice for \(away), \(try clients[0].rows("Note").count) notes, equal "
        + "\(settled) after the last edit; idle for 5 minutes: \(idle.count) requests, \(records) records"
    )
    #expect(idle.count <= 10 && records == 0)
    for client in clients { await client.engine.stop() }
  }
}
