import Foundation
public import SyncCore
import SyncEngine
public import SyncGraph
import SyncStore

extension Outbox {
  // MARK: - By itself

  /// Sends from now on by itself, until ``stop()``, and as long as outbox and stack are there: at
  /// once, shortly after each commit of this process or another one on the same file, when a change
  /// is due that the server wanted later, and after ``wake()``. While the server does not answer it
  /// comes back later and later.
  ///
  /// ```swift
  /// outbox.send(Order.self) { change in try await api.send(change) }
  /// outbox.start()
  /// ```
  ///
  /// An error of the program (a serializer that does not fit the model, say) halts it until
  /// ``wake()``; ``OutboxStatus/stopReason`` says which. Runs that the program calls, as
  /// ``send()``, go on to work. Does the same as ``wake()`` when it is started already.
  ///
  /// - Parameters:
  ///   - pace: How soon.
  ///   - clock: The clock that it waits by.
  public func start(
    pace: OutboxPace = OutboxPace(), clock: any Clock<Duration> = ContinuousClock()
  ) {
    let made = makeDriver(pace, clock)
    let known = driver.withLock { driver in
      if driver == nil { driver = made }
      return driver
    }
    guard let known, known === made else { return wake() }
    // Before the first run, so that nothing falls between.
    let commits = stack.changes
    known.send(.started)
    known.listen { [weak self] driver in
      for await commit in commits where commit.author != Outbox.author { driver.send(.committed) }
      // The stack was closed, or this was stopped.
      if !Task.isCancelled { await self?.stop() }
    }
  }

  /// Sends at once, when it was started: call it when the network is back, the program came to the
  /// front, or the cause of a halt was put right.
  public func wake() {
    driver.withLock { $0 }?.send(.asked)
  }

  /// Ends what ``start(pace:clock:)`` began: cancels what is under way, and returns when the
  /// answers that came are stored. A change without an answer is sent again, the same, in the next
  /// run. Runs that the program called go on.
  public func stop() async {
    let driver = driver.withLock { driver in
      defer { driver = nil }
      return driver
    }
    await driver?.stop()?.value
    tell()
  }

  private func makeDriver(_ pace: OutboxPace, _ clock: some Clock<Duration>) -> TimetableDriver {
    let pace = Timetable.Pace(delay: pace.delay, shortest: nil, longest: pace.longest)
    let work: @Sendable () async -> Timetable.Event = { [weak self] in
      guard let self else { return .stopped }
      do {
        return try await event(after: send(), pace)
      } catch {
        let mayPass = error is StoreError || error is CancellationError
        return mayPass ? .failed(rest: nil) : .halted
      }
    }
    return TimetableDriver(pace, clock, tell: { [weak self] in self?.tell() }, work: work)
  }

  /// The meaning of a run for the next one.
  private func event(
    after report: OutboxReport, _ pace: Timetable.Pace
  ) async throws -> Timetable.Event {
    let entries = try await withStore { [name] store in
      try store.read { try $0.pendingEntries(of: name).filter { $0.refusal == nil } }
    }
    let now = Date().timeIntervalSince1970
    let due = entries.compactMap(\.earliest).map { Double($0) / 1000 - now }.filter { $0 > 0 }.min()
    let again = due.map { Duration.seconds($0) }
    let isUnanswered = entries.contains { $0.sent != nil && $0.earliest == nil }
    let isHeard = report.accepted + report.refused > 0
    if report.stopReason != nil || isUnanswered && !isHeard {
      return .failed(rest: isUnanswered ? nil : again)
    }
    // The server is there: a change that it did not answer has another try soon.
    return .ended(hasMoved: isHeard, again: isUnanswered ? pace.delay : again)
  }
}

// MARK: - One object

/// The outcome of the edits of one object; see ``Outbox/outcome(of:)-(ManagedObject)``.
public enum OutboxOutcome: Sendable, Hashable {
  /// Nothing is left to be sent of it: the server has taken it, or it was given up here.
  case settled

  /// The server did not take it, or no handler sends it; with the reason.
  case refused(String)
}

extension Outbox {
  /// Waits until nothing is left to be sent of an object, or the server has refused it.
  ///
  /// ```swift
  /// try context.save()
  /// if case .refused(let reason) = try await outbox.outcome(of: order) { show(reason) }
  /// ```
  ///
  /// It sends nothing: something has to, as ``start(pace:clock:)``. A change that waits for another
  /// object that was refused waits on, and so does this call. Edits that are not saved do not
  /// count.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; ``GraphError`` with
  ///   ``GraphError/Code/invalidRequest`` when the object is new and not saved; `StoreError`.
  public func outcome(of object: ManagedObject) async throws -> OutboxOutcome {
    try await outcome(of: object.objectID)
  }

  /// Waits for an object by its identifier, as `outcome(of:)` does for an object.
  public func outcome(of id: ManagedObjectID) async throws -> OutboxOutcome {
    guard !id.isTemporary else {
      throw GraphError(
        .invalidRequest,
        message: "The \(id.entity.name) is not saved, so nothing is sent of it. Save its context, "
          + "and ask for the outcome afterwards.")
    }
    let news = answers.makeStream(.bufferingNewest(1))
    // The edits until now are among the entries from here on.
    _ = try await withStore { [info, name, stack] store in
      try store.write(info) { try OutboxScopes(stack).drain(name, in: $0) }
    }
    if let outcome = try await currentOutcome(of: id) { return outcome }
    for await _ in news {
      if let outcome = try await currentOutcome(of: id) { return outcome }
    }
    throw CancellationError()
  }

  /// The outcome of an object so far; nil while it waits.
  private func currentOutcome(of id: ManagedObjectID) async throws -> OutboxOutcome? {
    try await withStore { [self] store in
      try store.read { reader in
        guard let entry = try reader.outboxEntry(id, in: name), entry.edit != nil else {
          return .settled
        }
        if let reason = entry.refusal { return .refused(reason) }
        return try items([entry], reader).first?.obstacle.map { .refused($0) }
      }
    }
  }
}
