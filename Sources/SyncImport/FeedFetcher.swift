import Foundation
import SyncCore

/// Makes the requests of an import: each again where that may help, and after the access was
/// renewed.
struct FeedFetcher: Sendable {
  let retry: RetryPolicy
  let access: FeedAccess
  let sleep: @Sendable (Duration) async throws -> Void

  init(_ retry: RetryPolicy, _ access: FeedAccess, _ clock: some Clock<Duration>) {
    self.retry = retry
    self.access = access
    sleep = { try await clock.sleep(for: $0) }
  }

  /// The page of a feed at a place.
  ///
  /// - Throws: ``FeedError`` with feed and place; `CancellationError`.
  func page(of feed: Feed, at place: String?) async throws -> FeedPage {
    var failures = 0
    var hasRenewed = false
    while true {
      let key = await access.number
      do {
        return try await feed.page(at: place)
      } catch {
        try Task.checkCancellation()
        let error = FeedError.of(error, feed.name, place)
        if error.code == .signedOut, !hasRenewed, try await renew(key, after: error) {
          hasRenewed = true
          continue
        }
        failures += 1
        guard error.mayPass, failures <= retry.attempts,
          error.retryAfter ?? 0 <= retry.longestDelay
        else { throw error }
        try await sleep(.seconds(max(retry.wait(before: failures), error.retryAfter ?? 0)))
      }
    }
  }

  private func renew(_ number: Int, after error: FeedError) async throws -> Bool {
    do {
      return try await access.renew(number)
    } catch let cause {
      try Task.checkCancellation()
      throw FeedError(
        .signedOut, feed: error.feed, place: error.place, status: error.status,
        message: "The access has expired and could not be renewed. (\(cause))", underlying: cause)
    }
  }
}

extension Feed {
  /// The answer to one request. It ends with the task that waits for it: a closure that does not
  /// look at its cancellation holds nothing up, and its page is dropped when it comes.
  ///
  /// - Throws: Errors of the closure; `CancellationError` as soon as the task is cancelled.
  fileprivate func page(at place: String?) async throws -> FeedPage {
    let page = Awaited<FeedPage>()
    let work = Task {
      do {
        page.end(.success(try await fetch(place)))
      } catch {
        page.end(.failure(error))
      }
    }
    return try await page.value {
      // The handlers of the closure's calls run in here, and may wait. A URLSession of Linux waits
      // for its queue, which waits for this task where a request ends at that moment.
      Thread.detachNewThread { work.cancel() }
    }
  }
}

/// The access to the server, which requests share: it is renewed once, however many of them find it
/// expired.
actor FeedAccess {
  private let renewal: (@Sendable () async throws -> Void)?
  private var running: Task<Void, any Error>?

  /// How often it was renewed.
  private(set) var number = 0

  init(_ renewal: (@Sendable () async throws -> Void)?) {
    self.renewal = renewal
  }

  /// Renews the access, unless that has happened since a request began.
  ///
  /// - Parameter seen: The ``number`` when the request began.
  /// - Returns: Whether there is a new access.
  /// - Throws: The error of the renewal.
  func renew(_ seen: Int) async throws -> Bool {
    guard let renewal else { return false }
    guard seen == number else { return true }
    let task = running ?? Task { try await renewal() }
    running = task
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    if running == task { running = nil }
    try result.get()
    if seen == number { number += 1 }
    return true
  }
}
