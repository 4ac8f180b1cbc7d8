import Foundation
import SyncCore
import SyncStore

/// The limits of a server, and the rights of the account in a zone.
struct CloudConnection: Sendable {
  var limits: CloudLimits
  var access: CloudZoneState.Access
}

extension CloudEngine {
  /// Asks the server something, never earlier than it allowed, and comes again when the failure may
  /// pass.
  ///
  /// - Throws: ``CloudError``, with the code `busy` when the server wants to be left alone for
  ///   longer than is waited.
  func request<T: Sendable>(_ body: () async throws -> T) async throws -> T {
    var patience = CloudPatience()
    while true {
      do {
        return try await attempt(&patience, body)
      } catch let failure as CloudError {
        patience.fail()
        // A server that was never there is not waited for; one that was there a moment ago may just
        // be starting again.
        guard failure.isTemporary, patience.failures <= retry.attempts,
          !failure.isClosed || monitor.isHeard
        else { throw failure }
      }
    }
  }

  /// Asks the server something once.
  func attempt<T: Sendable>(
    _ patience: inout CloudPatience, _ body: () async throws -> T
  ) async throws -> T {
    try await pause(&patience)
    do {
      let answer = try await body()
      monitor.hear()
      return answer
    } catch {
      let failure = try Self.understand(error)
      if !failure.isTemporary { monitor.hear() }
      if let seconds = failure.retryAfter { monitor.postpone(by: seconds) }
      throw failure
    }
  }

  /// Waits until it is one's own turn, and until the server may be asked.
  func pause(_ patience: inout CloudPatience) async throws {
    var seconds = patience.isDue ? retry.wait(before: patience.failures) : 0
    patience.isDue = false
    let rest = [monitor.earliest, transport.restsUntil].compactMap { $0 }.max()
    if let rest { seconds = max(seconds, ContinuousClock.now.duration(to: rest) / .seconds(1)) }
    if seconds > 0 {
      guard patience.waited + seconds <= retry.patience else { throw Self.busy(for: seconds) }
      patience.waited += seconds
      try await Task.sleep(for: .seconds(seconds))
    }
    try Task.checkCancellation()
  }

  private static func busy(for seconds: Double) -> CloudError {
    let date = Date(timeIntervalSinceNow: Seconds.clamped(seconds))
    return CloudError(
      .busy,
      message:
        "The server wants to be left alone until \(date.formatted(.iso8601)). Nothing is lost; sync again then.",
      retryAfter: seconds)
  }

  /// The meaning of any error that a transport throws: an unknown one says nothing about the
  /// outcome of the request.
  static func understand(_ error: any Error) throws -> CloudError {
    if error is CancellationError || Task.isCancelled { throw CancellationError() }
    return error as? CloudError
      ?? CloudError(
        .unreachable,
        message: "The server was not understood: \(error). Nothing is lost; sync again later.")
  }

  // MARK: - Account and zone

  /// Signs in and looks at the zone, once; makes the zone when the store is synced for the first
  /// time.
  ///
  /// - Throws: ``CloudError`` when another account is signed in or the zone is another one.
  func connect() async throws -> CloudConnection {
    let zone = zone
    if let known = connections.withLock({ $0[zone] }) { return known }
    let state = try await checkZone()
    let limits = try await request { try await transport.limits() }
    let made = CloudConnection(limits: limits, access: state.access)
    connections.withLock { $0[zone] = made }
    return made
  }

  /// Looks whether account and zone are those that are known, before anything is sent or taken.
  func check(_ zone: CloudZone) async throws {
    try await checkZone()
    if zone != self.zone { try await look(at: zone) }
  }

  @discardableResult
  private func checkZone() async throws -> CloudZoneState {
    let zone = zone
    let known = try await read { try $0.remoteZone(zone.name) }
    let account = try await request { try await transport.account() }
    if let before = known?.account, before != account { throw Self.accountChanged(before, account) }
    let isFirst = known?.account == nil
    let state: CloudZoneState
    do {
      state = try await request { try await transport.open(zone, create: isFirst) }
    } catch let error as CloudError where error.code == .zoneMissing {
      throw Self.zoneReplaced
    }
    guard isFirst else {
      if state.generation != known?.generation { throw Self.replaced(known?.generation) }
      return state
    }
    try await write { writing in
      writing.zone.account = account
      writing.zone.generation = state.generation
    }
    return state
  }

  /// Reads all records of a zone, page by page.
  func readAll(
    _ zone: CloudZone, _ limits: CloudLimits, _ body: ([CloudRecord]) async throws -> Void
  ) async throws {
    var token: CloudToken?
    while true {
      let place = token
      let page = try await request {
        try await transport.changes(in: zone, after: place, limit: limits.page)
      }
      try await body(page.records)
      guard page.hasMore else { return }
      token = page.token
    }
  }

  /// Forgets account and zones after an end of any kind: the next call asks for them anew.
  func disconnect() {
    connections.withLock { $0 = [:] }
    files.state.withLock { $0.generations = [:] }
  }

  /// Why the zone is another one than that of a generation.
  private static func replaced(_ generation: String?) -> CloudError {
    guard generation == unfinished else { return zoneReplaced }
    return CloudError(
      .zoneReplaced,
      message:
        "replaceLocal() did not come to its end. Nothing is sent before it did; call it once more.")
  }

  private static let zoneReplaced = CloudError(
    .zoneReplaced,
    message:
      "The zone was removed from the server, or made anew, since this store was last synced. Nothing was "
      + "sent and nothing deleted. " + CloudError.zoneAdvice)

  private static func accountChanged(_ before: String, _ now: String) -> CloudError {
    CloudError(
      .accountChanged,
      message:
        "This store was synced as “\(before)”, and “\(now)” is signed in. Nothing was sent. Sign in "
        + "as before, or use another store. " + CloudError.zoneAdvice
    )
  }
}
