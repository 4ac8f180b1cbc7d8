import Foundation
import SyncStack

/// Brings three lists of a server into a store, page after page. Ctrl-C cancels; the same command
/// goes on where it was, also after `kill -9`.
///
///     swift run FeedReader https://example.org/news/ news.sqlite
///     swift run FeedReader                               shows that with a server of its own
@main
struct FeedReader {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.isEmpty {
      try await Show().run()
    } else if arguments.count == 2, let api = URL(string: arguments[0]), api.host != nil {
      try await read(from: api, into: URL(filePath: arguments[1]))
    } else {
      print("Usage: FeedReader [ADDRESS STORE]")
      exit(2)
    }
  }

  static func read(from api: URL, into file: URL) async throws {
    let stack = try DataStack.news(.sqlite(file))
    let news = Import.news(from: api, into: stack)
    Interrupt.handle { news.cancel() }
    do {
      print(try await stack.run(news))
    } catch is CancellationError {
      print("Cancelled. The next run goes on here.")
      exit(130)
    } catch {
      print(error)
      exit(1)
    }
  }
}
