import Foundation
import SyncStack

/// Takes page after page of JSON from an API and brings each into the store: every page is fetched
/// by one operation and synced by another, chained by dependencies, so that the next page is on its
/// way while the last one is written.
///
///     swift run QueuedBatchImport
@main
struct QueuedBatchImport {
  static let data = URL(filePath: #filePath).appending(path: "../../Data").standardizedFileURL

  static func main() async throws {
    let model = try ManagedObjectModel(contentsOf: data.appending(path: "Countries.xcdatamodeld"))
    let stack = try DataStack(model: model, store: .inMemory)
    let api = try PagedAPI(data.appending(path: "countries-2024.json"), pageSize: 50)

    let network = OperationQueue()
    network.maxConcurrentOperationCount = 2
    let progress = Progress(totalUnitCount: Int64(api.pageCount))
    var syncs: [Sync] = []
    for page in 0..<api.pageCount {
      let fetch = PageFetch(page, of: api)
      let sync = Sync(.file(fetch.file), inEntityNamed: "Country", dataStack: stack)
      // A page knows nothing of the other pages' countries, so nothing may be deleted at its top;
      // the subdivisions of a country it lists are complete.
      sync.operations = SyncOperations.all.subtracting(.delete)
      sync.name = "page \(page + 1)"
      sync.addDependency(fetch)
      if let previous = syncs.last { sync.addDependency(previous) }
      progress.addChild(sync.progress, withPendingUnitCount: 1)
      sync.whenFinished { result in
        try? FileManager.default.removeItem(at: fetch.file)
        let percent = Int((progress.fractionCompleted * 100).rounded())
        switch result {
        case .success(let report):
          print("page \(page + 1), \(percent) %: \(report.inserted) inserted")
        case .failure(let error): print("page \(page + 1) failed: \(error)")
        }
      }
      syncs.append(sync)
      network.addOperation(fetch)
      stack.syncQueue.addOperation(sync)
    }

    for sync in syncs { _ = try await sync.value }
    for entity in model.entities {
      let count = try stack.mainContext.count(Fetch(entityNamed: entity.name))
      print("\(entity.name): \(count) stored")
    }
  }
}

/// Stands for a server that gives its countries page by page.
struct PagedAPI: Sendable {
  let pageSize: Int
  private let items: [JSONValue]

  init(_ url: URL, pageSize: Int) throws {
    self.pageSize = pageSize
    items = try JSONValue(parsing: Data(contentsOf: url))["countries"]?.arrayValue ?? []
  }

  var pageCount: Int { (items.count + pageSize - 1) / pageSize }

  func response(page: Int) -> Data {
    JSONValue.array(Array(items.dropFirst(page * pageSize).prefix(pageSize))).data()
  }
}

/// Fetches one page into a file; a sync that depends on it reads the file.
final class PageFetch: Operation, @unchecked Sendable {  // Everything in it is constant.
  let file: URL
  private let page: Int
  private let api: PagedAPI

  init(_ page: Int, of api: PagedAPI) {
    self.page = page
    self.api = api
    file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
  }

  override func main() {
    // Where the file is missing, the sync of the page fails and says so.
    try? api.response(page: page).write(to: file)
  }
}
