import Foundation
import SyncStack

/// Where the pages of one import are kept until they are in the store. One page at a time is kept.
struct PageFolder: Sendable {
  /// A page that was kept.
  struct Page: Sendable {
    /// The address of the one after it; nil when it is the last.
    let next: URL?
  }

  private let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  private let items: String?
  private let collectsItems: Bool

  /// - Parameters:
  ///   - items: Dotted path to the list of items in each page; nil is the page itself.
  ///   - collectsItems: Whether the items of all pages go into one file, instead of each page into one
  ///     of its own.
  init(items: String?, collectsItems: Bool) {
    self.items = items
    self.collectsItems = collectsItems
  }

  /// The file of a page.
  func file(_ number: Int) -> URL { url.appending(path: "page-\(number).json") }

  /// The file of the items of all pages, one a line.
  var allItems: URL { url.appending(path: "items.ndjson") }

  func make() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    if collectsItems { try Data().write(to: allItems) }
  }

  func remove() {
    try? FileManager.default.removeItem(at: url)
  }

  /// Looks at a page, so that one that is none ends the import before anything is written, and keeps it.
  ///
  /// - Throws: ``FeedError`` when the page is no JSON or has no items.
  func keep(_ response: PageClient.Response, number: Int, paging: Paging) throws -> Page {
    let document: JSONValue
    do {
      document = try JSONValue(parsing: response.data)
    } catch let error as JSONError {
      throw FeedError.unreadable(response.url, error)
    }
    let found = items.map { document.value(at: JSONPath($0)) } ?? document
    guard let list = found?.arrayValue else {
      throw FeedError.noItems(response.url, path: items)
    }
    if collectsItems {
      let handle = try FileHandle(forWritingTo: allItems)
      defer { try? handle.close() }
      try handle.seekToEnd()
      for item in list { try handle.write(contentsOf: item.data() + Data("\n".utf8)) }
    } else {
      try response.data.write(to: file(number))
    }
    return Page(next: paging.next(after: response, document: document, itemCount: list.count))
  }
}
