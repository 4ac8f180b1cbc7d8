import SyncStack
import TestSupport

/// The way to a server: requests on it are lost, refused, delayed, and other things happen
/// meanwhile.
final class DialectLine: Sendable {
  struct Lost: Error {}

  private struct State {
    var server: DialectServer
    var random: SeededGenerator
    var isFaulty = true
    var isDead = false
    var meanwhile: (@Sendable () async throws -> Void)?
    var log: [String] = []
  }

  private let state: Locked<State>

  /// Held by whatever must not see another one in the middle.
  let turn = DialectTurn()

  init(_ server: DialectServer, _ random: SeededGenerator) {
    state = Locked(State(server: server, random: random))
  }

  var server: DialectServer { state.withLock { $0.server } }
  var log: [String] { state.withLock { $0.log } }

  func note(_ text: @autoclosure () -> String) {
    let text = text()
    state.withLock { $0.log.append(text) }
  }

  func setFaulty(_ isFaulty: Bool) { state.withLock { $0.isFaulty = isFaulty } }

  /// From now on no request arrives, as when the program that sends them is gone.
  func setDead(_ isDead: Bool) { state.withLock { $0.isDead = isDead } }

  /// Sets a body that runs while some requests are under way.
  func whileUnderWay(_ body: (@Sendable () async throws -> Void)?) {
    state.withLock { $0.meanwhile = body }
  }

  /// A change of another client on the server.
  func change(_ body: @Sendable (inout DialectServer) -> Void) {
    state.withLock { body(&$0.server) }
  }

  func request(
    _ body: @Sendable (inout DialectServer) -> OutboxAnswer
  ) async throws -> OutboxAnswer {
    let (fault, meanwhile) = state.withLock { state in
      let isFaulty = state.isFaulty
      let fault = isFaulty ? Int.random(in: 0..<32, using: &state.random) : 99
      return (fault, isFaulty && state.random.chance(15) ? state.meanwhile : nil)
    }
    try await meanwhile?()
    switch fault {
    case 0: throw Lost()
    case 1: return .retry(reason: "Status 502.")
    case 2: return .retry(after: 0)
    case 4: for _ in 0..<20 { await Task.yield() }
    default: break
    }
    let answer = try await turn.take {
      try state.withLock { state in
        if state.isDead { throw Lost() }
        state.server.isRefusing = fault == 3
        return body(&state.server)
      }
    }
    switch fault {
    case 5, 6: throw Lost()
    case 7: return .retry(reason: "Status 500.")
    case 8: for _ in 0..<20 { await Task.yield() }
    default: break
    }
    return answer
  }
}

/// One after the other, in the order in which they come.
final class DialectTurn: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  func take<T: Sendable>(_ body: @Sendable () async throws -> T) async rethrows -> T {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken { state.waiting.append(continuation) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
    defer { leave() }
    return try await body()
  }

  private func leave() {
    let next = state.withLock { state in
      state.isTaken = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume()
  }
}
