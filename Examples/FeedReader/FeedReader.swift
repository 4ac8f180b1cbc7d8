import Foundation
import SyncStack

/// Brings the articles of a feed into a store, page after page: each is downloaded and then synced,
/// one operation chained to the other, while the next is on its way. Ctrl-C cancels all of it.
///
///     swift run FeedReader https://example.org/articles articles.sqlite
///
/// A page is `{"items": […], "next": "/articles?page=2"}`; the last one has no next.
@main
struct FeedReader {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let first = URL(string: arguments[1]), first.host != nil else {
      print("Usage: FeedReader ADDRESS STORE")
      exit(2)
    }
    let reading = Task {
      let stack = try DataStack.articles(.sqlite(URL(filePath: arguments[2])))
      return try await Feed(stack: stack).read(from: first)
    }
    Interrupt.handle { reading.cancel() }
    switch await reading.result {
    case .success(let report): print(report)
    case .failure(is CancellationError):
      print("Cancelled.")
      exit(130)
    case .failure(let error):
      print(error)
      exit(1)
    }
  }
}

struct Feed: Sendable {
  let stack: DataStack
  var client = PageClient()

  /// Reads all pages. Articles that none of them has are deleted at the end, once; when anything
  /// fails, or the task is cancelled, nothing is deleted, and pages that came before stay.
  func read(from first: URL) async throws -> SyncReport {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let session = try SyncSession(entity: "Article", dataStack: stack)
    let network = OperationQueue()
    var pages: [Sync] = []
    var addresses: Set<URL> = []
    do {
      var next: URL? = first
      while let url = next {
        guard addresses.insert(url).inserted else { throw FeedError.repeated(url) }
        let file = folder.appending(path: "\(pages.count).json")
        let download = AsynchronousOperation { [client] in
          try await client.download(url, to: file)
        }
        let page = session.page(.file(file), at: "items")
        page.addDependency(download)
        pages.append(page)
        network.addOperation(download)
        stack.syncQueue.addOperation(page)
        // The next page is on its way while this one is written.
        next = try await download.value
      }
      let end = session.finishOperation()
      _ = try? await stack.sync(end)
      var report = SyncReport()
      // A page that failed says more than the end, which then deletes nothing.
      for part in pages + [end] { report.add(try part.result?.get() ?? SyncReport()) }
      return report
    } catch {
      // Pages that wait or run are cancelled.
      try session.abandon()
      throw error
    }
  }
}

final class Article: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var title: String?
  @ToOne(inverse: "articles") var author: Author?
}

final class Author: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToMany(inverse: "author") var articles: Set<Article>
}

extension DataStack {
  /// A stack for articles.
  static func articles(_ location: Location) throws -> DataStack {
    try DataStack(model: ManagedObjectModel(Article.self, Author.self), store: location)
  }
}
