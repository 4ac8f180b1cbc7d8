import Foundation
import SyncStack

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why a feed cannot be read.
enum FeedError: Error, Equatable {
  case status(Int, URL)
  case connection(URLError.Code, URL)
  case incomplete(URL)
  case repeated(URL)
}

/// Downloads pages, again where that may help: the time between attempts doubles, and the server
/// may ask for more of it.
struct PageClient: Sendable {
  var session = URLSession.shared
  var attempts = 5
  var wait: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// - Returns: The address of the next page; nil when there is none.
  func download(_ url: URL, to file: URL) async throws -> URL? {
    var delay = Duration.milliseconds(500)
    for attempt in 1... {
      let (error, asked) = try await ask(for: url, file)
      guard let error else { break }
      guard attempt < attempts, isPassing(error) else { throw error }
      try await wait(max(delay, asked))
      delay *= 2
    }
    let page = try JSONValue(parsing: Data(contentsOf: file))
    return page["next"]?.stringValue.flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
  }

  /// Asks once; a failure is returned, with the time that the server wants.
  private func ask(for url: URL, _ file: URL) async throws -> (FeedError?, Duration) {
    let (data, response): (Data, URLResponse)
    do {
      (data, response) = try await session.data(from: url)
    } catch let error as URLError {
      try Task.checkCancellation()
      return (.connection(error.code, url), .zero)
    }
    let answer = response as? HTTPURLResponse
    guard let answer, 200..<300 ~= answer.statusCode else {
      let asked = answer?.value(forHTTPHeaderField: "Retry-After").flatMap(Int.init) ?? 0
      return (.status(answer?.statusCode ?? 0, url), .seconds(min(asked, 60)))
    }
    // Not every system notices that a page broke off.
    guard data.count >= Int(answer.expectedContentLength) else { return (.incomplete(url), .zero) }
    try data.write(to: file)
    return (nil, .zero)
  }

  private func isPassing(_ error: FeedError) -> Bool {
    switch error {
    case .status(let status, _): [408, 425, 429, 500, 502, 503, 504].contains(status)
    case .connection(let code, _): code != .unsupportedURL && code != .badURL
    case .incomplete: true
    case .repeated: false
    }
  }
}
