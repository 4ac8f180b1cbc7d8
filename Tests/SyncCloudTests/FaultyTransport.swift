import SyncCore
import TestSupport

@testable import SyncCloud

/// A transport around another one that loses requests and answers, and does what a test says before each call.
final class FaultyTransport: CloudTransport {
  private struct State {
    var generator: SeededGenerator
    var lossRate: Double
    var saves: [[CloudSave]] = []
    var failures: [any Error] = []
    var pages = 0
  }

  private let inner: any CloudTransport
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
    let failure = state.withLock { $0.failures.isEmpty ? nil : $0.failures.removeFirst() }
    if let failure { throw failure }
    if isLost() { throw CloudError(.unreachable, message: "The request was lost.") }
    let answer = try await body()
    if isLost() { throw CloudError(.unreachable, message: "The answer was lost.") }
    return answer
  }

  func account() async throws -> String { try await call { try await inner.account() } }

  func limits() async throws -> CloudLimits { try await call { try await inner.limits() } }

  func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    try await call { try await inner.open(zone, create: create) }
  }

  func changes(
    in zone: CloudZone, after token: CloudToken?, limit: Int
  ) async throws -> CloudPage {
    state.withLock { $0.pages += 1 }
    return try await call { try await inner.changes(in: zone, after: token, limit: limit) }
  }

  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    state.withLock { $0.saves.append(saves) }
    try await willSave(saves)
    return try await call { try await inner.save(saves, in: zone) }
  }

  func remove(_ zone: CloudZone) async throws { try await call { try await inner.remove(zone) } }
}
