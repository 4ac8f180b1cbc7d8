import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

extension CloudEngine {
  /// Syncs from now on by itself, until ``stop()``, and as long as engine and stack are there: at
  /// once, shortly after each commit of this process or another one on the same file, at intervals
  /// that grow while nothing happens, when the server says that something has changed, and after
  /// ``wake()``. While the server is not there it comes back later and later.
  ///
  /// ```swift
  /// cloud.start()
  /// ```
  ///
  /// A failure that needs a person (no account signed in, another account or zone, a deletion that
  /// the guard refuses, …) halts it until ``wake()``; ``status`` says which. Calls of the program,
  /// as ``sync(progress:)``, go on to work. Does the same as ``wake()`` when it is started already.
  ///
  /// - Parameters:
  ///   - pace: How often.
  ///   - clock: The clock by which it waits.
  public func start(pace: CloudPace = CloudPace(), clock: any Clock<Duration> = ContinuousClock()) {
    let made = makeDriver(pace, clock)
    let known = driver.withLock { driver in
      if driver == nil { driver = made }
      return driver
    }
    guard let known, known === made else { return wake() }
    // Before the first sync, so that nothing falls between.
    let commits = stack.changes
    followed.withLock { $0 = [] }
    let shared = try? stack.store.read { [zone] in try $0.sharedZones(home: zone.key) }
    let lines = lines(of: [zone] + (shared ?? []))
    // Before the first sync: its end says how long the engine waits without a signal.
    if !lines.isEmpty { known.send(.listening(true)) }
    known.send(.started)
    follow(lines, known)
    known.listen { [fields, authors, weak self] driver in
      for await commit in commits where Self.concerns(commit, fields, authors) {
        driver.send(.committed)
      }
      // The stack was closed, or this was stopped.
      if !Task.isCancelled { await self?.stop() }
    }
  }

  /// Syncs at once, when it was started: call it when a push message came, the program came to the
  /// front, or the reason why it halted was put right.
  public func wake() {
    driver.withLock { $0 }?.send(.asked)
  }

  /// Ends the work of ``start(pace:clock:)``, and returns when requests in flight are cancelled.
  /// Pulls and pushes that the program called go on.
  public func stop() async {
    let driver = driver.withLock { driver in
      defer { driver = nil }
      return driver
    }
    await driver?.stop()?.value
    monitor.tell()
  }

  /// Live signals of zones that are not followed yet.
  func lines(of zones: [CloudZone]) -> [(zone: CloudZone, signals: AsyncStream<Void>)] {
    zones.compactMap { zone in
      guard followed.withLock({ $0.insert(zone).inserted }) else { return nil }
      return transport.signals(for: zone).map { (zone, $0) }
    }
  }

  func follow(_ lines: [(zone: CloudZone, signals: AsyncStream<Void>)], _ driver: TimetableDriver) {
    for (zone, signals) in lines {
      driver.follow(signals) { [weak self] in
        guard let self, followed.withLock({ $0.contains(zone) }) else { return nil }
        return transport.signals(for: zone)
      }
    }
  }

  private func makeDriver(_ pace: CloudPace, _ clock: some Clock<Duration>) -> TimetableDriver {
    let sync: @Sendable () async -> Timetable.Event = { [weak self] in
      do {
        guard let (pull, push) = try await self?.sync() else { return .stopped }
        let moved = pull.inserted + pull.updated + pull.deleted + push.sent + push.conflicts
        return .ended(hasMoved: moved > 0)
      } catch let error as CloudError {
        return error.needsPerson ? .halted : .failed(rest: error.retryAfter.map { .seconds($0) })
      } catch {
        return .failed(rest: nil)
      }
    }
    let pace = Timetable.Pace(delay: pace.delay, shortest: pace.shortest, longest: pace.longest)
    return TimetableDriver(pace, clock, tell: { [monitor] in monitor.tell() }, work: sync)
  }

  /// Whether something was committed that is to be sent.
  private static func concerns(
    _ commit: ChangeSet, _ fields: TravellingFields, _ authors: HistoryAuthors
  ) -> Bool {
    commit.isUnknown
      || authors.include(commit.author) && commit.entities.contains { fields.travels($0.entity) }
  }
}
