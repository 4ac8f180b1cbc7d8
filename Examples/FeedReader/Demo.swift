import Foundation
import SyncStack

#if canImport(WinSDK)
  /// The demo brings a server along, which needs sockets that are written for POSIX systems only.
  enum Demo {
    static func run() async throws {
      print(
        "The demo is not available on Windows: its server needs POSIX sockets. Read a feed by its address."
      )
    }
  }
#else
  /// Reads a feed from a server of its own on the loopback address, with everything that goes wrong on the way.
  enum Demo {
    static func run() async throws {
      let stack = try DataStack.articles(.inMemory)
      let server = try LoopbackServer(answer)
      defer { server.stop() }
      let retry = RetryPolicy(firstDelay: .milliseconds(20))
      let client = PageClient(retry: retry, willRetry: { print("  \($0) Trying again.") })

      func read(
        _ title: String, _ target: String, storing: FeedImport.Storing = .atOnce,
        delegate: (any SyncDelegate)? = nil
      ) async throws {
        guard let url = server.url(target) else { return }
        print(title)
        let before = try await stack.articleLines()
        let reading = try FeedImport(
          url, into: stack, client: client, storing: storing, delegate: delegate)
        do {
          print("  \(try await reading.run())")
        } catch {
          let isSame = try await stack.articleLines() == before
          print("  \(error is CancellationError ? "cancelled" : "\(error)")")
          print("  the store: \(isSame ? "the same" : "changed")")
        }
      }

      try await read("A feed of three pages; the server is busy at the second", "/first?page=1")
      try await read(
        "A day later, page by page: new, changed and removed articles", "/second?page=1",
        storing: .pageByPage)
      try await read("The same once more", "/second?page=1")
      try await read("The third page is missing", "/broken?page=1")
      try await read(
        "Cancelled while it is written", "/first?page=1", delegate: Canceller())
      let count = try await stack.articleLines().count
      print("\(count) articles are stored, after \(server.targets.count) requests.")
    }

    /// Forty articles a page, and the address of the next page.
    static func answer(_ request: LoopbackServer.Request) -> Answer {
      let page = Int(request.query["page"] ?? "") ?? 1
      let isFirst = request.path == "/first"
      if isFirst, page == 2, request.repetition < 2 {
        return .status(request.repetition == 0 ? 500 : 503, headers: ["Retry-After": "0"])
      }
      if request.path == "/broken", page == 3 { return .status(404) }
      // A day later the first ten are gone, ten are new, and every sixth has another title.
      let ids = (page - 1) * 40..<page * 40
      let items = ids.map { $0 + (isFirst ? 1 : 11) }.map { id in
        let title = !isFirst && id % 6 == 0 ? "Article \(id), revised" : "Article \(id)"
        return
          #"{"id": \#(id), "title": "\#(title)", "author": {"id": \#(id % 4), "name": "Author \#(id % 4)"}}"#
      }
      let next = page < 3 ? #""\#(request.path)?page=\#(page + 1)""# : "null"
      return .json(#"{"items": [\#(items.joined(separator: ", "))], "next": \#(next)}"#)
    }

    /// Cancels the sync as soon as it is about to insert something.
    final class Canceller: SyncDelegate {
      func sync(
        _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
      ) throws -> JSONValue {
        sync.cancel()
        return item
      }
    }
  }
#endif
