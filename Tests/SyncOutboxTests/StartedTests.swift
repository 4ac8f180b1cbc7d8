import Foundation
import SyncStack
import TestSupport
import Testing

/// An outbox that was started sends by itself; time passes when a test says so.
@Suite(.timeLimit(.minutes(5))) struct StartedTests {
  private let clock = ManualClock()

  /// A shop whose outbox was started, after its first order was sent.
  private func started(_ store: DataStack.Location = .inMemory) async throws -> Shop {
    let shop = try Shop(store: store)
    shop.outbox.retry = RetryPolicy(attempts: 0, delay: 0, longestDelay: 1)
    let first = try await shop.order("first")
    // Earlier commits are not heard of any more.
    await shop.stack.drainNotifications()
    shop.outbox.start(clock: clock)
    #expect(try await shop.outbox.outcome(of: first) == .settled)
    #expect(await shop.server.log.count == 1)
    return shop
  }

  @Test func whatWasThereBeforeIsSentAtOnceAndCommitsSoonAndTogether() async throws {
    let shop = try await started()
    let ids = [try await shop.order("second"), try await shop.order("third")]
    await clock.sleeper(until: .seconds(2))
    #expect(await shop.server.log.count == 1)
    clock.move(to: .seconds(2))
    for id in ids { #expect(try await shop.outbox.outcome(of: id) == .settled) }
    #expect(await shop.server.log.map { $0.json["status"] } == ["first", "second", "third"])
    let status = try shop.outbox.status
    #expect(status.isStarted && status.nextRun == nil && status.stopReason == nil)
  }

  @Test func aServerThatDoesNotAnswerIsAskedLaterAndLaterUntilItIsWoken() async throws {
    let shop = try await started()
    await shop.server.answer(.retry(reason: "Status 503."), to: "Order")
    let id = try await shop.order("second")
    await clock.sleeper(until: .seconds(2))
    for (now, next) in [(2, 4), (4, 8), (8, 16)] {
      clock.move(to: .seconds(now))
      await clock.sleeper(until: .seconds(next))
      // A commit makes it come no earlier.
      _ = try await shop.order("at \(now)")
      await shop.stack.drainNotifications()
      #expect(clock.deadline == .seconds(next))
    }
    // The first, one, two, and three.
    #expect(await shop.server.log.count == 7)
    #expect(try shop.outbox.status.nextRun != nil)
    await shop.server.answer(nil, to: "Order")
    shop.outbox.wake()
    #expect(try await shop.outbox.outcome(of: id) == .settled)
  }

  @Test func whatTheServerWantsLaterIsSentThenAndOtherEditsBefore() async throws {
    let shop = try await started()
    await shop.server.answer(.retry(after: 60), to: "Order")
    _ = try await shop.order("second")
    await clock.sleeper(until: .seconds(2))
    clock.move(to: .seconds(2))
    await clock.sleeper(until: nil)
    let due = try #require(clock.deadline)
    #expect(due > .seconds(55) && due <= .seconds(63), "\(due)")
    let ann = try await shop.make(Customer.self) { $0.name = "Ann" }
    await clock.sleeper(until: .seconds(4))
    clock.move(to: .seconds(4))
    #expect(try await shop.outbox.outcome(of: ann) == .settled)
    #expect(await shop.server.log.count { $0.entity == "Order" } == 2)
  }

  @Test func commitsOfOthersOnTheSameFileAreSent() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file()
    let shop = try await started(.sqlite(file))
    let other = try DataStack(model: shop.stack.model, store: .sqlite(file), tracksChanges: true)
    try await other.edit { Customer(context: $0).name = "other" }
    await shop.stack.drainNotifications()
    await clock.sleeper(until: .seconds(2))
    clock.move(to: .seconds(2))
    for await status in shop.outbox.statusUpdates where status.waiting == 0 { break }
    #expect(await shop.server.log.last?.json["name"] == "other")
    try other.close()
  }

  @Test func whatIsRetriedIsSentSoon() async throws {
    let shop = try await started()
    await shop.server.answer(.refused("too late"), to: "Order")
    let id = try await shop.order("second")
    await clock.sleeper(until: .seconds(2))
    clock.move(to: .seconds(2))
    #expect(try await shop.outbox.outcome(of: id) == .refused("too late"))
    await shop.server.answer(nil, to: "Order")
    for item in try shop.outbox.refused { try shop.outbox.retry(item) }
    await clock.sleeper(until: .seconds(4))
    clock.move(to: .seconds(4))
    #expect(try await shop.outbox.outcome(of: id) == .settled)
  }

  @Test func anErrorOfTheProgramHaltsItAndIsInTheStatus() async throws {
    let shop = try await started()
    shop.outbox.send(with: Conventional("Parcel")) { _ in .accepted() }
    await clock.sleeper(until: .seconds(2))
    clock.move(to: .seconds(2))
    for await status in shop.outbox.statusUpdates where status.stopReason != nil {
      #expect(status.stopReason?.contains("Parcel") == true)
      break
    }
    for await status in shop.outbox.statusUpdates where !status.isSending { break }
    _ = try await shop.order("second")
    await shop.stack.drainNotifications()
    #expect(try shop.outbox.status.nextRun == nil)
    #expect(await shop.server.log.count == 1)
  }

  // MARK: - Ending

  @Test func aStoppedOutboxSendsTheSameAgainWhenItIsStartedOnceMore() async throws {
    let keys = Locked<[String]>([])
    let (started, begin) = AsyncStream.makeStream(of: Void.self)
    let shop = try Shop { change in
      let isFirst = keys.withLock { keys in
        keys.append(change.idempotencyKey)
        return keys.count == 1
      }
      begin.yield()
      if isFirst { try await Task.sleep(for: .seconds(3600)) }
      return .accepted(["id": 1])
    }
    let id = try await shop.order("new")
    shop.outbox.start(clock: clock)
    for await _ in started { break }
    await shop.outbox.stop()
    #expect(try !shop.outbox.status.isStarted)
    #expect(try shop.outbox.pending.map(\.state) == [.unanswered(until: nil)])
    shop.outbox.wake()
    #expect(keys.withLock(\.count) == 1)
    shop.outbox.start(clock: clock)
    #expect(try await shop.outbox.outcome(of: id) == .settled)
    #expect(keys.withLock { $0.count == 2 && Set($0).count == 1 })
    await shop.outbox.stop()
  }

  @Test func anAnswerThatComesThoughItsRunWasCancelledCounts() async throws {
    let (started, begin) = AsyncStream.makeStream(of: Void.self)
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    let sent = Locked(0)
    let shop = try Shop { _ in
      sent.withLock { $0 += 1 }
      begin.yield()
      // As a request that must not be cancelled is sent.
      return await Task {
        for await _ in answers { break }
        return .accepted(["id": 1])
      }.value
    }
    shop.outbox.concurrency = 1
    for _ in 0..<3 { _ = try await shop.order("new") }
    let run = Task { try await shop.outbox.send() }
    for await _ in started { break }
    run.cancel()
    answer.yield()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(sent.withLock(\.self) == 1)
    #expect(try shop.outbox.pending.count == 2)
  }

  // MARK: - One object

  @Test func theOutcomeOfAnObjectIsWhatTheServerOrTheProgramSays() async throws {
    let shop = try Shop()
    let other = try Outbox(shop.stack, name: "other")
    await shop.server.answer(.refused("too late"), to: "Customer")
    let order = try await shop.order("new")
    let customer = try await shop.make(Customer.self) { $0.name = "Ann" }
    async let outcomes = [shop.outbox.outcome(of: order), shop.outbox.outcome(of: customer)]
    try await shop.outbox.send()
    #expect(try await outcomes == [.settled, .refused("too late")])
    // Of this one nothing is to be sent.
    let line = try await shop.make(Line.self)
    try shop.outbox.discard(try #require(try shop.outbox.pending.first { $0.entity == "Line" }))
    #expect(try await shop.outbox.outcome(of: line) == .settled)
    // A change that another outbox sends is no business of this one; one without a handler anywhere
    // is.
    other.send(Label.self) { _ in .accepted() }
    #expect(try await other.outcome(of: order) == .settled)
    try Outbox.remove("api", from: shop.stack)
    let unsent = try await shop.order("unsent")
    guard case .refused(let reason) = try await other.outcome(of: unsent) else {
      return #expect(Bool(false), "It was sent.")
    }
    #expect(reason.contains("no handler sends it"))
  }

  @Test func awaitingAnOutcomeCanBeCancelled() async throws {
    let shop = try Shop()
    let order = try await shop.order("new")
    let waiting = Task { try await shop.outbox.outcome(of: order) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test func anObjectThatIsNotSavedHasNoOutcome() async throws {
    let shop = try Shop()
    let id = try await shop.edit { Order(context: $0).objectID }
    let error = await #expect(throws: GraphError.self) { try await shop.outbox.outcome(of: id) }
    #expect(error?.code == .invalidRequest && error?.message.contains("Order") == true)
  }
}

extension Shop {
  fileprivate func order(_ status: String) async throws -> ManagedObjectID {
    try await make(Order.self) { $0.status = status }
  }
}
