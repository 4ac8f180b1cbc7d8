import SyncStack
import TestSupport

@testable import SyncCloud

/// A transport around another one that loses requests and answers, and runs a body of the test
/// before each call.
final class FaultyTransport: RelayingTransport {
  private struct State {
    var generator: SeededGenerator
    var lossRate: Double
    var saves: [[CloudSave]] = []
    var failures: [any Error] = []
    var pages = 0
    var shown = 0
    var lines: [AsyncStream<Void>.Continuation]?
    var failed = 0
    var calls: [ContinuousClock.Instant] = []
    var willCall: @Sendable (Int) async throws -> Void = { _ in }
    var didCall: @Sendable (Int) async throws -> Void = { _ in }
    var poison: @Sendable (CloudSave) -> Poison? = { _ in nil }
  }

  /// The way in which a server refuses a record.
  enum Poison {
    /// Its answer says so.
    case refused(String)
    /// Every batch with it fails.
    case fails(CloudError.Code)
  }

  let inner: any CloudTransport
  private let state: Locked<State>
  private let willSave: @Sendable ([CloudSave]) async throws -> Void

  /// - Parameters:
  ///   - lossRate: How likely a request is lost, and how likely its answer.
  ///   - willSave: Runs before each batch is sent.
  init(
    _ inner: any CloudTransport, seed: UInt64 = 1, lossRate: Double = 0,
    willSave: @escaping @Sendable ([CloudSave]) async throws -> Void = { _ in }
  ) {
    self.inner = inner
    self.willSave = willSave
    state = Locked(State(generator: SeededGenerator(seed: seed), lossRate: lossRate))
  }

  /// Every batch that was sent, lost ones among them.
  var saves: [[CloudSave]] { state.withLock { $0.saves } }

  /// Pages that were asked for.
  var pages: Int { state.withLock { $0.pages } }

  /// Records that were shown in them.
  var shown: Int { state.withLock { $0.shown } }

  /// Has live signals, which a test gives.
  func listen() { state.withLock { $0.lines = [] } }

  /// The lines on which signals go, oldest first.
  var lines: [AsyncStream<Void>.Continuation] { state.withLock { $0.lines ?? [] } }

  /// Calls in which the transport inside has failed.
  var failures: Int { state.withLock { $0.failed } }

  /// When each call began.
  var calls: [ContinuousClock.Instant] { state.withLock { $0.calls } }

  /// Runs before each call, with its number from 0.
  func beforeEachCall(_ body: @escaping @Sendable (Int) async throws -> Void) {
    state.withLock { $0.willCall = body }
  }

  /// Runs after each call, with its number from 0, before its answer arrives.
  func afterEachCall(_ body: @escaping @Sendable (Int) async throws -> Void) {
    state.withLock { $0.didCall = body }
  }

  /// Sets how the server refuses records; nil for good ones.
  func poison(_ body: @escaping @Sendable (CloudSave) -> Poison?) {
    state.withLock { $0.poison = body }
  }

  var lossRate: Double {
    get { state.withLock { $0.lossRate } }
    set { state.withLock { $0.lossRate = newValue } }
  }

  /// Has the next calls of any kind fail, one with each error.
  func fail(_ errors: any Error...) { state.withLock { $0.failures += errors } }

  private func isLost() -> Bool {
    state.withLock {
      $0.lossRate > 0 && Double.random(in: 0..<1, using: &$0.generator) < $0.lossRate
    }
  }

  private func call<T>(_ body: () async throws -> T) async throws -> T {
    let (willCall, didCall, number) = state.withLock { state in
      state.calls.append(.now)
      return (state.willCall, state.didCall, state.calls.count - 1)
    }
    try await willCall(number)
    let failure = state.withLock { $0.failures.isEmpty ? nil : $0.failures.removeFirst() }
    if let failure { throw failure }
    if isLost() { throw CloudError(.unreachable, message: "The request was lost.") }
    let answer: T
    do {
      answer = try await body()
    } catch {
      state.withLock { $0.failed += 1 }
      throw error
    }
    try await didCall(number)
    if isLost() { throw CloudError(.unreachable, message: "The answer was lost.") }
    return answer
  }

  func participants(of zone: CloudZone) async throws -> [CloudParticipant] {
    try await call { try await inner.participants(of: zone) }
  }

  func setParticipants(_ participants: [CloudParticipant], of zone: CloudZone) async throws {
    try await call { try await inner.setParticipants(participants, of: zone) }
  }

  func leave(_ zone: CloudZone) async throws { try await call { try await inner.leave(zone) } }

  func account() async throws -> String { try await call { try await inner.account() } }

  func limits() async throws -> CloudLimits { try await call { try await inner.limits() } }

  func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    try await call { try await inner.open(zone, create: create) }
  }

  func changes(in zone: CloudZone, after token: CloudToken?, limit: Int) async throws -> CloudPage {
    state.withLock { $0.pages += 1 }
    let page = try await call { try await inner.changes(in: zone, after: token, limit: limit) }
    state.withLock { $0.shown += page.records.count }
    return page
  }

  func signals(for zone: CloudZone) -> AsyncStream<Void>? {
    state.withLock { state in
      guard state.lines != nil else { return nil }
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      state.lines?.append(continuation)
      return stream
    }
  }

  func record(_ name: String, in zone: CloudZone) async throws -> CloudRecord? {
    try await call { try await inner.record(name, in: zone) }
  }

  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    state.withLock { $0.saves.append(saves) }
    try await willSave(saves)
    return try await call {
      let poison = state.withLock { $0.poison }
      var reasons: [Int: String] = [:]
      for (index, save) in saves.enumerated() {
        switch poison(save) {
        case .refused(let reason): reasons[index] = reason
        case .fails(let code): throw CloudError(code, message: "The server failed.")
        case nil: break
        }
      }
      let good = saves.indices.filter { reasons[$0] == nil }
      var answers = try await inner.save(good.map { saves[$0] }, in: zone)[...]
      return saves.indices.compactMap { reasons[$0].map { .refused($0) } ?? answers.popFirst() }
    }
  }

  func remove(_ zone: CloudZone) async throws { try await call { try await inner.remove(zone) } }
}
