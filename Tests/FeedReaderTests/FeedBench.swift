import Foundation
import Loopback
import SyncStack
import TestSupport
import Testing

@testable import FeedReader

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

typealias Answer = LoopbackServer.Answer

/// A stack, a server, and the waits of the client.
final class FeedBench: Sendable {
  let stack: DataStack
  let server: LoopbackServer
  let waits = Guarded<[Duration]>([])

  init(_ handler: @escaping @Sendable (LoopbackServer.Request) -> Answer) throws {
    stack = try DataStack.articles(.inMemory)
    server = try LoopbackServer(handler)
  }

  deinit {
    server.stop()
  }

  /// A client that waits for the server alone.
  func client(timeout: TimeInterval = 60) -> PageClient {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeout
    let waits = waits
    return PageClient(
      session: URLSession(configuration: configuration),
      wait: { delay in waits.with { $0.append(delay) } })
  }

  func read(_ target: String = "/", timeout: TimeInterval = 60) async throws -> SyncReport {
    try await Feed(stack: stack, client: client(timeout: timeout))
      .read(from: try #require(server.url(target)))
  }

  /// Stores articles that a feed may change.
  func store(_ ids: ClosedRange<Int>) async throws {
    try await stack.sync(articles(ids), inEntityNamed: "Article")
  }

  /// The stored articles, one a line.
  func lines() async throws -> [String] {
    let context = stack.newBackgroundContext()
    return try await context.perform {
      try context.fetch(Fetch<Article>().sorted(by: "id")).map { article in
        "\(article.id) \(article.title ?? "") by \(article.author?.name ?? "nobody")"
      }
    }
  }

  /// The keys of the stored articles.
  func keys() async throws -> [Int] {
    try await lines().compactMap { Int($0.prefix { $0 != " " }) }
  }
}

/// A list of articles.
func articles(_ ids: ClosedRange<Int>, _ title: String = "Title") -> String {
  let items = ids.map {
    #"{"id": \#($0), "title": "\#(title) \#($0)", "author": {"id": \#($0 % 3), "name": "A"}}"#
  }
  return "[\(items.joined(separator: ", "))]"
}

/// A page with articles, and the address of the next one.
func page(_ ids: ClosedRange<Int>, next: String? = nil) -> String {
  #"{"items": \#(articles(ids)), "next": \#(next.map { "\"\($0)\"" } ?? "null")}"#
}

extension LoopbackServer.Request {
  /// The number of the page that is asked for.
  var page: Int { Int(query["page"] ?? "") ?? 1 }
}

/// Something that happens once, and that tasks can wait for.
final class Event: Sendable {
  private let stream = AsyncStream.makeStream(of: Void.self)

  func happens() { stream.continuation.finish() }

  func wait() async {
    for await _ in stream.stream {}
  }
}

/// Where threads of the server wait until a test goes on, or goes away.
final class Barrier: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func wait() {
    semaphore.wait()
    semaphore.signal()
  }

  func open() { semaphore.signal() }

  deinit { semaphore.signal() }
}
