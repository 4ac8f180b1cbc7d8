/// A result that one task waits for. It comes once: later ones are dropped, and a task that is
/// cancelled waits no longer. Everything is under the lock; continuations are resumed without it.
package final class Awaited<Value: Sendable>: Sendable {
  private enum State {
    case begun
    case awaited(CheckedContinuation<Value, any Error>)
    case ended(Result<Value, any Error>)
  }

  private let state = Locked(State.begun)

  package init() {}

  /// Whether the result has come, or the task that waits for it was cancelled.
  package var hasEnded: Bool {
    state.withLock { if case .ended = $0 { true } else { false } }
  }

  /// Waits for the result.
  ///
  /// - Parameter onCancel: Called when the task was cancelled, once it waits no longer.
  /// - Throws: The error that is the result; `CancellationError` as soon as the task is cancelled.
  package func value(onCancel: @Sendable () -> Void = {}) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Value, any Error>? in
          if case .ended(let result) = state { return result }
          state = .awaited(continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      end(.failure(CancellationError()))
      onCancel()
    }
  }

  /// Gives the result, unless there is one.
  package func end(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      if case .ended = state { return nil }
      defer { state = .ended(result) }
      if case .awaited(let continuation) = state { return continuation } else { return nil }
    }
    waiting?.resume(with: result)
  }
}
