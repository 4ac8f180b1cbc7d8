import Foundation
import Loopback
import SyncStack

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server with the lists of a public API, and the client that a program has for it.
final class WalkServer: Sendable {
  private let server: LoopbackServer
  private let address: URL

  /// - Parameters:
  ///   - pageSize: Items of a page. A `Link` header leads to the next one.
  ///   - answer: Gives the page of a path with a number, and how many items there are; 0 is a
  ///     document without pages.
  init(
    pageSize: Int = 100,
    _ answer: @escaping @Sendable (_ path: String, _ number: Int, _ size: Int) -> (JSONValue, Int)
  ) throws {
    server = try LoopbackServer { request in
      let number = request.query["page"].flatMap { Int($0) } ?? 1
      let (page, count) = answer(request.path, number, pageSize)
      guard number * pageSize < count, let host = request.headers["host"] else {
        return .json(page.description)
      }
      let next = "<http://\(host)\(request.path)?page=\(number + 1)>; rel=\"next\""
      let last = "<http://\(host)\(request.path)?page=9>; rel=\"last\""
      return .json(page.description, headers: ["Link": "\(next), \(last)"])
    }
    guard let url = server.url("/") else { throw URLError(.badURL) }
    address = url
  }

  deinit { server.stop() }

  /// The answer to a path, or to an address that an answer has led to.
  func get(_ path: String) async throws -> (Data, URLResponse) {
    guard let url = URL(string: path, relativeTo: address) else { throw URLError(.badURL) }
    return try await URLSession.shared.data(from: url)
  }
}
