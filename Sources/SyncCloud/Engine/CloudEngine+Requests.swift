import SyncCore
import SyncStore

/// What an engine has found out about its server.
struct CloudConnection: Sendable {
  var limits: CloudLimits
  var access: CloudZoneState.Access
}

extension CloudEngine {
  /// Asks the server something, never earlier than it allowed.
  ///
  /// - Parameter attempts: How often to come again when the failure may pass.
  func request<T: Sendable>(
    attempts: Int? = nil, _ body: () async throws -> T
  ) async throws -> T {
    var attempt = 0
    while true {
      if let earliest = monitor.earliest { try await Task.sleep(until: earliest) }
      try Task.checkCancellation()
      do {
        return try await body()
      } catch {
        let failure = try Self.understand(error)
        if let seconds = failure.retryAfter { monitor.postpone(by: seconds) }
        attempt += 1
        guard failure.isTemporary, attempt <= attempts ?? retry.attempts else { throw failure }
        try await pause(before: attempt)
      }
    }
  }

  /// Waits before an attempt.
  func pause(before attempt: Int) async throws {
    let seconds = retry.wait(before: attempt)
    if seconds > 0 { try await Task.sleep(for: .seconds(seconds)) }
  }

  /// Whatever a transport throws: an error that it does not know says nothing about what was asked.
  static func understand(_ error: any Error) throws -> CloudError {
    if error is CancellationError || Task.isCancelled { throw CancellationError() }
    return error as? CloudError
      ?? CloudError(
        .unreachable,
        message: "The server was not understood: \(error). Nothing is lost; sync again later.")
  }

  // MARK: - Account and zone

  /// Signs in and looks at the zone, once; makes the zone when the store is synced for the first time.
  ///
  /// - Throws: ``CloudError`` when somebody else is signed in or the zone is another one.
  func connect() async throws -> CloudConnection {
    if let known = connection.withLock({ $0 }) { return known }
    let account = try await request { try await transport.account() }
    let limits = try await request { try await transport.limits() }
    let zone = zone
    let known = try await read { try $0.remoteZone(zone.name) }
    if let before = known?.account, before != account { throw Self.accountChanged(before, account) }
    let state: CloudZoneState
    do {
      state = try await request { try await transport.open(zone, create: known?.account == nil) }
    } catch let error as CloudError where error.code == .zoneMissing {
      throw Self.zoneReplaced
    }
    if let generation = known?.generation, generation != state.generation {
      throw Self.zoneReplaced
    }
    if known?.account == nil {
      try await write { writing in
        writing.zone.account = account
        writing.zone.generation = state.generation
      }
    }
    let made = CloudConnection(limits: limits, access: state.access)
    connection.withLock { $0 = made }
    return made
  }

  /// Looks whether account and zone are those that are known, before anything is sent or taken.
  func checkZone() async throws {
    let zone = zone
    let known = try await read { try $0.remoteZone(zone.name) }
    let account = try await request { try await transport.account() }
    if let before = known?.account, before != account { throw Self.accountChanged(before, account) }
    do {
      let state = try await request { try await transport.open(zone, create: false) }
      if state.generation != known?.generation { throw Self.zoneReplaced }
    } catch let error as CloudError where error.code == .zoneMissing {
      throw Self.zoneReplaced
    }
  }

  /// Whatever ended the work: the next one finds out anew who and what is there.
  func disconnect() {
    connection.withLock { $0 = nil }
  }

  private static let zoneReplaced = CloudError(
    .zoneReplaced,
    message:
      "What the server had was removed, or made anew, since this store was last synced. Nothing was "
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
