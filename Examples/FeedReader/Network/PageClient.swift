import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Asks for pages, again where that is worth it.
struct PageClient: Sendable {
  var session = URLSession.shared
  var retry = RetryPolicy()
  /// Waits before another attempt; ends at once when the task is cancelled.
  var wait: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// Is told of each failure that is not the last.
  var willRetry: @Sendable (FeedError) -> Void = { _ in }

  /// A page as it came.
  struct Response: Sendable {
    let data: Data
    /// Where it came from, after all redirections.
    let url: URL
    /// The header that may name the next page.
    let link: String?
  }

  /// Asks for a page until it comes, or until there is no hope.
  ///
  /// - Throws: ``FeedError``; `CancellationError` as soon as the task is cancelled.
  func page(at url: URL) async throws -> Response {
    var attempt = 1
    while true {
      do {
        return try await ask(for: url)
      } catch let error as FeedError {
        guard let delay = retry.delay(afterAttempt: attempt, error) else { throw error }
        willRetry(error)
        try await wait(delay)
        attempt += 1
      }
    }
  }

  private func ask(for url: URL) async throws -> Response {
    var request = URLRequest(url: url)
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    let (data, response): (Data, URLResponse)
    do {
      (data, response) = try await session.data(for: request)
    } catch let error as URLError {
      try Task.checkCancellation()
      throw FeedError.connection(error.code, url, reason: error.localizedDescription)
    }
    guard let response = response as? HTTPURLResponse else {
      throw FeedError.connection(.unsupportedURL, url, reason: "this is not an HTTP address")
    }
    guard 200..<300 ~= response.statusCode else {
      let delay = response.value(forHTTPHeaderField: "Retry-After").flatMap {
        Duration(retryAfter: $0)
      }
      throw FeedError.status(response.statusCode, url, retryAfter: delay)
    }
    // Not every system notices that a page broke off. The length is that of the packed page, if it was.
    let expected = Int(response.expectedContentLength)
    if response.value(forHTTPHeaderField: "Content-Encoding") == nil, data.count < expected {
      throw FeedError.incomplete(url, received: data.count, expected: expected)
    }
    return Response(
      data: data, url: response.url ?? url, link: response.value(forHTTPHeaderField: "Link"))
  }
}
