import Foundation
import SyncCore

/// One request of a feed, which ends with the task that waits for it: a closure that does not look
/// at its cancellation holds nothing up, and its page is dropped when it comes.
final class FeedRequest: Sendable {
  private enum State {
    case begun
    case awaited(CheckedContinuation<FeedPage, any Error>)
    case ended(Result<FeedPage, any Error>)
  }

  private let state = Locked(State.begun)

  /// - Throws: Errors of the closure; `CancellationError` as soon as the task is cancelled.
  static func page(of feed: Feed, at place: String?) async throws -> FeedPage {
    let request = FeedRequest()
    let work = Task {
      do {
        request.end(.success(try await feed.fetch(place)))
      } catch {
        request.end(.failure(error))
      }
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { request.wait($0) }
    } onCancel: {
      request.end(.failure(CancellationError()))
      // The handlers of the closure's calls run in here, and may wait. A URLSession of Linux waits
      // for its queue, which waits for this task where a request ends at that moment.
      Thread.detachNewThread { work.cancel() }
    }
  }

  private func wait(_ continuation: CheckedContinuation<FeedPage, any Error>) {
    let result = state.withLock { state -> Result<FeedPage, any Error>? in
      if case .ended(let result) = state { return result }
      state = .awaited(continuation)
      return nil
    }
    if let result { continuation.resume(with: result) }
  }

  /// Ends the request, unless it has ended.
  private func end(_ result: Result<FeedPage, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<FeedPage, any Error>? in
      switch state {
      case .begun:
        state = .ended(result)
        return nil
      case .awaited(let continuation):
        state = .ended(result)
        return continuation
      case .ended: return nil
      }
    }
    waiting?.resume(with: result)
  }
}
