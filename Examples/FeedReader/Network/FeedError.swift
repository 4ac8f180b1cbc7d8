import Foundation
import SyncStack

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why a feed cannot be read. The store is as it was.
enum FeedError: Error, Equatable {
  /// The server answered, but not with a page; it may have said when to come back.
  case status(Int, URL, retryAfter: Duration? = nil)
  /// There was no answer, or not all of it.
  case connection(URLError.Code, URL, reason: String)
  /// The page ended before the length that was announced.
  case incomplete(URL, received: Int, expected: Int)
  /// The page is no JSON.
  case unreadable(URL, JSONError)
  /// The page has no list where one was expected.
  case noItems(URL, path: String?)
  /// A page leads to one that was read already, so there would be no end.
  case repeatedPage(URL)
}

extension FeedError {
  /// Whether the same request may succeed a little later. A server that is busy or down comes back; one
  /// that says that there is nothing, or that we may not have it, says so again.
  var isWorthRetrying: Bool {
    switch self {
    case .status(let status, _, _):
      [408, 425, 429, 500, 502, 503, 504].contains(status)
    case .connection(let code, _, _):
      FeedError.passingFaults.contains(code)
    case .incomplete:
      true
    case .unreadable, .noItems, .repeatedPage:
      false
    }
  }

  /// When the server wants to be asked again.
  var retryAfter: Duration? {
    if case .status(_, _, let delay) = self { delay } else { nil }
  }

  // `unknown` is what a transfer that breaks off is called where FoundationNetworking is used.
  private static let passingFaults: Set<URLError.Code> = [
    .timedOut, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet,
    .cannotFindHost, .dnsLookupFailed, .badServerResponse, .unknown,
  ]
}

extension FeedError: CustomStringConvertible {
  /// What is wrong and what to do, without the name of the server.
  var description: String {
    switch self {
    case .status(let status, let url, _):
      let advice =
        isWorthRetrying
        ? "It may be back later." : "Check the address, and whether one has to sign in."
      return "\(url.target) was answered with status \(status). \(advice)"
    case .connection(_, let url, let reason):
      return "\(url.target) was not answered: \(reason). Check the connection and try again."
    case .incomplete(let url, let received, let expected):
      return "\(url.target) broke off after \(received) of \(expected) bytes. Try again."
    case .unreadable(let url, let error):
      return "\(url.target) is no JSON: \(error)"
    case .noItems(let url, let path):
      return "\(url.target) has no list \(path.map { "at “\($0)”" } ?? "at its top"). "
        + "Say where its items are with --at."
    case .repeatedPage(let url):
      return "\(url.target) leads back to a page that was read already. Tell whoever serves it."
    }
  }
}

extension URL {
  /// Path and query, as in `/articles?page=2`.
  fileprivate var target: String {
    path + (query.map { "?\($0)" } ?? "")
  }
}
