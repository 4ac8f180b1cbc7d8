import Foundation
import SyncStack

/// Reads a feed of articles from the network into a store: downloads chained to syncs by dependencies,
/// tried again where that is worth it, page by page or at once, and cancelled as a whole by Ctrl-C.
///
///     swift run FeedReader --demo                                         against a server of its own
///     swift run FeedReader http://localhost:8080/articles articles.sqlite
@main
struct FeedReader {
  static let usage = """
    Usage: FeedReader ADDRESS [STORE] [--items PATH] [--next PATH | --number NAME] [--page-by-page]
           FeedReader --demo
      STORE           a SQLite file; in memory without
      --items PATH    where the items are in each page; “items” without
      --next PATH     where a page names the next one, unless a link header does; “next” without
      --number NAME   the item of the query that numbers the pages
      --page-by-page  store each page as it comes, instead of all of them in one transaction
    """

  static func main() async {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments == ["--demo"] { return try await Demo.run() }
      guard let settings = Settings(arguments) else {
        print(usage)
        exit(2)
      }
      let stack = try DataStack.articles(settings.store.map { .sqlite($0) } ?? .inMemory)
      let client = PageClient(willRetry: { print("\($0) Trying again.") })
      let reading = try FeedImport(
        settings.address, into: stack, client: client, paging: settings.paging,
        items: settings.items, storing: settings.storing)
      let interrupt = Interrupt { reading.cancel() }
      defer { withExtendedLifetime(interrupt) {} }
      print(try await reading.run())
      try stack.close()
    } catch is CancellationError {
      print("Cancelled.")
      exit(130)
    } catch {
      print(error)
      exit(1)
    }
  }

  /// What was asked for.
  struct Settings {
    var address: URL
    var store: URL?
    var items = "items"
    var paging = Paging.links(member: "next")
    var storing = FeedImport.Storing.atOnce

    /// Reads arguments; nil when they say nothing useful.
    init?(_ arguments: [String]) {
      var names: [String] = []
      var rest = arguments[...]
      while let word = rest.popFirst() {
        switch word {
        case "--page-by-page": storing = .pageByPage
        case "--items", "--next", "--number":
          guard let value = rest.popFirst() else { return nil }
          switch word {
          case "--items": items = value
          case "--next": paging = .links(member: value)
          default: paging = .numbers(parameter: value)
          }
        default: names.append(word)
        }
      }
      guard let first = names.first, names.count <= 2,
        !names.contains(where: { $0.hasPrefix("-") }),
        let address = URL(string: first), ["http", "https"].contains(address.scheme)
      else { return nil }
      self.address = address
      store = names.dropFirst().first.map { URL(filePath: $0) }
    }
  }
}

extension FeedImport {
  /// Runs the import; cancelling the task cancels it.
  func run() async throws -> FeedReport {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        whenFinished { continuation.resume(with: $0) }
        start()
      }
    } onCancel: {
      cancel()
    }
  }
}
