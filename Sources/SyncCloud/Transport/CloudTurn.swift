import SyncCore

/// Lets one pull or push work at a time, in the order in which they came. No thread waits, and a
/// task that is cancelled does not wait either.
final class CloudTurn: Sendable {
  private struct State {
    var isTaken = false
    var next = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state = Locked(State())

  /// - Throws: The error of the body; `CancellationError`.
  func run<T>(_ body: () async throws -> T) async throws -> T {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    let hasTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          guard state.isTaken else {
            state.isTaken = true
            return true
          }
          state.waiting.append((number, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let left = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      left?.continuation.resume(returning: false)
    }
    guard hasTurn else { throw CancellationError() }
    defer { leave() }
    try Task.checkCancellation()
    return try await body()
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
